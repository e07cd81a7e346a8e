// load_library, call_at_exit: dlopen and atexit, for what is done while the library is used. No child is
// forked meanwhile: it could never call these itself, since the system's lists would stay locked or half
// changed.
#pragma once

namespace weir {

// The library with its symbols for itself, or null. May be called on any thread.
void* load_library(const char* name);

// Where there is no memory for it, nothing is called.
void call_at_exit(void (*function)());

}  // namespace weir
