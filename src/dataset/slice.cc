#include "dataset/slice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/access.h"
#include "dataset/dataset.h"

namespace weir {

namespace {

class SliceAccess final : public Access {
 public:
  SliceAccess(std::unique_ptr<Access> input, const Slice& slice, AccessCount count)
      : input_(std::move(input)), slice_(slice), count_(count) {}

  AccessCount count() const override { return count_; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    positions_.clear();
    // Below the input's count, see slice_access().
    for (int64_t position : positions) positions_.push_back(slice_.first + position * slice_.step);
    input_->read(ctx, positions_, out);
  }

 private:
  const std::unique_ptr<Access> input_;
  const Slice slice_;
  const AccessCount count_;
  std::vector<int64_t> positions_;
};

// REQUIRES: n >= 0
int64_t among(const Slice& slice, int64_t n) {
  return slice.first >= n ? 0 : (n - slice.first - 1) / slice.step + 1;
}

}  // namespace

int64_t Slice::count_of(int64_t n) const {
  if (count == 0) return 0;
  if (n == kInfinite) return count == kAll ? n : count;
  return n == kUnknown || by_rank ? kUnknown : std::min(count, among(*this, n));
}

Result<Slice> Slice::of(const World& world) const {
  if (!by_rank) return *this;
  if (world.known()) return Slice{.first = world.rank, .step = world.size, .count = count};
  return failed_precondition(expected_found(
      "a rank and a number of ranks for shard(auto, auto)", world.reason,
      "set rank and world_size in the iterator's options, or start the process with torchrun, srun or mpirun"));
}

std::unique_ptr<Access> slice_access(std::unique_ptr<Access> input, const Slice& slice) {
  const AccessCount all = input->count();
  AccessCount count = {among(slice, all.positions), all.more};
  if (slice.count <= count.positions) count = {slice.count, false};
  return std::make_unique<SliceAccess>(std::move(input), slice, count);
}

}  // namespace weir
