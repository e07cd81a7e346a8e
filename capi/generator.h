// Generators of the host: a weir_generator taken over, as an expr::Generator. Its destroy function runs
// exactly once: when the last CallbackRef goes, or when taking it over fails.
#pragma once

#include "capi/barrier.h"
#include "expr/types/generator.h"

namespace weir::capi {

// Takes over a generator. invalid_argument if it is not a valid one.
Result<CallbackRef> take_generator(const weir_generator* given);

}  // namespace weir::capi
