#include "ops/batching/value_rows.h"

#include <algorithm>

#include "core/text.h"

namespace weir {

namespace {

Status check_length(const Spec& part, int64_t& length) {
  const int64_t found = part.shape[0];
  if (found == kUnknownDim) return Status();
  if (length != kUnknownDim && found != length) {
    return invalid_argument(
        expected_found(concat("tensors of ", length, " rows, like the first one"), part.to_string()));
  }
  length = found;
  return Status();
}

// The part whose components come first, or null if there are none.
const Spec* first_part(const Spec& value) {
  if (value.kind != Spec::Kind::tuple && value.kind != Spec::Kind::dict) return &value;
  for (const Spec& child : value.children) {
    if (const Spec* part = first_part(child)) return part;
  }
  return nullptr;
}

Result<Spec> row_of(const Spec& value, int64_t& length) {
  Spec out = value;
  switch (value.kind) {
    case Spec::Kind::tensor:
    case Spec::Kind::sparse:
    case Spec::Kind::ragged:
    case Spec::Kind::dataset:
      if (!value.shape.rank_known()) break;
      if (value.shape.rank() == 0) {
        return invalid_argument(
            expected_found("tensors with a first dimension, the rows", value.to_string()));
      }
      WEIR_TRY(check_length(value, length));
      out.shape = value.shape.tail();
      break;
    case Spec::Kind::tuple:
    case Spec::Kind::dict:
      for (Spec& child : out.children) {
        WEIR_ASSIGN(child, row_of(child, length));
      }
      return out;
    default:
      return invalid_argument(expected_found("dense, sparse or ragged tensors", value.to_string()));
  }
  if (value.kind == Spec::Kind::ragged) out.kind = Spec::Kind::tensor;
  return out;
}

}  // namespace

bool dense_only(const Spec& value) {
  if (value.is_tensor()) return true;
  const bool members = value.kind == Spec::Kind::tuple || value.kind == Spec::Kind::dict;
  return members && std::all_of(value.children.begin(), value.children.end(), dense_only);
}

Result<Spec> row_of_value(const Spec& value, int64_t& length) {
  if (value.components().empty()) return invalid_argument(expected_found("at least one component", "none"));
  return row_of(value, length);
}

int64_t ValueRows::count_of(const Spec& spec, const Components& values) noexcept {
  const Spec* part = first_part(spec);
  if (!part) return 0;
  // All parts have as many rows as the first one.
  if (part->kind == Spec::Kind::sparse) return values[2].count() > 0 ? *values[2].as<const int64_t>() : 0;
  if (part->kind == Spec::Kind::ragged) return values[1].count() - 1;
  return values[0].shape.rank() > 0 ? values[0].shape[0] : 0;
}

Result<ValueRows> ValueRows::make(const Spec& spec, const Components& values) {
  ValueRows out;
  size_t at = 0;
  WEIR_TRY(out.add(spec, values, at));
  out.count_ = std::max<int64_t>(out.count_, 0);
  return out;
}

Status ValueRows::add(const Spec& spec, const Components& values, size_t& at) {
  if (spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict) {
    for (const Spec& child : spec.children) WEIR_TRY(add(child, values, at));
    return Status();
  }
  parts_.emplace_back();
  // Nested datasets are the entries of a dense tensor.
  parts_.back().kind = spec.is_dataset() ? Spec::Kind::tensor : spec.kind;
  if (spec.kind == Spec::Kind::sparse) {
    WEIR_TRY(add_sparse(values, at));
    columns_ += 3;
    at += 3;
    return Status();
  }
  if (spec.kind == Spec::Kind::ragged) {
    WEIR_TRY(add_ragged(values, at));
    ++columns_;
    at += 2;
    return Status();
  }
  parts_.back().values = values[at];
  ++columns_;
  if (values[at].shape.rank() == 0) {
    return invalid_argument(expected_found("tensors with a first dimension, the rows", "a scalar"));
  }
  return add_rows(values[at++].shape[0]);
}

Status ValueRows::add_rows(int64_t count) {
  if (count_ >= 0 && count != count_) {
    return invalid_argument(expected_found(concat(count_, " rows, like in the first tensor"), concat(count)));
  }
  count_ = count;
  return Status();
}

Status ValueRows::add_sparse(const Components& values, size_t at) {
  const Tensor& indices = values[at];
  const Tensor& shape = values[at + 2];
  const int64_t rank = shape.count();
  const int64_t found = values[at + 1].count();
  if (rank == 0) return invalid_argument(expected_found("sparse tensors with a first dimension", "a scalar"));
  if (indices.shape.rank() != 2 || indices.shape[0] != found || indices.shape[1] != rank) {
    return invalid_argument("the indices of a sparse tensor do not fit its values");
  }
  Part& part = parts_.back();
  part.values = values[at + 1];
  part.shape = shape.rows(1, rank - 1);
  part.indices = Tensor::allocate(DType::int64, Shape{found, rank - 1});
  const int64_t rows = *shape.as<int64_t>();
  const int64_t* from = indices.as<int64_t>();
  int64_t* to = part.indices.as<int64_t>();
  int64_t last = 0;
  part.places.resize(static_cast<size_t>(found));
  for (int64_t i = 0; i < found; ++i, from += rank) {
    if (*from < last || *from >= rows) {
      return invalid_argument(expected_found(concat("indices in rising order within ", rows, " rows"),
                                             concat("the row ", *from, " after ", last)));
    }
    part.places[static_cast<size_t>(i)] = last = *from;
    to = std::copy_n(from + 1, rank - 1, to);
  }
  return add_rows(rows);
}

Status ValueRows::add_ragged(const Components& values, size_t at) {
  const Tensor& splits = values[at + 1];
  const std::span<const int64_t> all = splits.entries<const int64_t>();
  if (values[at].shape.rank() == 0 || all.empty() || all.front() != 0 || all.back() != values[at].shape[0] ||
      !std::is_sorted(all.begin(), all.end())) {
    return invalid_argument("expected row splits that rise from 0 to the number of values; found others");
  }
  parts_.back().values = values[at];
  parts_.back().places.assign(all.begin(), all.end());
  return add_rows(splits.count() - 1);
}

void ValueRows::read(int64_t begin, int count, Block& out) const {
  std::vector<int64_t> positions;
  size_t column = 0;
  for (const Part& part : parts_) {
    if (part.kind == Spec::Kind::tensor) {
      out.columns[column++].set_dense(part.values.rows(begin, count));
      continue;
    }
    if (positions.empty()) {
      for (int i = 0; i < count; ++i) positions.push_back(begin + i);
    }
    read_part(part, positions, out, column);
  }
  out.rows = count;
}

void ValueRows::read(std::span<const int64_t> positions, Block& out) const {
  size_t column = 0;
  for (const Part& part : parts_) read_part(part, positions, out, column);
  out.rows = static_cast<int>(positions.size());
}

void ValueRows::read_part(const Part& part, std::span<const int64_t> positions, Block& out,
                          size_t& column) const {
  if (part.kind == Spec::Kind::sparse) {
    std::vector<Tensor>& indices = out.columns[column++].make_list();
    std::vector<Tensor>& values = out.columns[column++].make_list();
    std::vector<Tensor>& shapes = out.columns[column++].make_list();
    for (int64_t row : positions) {
      const auto [from, to] = std::equal_range(part.places.begin(), part.places.end(), row);
      const int64_t first = from - part.places.begin();
      indices.push_back(part.indices.rows(first, to - from));
      values.push_back(part.values.rows(first, to - from));
      shapes.push_back(part.shape);
    }
    return;
  }
  std::vector<Tensor>& rows = out.columns[column++].make_list();
  for (int64_t row : positions) {
    if (part.kind == Spec::Kind::tensor) {
      rows.push_back(part.values.row(row));
    } else {
      const auto at = static_cast<size_t>(row);
      rows.push_back(part.values.rows(part.places[at], part.places[at + 1] - part.places[at]));
    }
  }
}

}  // namespace weir
