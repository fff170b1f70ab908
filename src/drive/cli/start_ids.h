// --start-id PROCESS=N, as often as it was given.
#pragma once

#include <string>
#include <vector>

#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::drive::cli {

// Errors: usage.
Result<std::vector<analyse::sequence::StartId>> start_ids_of(const std::vector<std::string>& texts);

}  // namespace reprise::drive::cli
