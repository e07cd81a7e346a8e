#include "format/csv_reader.h"

#include <algorithm>
#include <cstring>

#include "core/exception.h"
#include "core/text.h"
#include "format/parse_number.h"
#include "fs/file_system.h"

namespace weir {

namespace {

constexpr size_t kCopiedBytes = 64 * 1024;
// The most bytes of a field in an error.
constexpr size_t kShownBytes = 60;

const char* article(DType dtype) { return dtype == DType::int32 || dtype == DType::int64 ? "an " : "a "; }

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteStream> stream, CsvFormat format, uint64_t record_bytes_limit,
                     size_t block_bytes)
    : FileReader(std::move(stream), record_bytes_limit, block_bytes),
      format_(std::move(format)),
      parser_(format_.delimiter, format_.quotes),
      values_(format_.columns.size()) {}

template <class Parse>
size_t CsvReader::read(Parse parse) {
  std::span<const uint8_t> bytes = blocks_.peek(1);
  if (bytes.empty()) {
    if (!blocks_.status().ok()) fail_unreadable();
    done_ = true;
    return 0;
  }
  bool last = false;
  for (;;) {
    const char* const begin = reinterpret_cast<const char*>(bytes.data());
    const char* at = begin;
    const bool complete = parse(at, begin + bytes.size(), last);
    const size_t size = complete ? static_cast<size_t>(at - begin) : bytes.size();
    if (size > record_bytes_limit_) {
      fail_too_long(complete ? concat("a row of ", size) : "a longer row");
      return 0;
    }
    if (complete) return size;
    // Doubled, so that a long row is parsed only a few times. The last step begins where there is little to
    // move.
    const size_t more = size > record_bytes_limit_ / 4 ? record_bytes_limit_ + 1 : 2 * size;
    bytes = blocks_.peek(more);
    last = bytes.size() < more;
    if (last && !blocks_.status().ok()) {
      fail_unreadable();
      return 0;
    }
  }
}

void CsvReader::skip_header() {
  const size_t size =
      read([&](const char*& at, const char* end, bool last) { return parse_header(at, end, last); });
  if (!failure_.ok()) return;
  if (size == 0) {
    fail(Code::invalid_argument, expected_found("a header", "an empty file"));
  } else {
    // As of a row, a mistake in it is one error, and the rows follow.
    if (wrong_.kind != Wrong::Kind::nothing) {
      fail_row(wrong_);
      ++rows_;
    }
    blocks_.advance(size);
  }
}

bool CsvReader::parse_header(const char*& at, const char* end, bool last) {
  wrong_.kind = Wrong::Kind::nothing;
  // A byte-order mark stands before the quotes of the first name.
  const std::string_view mark = "\xef\xbb\xbf";
  const std::string_view bytes(at, static_cast<size_t>(end - at));
  if (bytes.size() < mark.size() && !last) return false;
  if (bytes.starts_with(mark)) at += mark.size();
  CsvField value;
  CsvEnd ended = CsvEnd::delimiter;
  for (int64_t field = 0; ended == CsvEnd::delimiter; ++field) {
    ended = parser_.next(at, end, last, value);
    if (ended == CsvEnd::more) return false;
    if (value.mistake && wrong_.kind == Wrong::Kind::nothing)
      wrong_ = {field, 0, value.mistake, value.bytes, Wrong::Kind::field};
  }
  return true;
}

Status CsvReader::next_batch(size_t max_rows, size_t max_bytes, Block& out) {
  try {
    begin(max_rows);
    if (!done_ && !begins_like_text()) return std::exchange(failure_, {});
    if (format_.header && blocks_.offset() == 0 && !done_) skip_header();
    const uint64_t first = blocks_.offset();
    while (static_cast<size_t>(rows_) < max_rows && !done_ && blocks_.offset() - first < max_bytes) {
      if (!next_row()) break;
    }
    finish(out);
  } catch (const std::bad_alloc&) {
    fail_without_memory();
    rows_ = 0;
    out.reset(0);
    out.rows = 0;
  }
  return rows_ == 0 ? std::exchange(failure_, {}) : Status();
}

void CsvReader::begin(size_t max_rows) {
  rows_ = 0;
  errors_.clear();
  owners_.clear();
  copies_ = nullptr;
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool strings = format_.columns[i].dtype == DType::string;
    if (strings && values_[i].strings.size() < max_rows) values_[i].strings.resize(max_rows);
    if (!strings && values_[i].numbers.size() < max_rows) values_[i].numbers.resize(max_rows);
  }
}

bool CsvReader::next_row() {
  const size_t size =
      read([&](const char*& at, const char* end, bool last) { return parse_row(at, end, last); });
  if (size == 0) return false;
  if (wrong_.kind != Wrong::Kind::nothing) fail_row(wrong_);
  if (owners_.empty() || owners_.back() != blocks_.buffer()) owners_.push_back(blocks_.buffer());
  blocks_.advance(size);
  ++record_;
  ++rows_;
  return true;
}

bool CsvReader::parse_row(const char*& at, const char* end, bool last) {
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
    const bool wanted = all || (column < columns && format_.select[column] == field);
    if (!wanted) continue;
    if (left_out != left_out_end && *left_out == field) {
      ++left_out;
      continue;
    }
    if (column < columns && !value.mistake) set(column, field, value);
    ++column;
  }
  if (column != columns && wrong_.kind == Wrong::Kind::nothing)
    wrong_ = {field, static_cast<int64_t>(column), nullptr, {}, Wrong::Kind::count};
  return true;
}

void CsvReader::set(size_t column, int64_t field, const CsvField& value) {
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
void CsvReader::set_number(size_t column, int64_t field, std::string_view text) {
  T value{};
  if (parse_number(text, value)) [[likely]] {
    std::memcpy(&values_[column].numbers[static_cast<size_t>(rows_)], &value, sizeof value);
  } else if (wrong_.kind == Wrong::Kind::nothing) {
    wrong_ = {field, static_cast<int64_t>(column), nullptr, text, Wrong::Kind::number};
  }
}

std::string_view CsvReader::copy_of(std::string_view doubled) {
  if (!copies_ || copies_->size() - copied_ < doubled.size()) {
    copies_ = Buffer::allocate(std::max(doubled.size(), kCopiedBytes));
    copied_ = 0;
    // The last owner is that of the views.
    owners_.insert(owners_.begin(), copies_);
  }
  char* const place = reinterpret_cast<char*>(copies_->data()) + copied_;
  const size_t size = CsvParser::undouble(doubled, place);
  copied_ += size;
  return {place, size};
}

Mistake CsvReader::describe(const Wrong& wrong) const {
  const std::string where = concat(" in field ", wrong.field);
  // Of several lines the first, so that the message reads as one.
  const std::string_view line = wrong.bytes.substr(0, wrong.bytes.find_first_of("\r\n"));
  const std::string shown =
      concat(quote(line.substr(0, kShownBytes)), line.size() < wrong.bytes.size() ? " and more lines" : "");
  switch (wrong.kind) {
    case Wrong::Kind::field:
      return expected_found(concat("a field", where, " that RFC 4180 allows"), shown, wrong.mistake);
    case Wrong::Kind::missing:
      return expected_found(concat("a value", where), wrong.bytes.empty() ? "nothing" : shown,
                            "write a default in place of the column's dtype");
    case Wrong::Kind::number: {
      const DType dtype = format_.columns[static_cast<size_t>(wrong.column)].dtype;
      return expected_found(concat(article(dtype), dtype_name(dtype), where), shown);
    }
    default:
      break;
  }
  if (!format_.select.empty())
    return expected_found(concat("at least ", format_.select.back() + 1, " fields"), concat(wrong.field));
  const char* const fields = format_.exclude.empty() ? " fields" : " fields besides the excluded ones";
  return expected_found(concat(format_.columns.size(), fields), concat(wrong.column));
}

void CsvReader::fail_row(const Wrong& wrong) {
  const auto row = static_cast<size_t>(rows_);
  for (Values& values : values_) {
    if (!values.strings.empty()) values.strings[row] = Str();
    if (!values.numbers.empty()) values.numbers[row] = 0;
  }
  errors_.push_back({rows_, file_error(Code::invalid_argument, describe(wrong), file(),
                                       static_cast<int64_t>(blocks_.offset()), static_cast<int64_t>(record_))
                                .pointer()});
}

void CsvReader::finish(Block& out) {
  out.reset(format_.columns.size());
  out.rows = rows_;
  if (rows_ == 0) return;
  auto owners = make_ref<Owners>();
  for (BufferRef& buffer : owners_) owners->list.push_back(std::move(buffer));
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
