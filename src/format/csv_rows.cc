#include "format/csv_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "format/file_reader.h"
#include "format/parse_number.h"
#include "fs/file_system.h"

namespace weir {

namespace {

constexpr size_t kCopiedBytes = 64 * 1024;
// The most bytes of a field in an error.
constexpr size_t kShownBytes = 60;

const char* article(DType dtype) { return dtype == DType::int32 || dtype == DType::int64 ? "an " : "a "; }

}  // namespace

CsvRows::CsvRows(CsvFormat format)
    : format_(std::move(format)),
      parser_(format_.delimiter, format_.quotes),
      values_(format_.columns.size()) {}

void CsvRows::begin(size_t max_rows) {
  rows_ = 0;
  errors_.clear();
  copies_.clear();
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool strings = format_.columns[i].dtype == DType::string;
    if (strings && values_[i].strings.size() < max_rows) values_[i].strings.resize(max_rows);
    if (!strings && values_[i].numbers.size() < max_rows) values_[i].numbers.resize(max_rows);
  }
}

bool CsvRows::parse_header(const char*& at, const char* end, bool last) {
  wrong_.kind = Wrong::Kind::nothing;
  // A byte-order mark stands before the quotes of the first name.
  const std::string_view bytes(at, static_cast<size_t>(end - at));
  if (bytes.size() < kByteOrderMark.size() && !last) return false;
  if (bytes.starts_with(kByteOrderMark)) at += kByteOrderMark.size();
  header_.clear();
  names_.clear();
  CsvField value;
  CsvEnd ended = CsvEnd::delimiter;
  for (int64_t field = 0; ended == CsvEnd::delimiter; ++field) {
    ended = parser_.next(at, end, last, value);
    if (ended == CsvEnd::more) return false;
    if (value.mistake && wrong_.kind == Wrong::Kind::nothing)
      wrong_ = {field, 0, value.mistake, value.bytes, Wrong::Kind::field};
    std::string name(value.bytes);
    if (value.doubled) name.resize(CsvParser::undouble(value.bytes, name.data()));
    header_ += concat(field == 0 ? "" : ", ", quote(name));
    names_.push_back(std::move(name));
  }
  return true;
}

std::optional<Mistake> CsvRows::pick() {
  picks_.assign(names_.size(), -1);
  for (size_t column = 0; column < format_.columns.size(); ++column) {
    const std::string& name = format_.columns[column].name;
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return expected_found(concat("a column ", quote(name)), header_);
    if (std::find(found + 1, names_.end(), name) != names_.end())
      return expected_found(concat("one column ", quote(name)), header_,
                            "rename one, or read columns by their places");
    picks_[static_cast<size_t>(found - names_.begin())] = static_cast<int>(column);
  }
  return std::nullopt;
}

bool CsvRows::parse(const char*& at, const char* end, bool last) {
  const size_t columns = format_.columns.size();
  const bool all = format_.select.empty();
  const int64_t* left_out = format_.exclude.data();
  const int64_t* const left_out_end = left_out + format_.exclude.size();
  size_t column = 0;
  int64_t field = 0;
  wrong_.kind = Wrong::Kind::nothing;
  CsvField value;
  CsvEnd ended = CsvEnd::delimiter;
  for (; ended == CsvEnd::delimiter; ++field) {
    ended = parser_.next(at, end, last, value);
    if (ended == CsvEnd::more) return false;
    if (value.mistake && wrong_.kind == Wrong::Kind::nothing)
      wrong_ = {field, 0, value.mistake, value.bytes, Wrong::Kind::field};
    if (format_.by_name) {
      const int picked = static_cast<size_t>(field) < picks_.size() ? picks_[static_cast<size_t>(field)] : -1;
      if (picked >= 0 && !value.mistake) set(static_cast<size_t>(picked), field, value);
      continue;
    }
    const bool wanted = all || (column < columns && format_.select[column] == field);
    if (!wanted) continue;
    if (left_out != left_out_end && *left_out == field) {
      ++left_out;
      continue;
    }
    if (column < columns && !value.mistake) set(column, field, value);
    ++column;
  }
  const bool fits = format_.by_name ? static_cast<size_t>(field) == picks_.size() : column == columns;
  if (!fits && wrong_.kind == Wrong::Kind::nothing)
    wrong_ = {field, static_cast<int64_t>(column), nullptr, {}, Wrong::Kind::count};
  return true;
}

void CsvRows::set(size_t column, int64_t field, const CsvField& value) {
  const CsvColumn& type = format_.columns[column];
  const auto row = static_cast<size_t>(rows_);
  std::string_view text = value.bytes;
  if (value.doubled) text = copy_of(text);
  if (text.empty() || text == format_.na_value) [[unlikely]] {
    if (!type.fallback) {
      if (wrong_.kind == Wrong::Kind::nothing)
        wrong_ = {field, static_cast<int64_t>(column), nullptr, text, Wrong::Kind::missing};
    } else if (type.dtype == DType::string) {
      values_[column].strings[row] = *type.fallback->as<const Str>();
    } else {
      std::memcpy(&values_[column].numbers[row], type.fallback->data, dtype_size(type.dtype));
    }
    return;
  }
  switch (type.dtype) {
    case DType::string:
      values_[column].strings[row] = Str(text.data(), text.size());
      break;
    case DType::int32:
      return set_number<int32_t>(column, field, text);
    case DType::int64:
      return set_number<int64_t>(column, field, text);
    case DType::float32:
      return set_number<float>(column, field, text);
    default:
      return set_number<double>(column, field, text);
  }
}

template <class T>
void CsvRows::set_number(size_t column, int64_t field, std::string_view text) {
  T value{};
  if (parse_number(text, value)) [[likely]] {
    std::memcpy(&values_[column].numbers[static_cast<size_t>(rows_)], &value, sizeof value);
  } else if (wrong_.kind == Wrong::Kind::nothing) {
    wrong_ = {field, static_cast<int64_t>(column), nullptr, text, Wrong::Kind::number};
  }
}

std::string_view CsvRows::copy_of(std::string_view doubled) {
  if (copies_.empty() || copies_.back()->size() - copied_ < doubled.size()) {
    copies_.push_back(Buffer::allocate(std::max(doubled.size(), kCopiedBytes)));
    copied_ = 0;
  }
  char* const place = reinterpret_cast<char*>(copies_.back()->data()) + copied_;
  const size_t size = CsvParser::undouble(doubled, place);
  copied_ += size;
  return {place, size};
}

Mistake CsvRows::describe(const Wrong& wrong) const {
  std::string where = concat(" in field ", wrong.field);
  if (format_.by_name && wrong.kind != Wrong::Kind::field)
    where += concat(" (", quote(format_.columns[static_cast<size_t>(wrong.column)].name), ")");
  // Of several lines the first, so that the message reads as one.
  const std::string_view line = wrong.bytes.substr(0, wrong.bytes.find_first_of("\r\n"));
  const std::string shown =
      concat(quote(line.substr(0, kShownBytes)), line.size() < wrong.bytes.size() ? " and more lines" : "");
  switch (wrong.kind) {
    case Wrong::Kind::field:
      return expected_found(concat("a field", where, " that RFC 4180 allows"), shown, wrong.mistake);
    case Wrong::Kind::missing:
      return expected_found(concat("a value", where), wrong.bytes.empty() ? "nothing" : shown,
                            format_.by_name ? "write a default after the column's dtype, as in int64 = 0"
                                            : "write a default in place of the column's dtype");
    case Wrong::Kind::number: {
      const DType dtype = format_.columns[static_cast<size_t>(wrong.column)].dtype;
      return expected_found(concat(article(dtype), dtype_name(dtype), where), shown);
    }
    default:
      break;
  }
  if (format_.by_name)
    return expected_found(concat(picks_.size(), " fields, as in the header"), concat(wrong.field));
  if (!format_.select.empty())
    return expected_found(concat("at least ", format_.select.back() + 1, " fields"), concat(wrong.field));
  const char* const fields = format_.exclude.empty() ? " fields" : " fields besides the excluded ones";
  return expected_found(concat(format_.columns.size(), fields), concat(wrong.column));
}

void CsvRows::add(const std::string& file, uint64_t offset, uint64_t record) {
  if (mistaken()) [[unlikely]] {
    add_failed(file_error(Code::invalid_argument, describe(wrong_), file, static_cast<int64_t>(offset),
                          static_cast<int64_t>(record))
                   .pointer());
  } else {
    ++rows_;
  }
}

void CsvRows::add_failed(ErrorPtr error) {
  const auto row = static_cast<size_t>(rows_);
  for (Values& values : values_) {
    if (!values.strings.empty()) values.strings[row] = Str();
    if (!values.numbers.empty()) values.numbers[row] = 0;
  }
  errors_.push_back({rows_++, std::move(error)});
}

void CsvRows::finish(Block& out, const OwnersRef& owners) {
  out.rows = rows_;
  for (BufferRef& buffer : copies_) owners->list.push_back(std::move(buffer));
  copies_.clear();
  for (const CsvColumn& column : format_.columns) {
    if (column.dtype != DType::string || !column.fallback) continue;
    if (column.fallback->owners) owners->list.push_back(column.fallback->owners);
    if (column.fallback->buffer) owners->list.push_back(column.fallback->buffer);
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const DType dtype = format_.columns[i].dtype;
    const auto rows = static_cast<size_t>(rows_);
    if (dtype == DType::string) {
      std::copy_n(values_[i].strings.data(), rows, out.columns[i].make_dense<Str>(Shape(), rows_));
      out.columns[i].set_owners(owners);
      continue;
    }
    uint8_t* to = out.columns[i].make_dense(dtype, Shape(), rows_);
    const uint64_t* from = values_[i].numbers.data();
    if (dtype_size(dtype) == sizeof(uint64_t)) {
      std::memcpy(to, from, rows * sizeof(uint64_t));
    } else {
      for (size_t row = 0; row < rows; ++row) std::memcpy(to + row * 4, from + row, 4);
    }
  }
  std::swap(out.errors, errors_);
}

}  // namespace weir
