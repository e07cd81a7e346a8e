#include "ops/batching/batch_cursor.h"

#include "core/text.h"

namespace weir {

Result<Spec> batched(const Spec& spec, int64_t length) {
  Spec out = spec;
  if (spec.is_tensor()) {
    if (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) {
      return invalid_argument(expected_found(concat("tensors of a rank below ", kMaxRank), spec.to_string()));
    }
    out.shape = spec.shape.prepended(length);
    return out;
  }
  for (Spec& child : out.children) {
    WEIR_ASSIGN(child, batched(child, length));
  }
  return out;
}

int64_t batch_count(int64_t count, int64_t n, bool drop_remainder) {
  if (count < 0) return count;
  return count / n + (!drop_remainder && count % n != 0 ? 1 : 0);
}

Kept kept_by_batch(const IntParam& n) {
  const int64_t rows = n.is_constant() ? *n : kUnknown;
  return Kept{rows, rows};
}

}  // namespace weir
