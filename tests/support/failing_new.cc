#include "support/failing_new.h"

#include <cstdlib>
#include <new>

namespace weir {
namespace {

thread_local int failures = 0;
thread_local size_t largest = SIZE_MAX;
thread_local Scarcity* scarcity = nullptr;
// operator new calls malloc.
thread_local bool in_new = false;

}  // namespace

void fail_allocations(int count) { failures = count; }

LargestAllocation::LargestAllocation(size_t bytes) { largest = bytes; }
LargestAllocation::~LargestAllocation() { largest = SIZE_MAX; }

Scarce::Scarce(Scarcity& s) { scarcity = &s; }
Scarce::~Scarce() { scarcity = nullptr; }

bool allocation_fails(size_t size) {
  if (in_new) return false;
  if (failures > 0) {
    --failures;
    return true;
  }
  if (scarcity != nullptr) {
    const int64_t number = scarcity->made++;
    if (number >= scarcity->first && number - scarcity->first < scarcity->count) {
      ++scarcity->failed;
      return true;
    }
  }
  return size > largest;
}

}  // namespace weir

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (weir::allocation_fails(size)) return nullptr;
  weir::in_new = true;
  void* memory = std::malloc(size > 0 ? size : 1);
  weir::in_new = false;
  return memory;
}

void* operator new(size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
