#include "ops/batching/padding.h"

#include "core/float_mode.h"
#include "core/text.h"
#include "expr/types/dispatch.h"
#include "ops/batching/joined_batch.h"

namespace weir {

namespace {

constexpr int kNothing = -1;

// For each tensor of `element`, the index of the component of `given` that stands in its place; kNothing
// where that is (), which the text writes as none.
Status match(const Spec& element, const Spec& given, int at, std::vector<int>& out) {
  if (element.is_tensor()) {
    if (given.kind == Spec::Kind::tuple && given.children.empty()) {
      out.push_back(kNothing);
      return Status();
    }
    if (!given.is_tensor()) return invalid_argument(expected_found("one value", given.to_string()));
    out.push_back(at);
    return Status();
  }
  const Mistake differs = expected_found(concat("the structure of ", element.to_string()), given.to_string());
  if (element.kind != given.kind || element.children.size() != given.children.size())
    return invalid_argument(differs);
  for (size_t i = 0; i < element.children.size(); ++i) {
    const int child = element.kind == Spec::Kind::dict ? given.find(element.keys[i]) : static_cast<int>(i);
    if (child < 0) return invalid_argument(differs);
    WEIR_TRY(match(element.children[i], given.children[static_cast<size_t>(child)],
                   at + given.child_offset(child), out));
  }
  return Status();
}

Status check_dense(const Spec& element) {
  if (element.is_tensor()) return Status();
  if (element.kind != Spec::Kind::tuple && element.kind != Spec::Kind::dict) {
    return invalid_argument(expected_found("dense tensors", element.to_string(), how_to_make_dense(element)));
  }
  for (const Spec& child : element.children) WEIR_TRY(check_dense(child));
  return Status();
}

// A dimension that `wanted` leaves open is that of the element, where it is known and the same for all.
Result<Shape> padded_shape(const Component& component, const Component& type, const Tensor* values) {
  const bool list =
      type.shape.rank_known() && type.shape.rank() == 1 && (type.dtype == DType::int64 || type.shape[0] == 0);
  if (!list) {
    return invalid_argument(expected_found("a list of dimensions, such as [none, 3]; [] for a scalar",
                                           Spec::tensor(type.dtype, type.shape).to_string()));
  }
  const int64_t rank = values ? values->count() : type.shape[0];
  if (rank == kUnknownDim) return Shape::unknown_rank();
  if (rank >= kMaxRank)
    return invalid_argument(expected_found(concat("a rank below ", kMaxRank), concat(rank)));
  if (component.shape.rank_known() && component.shape.rank() != rank) {
    return invalid_argument(expected_found(concat(component.shape.rank(), " dimensions, those of ",
                                                  Spec::tensor(component.dtype, component.shape).to_string()),
                                           concat(rank)));
  }
  std::vector<int64_t> dims(static_cast<size_t>(rank), kUnknownDim);
  for (size_t d = 0; values && d < dims.size(); ++d) {
    dims[d] = values->as<int64_t>()[d];
    const int64_t found = component.shape.rank_known() ? component.shape[static_cast<int>(d)] : kUnknownDim;
    if (dims[d] < kUnknownDim)
      return invalid_argument(expected_found("dimensions of at least 0, or none", concat(dims[d])));
    if (dims[d] != kUnknownDim && dims[d] < found) {
      return invalid_argument(
          expected_found(concat("at least ", found, " along dimension ", d), concat(dims[d])));
    }
  }
  return Shape(dims);
}

Status set_shapes(const Spec& element, const ValueParam& shapes, std::vector<Padding>& out) {
  const std::vector<Component> components = element.components();
  if (!shapes.set) {
    for (size_t i = 0; i < components.size(); ++i) {
      out[i].shape = components[i].shape;
      if (!out[i].shape.rank_known()) {
        return invalid_argument(expected_found("shapes, where the rank of a tensor is not known", "none"));
      }
      if (out[i].shape.rank() >= kMaxRank) {
        return invalid_argument(
            expected_found(concat("tensors of a rank below ", kMaxRank), out[i].shape.to_string()));
      }
    }
    return Status();
  }
  std::vector<int> places;
  WEIR_TRY(match(element, shapes.spec, 0, places));
  const std::vector<Component> given = shapes.spec.components();
  for (size_t i = 0; i < components.size(); ++i) {
    if (places[i] == kNothing) {
      return invalid_argument(
          expected_found("a list of dimensions for each tensor, such as [none, 3]; [] for a scalar", "none"));
    }
    const auto place = static_cast<size_t>(places[i]);
    const Tensor* values = shapes.expression ? nullptr : &shapes.values[place];
    WEIR_ASSIGN(out[i].shape, padded_shape(components[i], given[place], values));
  }
  return Status();
}

Status set_values(const Spec& element, const ValueParam& values, std::vector<Padding>& out) {
  if (!values.set) return Status();
  const std::vector<Component> components = element.components();
  std::vector<int> places(components.size(), 0);
  if (!values.spec.is_tensor()) {
    places.clear();
    WEIR_TRY(match(element, values.spec, 0, places));
  }
  for (size_t i = 0; i < components.size() && !values.expression; ++i) {
    if (places[i] == kNothing) continue;
    WEIR_ASSIGN(out[i].value,
                padding_value(values.values[static_cast<size_t>(places[i])], components[i].dtype));
  }
  return Status();
}

Spec padded(const Spec& spec, std::span<const Padding>& padding) {
  Spec out = spec;
  if (spec.is_tensor()) {
    out.shape = padding[0].shape;
    padding = padding.subspan(1);
    return out;
  }
  for (Spec& child : out.children) child = padded(child, padding);
  return out;
}

}  // namespace

Result<Tensor> padding_value(const Tensor& given, DType dtype) {
  if (given.shape.rank() != 0)
    return invalid_argument(expected_found("scalars", concat("one of shape ", given.shape.to_string())));
  if (given.dtype == dtype) return given;
  Tensor out = Tensor::allocate(has_owners(dtype) ? DType::int64 : dtype, Shape());
  bool fits = false;
  in_float_mode([&] {
    if (given.dtype == DType::int64) {
      const int64_t value = *given.as<int64_t>();
      visit<Reals>(dtype, [&]<class T>() {
        const auto narrow = static_cast<Compute<T>>(value);
        *out.as<T>() = store<T>(narrow);
        fits =
            !std::is_integral_v<T> || (static_cast<int64_t>(narrow) == value && (narrow < 0) == (value < 0));
      });
    } else if (given.dtype == DType::float32 || given.dtype == DType::float64) {
      const double value = given.dtype == DType::float32 ? *given.as<float>() : *given.as<double>();
      fits =
          visit<Floats>(dtype, [&]<class T>() { *out.as<T>() = store<T>(static_cast<Compute<T>>(value)); });
    }
  });
  if (fits) return out;
  return invalid_argument(
      expected_found(concat("a value of ", dtype_name(dtype)), concat("one of ", dtype_name(given.dtype))));
}

Result<std::vector<Padding>> padding_of(const Spec& element, const ValueParam& shapes,
                                        const ValueParam& values) {
  WEIR_TRY(check_dense(element));
  std::vector<Padding> out(element.components().size());
  if (Status status = set_shapes(element, shapes, out); !status.ok()) return with_parameter(status, "shapes");
  if (Status status = set_values(element, values, out); !status.ok()) return with_parameter(status, "values");
  return out;
}

Spec padded_spec(const Spec& element, std::span<const Padding> padding) { return padded(element, padding); }

}  // namespace weir
