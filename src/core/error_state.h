// error_state: saves an error that belongs to a position, or loads it.
#pragma once

#include "core/archive.h"
#include "core/status.h"

namespace weir {

// A loaded error is data_loss of the archive unless its code is one.
void error_state(Archive& archive, Error& error);

}  // namespace weir
