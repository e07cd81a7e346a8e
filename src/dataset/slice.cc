#include "dataset/slice.h"

#include <algorithm>

#include "core/text.h"

namespace weir {

int64_t Slice::among(int64_t n) const { return first >= n ? 0 : (n - first - 1) / step + 1; }

int64_t Slice::count_of(int64_t n) const {
  if (count == 0) return 0;
  if (n == kInfinite) return count == kAll ? n : count;
  return n == kUnknown || by_rank ? kUnknown : std::min(count, among(n));
}

Result<Slice> Slice::of(const World& world) const {
  if (!by_rank) return *this;
  if (world.known()) return Slice{.first = world.rank, .step = world.size, .count = count};
  return failed_precondition(expected_found(
      "a rank and a larger number of ranks", world.reason,
      "set rank and world_size in the iterator's options, or start the process with torchrun, srun or mpirun"));
}

}  // namespace weir
