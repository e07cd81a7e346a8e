#include "support/failing_new.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace weir {
namespace {

thread_local int failures = 0;
thread_local size_t largest = SIZE_MAX;

}  // namespace

void fail_allocations(int count) { failures = count; }

LargestAllocation::LargestAllocation(size_t bytes) { largest = bytes; }
LargestAllocation::~LargestAllocation() { largest = SIZE_MAX; }

}  // namespace weir

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (weir::failures > 0) {
    --weir::failures;
    return nullptr;
  }
  if (size > weir::largest) return nullptr;
  return std::malloc(size > 0 ? size : 1);
}

void* operator new(size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
