#include "ops/joined_batch.h"

#include "core/text.h"

namespace weir {

namespace {

using How = JoinedPart::How;

Result<How> dense_stays(const Spec&) { return How::dense; }

// As tf.data: a tensor of unknown rank or of a known shape stays dense.
Result<How> varying_is_ragged(const Spec& tensor) {
  const Shape& shape = tensor.shape;
  if (!shape.rank_known() || shape.is_static()) return How::dense;
  if (shape.tail().is_static()) return How::to_ragged;
  return invalid_argument(expected_found("tensors of which only the first dimension may vary",
                                         tensor.to_string(),
                                         "ragged tensors have one dimension of varying length"));
}

template <class Rule>
Result<Spec> join(const Spec& spec, int64_t length, Rule rule, JoinedPlan& plan) {
  Spec out = spec;
  if (spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict) {
    for (Spec& child : out.children) {
      WEIR_ASSIGN(child, join(child, length, rule, plan));
    }
    return out;
  }
  if (!spec.is_tensor() && spec.kind != Spec::Kind::sparse) {
    return invalid_argument(
        expected_found("dense or sparse tensors", spec.to_string(),
                       spec.kind == Spec::Kind::ragged ? "to_tensor(x) makes one dense" : ""));
  }
  if (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) {
    return invalid_argument(expected_found(concat("tensors of a rank below ", kMaxRank), spec.to_string()));
  }
  How how = How::sparse;
  if (spec.is_tensor()) {
    WEIR_ASSIGN(how, rule(spec));
  }
  plan.dense = plan.dense && how == How::dense;
  plan.parts.push_back({how, Shape()});
  out.shape = spec.shape.prepended(length);
  if (how == How::to_ragged) out.kind = Spec::Kind::ragged;
  return out;
}

template <class Rule>
Result<JoinedPlan> plan(const Spec& element, int64_t length, Rule rule) {
  JoinedPlan out;
  WEIR_ASSIGN(out.batch, join(element, length, rule, out));
  return out;
}

}  // namespace

Result<JoinedPlan> plan_batch(const Spec& element, int64_t length) {
  return plan(element, length, dense_stays);
}

Result<JoinedPlan> plan_ragged_batch(const Spec& element, int64_t length) {
  return plan(element, length, varying_is_ragged);
}

}  // namespace weir
