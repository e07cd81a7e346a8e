// Makes allocations fail on this thread, or measures them, to test what happens without memory and how much
// is needed: operator new, and malloc in programs that are linked with it wrapped
// (support/failing_malloc.cc).
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

// The next `count` allocations of this thread throw std::bad_alloc.
void fail_allocations(int count);

// While it lives, allocations of this thread of more than `bytes` throw std::bad_alloc.
class LargestAllocation {
 public:
  explicit LargestAllocation(size_t bytes);
  LargestAllocation(const LargestAllocation&) = delete;
  LargestAllocation& operator=(const LargestAllocation&) = delete;
  ~LargestAllocation();
};

// Of the allocations that this thread makes while memory is scarce, `count` fail, from number `first` on.
// They are numbered from 0, over all times that memory is scarce.
struct Scarcity {
  int64_t first = 0;
  int64_t count = 0;
  // Allocations so far, and how many of them failed.
  int64_t made = 0;
  int64_t failed = 0;
};

// While it lives, memory is scarce.
class Scarce {
 public:
  explicit Scarce(Scarcity& scarcity);
  Scarce(const Scarce&) = delete;
  Scarce& operator=(const Scarce&) = delete;
  ~Scarce();
};

// The memory that this thread takes while it is metered: now, and the most so far. What another thread frees
// counts until the end, and what malloc gave as well, except in programs that are linked with it wrapped.
struct MemoryUse {
  int64_t bytes = 0;
  int64_t most_bytes = 0;
};

// While it lives, memory is metered.
class Metered {
 public:
  explicit Metered(MemoryUse& use);
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;
  ~Metered();
};

// For allocators of tests: true if an allocation of this thread must fail.
bool allocation_fails(size_t size);
// Meters memory that was given for `size` bytes, and returns it; and memory that is to be freed.
void* allocated(void* memory, size_t size);
void freed(void* memory);

}  // namespace weir
