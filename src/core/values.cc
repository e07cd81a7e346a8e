#include "core/values.h"

#include "core/text.h"

namespace weir {

namespace {

Status check_component(const Component& wanted, const Tensor& found) {
  if (wanted.dtype != found.dtype || !wanted.shape.compatible(found.shape)) {
    return invalid_argument(expected_found(concat(dtype_name(wanted.dtype), wanted.shape.to_string()),
                                           concat(dtype_name(found.dtype), found.shape.to_string())));
  }
  if (found.dtype == DType::boolean) {
    for (uint8_t entry : found.entries<uint8_t>()) {
      if (entry > 1)
        return invalid_argument(expected_found("bools of 0 or 1", concat(static_cast<int>(entry))));
    }
  }
  return {};
}

Status check_sparse(const Tensor& indices, const Tensor& values, const Tensor& shape) {
  int64_t rank = shape.count();
  if (indices.shape.dim(0) != values.count() || indices.shape.dim(1) != rank) {
    return invalid_argument(concat("a sparse tensor of ", values.count(), " values in ", rank,
                                   " dimensions has indices of shape ", indices.shape.to_string()));
  }
  for (int64_t i = 0; i < indices.count(); ++i) {
    int64_t index = indices.as<int64_t>()[i];
    int64_t extent = shape.as<int64_t>()[i % rank];
    if (index < 0 || index >= extent) {
      return invalid_argument(concat("a sparse tensor has the index ", index, " in a dimension of ", extent));
    }
  }
  return {};
}

Status check_ragged(const Tensor& values, const Tensor& splits) {
  auto entries = splits.entries<int64_t>();
  if (values.shape.rank() == 0 || entries.empty() || entries.front() != 0 ||
      entries.back() != values.shape.dim(0)) {
    return invalid_argument("the row splits of a ragged tensor go from 0 to the number of its values");
  }
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i] < entries[i - 1]) return invalid_argument("the row splits of a ragged tensor never fall");
  }
  return {};
}

Status check_structure(const Spec& spec, const Components& values, size_t& next) {
  size_t at = next;
  switch (spec.kind) {
    case Spec::Kind::tensor:
      next += 1;
      return {};
    case Spec::Kind::sparse:
      next += 3;
      return check_sparse(values[at], values[at + 1], values[at + 2]);
    case Spec::Kind::ragged:
      next += 2;
      return check_ragged(values[at], values[at + 1]);
    case Spec::Kind::dataset:
      return invalid_argument("a dataset cannot stand inside a value; hand it in under a name of its own");
    case Spec::Kind::optional:
      next += 1;
      break;
    default:
      break;
  }
  for (const Spec& child : spec.children) WEIR_TRY(check_structure(child, values, next));
  return {};
}

}  // namespace

Status check_value(const Spec& spec, const Components& values) {
  std::vector<Component> wanted = spec.components();
  if (wanted.size() != values.size()) {
    return invalid_argument(
        expected_found(concat(wanted.size(), " tensors for ", spec.to_string()), concat(values.size())));
  }
  for (size_t i = 0; i < wanted.size(); ++i) WEIR_TRY(check_component(wanted[i], values[i]));
  size_t next = 0;
  return check_structure(spec, values, next);
}

}  // namespace weir
