// call_limits: between which numbers of calls a CallTuner looks for the best, for an executor and as
// options() says.
#pragma once

#include "exec/call_tuner.h"
#include "exec/executor.h"
#include "exec/tuning.h"

namespace weir {

// `calls` if it is positive. Else there is a range to find the best in where functions wait; those that
// compute take all cores.
CallTunerOptions limits_of_calls(int calls, Lane lane, const Executor& executor, const Tuning& tuning,
                                 const TunerStart& start);
// How many calls that wait may be in flight: most of the threads of the blocking lane, since reads need some,
// too.
int most_waiting_calls(const Executor& executor, const Tuning& tuning);

}  // namespace weir
