// The driver's own operator new, also under a sanitizer: tests that make that of the program fail mean
// weir's.
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (void* const out = std::malloc(size)) return out;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
