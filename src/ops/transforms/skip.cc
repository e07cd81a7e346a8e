// skip(n): all but the first `n` elements; nothing at all if negative.
// Errors among the skipped are passed on and not counted. Checkpoint: how many are left to skip.
#include <algorithm>
#include <cstdint>

#include "dataset/operator.h"
#include "dataset/patience.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override { f("n", n, "How many elements to leave out; negative leaves out all."); }
};

class Skip final : public Cursor {
 public:
  Skip(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), all_(*params.n < 0), left_(std::max<int64_t>(*params.n, 0)) {}

  Step next(Context& ctx, const Want& want, Block& out) override {
    if (all_) return Pull::end;
    Want dropping;
    dropping.rows = kMaxBlockRows;
    dropping.drop = true;
    while (left_ > 0) {
      Pull got = input_.pull(ctx, dropping.at_most(left_), skipped_);
      if (got != Pull::rows) return got;
      left_ -= skipped_.value_rows();
      if (!skipped_.errors.empty()) {
        out.set_errors(skipped_.errors, input_.node().components().size());
        return Pull::rows;
      }
      if (patience_.exhausted(ctx, skipped_.rows)) return Pull::pending;
    }
    return input_.pull(ctx, want, out);
  }

  void state(Archive& archive) override {
    archive("left", left_, 0, INT64_MAX);
    input_.state(archive);
  }

 private:
  Port input_;
  bool all_;
  int64_t left_;
  Block skipped_;
  Patience patience_;
};

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  int64_t n = inputs[0]->cardinality();
  if (*params.n < 0) return 0;
  return n < 0 ? n : std::max<int64_t>(0, n - *params.n);
}

}  // namespace

const OperatorDef& skip_operator() {
  static const OperatorDef def = define<Params, Skip>({
      .name = "skip",
      .doc = "All but the first `n` elements; none at all if it is negative. An error does not count. "
             "Cost: the skipped values are not computed where that cannot hide an error.",
      .spec = same_spec,
      .cardinality = cardinality_of<Params, cardinality>,
  });
  return def;
}

}  // namespace weir
