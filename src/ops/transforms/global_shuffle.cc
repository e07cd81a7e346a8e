// global_shuffle(seed, reshuffle_each_iteration): all elements in random order, each read by its position
// (dataset/access.h) in a permutation that is computed (ops/shuffling/index_shuffle.h). Order and seeds as in
// tf.data. Checkpoint: the seeds, and how many were given.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/philox.h"
#include "core/text.h"
#include "dataset/access.h"
#include "dataset/operator.h"
#include "fs/file_system.h"
#include "fs/read_through.h"
#include "ops/shuffling/index_shuffle.h"
#include "ops/shuffling/opening_seeds.h"

namespace weir::global_shuffle_op {
namespace {

struct Params : ParamsOf<Params> {
  SeedParam seed;
  BoolParam reshuffle_each_iteration{true};
  void fields(Fields& f) override {
    f("seed", seed, "Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.");
    f("reshuffle_each_iteration", reshuffle_each_iteration, "Use another order in each epoch.");
  }
};

// The key of an opening: three samples of its own, or what the seeds themselves say.
IndexShuffle::Key key_of(const OpeningSeeds& opened, bool each_anew) {
  const auto& [first, second] = opened.base;
  if (!each_anew) {
    return {static_cast<uint32_t>(first), static_cast<uint32_t>(second), static_cast<uint32_t>(first)};
  }
  PhiloxStream samples(Philox(first, second));
  const uint64_t at = 4 * opened.number;
  const uint32_t a = samples.at(at);
  const uint32_t b = samples.at(at + 1);
  return {a, b, samples.at(at + 2)};
}

class GlobalShuffle final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    const bool each_anew = *params.reshuffle_each_iteration;
    const OpeningSeeds opened = seeds_of(opening, params.seed, each_anew, true);
    WEIR_ASSIGN(RestorableAccess input, RestorableAccess::open(opening.ctx, opening.input(0)));
    if (input->count().more) return invalid_argument(endless());
    auto out = std::make_unique<GlobalShuffle>(std::move(input), key_of(opened, each_anew));
    if (opening.ctx.runtime().files != nullptr && out->count_ > 0) {
      const OpeningSeeds after{opened.number + 1, opened.seeds, opened.base};
      out->plan_ = opening.ctx.session.files().plan_reads();
      if (out->plan_) out->following_ = IndexShuffle(out->count_, key_of(after, each_anew));
    }
    return std::unique_ptr<Cursor>(std::move(out));
  }
  GlobalShuffle(RestorableAccess input, const IndexShuffle::Key& key)
      : input_(std::move(input)), count_(input_->count().positions), key_(key) {
    make_order();
  }

  static Mistake endless() { return Mistake("the dataset is infinite", "put take(n) before it"); }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (given_ == count_) {
      // The next epoch has its own.
      plan_ = nullptr;
      return PullResult::end;
    }
    WEIR_TRY(input_.resume(ctx));
    const int rows = width_.rows(demand, count_ - given_);
    positions_.clear();
    for (int i = 0; i < rows; ++i) positions_.push_back(order_.at(given_ + i));
    if (plan_) foresee(given_ + rows);
    input_->read(ctx, positions_, out);
    given_ += rows;
    width_.learn(demand, out);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++given_;
    return 1;
  }

  void state(Archive& archive) override {
    constexpr std::array<const char*, 3> kNames = {"seed", "seed2", "seed3"};
    for (size_t i = 0; i < key_.size(); ++i) {
      int64_t word = key_[i];
      archive(kNames[i], word, 0, UINT32_MAX);
      key_[i] = static_cast<uint32_t>(word);
    }
    int64_t count = count_;
    if (!archive.loading() || archive.next_is("count")) archive("count", count, 0, INT64_MAX);
    if (count != count_) {
      if (!input_.uncounted().ok()) return archive.fail(input_.uncounted());
      // Their order is another one.
      return archive.fail(expected_found(
          concat(count, " elements to shuffle, as when the position was saved"), concat(count_)));
    }
    archive("given", given_, 0, count_);
    input_.state(archive);
    if (archive.loading()) make_order();
  }

 private:
  void make_order() {
    if (count_ > 0) order_ = IndexShuffle(count_, key_);
  }

  // Says what is read from `first` on: the rest of this epoch, and what is likely the next.
  void foresee(int64_t first) {
    foreseen_ = std::max(foreseen_, first);
    plan_->reached(first);
    while (foreseen_ < 2 * count_ && plan_->wants_more()) {
      const bool now = foreseen_ < count_;
      const int64_t position = now ? order_.at(foreseen_) : following_.at(foreseen_ - count_);
      if (!input_->foresee({&position, 1}, foreseen_, *plan_)) {
        plan_ = nullptr;
        return;
      }
      ++foreseen_;
    }
  }

  RestorableAccess input_;
  const int64_t count_;
  IndexShuffle::Key key_;
  IndexShuffle order_;
  int64_t given_ = 0;
  AccessWidth width_;
  std::vector<int64_t> positions_;
  // Null if nobody wants to know. What was said, and the order of the next epoch.
  RefPtr<ReadPlan> plan_;
  int64_t foreseen_ = 0;
  IndexShuffle following_;
};

class ShuffledAccess final : public Access {
 public:
  ShuffledAccess(std::unique_ptr<Access> input, const IndexShuffle::Key& key) : input_(std::move(input)) {
    if (const int64_t count = input_->count().positions; count > 0) order_ = IndexShuffle(count, key);
  }
  AccessCount count() const override { return input_->count(); }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    shuffled_.clear();
    for (const int64_t position : positions) shuffled_.push_back(order_.at(position));
    input_->read(ctx, shuffled_, out);
  }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    shuffled_.clear();
    for (const int64_t position : positions) shuffled_.push_back(order_.at(position));
    return input_->foresee(shuffled_, time, plan);
  }

 private:
  const std::unique_ptr<Access> input_;
  IndexShuffle order_;
  std::vector<int64_t> shuffled_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  const bool each_anew = *params.reshuffle_each_iteration;
  const OpeningSeeds opened = seeds_of(opening, params.seed, each_anew, true);
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access_whole(opening.ctx, opening.input(0)));
  if (input->count().more) return invalid_argument(GlobalShuffle::endless());
  return std::unique_ptr<Access>(
      std::make_unique<ShuffledAccess>(std::move(input), key_of(opened, each_anew)));
}

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  WEIR_TRY(check_access(*inputs[0]));
  if (inputs[0]->cardinality() == kInfinite) return invalid_argument(GlobalShuffle::endless());
  if (inputs[0]->cardinality() == 0) return invalid_argument("the dataset is empty");
  return inputs[0]->spec();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, GlobalShuffle>({
      .name = "global_shuffle",
      .page =
          {.doc =
               "Shuffles the whole dataset without a buffer, by reading elements by index in a pseudorandom order. Every operator before it must support reading by position; its page says so. Any other is a build error that names it (failed_precondition), and so is a dataset known to be empty or infinite (invalid_argument). For files, the index is used, or built first. A prefetch before it runs nothing ahead. An element that fails is an error in its place, as is a batch of which one fails. The order is tf.data's for the same seed.",
           .cost =
               "About 50 ns per element, and reading elements one by one: what lies in memory is read across it. A batch before it is made of its elements when its turn comes. A checkpoint holds four numbers.",
           .example = "range(5) | global_shuffle(seed: 42)",
           .output = "0\n2\n1\n4\n3",
           .bench = "range(1000000) | global_shuffle(seed: 1)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = same_cardinality, .needs = needs_of_first},
      .position = {.counts_openings = always, .passes_positions = true},
      .access = {.open = access, .reads_by_position = true},
  });
  return def;
}

}  // namespace weir::global_shuffle_op
