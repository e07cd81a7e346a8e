// Whose oneTBB the library would call. A host that exports another one takes the place of the shared one.
#pragma once

namespace weir {

// Whether all of oneTBB's functions that the library calls lie in one shared library libtbb, and not, even in part, in
// the host or in something it has loaded: that may be another version, and nobody can tell whether the two fit. Found
// out once per process.
bool onetbb_is_the_shared_one();

}  // namespace weir
