// oneTBB, looked up when the first runtime is made, so that the library loads without it, hands it to nobody whose host
// loads weir with RTLD_GLOBAL, and calls no other one that a host exports.
#pragma once

namespace weir {

// Whether oneTBB is there and can be used: nothing in the process defines oneTBB's functions a second time for everybody,
// which libtbb would call in place of its own. Found out once per process, at the first call.
// REQUIRES: true has been returned before anything of namespace tbb is used
bool find_onetbb();

}  // namespace weir
