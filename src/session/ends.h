// Makes the ends of this process pass the gate. Called once, before the program's own constructors.
#pragma once

namespace reprise::session {

void watch_ends();

}  // namespace reprise::session
