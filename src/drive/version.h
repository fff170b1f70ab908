// The version of the tool.
#pragma once

namespace reprise::drive {

constexpr const char* version = "0.1.0";

}  // namespace reprise::drive
