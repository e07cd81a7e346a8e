#include "ops/strided_access.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir {

namespace {

class Strided final : public Access {
 public:
  Strided(std::unique_ptr<Access> input, int64_t first, int64_t step, AccessCount count)
      : input_(std::move(input)), first_(first), step_(step), count_(count) {}

  AccessCount count() const override { return count_; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    positions_.clear();
    // Below the input's count, see strided_access().
    for (int64_t position : positions) positions_.push_back(first_ + position * step_);
    input_->read(ctx, positions_, out);
  }

 private:
  const std::unique_ptr<Access> input_;
  const int64_t first_;
  const int64_t step_;
  const AccessCount count_;
  std::vector<int64_t> positions_;
};

}  // namespace

std::unique_ptr<Access> strided_access(std::unique_ptr<Access> input, int64_t first, int64_t step,
                                       std::optional<int64_t> limit) {
  const AccessCount all = input->count();
  AccessCount count = {first >= all.positions ? 0 : (all.positions - first - 1) / step + 1, all.more};
  if (limit && *limit <= count.positions) count = {*limit, false};
  return std::make_unique<Strided>(std::move(input), first, step, count);
}

}  // namespace weir
