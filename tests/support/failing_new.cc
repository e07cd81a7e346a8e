#include "support/failing_new.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace weir {
namespace {

thread_local int failures = 0;
thread_local size_t largest = SIZE_MAX;
thread_local Scarcity* scarcity = nullptr;
thread_local MemoryUse* use = nullptr;
// operator new calls malloc.
thread_local bool in_new = false;

void count(int64_t bytes) {
  if (use == nullptr) return;
  use->bytes += bytes;
  use->most_bytes = std::max(use->most_bytes, use->bytes);
}

}  // namespace

void fail_allocations(int count) { failures = count; }

LargestAllocation::LargestAllocation(size_t bytes) { largest = bytes; }
LargestAllocation::~LargestAllocation() { largest = SIZE_MAX; }

Scarce::Scarce(Scarcity& s) { scarcity = &s; }
Scarce::~Scarce() { scarcity = nullptr; }

Metered::Metered(MemoryUse& u) { use = &u; }
Metered::~Metered() { use = nullptr; }

bool allocation_fails(size_t size) {
  if (in_new) return false;
  count(static_cast<int64_t>(std::min<size_t>(size, INT64_MAX / 4)));
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

void* allocated(void* memory, size_t size) {
  // What was given may be more than what was wanted.
  if (!in_new && use != nullptr && memory != nullptr)
    count(static_cast<int64_t>(malloc_usable_size(memory)) - static_cast<int64_t>(size));
  return memory;
}

void freed(void* memory) {
  if (!in_new && use != nullptr && memory != nullptr)
    count(-static_cast<int64_t>(malloc_usable_size(memory)));
}

namespace {

void free_counted(void* memory) {
  freed(memory);
  in_new = true;
  std::free(memory);
  in_new = false;
}

}  // namespace
}  // namespace weir

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (weir::allocation_fails(size)) return nullptr;
  weir::in_new = true;
  void* memory = std::malloc(size > 0 ? size : 1);
  weir::in_new = false;
  return weir::allocated(memory, size);
}

void* operator new(size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { weir::free_counted(memory); }
void operator delete(void* memory, size_t) noexcept { weir::free_counted(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { weir::free_counted(memory); }
