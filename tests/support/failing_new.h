// Makes operator new fail on this thread, for tests of what happens where there is no memory.
#pragma once

namespace weir {

// The next `count` allocations of this thread throw std::bad_alloc.
void fail_allocations(int count);

}  // namespace weir
