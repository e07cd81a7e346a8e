#include "format/tables/arrow_value.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/text.h"
#include "core/utf8.h"
#include "format/tables/arrow_checks.h"
#include "format/tables/table_entries.h"
#include "format/tables/table_types.h"

namespace weir {

namespace {

using Kind = TableType::Kind;

// Entries of a column that lie in one batch.
struct Run {
  const ArrowArray* array;
  int64_t begin;
  int64_t count;
};

// All entries of a column, and what owns the batches.
struct Runs {
  BufferRef owner;
  std::vector<Run> list = {};

  int64_t count() const {
    int64_t out = 0;
    for (const Run& run : list) out += run.count;
    return out;
  }
};

// A column, or what is in it, with the rows as the first dimension. A tuple is a pair that makes ragged rows.
struct Made {
  Spec spec;
  Components values;
};

// Lists that lie one after the other.
struct Lists {
  // Where they begin and end.
  Tensor splits;
  // Of all of them; kUnknownDim if they differ.
  int64_t length;

  int64_t count() const { return splits.count() - 1; }
  std::span<const int64_t> ends() const { return splits.entries<const int64_t>(); }
};

Status refuse_column(const std::string& path, const std::string& what, std::string hint) {
  return invalid_argument(
      {concat(path.empty() ? "the Arrow stream" : "the column " + path, " ", what), std::move(hint)});
}

Status too_large(const std::string& path) {
  return refuse_column(path, "has more entries than fit memory", "");
}

Status check_count(int64_t nulls, const std::string& path) {
  if (nulls == 0) return {};
  return refuse_column(path, concat("has ", nulls, " missing values, which elements cannot have"),
                       "fill them, leave out their rows, or leave out the column");
}

Status check_nulls(const ArrowSchema& schema, const Runs& runs, const std::string& path) {
  int64_t nulls = 0;
  const bool all = std::string_view(schema.format) == "n";
  for (const Run& run : runs.list) {
    if (all) nulls += run.count;
    for (int64_t i = run.begin; i < run.begin + run.count && run.array->null_count != 0; ++i)
      nulls += table_entry_is_null(*run.array, i);
  }
  return check_count(nulls, path);
}

template <class T>
BufferRef wrapped(const uint8_t* data, size_t size, T owned) {
  auto owner = std::make_unique<T>(std::move(owned));
  const auto release = [](void* context) { delete static_cast<T*>(context); };
  BufferRef out = Buffer::wrap(const_cast<uint8_t*>(data), size, release, owner.get());
  owner.release();
  return out;
}

// Numbers that lie one after the other, as slices of one array do, where they are; nothing if they have to be
// copied.
std::optional<Tensor> numbers_of(const TableType& type, const Runs& runs) {
  const auto width = static_cast<int64_t>(dtype_size(type.dtype));
  const bool as_they_are =
      type.kind == Kind::number || (type.kind == Kind::time && type.unit == 1 && type.dtype == DType::int64);
  if (!as_they_are) return std::nullopt;
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  for (const Run& run : runs.list) {
    const auto* const bytes =
        static_cast<const uint8_t*>(run.array->buffers[1]) + (run.array->offset + run.begin) * width;
    if (!begin) begin = end = bytes;
    if (bytes != end) return std::nullopt;
    end += run.count * width;
  }
  if (!begin || !is_aligned(begin, static_cast<size_t>(width))) return std::nullopt;
  Tensor out;
  out.dtype = type.dtype;
  out.shape = Shape{runs.count()};
  out.buffer = wrapped(begin, static_cast<size_t>(end - begin), runs.owner);
  out.data = out.buffer->data();
  return out;
}

OwnersRef owners_of(const Runs& runs) {
  auto out = make_ref<Owners>();
  out->list.emplace_back(runs.owner);
  return out;
}

Result<Tensor> room(DType dtype, int64_t count, const std::string& path) {
  if (!checked_multiply(count, static_cast<int64_t>(dtype_size(dtype)))) return too_large(path);
  return Tensor::allocate(dtype, Shape{count});
}

Result<Tensor> leaf_of(const ArrowSchema& schema, const Runs& runs, const std::string& path) {
  const TableType type = table_type(schema);
  const DType dtype = type.natural();
  if (type.kind == Kind::decimal && dtype == DType::invalid)
    return refuse_column(path, concat("is ", described(schema), ", which float64 doesn't have"),
                         "cast it to float64, which rounds, or to a string");
  if (auto out = numbers_of(type, runs)) return *std::move(out);
  WEIR_ASSIGN(Tensor out, room(dtype, runs.count(), path));
  uint8_t* to = out.data;
  int64_t before = 0;
  for (const Run& run : runs.list) {
    const int64_t made = table_entries(type, *run.array, run.begin, run.count, dtype, {}, to);
    if (made < run.count)
      return refuse_column(path,
                           concat("has a time, entry ", before + made, ", that nanoseconds do not reach"),
                           "cast it to another unit and then to int64");
    to += static_cast<size_t>(run.count) * dtype_size(dtype);
    before += run.count;
  }
  if (dtype == DType::string) out.owners = owners_of(runs);
  return out;
}

// Entries that are numbers of others in a dictionary.
Result<Tensor> looked_up(const ArrowSchema& schema, const Runs& runs, const std::string& path) {
  const ArrowSchema& dictionary = *schema.dictionary;
  const TableType type = table_type(dictionary);
  ArrowSchema plain = schema;
  plain.dictionary = nullptr;
  const TableType numbers = table_type(plain);
  if (dictionary.dictionary || type.is_list() || type.kind == Kind::object || type.kind == Kind::other ||
      numbers.kind != Kind::number || !is_integer(numbers.dtype))
    return refuse_column(path, concat("has a dictionary of ", described(dictionary), ", which is not read"),
                         "cast it to what the dictionary has");
  Tensor out;
  uint8_t* to = nullptr;
  // The dictionary may have one that no row refers to.
  int64_t nulls = 0;
  for (const Run& run : runs.list) {
    const Runs all{runs.owner, {{run.array->dictionary, 0, run.array->dictionary->length}}};
    WEIR_ASSIGN(const Tensor values, leaf_of(dictionary, all, path));
    WEIR_ASSIGN(const Tensor indices, room(DType::int64, run.count, path));
    table_entries(numbers, *run.array, run.begin, run.count, DType::int64, {}, indices.data);
    if (!to) {
      WEIR_ASSIGN(out, room(values.dtype, runs.count(), path));
      to = out.data;
    }
    const size_t width = dtype_size(values.dtype);
    for (const int64_t index : indices.entries<const int64_t>()) {
      if (index < 0 || index >= values.count())
        return refuse_column(path, concat("has the entry ", index, " of a dictionary of ", values.count()),
                             "");
      nulls += table_entry_is_null(*run.array->dictionary, index);
      std::memcpy(to, values.data + static_cast<size_t>(index) * width, width);
      to += width;
    }
  }
  WEIR_TRY(check_count(nulls, path));
  if (!to) return leaf_of(dictionary, {runs.owner}, path);
  if (out.dtype == DType::string) out.owners = owners_of(runs);
  return out;
}

Result<Lists> lists_of(const TableType& type, const Runs& runs, const std::string& path, Runs& inner) {
  Lists out;
  const int64_t rows = runs.count();
  if (rows == INT64_MAX) return too_large(path);
  WEIR_ASSIGN(out.splits, room(DType::int64, rows + 1, path));
  out.length = type.kind == Kind::fixed_list ? type.size : kUnknownDim;
  bool even = true;
  auto* end = out.splits.as<int64_t>();
  *end = 0;
  for (const Run& run : runs.list) {
    const int64_t begin = list_range(type, *run.array, run.begin).first;
    int64_t last = begin;
    for (int64_t i = run.begin; i < run.begin + run.count; ++i, ++end) {
      const auto [first, size] = list_range(type, *run.array, i);
      const auto sum = checked_add(*end, size);
      if (!sum) return too_large(path);
      if (out.length == kUnknownDim) out.length = size;
      even = even && size == out.length;
      end[1] = *sum;
      last = first + size;
    }
    if (last > begin) inner.list.push_back({run.array->children[0], begin, last - begin});
  }
  if (!even) out.length = kUnknownDim;
  return out;
}

// Ragged rows, whose lists are those between their ends, as a pair of ragged tensors.
Status put_pair(const Lists& lists, const Spec& inner, Tensor values, std::span<const int64_t> ends,
                Made& out) {
  const int64_t rows = lists.count();
  const std::span<const int64_t> begins = lists.ends();
  Tensor value_ends = Tensor::allocate(DType::int64, Shape{rows + 1});
  Tensor split_ends = Tensor::allocate(DType::int64, Shape{rows + 1});
  const auto all = checked_add(begins.back(), rows);
  if (!all) return resource_exhausted("the lists of a column do not fit memory");
  Tensor splits = Tensor::allocate(DType::int64, Shape{*all});
  auto* to = splits.as<int64_t>();
  for (int64_t row = 0; row <= rows; ++row) {
    const auto at = static_cast<size_t>(row);
    const auto begin = static_cast<size_t>(begins[at]);
    value_ends.as<int64_t>()[row] = ends[begin];
    split_ends.as<int64_t>()[row] = begins[at] + row;
    for (size_t i = begin; row < rows && i <= static_cast<size_t>(begins[at + 1]); ++i)
      *to++ = ends[i] - ends[begin];
  }
  Spec pair = Spec::tuple({Spec::ragged(inner.dtype, inner.shape.with_dim(0, rows)),
                           Spec::ragged(DType::int64, Shape{rows, kUnknownDim})});
  out.spec = std::move(pair);
  for (Tensor* part : {&values, &value_ends, &splits, &split_ends}) out.values.push_back(std::move(*part));
  return {};
}

// Puts what lists have together to a value of the lists.
Result<Made> joined(const Lists& lists, const Spec& spec, const Components& values, size_t& at,
                    const std::string& path) {
  Made out;
  if (spec.kind == Spec::Kind::dict) {
    out.spec = Spec::dict(spec.keys, {});
    for (const Spec& child : spec.children) {
      WEIR_ASSIGN(Made member, joined(lists, child, values, at, path));
      out.spec.children.push_back(std::move(member.spec));
      std::move(member.values.begin(), member.values.end(), std::back_inserter(out.values));
    }
    return out;
  }
  if (spec.kind == Spec::Kind::tuple || spec.shape.rank() == kMaxRank)
    return refuse_column(path, "is nested deeper than elements are", "split it into several columns");
  const Tensor& value = values[at];
  if (spec.kind == Spec::Kind::ragged) {
    WEIR_TRY(put_pair(lists, spec, value, values[at + 1].entries<const int64_t>(), out));
    at += 2;
    return out;
  }
  ++at;
  const Shape shape = spec.shape.with_dim(0, lists.length).prepended(lists.count());
  out.values.push_back(value);
  if (lists.length == kUnknownDim) {
    out.spec = Spec::ragged(spec.dtype, shape);
    out.values.push_back(lists.splits);
  } else {
    out.spec = Spec::tensor(spec.dtype, shape);
    out.values[0].shape = shape;
  }
  return out;
}

Result<Made> take(const ArrowSchema& schema, const Runs& runs, const std::string& path);

Result<Made> members_of(const ArrowSchema& schema, const Runs& runs, const std::string& path) {
  Made out;
  out.spec = Spec::dict({}, {});
  if (schema.n_children > kMaxParts)
    return refuse_column(
        path, concat("has ", schema.n_children, " columns, and an element at most ", kMaxParts, " parts"),
        "leave out the others");
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& member = *schema.children[i];
    std::string name = member.name ? member.name : "";
    const std::string key = key_text(name);
    if (out.spec.find(name) >= 0 || !is_utf8(name))
      return refuse_column(path,
                           concat("has the name ", key, is_utf8(name) ? " twice" : ", which is not UTF-8"),
                           "rename one of its members");
    Runs inner{runs.owner};
    for (const Run& run : runs.list)
      inner.list.push_back({run.array->children[i], run.array->offset + run.begin, run.count});
    WEIR_ASSIGN(Made made, take(member, inner, path.empty() ? key : concat(path, ".", key)));
    out.spec.keys.push_back(std::move(name));
    out.spec.children.push_back(std::move(made.spec));
    std::move(made.values.begin(), made.values.end(), std::back_inserter(out.values));
  }
  return out;
}

Result<Made> take(const ArrowSchema& schema, const Runs& runs, const std::string& path) {
  const TableType type = table_type(schema);
  const bool refuses = type.kind == Kind::other || (type.kind == Kind::fixed_list && type.size < 0);
  if (!schema.dictionary && refuses && std::string_view(schema.format) != "n")
    return refuse_column(path, concat("is ", described(schema), ", which is not read"),
                         "cast it, or leave out the column");
  WEIR_TRY(check_nulls(schema, runs, path));
  if (type.kind == Kind::object) return members_of(schema, runs, path);
  if (type.is_list()) {
    Runs inner{runs.owner};
    WEIR_ASSIGN(const Lists lists, lists_of(type, runs, path, inner));
    WEIR_ASSIGN(const Made made, take(*schema.children[0], inner, path));
    size_t at = 0;
    return joined(lists, made.spec, made.values, at, path);
  }
  if (type.kind == Kind::other && !schema.dictionary) return refuse_column(path, "has no type", "cast it");
  Made out;
  WEIR_ASSIGN(Tensor entries,
              schema.dictionary ? looked_up(schema, runs, path) : leaf_of(schema, runs, path));
  out.spec = Spec::tensor(entries.dtype, entries.shape);
  out.values.push_back(std::move(entries));
  return out;
}

// A row as an expression of a slice.
std::string row_of(const Spec& spec, const std::string& slice, bool& is_slice) {
  if (spec.kind == Spec::Kind::tuple) {
    is_slice = false;
    return concat("ragged(", slice, ".0, ", slice, ".1)");
  }
  if (spec.kind != Spec::Kind::dict) return slice;
  std::string out = "{";
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    const std::string key = quote(spec.keys[i]);
    out += concat(i == 0 ? "" : ", ", key, ": ", row_of(spec.children[i], concat(slice, ".", key), is_slice));
  }
  return out + "}";
}

}  // namespace

Result<ArrowValue> value_of_batches(const ArrowSchema& schema, std::vector<RefPtr<TableBatch>> batches) {
  WEIR_TRY(check_arrow_schema(schema));
  Runs runs;
  std::optional<int64_t> rows = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    const ArrowArray& array = batches[i]->array();
    if (!has_entries(schema, array, 0))
      return data_loss(
          concat("batch ", i,
                 " of the Arrow stream is broken: its buffers, children, lengths and offsets are "
                 "not those of its schema"));
    rows = checked_add(rows, array.length);
    if (!rows) return too_large("");
    if (array.length > 0) runs.list.push_back({&array, 0, array.length});
  }
  // One owner, however many batches there are: what strings point into is looked at one by one.
  runs.owner = wrapped(nullptr, 0, std::move(batches));
  WEIR_ASSIGN(Made made, take(schema, runs, ""));
  if (made.values.empty()) return refuse_column("", "has no columns", "");
  WEIR_TRY(made.spec.check_size());
  ArrowValue out{std::move(made.spec), std::move(made.values), ""};
  bool is_slice = true;
  std::string row = row_of(out.spec, "x", is_slice);
  if (!is_slice) out.row = std::move(row);
  return out;
}

}  // namespace weir
