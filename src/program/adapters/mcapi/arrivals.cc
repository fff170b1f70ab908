#include "program/adapters/mcapi/arrivals.h"

namespace reprise::mcapi {

void retrieved() {}
void await_retrieval() {}
void retrieved_again() {}
void keep_contents(const Request&) {}
bool give_contents(Request&) { return false; }

}  // namespace reprise::mcapi
