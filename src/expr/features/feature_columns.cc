#include "expr/features/feature_columns.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "format/feature_view.h"

namespace weir {

namespace {

struct Totals {
  int64_t values = 0;
  int64_t longest = 0;
};

Totals totals_of(std::span<const FeatureView> records) {
  Totals out;
  for (const FeatureView& record : records) {
    const auto count = static_cast<int64_t>(record.count);
    out.values += count;
    out.longest = std::max(out.longest, count);
  }
  return out;
}

size_t width_of(FeatureType type) {
  return visit_type(type, []<class T>() { return sizeof(T); });
}

// All values one after the other.
void decode_all(const FeatureTarget& to, uint8_t* out) {
  const size_t width = width_of(to.type);
  for (const FeatureView& record : to.records) {
    if (record.count == 0) continue;
    decode_values(record, to.type, out);
    out += record.count * width;
  }
}

// The shape of a sparse row.
void put_dense_shape(const FeatureTarget& to, int64_t longest) {
  int64_t* shape = to.run.make_row<int64_t>(to.result + 2, to.row, Shape{to.single ? 1 : 2});
  if (shape == nullptr) return;
  if (!to.single) *shape++ = static_cast<int64_t>(to.records.size());
  *shape = longest;
}

}  // namespace

void put_vector(const FeatureTarget& to) {
  const auto count = static_cast<int64_t>(to.records[0].count);
  if (uint8_t* out = to.run.make_row(to.result, to.row, Shape{count})) decode_all(to, out);
}

void put_sparse(const FeatureTarget& to) {
  const Totals totals = totals_of(to.records);
  int64_t* index = to.run.make_row<int64_t>(to.result, to.row, Shape{totals.values, to.single ? 1 : 2});
  uint8_t* values = to.run.make_row(to.result + 1, to.row, Shape{totals.values});
  put_dense_shape(to, totals.longest);
  if (index == nullptr || values == nullptr) return;
  for (size_t record = 0; record < to.records.size(); ++record) {
    for (size_t i = 0; i < to.records[record].count; ++i) {
      if (!to.single) *index++ = static_cast<int64_t>(record);
      *index++ = static_cast<int64_t>(i);
    }
  }
  decode_all(to, values);
}

void put_ragged(const FeatureTarget& to) {
  uint8_t* values = to.run.make_row(to.result, to.row, Shape{totals_of(to.records).values});
  int64_t* splits =
      to.run.make_row<int64_t>(to.result + 1, to.row, Shape{static_cast<int64_t>(to.records.size()) + 1});
  if (values == nullptr || splits == nullptr) return;
  decode_all(to, values);
  *splits = 0;
  for (const FeatureView& record : to.records) {
    splits[1] = splits[0] + static_cast<int64_t>(record.count);
    ++splits;
  }
}

void put_padded(const FeatureTarget& to, const Shape& step, const void* fill) {
  const int64_t step_count = step.count();
  const int64_t longest = totals_of(to.records).longest;
  Shape shape = step.prepended(step_count == 0 ? 0 : longest / step_count);
  if (!to.single) shape = shape.prepended(static_cast<int64_t>(to.records.size()));
  uint8_t* out = to.run.make_row(to.result, to.row, shape);
  if (out == nullptr || longest == 0) return;
  visit_type(to.type, [&]<class T>() {
    T padding = T();
    if constexpr (std::is_same_v<T, Str>) padding = Str("", 0);
    if (fill != nullptr) padding = *static_cast<const T*>(fill);
    T* entries = reinterpret_cast<T*>(out);
    for (const FeatureView& record : to.records) {
      if (record.count > 0) decode_values(record, to.type, entries);
      std::fill(entries + record.count, entries + longest, padding);
      entries += longest;
    }
  });
}

void put_steps(const FeatureTarget& to, const Shape& step) {
  uint8_t* out = to.run.make_row(to.result, to.row, step.prepended(static_cast<int64_t>(to.records.size())));
  if (out != nullptr) decode_all(to, out);
}

bool IndexedColumns::read_places(const FeatureView& indices) {
  indices_.resize(indices.count);
  places_.resize(indices.count);
  if (indices.count > 0) decode_values(indices, FeatureType::int64, indices_.data());
  for (size_t i = 0; i < indices.count; ++i) places_[i] = {indices_[i], i};
  const auto before = [](const Place& a, const Place& b) {
    return a.index < b.index || (a.index == b.index && a.at < b.at);
  };
  if (std::is_sorted(places_.begin(), places_.end(), before)) return true;
  std::sort(places_.begin(), places_.end(), before);
  return false;
}

void IndexedColumns::put(const FeatureTarget& to, std::span<const FeatureView> indices, int64_t size,
                         const std::string& name) {
  const auto records = static_cast<int64_t>(to.records.size());
  const auto refuse = [&](size_t record, const std::string& what) {
    const Status status = invalid_argument(concat("the feature ", quote(name), " has ", what));
    to.run.fail(to.row, in_record(status, record, to.records.size(), to.single));
  };
  const int64_t dims[] = {records, size};
  if (checked_count(dims) < 0)
    return refuse(0, concat("the size ", size, ", too much for ", records, " records"));
  for (size_t record = 0; record < to.records.size(); ++record) {
    if (indices[record].count == to.records[record].count) continue;
    return refuse(record, concat(to.records[record].count, " values and ", indices[record].count,
                                 " indices in this record; expected an index for each value"));
  }
  const int64_t total = totals_of(to.records).values;
  int64_t* index = to.run.make_row<int64_t>(to.result, to.row, Shape{total, to.single ? 1 : 2});
  uint8_t* values = to.run.make_row(to.result + 1, to.row, Shape{total});
  put_dense_shape(to, size);
  if (index == nullptr || values == nullptr) return;
  const size_t width = width_of(to.type);
  for (size_t record = 0; record < to.records.size(); ++record) {
    const FeatureView& found = to.records[record];
    if (found.count == 0) continue;
    const bool sorted = read_places(indices[record]);
    if (places_.front().index < 0 || places_.back().index >= size) {
      const int64_t wrong = places_.front().index < 0 ? places_.front().index : places_.back().index;
      return refuse(record, concat("the index ", wrong, " in this record; expected one from 0 to ", size - 1,
                                   ", as its size says"));
    }
    for (const Place& place : places_) {
      if (!to.single) *index++ = static_cast<int64_t>(record);
      *index++ = place.index;
    }
    if (sorted) {
      decode_values(found, to.type, values);
    } else {
      values_.resize((found.count * width + sizeof(uint64_t) - 1) / sizeof(uint64_t));
      decode_values(found, to.type, values_.data());
      const auto* from = reinterpret_cast<const uint8_t*>(values_.data());
      for (size_t i = 0; i < found.count; ++i) {
        std::memcpy(values + i * width, from + places_[i].at * width, width);
      }
    }
    values += found.count * width;
  }
}

Status in_record(const Status& status, size_t record, size_t records, bool single) {
  if (single) return status;
  return Status(status.code(), concat("record ", record, " of ", records, ": ", status.error().message));
}

}  // namespace weir
