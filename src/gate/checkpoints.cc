#include "gate/checkpoints.h"

namespace reprise::gate {

__thread bool is_making_checkpoint = false;
StandStill stand_still;

}  // namespace reprise::gate
