// unbatch(): the rows of each element, along the first dimension. An element without rows gives nothing.
// Checkpoint: the input's position before the open element, and how many of its rows were given.
#include <algorithm>
#include <cstdint>

#include "core/checked.h"
#include "ops/batching/batch_rows.h"
#include "ops/list.h"

namespace weir::unbatch_op {

namespace {

using Params = UnbatchParams;

class Unbatch final : public Cursor {
 public:
  Unbatch(Opening& opening, const Params&) : rows_(opening) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    giving_ = 1;
    Step got = rows_.fill(ctx, demand.rows);
    if (got.error()) out.origins.add(0, rows_.origin());
    if (got.error() || got.answer() != PullResult::rows) {
      rows_.consume();
      return got;
    }
    giving_ = std::min(demand.rows, rows_.buffered());
    out.reset(demand.drop ? 0 : rows_.components().size());
    for (size_t i = 0; i < out.columns.size(); ++i) {
      const Column& column = rows_.block().columns[i];
      if (column.dense()) {
        out.columns[i].set_dense(column.tensor().rows(rows_.begin(), giving_));
      } else {
        out.columns[i] = column.slice(rows_.begin(), giving_);
      }
    }
    rows_.add_origins(giving_, out.origins);
    out.rows = giving_;
    rows_.take(giving_);
    rows_.consume();
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    const int lost = rows_.lose(giving_);
    rows_.consume();
    return std::max(1, lost);
  }

  void state(Archive& archive) override { rows_.state(archive); }
  Step resume(Context& ctx) override { return rows_.resume(ctx); }

 private:
  BatchRows rows_;
  // How many rows the call at hand gives.
  int giving_ = 1;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef> inputs) {
  int64_t length = kUnknownDim;
  return row_of_value(inputs[0]->spec(), length);
}

int64_t cardinality(const Params&, std::span<const DatasetRef> inputs) {
  int64_t length = kUnknownDim;
  const int64_t count = inputs[0]->cardinality();
  if (!row_of_value(inputs[0]->spec(), length).ok()) return kUnknown;
  if (length == kUnknownDim) return count == kInfinite ? kInfinite : kUnknown;
  if (count >= 0) return checked_multiply(count, length).value_or(kUnknown);
  return count == kInfinite && length > 0 ? kInfinite : kUnknown;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Unbatch>({
      .name = "unbatch",
      .page =
          {.doc =
               "Splits each batch into its rows, along the first dimension. All tensors of an element must have the same first dimension. An element without rows gives nothing. A row of a sparse tensor is a sparse tensor of one rank less, a row of a ragged tensor a dense one. A row has the origin of its element; of the rows of a batch only the first has one.",
           .cost = "Moves no bytes but the indices of sparse tensors.",
           .example = "range(5) | batch(2) | unbatch()",
           .output = "0\n1\n2\n3\n4",
           .bench = "range(1000000) | batch(128) | unbatch()",
           .elsewhere =
               "flatten flat: unbatch() for tensors, flat_map(d -> d) for datasets\nexplode unchunk: unbatch()"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kMaxBlockRows, 1};
                       }},
  });
  return def;
}

}  // namespace weir::unbatch_op
