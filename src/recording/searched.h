// What a forced run notes for the search of what is not listed (drive/control), beside its events, and which of these
// it looks at.
#pragma once

#include <string_view>

#include "recording/kind.h"

namespace reprise::recording {

// Is it a passage that is searched, at an object that is not the library's own?
constexpr bool is_passage(Kind kind) {
  switch (kind) {
    case Kind::lock:
    case Kind::relock:
    case Kind::wait:
    case Kind::notify_one:
    case Kind::notify_all:
    case Kind::load:
    case Kind::compare_failed:
    case Kind::store:
    case Kind::modify:
    case Kind::acquire:
    case Kind::release:
    case Kind::arrive:
    case Kind::await:
      return true;
    default:
      return false;
  }
}

// Such as sees and does not change: the order of two of them does not matter.
constexpr bool is_load(Kind kind) { return kind == Kind::load || kind == Kind::compare_failed; }

// After a label: the object is the library's own.
constexpr std::string_view note_own = "own";
// After a relock: "woken by CONDITION ORDER", the notification that let it happen.
constexpr std::string_view note_woken = "woken by ";
// First of all: what the thread receives, it receives for a mailbox.
constexpr std::string_view note_serves = "serves a mailbox";
// The thread loads the same again and again.
constexpr std::string_view note_spins = "spins";
// Before what no order of passages decides: gate::unsearched_...
constexpr std::string_view note_unsearched = "unsearched: ";

}  // namespace reprise::recording
