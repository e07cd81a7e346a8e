// NoParams: the parameters of an operator that takes none.
#pragma once

#include "dataset/params.h"

namespace weir {

struct NoParams : ParamsOf<NoParams> {
  void fields(Fields&) override {}
};

}  // namespace weir
