#include "format/tables/arrow_checks.h"

#include <limits>

#include "core/checked.h"
#include "core/spec.h"
#include "core/text.h"
#include "format/tables/table_entries.h"
#include "format/tables/table_types.h"

namespace weir {

namespace {

using Kind = TableType::Kind;

Status broken_schema() {
  return invalid_argument("the Arrow schema is broken: a format, or a child, is missing");
}

// What an element has is counted later: of a file, only some columns may be wanted.
constexpr int64_t kMostColumns = 1'000'000;

Status check_schema(const ArrowSchema& schema, int depth) {
  if (depth == kMaxNesting)
    return invalid_argument(concat("the Arrow schema is nested more than ", kMaxNesting, " levels deep"));
  if (schema.n_children > kMostColumns)
    return invalid_argument(expected_found(
        concat("at most ", kMostColumns, " columns in one Arrow structure"), concat(schema.n_children)));
  if (!schema.format || schema.n_children < 0 || (schema.n_children > 0 && !schema.children))
    return broken_schema();
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (!schema.children[i]) return broken_schema();
    WEIR_TRY(check_schema(*schema.children[i], depth + 1));
  }
  return schema.dictionary ? check_schema(*schema.dictionary, depth + 1) : Status();
}

// Whether ends of entries rise from 0 or more, up to `most`.
template <class End>
bool rise(const ArrowArray& array, int64_t most) {
  if (!is_aligned(array.buffers[1], sizeof(End))) return false;
  const End* const ends = static_cast<const End*>(array.buffers[1]) + array.offset;
  bool rising = ends[0] >= 0 && ends[array.length] <= most;
  for (int64_t i = 0; i < array.length; ++i) rising = rising && ends[i] <= ends[i + 1];
  return rising;
}

template <class End>
bool has_texts(const ArrowArray& array) {
  return rise<End>(array, std::numeric_limits<End>::max()) &&
         (array.buffers[2] || static_cast<const End*>(array.buffers[1])[array.offset + array.length] == 0);
}

// The bytes of views are in as many buffers as there are sizes in the last one.
bool has_viewed_texts(const ArrowArray& array) {
  const auto* const sizes = static_cast<const int64_t*>(array.buffers[array.n_buffers - 1]);
  const int64_t count = sizes ? array.n_buffers - 3 : 0;
  for (int64_t i = 0; i < array.length; ++i) {
    if (table_entry_is_null(array, i)) continue;
    const TextView view = text_view(array, i);
    if (view.size >= 0 && view.is_inline()) continue;
    if (view.size < 0 || view.buffer < 0 || view.buffer >= count || view.offset < 0 ||
        int64_t{view.offset} + view.size > sizes[view.buffer] || !array.buffers[2 + view.buffer])
      return false;
  }
  return true;
}

// How many entries each child has at least; -1 if the lengths of entries can't be.
int64_t entries_of_children(const TableType& type, const ArrowArray& array) {
  const int64_t all = array.offset + array.length;
  switch (type.kind) {
    case Kind::text:
      return has_texts<int32_t>(array) ? 0 : -1;
    case Kind::long_text:
      return has_texts<int64_t>(array) ? 0 : -1;
    case Kind::viewed_text:
      return has_viewed_texts(array) ? 0 : -1;
    case Kind::list:
      return rise<int32_t>(array, array.children[0]->length) ? 0 : -1;
    case Kind::long_list:
      return rise<int64_t>(array, array.children[0]->length) ? 0 : -1;
    case Kind::fixed_list:
    case Kind::fixed_text:
    case Kind::decimal:
    case Kind::wide_time:
      return checked_multiply(all, type.size).value_or(-1);
    case Kind::number:
    case Kind::time: {
      const size_t width = dtype_size(type.dtype);
      if (type.kind == Kind::time && !is_aligned(array.buffers[1], width)) return -1;
      return checked_multiply(all, static_cast<int64_t>(width)).value_or(-1);
    }
    default:
      return all;
  }
}

}  // namespace

Status check_arrow_schema(const ArrowSchema& schema) { return check_schema(schema, 0); }

bool has_entries(const ArrowSchema& column, const ArrowArray& array, int64_t least) {
  if (array.offset < 0 || array.length < least || array.length < 0 || array.n_children != column.n_children ||
      !checked_add(array.offset, array.length))
    return false;
  for (int64_t i = 0; i < array.n_children; ++i) {
    if (!array.children || !array.children[i]) return false;
  }
  if (column.dictionary) {
    ArrowSchema indices = column;
    indices.dictionary = nullptr;
    return array.dictionary && has_entries(indices, array, least) &&
           has_entries(*column.dictionary, *array.dictionary, 0);
  }
  const TableType type = table_type(column);
  // It is not read.
  if (type.kind == Kind::other) return true;
  const bool texts =
      type.kind == Kind::text || type.kind == Kind::long_text || type.kind == Kind::viewed_text;
  const bool nested = type.kind == Kind::object || type.kind == Kind::fixed_list;
  const int64_t buffers = texts ? 3 : nested ? 1 : 2;
  if (array.n_buffers < buffers || !array.buffers) return false;
  if (array.length > 0 && !nested && !array.buffers[1]) return false;
  const int64_t inner = array.length == 0 && !nested ? 0 : entries_of_children(type, array);
  if (inner < 0) return false;
  for (int64_t i = 0; i < array.n_children; ++i) {
    if (!has_entries(*column.children[i], *array.children[i], inner)) return false;
  }
  return true;
}

}  // namespace weir
