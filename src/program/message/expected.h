// A source of a mailbox as it was recorded. Private to Mailbox.
#pragma once

#include "program/message/mailbox.h"

namespace reprise::messaging {

struct Mailbox::Expected {
  std::shared_ptr<const message_sender> from;
  bool kept{false};
  std::shared_ptr<Source> nowhere;  // takes the replies to messages from the log
};

}  // namespace reprise::messaging
