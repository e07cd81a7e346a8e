#include "support/narrow.h"

#include <algorithm>

#include "dataset/operator.h"
#include "ops/list.h"

namespace weir {

NarrowCounters& narrow_counters() {
  static NarrowCounters counters;
  return counters;
}

namespace {

struct NarrowParams : ParamsOf<NarrowParams> {
  IntParam rows{kMaxBlockRows};
  IntParam bytes{kMaxBlockBytes};
  void fields(Fields& f) override {
    f("rows", rows, "At most so many at once.", at_least(1));
    f("bytes", bytes, "At most so many at once.", at_least(1));
  }
};

template <class T>
void raise(std::atomic<T>& most, T found) {
  for (T known = most; found > known && !most.compare_exchange_weak(known, found);) {
  }
}

class Narrow final : public Cursor {
 public:
  Narrow(Opening& opening, const NarrowParams& params)
      : input_(opening, 0, Port::Mode::pass), rows_(*params.rows), bytes_(*params.bytes) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    Demand narrow = demand.at_most(rows_);
    narrow.bytes = std::min(demand.bytes, bytes_);
    PullResult got = input_.pull(ctx, narrow, out);
    if (got != PullResult::rows) return got;
    raise(narrow_counters().most_rows, out.rows);
    if (out.rows > 1 && !demand.drop) raise(narrow_counters().most_bytes, out.byte_size());
    return got;
  }

  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
  int64_t rows_;
  int64_t bytes_;
};

const OperatorDef& narrow_operator() {
  static const OperatorDef def = define<NarrowParams, Narrow>({
      .name = "narrow",
      .page = {.doc = "The input, asked for little at once."},
      .typing = {.spec = same_spec, .cardinality = same_cardinality},
  });
  return def;
}

}  // namespace

void register_narrow() {
  static const bool once = [] {
    add_operator(narrow_operator());
    return true;
  }();
  (void)once;
}

}  // namespace weir
