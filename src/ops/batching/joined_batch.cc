#include "ops/batching/joined_batch.h"

#include <algorithm>
#include <utility>

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
  if (!spec.is_tensor() && !spec.is_dataset() && spec.kind != Spec::Kind::sparse) {
    return invalid_argument(
        expected_found("dense or sparse tensors", spec.to_string(), how_to_make_dense(spec)));
  }
  if (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) {
    return invalid_argument(expected_found(concat("tensors of a rank below ", kMaxRank), spec.to_string()));
  }
  How how = spec.is_dataset() ? How::dense : How::sparse;
  if (spec.is_tensor()) {
    WEIR_ASSIGN(how, rule(spec));
  }
  plan.dense = plan.dense && how == How::dense;
  plan.parts.push_back({how, Shape()});
  out.shape = spec.shape.prepended(length);
  if (how == How::to_ragged) out.kind = Spec::Kind::ragged;
  return out;
}

Spec join_rows(const Spec& value, int64_t length, JoinedPlan& plan) {
  Spec out = value;
  if (value.kind == Spec::Kind::tuple || value.kind == Spec::Kind::dict) {
    for (Spec& child : out.children) child = join_rows(child, length, plan);
    return out;
  }
  How how = How::dense;
  if (value.kind == Spec::Kind::sparse) how = How::sparse;
  if (value.kind == Spec::Kind::ragged) how = How::to_ragged;
  plan.dense = plan.dense && how == How::dense;
  plan.parts.push_back({how, Shape()});
  if (value.shape.rank_known()) out.shape = value.shape.with_dim(0, length);
  return out;
}

void add_empty(const Spec& batch, Components& out) {
  if (batch.kind == Spec::Kind::tuple || batch.kind == Spec::Kind::dict) {
    for (const Spec& child : batch.children) add_empty(child, out);
    return;
  }
  Shape shape = batch.shape.rank_known() ? batch.shape.with_dim(0, 0) : Shape{0};
  const int rank = shape.rank();
  for (int axis = 0; axis < rank; ++axis) shape.set_dim(axis, std::max<int64_t>(shape[axis], 0));
  switch (batch.kind) {
    case Spec::Kind::sparse: {
      out.push_back(Tensor::allocate(DType::int64, Shape{0, rank}));
      out.push_back(Tensor::allocate(batch.dtype, Shape{0}));
      Tensor extents = Tensor::allocate(DType::int64, Shape{rank});
      std::copy_n(shape.dims().data(), rank, extents.as<int64_t>());
      out.push_back(std::move(extents));
      return;
    }
    case Spec::Kind::ragged: {
      out.push_back(Tensor::allocate(batch.dtype, shape.tail().with_dim(0, 0)));
      Tensor splits = Tensor::allocate(DType::int64, Shape{1});
      *splits.as<int64_t>() = 0;
      out.push_back(std::move(splits));
      return;
    }
    default:
      out.push_back(Tensor::allocate(batch.components()[0].dtype, shape));
  }
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

JoinedPlan plan_rows(const Spec& value, int64_t length) {
  JoinedPlan out;
  out.batch = join_rows(value, length, out);
  return out;
}

Components empty_batch(const Spec& batch) {
  Components out;
  add_empty(batch, out);
  return out;
}

const char* how_to_make_dense(const Spec& part) {
  switch (part.kind) {
    case Spec::Kind::sparse:
      return "to_dense(x) in a map before it makes one dense";
    case Spec::Kind::ragged:
      return "to_tensor(x) in a map before it makes one dense";
    case Spec::Kind::optional:
      return "get_value(x) in a map before it gives what one holds";
    case Spec::Kind::dataset:
      return "flat_map(x -> x) before it gives the elements of one";
    default:
      return "";
  }
}

}  // namespace weir
