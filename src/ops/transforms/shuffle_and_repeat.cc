// shuffle_and_repeat(buffer_size, count, seed): shuffle(buffer_size, seed) | repeat(count), but for the one
// more opening of that repeat: the order of tf.data's fused kernel. Checkpoint: that of the two.
#include <cstdint>
#include <utility>

#include "dataset/compose.h"
#include "ops/list.h"
#include "ops/repeat_count.h"
#include "ops/shuffling/opening_seeds.h"

namespace weir::shuffle_and_repeat_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam buffer_size;
  IntParam count{-1};
  SeedParam seed;
  void fields(Fields& f) override {
    f("buffer_size", buffer_size, "How many elements to draw from; a larger buffer mixes better.",
      at_least(1));
    f("count", count, "How many times; -1 repeats forever.", at_least_or(1, -1));
    f("seed", seed, "Fixes the order: n, or the pair (a, b); none draws a seed when the dataset is built.");
  }
};

struct ShuffleAndRepeat {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef node, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(node)));
  }
};

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  ShuffleParams shuffle;
  shuffle.buffer_size = params.buffer_size;
  shuffle.seed = params.seed;
  WEIR_ASSIGN(DatasetRef shuffled, compose(std::move(shuffle), {inputs[0]}, site));
  RepeatParams repeat;
  // tf.data's fused kernel shuffles as often as it gives an epoch.
  repeat.opens_once_more = false;
  repeat.count = params.count;
  return compose(std::move(repeat), {std::move(shuffled)}, site);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return repeated_count(inputs[0]->cardinality(), *params.count);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, ShuffleAndRepeat>({
      .name = "shuffle_and_repeat",
      .page =
          {.doc =
               "Repeats the input `count` times, shuffled in another order each time. It is the same as `shuffle(buffer_size, seed) | repeat(count)`: no epoch begins before the one before it has ended. Inside another repeat, each pass uses the next order; `shuffle | repeat(n)` skips one order between passes.",
           .cost = "The cost of shuffle and repeat.",
           .example = "range(3) | shuffle_and_repeat(3, count: 2, seed: 1)",
           .output = "1\n2\n0\n1\n0\n2",
           .bench = "range(1000) | shuffle_and_repeat(1000, count: 1000, seed: 1)"},
      .typing = {.cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand,
                 .needs = needs_of_first},
      .position = {.counts_openings = always,
                   .uses_seed =
                       [](const ParamsBase& base) {
                         return may_reorder(static_cast<const Params&>(base).buffer_size);
                       },
                   .keeps_rows = true},
  });
  return def;
}

}  // namespace weir::shuffle_and_repeat_op
