// reprise show --style mcapi.
#pragma once

#include "drive/cli/arguments.h"
#include "drive/cli/console.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

int run_show_mcapi(const recording::Folder& folder, const Arguments& arguments, Console& console);

}  // namespace reprise::drive::cli
