// oneTBB, loaded with dlopen when the first runtime is created. So the library loads without it, does not
// export it to a host that loads weir with RTLD_GLOBAL, and never calls another oneTBB that the host exports.
#pragma once

namespace weir {

// Whether oneTBB is installed and can be used: no other global definition of its functions is in the process,
// which libtbb would call in place of its own. Checked once per process, at the first call.
// REQUIRES: true has been returned before anything of namespace tbb is used
bool find_onetbb();

}  // namespace weir
