// malloc and its relatives, failing as support/failing_new.h says, in programs linked with them wrapped.
#include <cerrno>
#include <cstdlib>

#include "support/failing_new.h"

extern "C" {

void* __real_malloc(size_t size);
void* __real_realloc(void* memory, size_t size);
int __real_posix_memalign(void** memory, size_t alignment, size_t size);

void* __wrap_malloc(size_t size) { return weir::allocation_fails(size) ? nullptr : __real_malloc(size); }
void* __wrap_realloc(void* memory, size_t size) {
  return weir::allocation_fails(size) ? nullptr : __real_realloc(memory, size);
}
int __wrap_posix_memalign(void** memory, size_t alignment, size_t size) {
  return weir::allocation_fails(size) ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}
}
