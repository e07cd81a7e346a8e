// load_library: dlopen, for what is looked up while the library is used. No child is forked meanwhile: it
// could open no library, since the system's list of them would stay half changed.
#pragma once

namespace weir {

// The library with its symbols for itself, or null. May be called on any thread.
void* load_library(const char* name);

}  // namespace weir
