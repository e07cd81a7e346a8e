// Makes operator new fail on this thread, for tests of what happens where there is no memory.
#pragma once

#include <cstddef>

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

}  // namespace weir
