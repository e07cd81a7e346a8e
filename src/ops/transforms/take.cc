// take(n): the first `n` elements; all of them if negative. For 0 the input is not opened. Errors on the way
// are passed on and not counted. Checkpoint: how many are left, and the input's position.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataset/counted.h"
#include "dataset/operator.h"
#include "ops/strided_access.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override { f("n", n, "The number of elements to take; negative takes all."); }
};

class Take final : public RestartableCursor {
 public:
  Take(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass, opens(params)), remaining_(most(params)) {}

  bool restart(Opening& opening, const ParamsBase& base) override {
    const auto& params = static_cast<const Params&>(base);
    input_.restart(opening, 0, Port::Mode::pass, opens(params));
    remaining_ = most(params);
    return true;
  }

  int64_t assured() const noexcept override { return std::min(remaining_, input_.assured()); }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (remaining_ == 0) return PullResult::end;
    PullResult got = input_.pull(ctx, demand.at_most(remaining_), out);
    if (got == PullResult::rows) remaining_ -= counted_rows(out);
    return got;
  }

  void state(Archive& archive) override {
    archive("left", remaining_, 0, INT64_MAX);
    input_.state(archive);
  }

 private:
  static int64_t most(const Params& params) { return *params.n < 0 ? INT64_MAX : *params.n; }
  static Port::Opens opens(const Params& params) {
    return *params.n == 0 ? Port::Opens::at_first_pull : Port::Opens::now;
  }

  Port input_;
  int64_t remaining_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  const int64_t n = *static_cast<const Params&>(params).n;
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
  return strided_access(std::move(input), 0, 1, n < 0 ? std::nullopt : std::optional<int64_t>(n));
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  int64_t n = inputs[0]->cardinality();
  if (*params.n < 0) return n;
  if (n == kInfinite) return *params.n;
  return n == kUnknown && *params.n != 0 ? kUnknown : std::min(n == kUnknown ? 0 : n, *params.n);
}

}  // namespace

const OperatorDef& take_operator() {
  static const OperatorDef def = define<Params, Take>({
      .name = "take",
      .doc = "Takes the first `n` elements. Errors among them are passed on and not counted.",
      .cost = "One comparison per block.",
      .example = "range(5) | take(2)",
      .output = "0\n1",
      .bench = "range(2000000) | take(1000000)",
      .spec = same_spec,
      .cardinality = cardinality_of<Params, cardinality>,
      .ends_early = true,
      .passes_positions = true,
      .access = access,
      .seeks = [](Opening& opening, const ParamsBase&) { return seeks(opening.ctx, opening.input(0)); },
  });
  return def;
}

}  // namespace weir
