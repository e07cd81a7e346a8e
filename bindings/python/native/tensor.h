// Memory that goes in.
#pragma once

#include "plan.h"

namespace weirpy {

struct Tensor {
  OwnedTensor handle;
};

// A tensor over the memory of an array, which it keeps alive. Copies what isn't contiguous; strings always.
Tensor wrap_array(nb::handle array);

}  // namespace weirpy
