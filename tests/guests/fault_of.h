// Which fault an act ends with, as the program sees it.
#pragma once

#include <reprise/mailbox.h>

#include <functional>

// -1: none.
inline int fault_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const reprise::mailbox_error& error) {
    return static_cast<int>(error.fault());
  }
  return -1;
}
