// malloc and its relatives, failing as support/failing_new.h says, in programs linked with them wrapped.
#include <cerrno>
#include <cstdlib>

#include "support/failing_new.h"

extern "C" {

void* __real_malloc(size_t size);
void* __real_realloc(void* memory, size_t size);
int __real_posix_memalign(void** memory, size_t alignment, size_t size);

void __real_free(void* memory);

void* __wrap_malloc(size_t size) {
  return weir::allocation_fails(size) ? nullptr : weir::allocated(__real_malloc(size), size);
}
void* __wrap_realloc(void* memory, size_t size) {
  if (weir::allocation_fails(size)) return nullptr;
  weir::freed(memory);
  return weir::allocated(__real_realloc(memory, size), size);
}
int __wrap_posix_memalign(void** memory, size_t alignment, size_t size) {
  if (weir::allocation_fails(size)) return ENOMEM;
  const int result = __real_posix_memalign(memory, alignment, size);
  if (result == 0) weir::allocated(*memory, size);
  return result;
}
void __wrap_free(void* memory) {
  weir::freed(memory);
  __real_free(memory);
}
}
