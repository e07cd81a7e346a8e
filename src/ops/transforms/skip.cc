// skip(n): all but the first `n` elements; nothing if negative. Errors among the skipped are passed on and
// not counted. Checkpoint: how many are left to skip, and the input's position.
#include <algorithm>
#include <cstdint>

#include "core/exception.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/access/seekable_input.h"

namespace weir::skip_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override { f("n", n, "The number of elements to skip; negative skips all."); }
};

class Skip final : public Cursor {
 public:
  Skip(Opening& opening, const Params& params)
      : input_(input_of(opening, *params.n)),
        all_(*params.n < 0),
        remaining_(input_.seeks() ? 0 : std::max<int64_t>(*params.n, 0)) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (all_) return PullResult::end;
    Demand dropping;
    dropping.rows = kMaxBlockRows;
    dropping.drop = true;
    while (remaining_ > 0) {
      PullResult got = input_.port().fill(ctx, dropping.at_most(remaining_));
      if (got != PullResult::rows) return got;
      int rows = input_.port().buffered();
      if (const ErrorPtr error = skip()) return error;
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
    PullResult got = input_.port().pull(ctx, demand, out);
    // Rows that a restore still has to drop are already consumed, and pending says nothing about them.
    if (got == PullResult::rows) input_.port().consume_all();
    return got;
  }

  void state(Archive& archive) override {
    archive("left", remaining_, 0, INT64_MAX);
    input_.state(archive);
  }

  Step resume(Context& ctx) override { return input_.resume(ctx); }

 private:
  static SeekableInput input_of(Opening& opening, int64_t n) {
    if (n < 0) return SeekableInput(opening, 0, Port::Mode::keep, Port::Opens::at_first_pull);
    return SeekableInput(opening, 0, Port::Mode::keep, Port::Opens::now, {.first = n});
  }

  // Skips what is buffered, up to the first error, which it returns.
  ErrorPtr skip() {
    for (const RowError& error : input_.port().block().errors) {
      if (error.row < input_.port().begin()) continue;
      const int before = error.row - input_.port().begin();
      remaining_ -= before + (is_out_of_memory(*error.error) ? 1 : 0);
      input_.port().take(before + 1);
      input_.port().consume_all();
      return error.error;
    }
    remaining_ -= input_.port().buffered();
    input_.port().take(input_.port().buffered());
    input_.port().consume_all();
    return nullptr;
  }

  SeekableInput input_;
  bool all_;
  int64_t remaining_;
  YieldTimer yield_timer_;
};

Slice slice(const Params& params) { return *params.n < 0 ? Slice{.count = 0} : Slice{.first = *params.n}; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Skip>({
      .name = "skip",
      .page =
          {.doc =
               "Skips the first `n` elements. Errors among them are passed on and not counted; a damaged record of `load` or of a file with an index counts, since it isn't read.",
           .cost =
               "Skipped elements are not computed where that cannot hide an error, and not read from `load`, `fixed_length_record` and files with an index, also after maps that cannot fail and draw nothing.",
           .tf_names = "count=n",
           .example = "range(5) | skip(3)",
           .output = "3\n4",
           .bench = "range(1000000) | skip(500000)",
           .elsewhere =
               "drop offset: skip(n)\nrandom_split train_test_split: take(n) for one part and skip(n) for the other"},
      .typing = {.slice = slice_of<Params, slice>},
  });
  return def;
}

}  // namespace weir::skip_op
