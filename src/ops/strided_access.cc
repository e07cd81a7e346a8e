#include "ops/strided_access.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir {

namespace {

class Strided final : public Access {
 public:
  Strided(std::unique_ptr<Access> input, int64_t first, int64_t step, int64_t count)
      : input_(std::move(input)), first_(first), step_(step), count_(count) {}

  int64_t count() const override { return count_; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    positions_.clear();
    for (int64_t position : positions) positions_.push_back(first_ + position * step_);
    input_->read(ctx, positions_, out);
  }

 private:
  const std::unique_ptr<Access> input_;
  const int64_t first_;
  const int64_t step_;
  const int64_t count_;
  std::vector<int64_t> positions_;
};

}  // namespace

std::unique_ptr<Access> strided_access(std::unique_ptr<Access> input, int64_t first, int64_t step,
                                       int64_t limit) {
  const int64_t all = input->count();
  // As many positions as an int64 can name, where the input has no end.
  const int64_t count = first >= all ? 0 : (all - first - 1) / step + 1;
  const bool endless = all == Access::kEndless && limit == Access::kEndless;
  return std::make_unique<Strided>(std::move(input), first, step,
                                   endless ? Access::kEndless : std::min(count, limit));
}

}  // namespace weir
