#include "format/csv_reader.h"

#include <algorithm>

#include "core/exception.h"
#include "core/text.h"

namespace weir {

CsvReader::CsvReader(std::unique_ptr<ByteStream> stream, CsvFormat format, uint64_t record_bytes_limit,
                     size_t block_bytes, CsvNames* first)
    : FileReader(std::move(stream), record_bytes_limit, block_bytes),
      rows_(std::move(format)),
      first_(first) {}

void CsvNames::state(Archive& archive) {
  if (archive.loading()) *this = {};
  if (archive.loading() ? !archive.next_is("columns") : names.empty()) return;
  archive("columns", names);
  archive("columns_of", file);
}

void CsvReader::take_names() {
  if (rows_.format().by_name) {
    if (auto mistake = rows_.pick()) fail(Code::invalid_argument, *std::move(mistake));
    return;
  }
  if (first_ == nullptr || rows_.header() == first_->names) return;
  if (first_->names.empty()) {
    *first_ = {rows_.header(), file()};
    return;
  }
  fail(Code::invalid_argument,
       expected_found(concat("the columns ", first_->names, ", as in ", quote(first_->file)), rows_.header(),
                      "read files of other columns by another csv"));
}

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
      read([&](const char*& at, const char* end, bool last) { return rows_.parse_header(at, end, last); });
  if (!failure_.ok()) return;
  if (size == 0) {
    fail(Code::invalid_argument, expected_found("a header", "an empty file"));
  } else {
    // As of a row, a mistake in it is one error, and the rows follow, unless it says which columns they have.
    if (!rows_.mistaken()) {
      take_names();
    } else if (rows_.format().by_name) {
      fail(Code::invalid_argument, rows_.mistake());
    } else {
      rows_.add(file(), blocks_.offset(), record_);
    }
    blocks_.advance(size);
  }
}

Result<CsvPicks> CsvReader::read_header() {
  rows_.begin(1);
  if (begins_like_text()) skip_header();
  if (!failure_.ok()) return std::exchange(failure_, {});
  return rows_.picks();
}

Status CsvReader::seek(RecordPosition position) {
  if (rows_.format().by_name && position.offset > 0) WEIR_TRY(read_header().status());
  return FileReader::seek(position);
}

Status CsvReader::next_batch(size_t max_rows, size_t max_bytes, Block& out) {
  const auto added = [&] { return static_cast<size_t>(rows_.rows()); };
  try {
    out.reset(rows_.format().columns.size());
    rows_.begin(max_rows);
    owners_.clear();
    if (!done_ && !begins_like_text()) return std::exchange(failure_, {});
    if (!rows_.format().header) skip_byte_order_mark();
    if (rows_.format().header && blocks_.offset() == 0 && !done_) skip_header();
    const uint64_t first = blocks_.offset();
    while (added() < max_rows && !done_ && blocks_.offset() - first < max_bytes) {
      if (!next_row()) break;
    }
    if (added() > 0) finish(out);
  } catch (const std::bad_alloc&) {
    fail_without_memory();
    rows_.begin(0);
    out.reset(0);
  }
  return added() == 0 ? std::exchange(failure_, {}) : Status();
}

bool CsvReader::next_row() {
  const size_t size =
      read([&](const char*& at, const char* end, bool last) { return rows_.parse(at, end, last); });
  if (size == 0) return false;
  if (owners_.empty() || owners_.back() != blocks_.buffer()) owners_.push_back(blocks_.buffer());
  rows_.add(file(), blocks_.offset(), record_);
  blocks_.advance(size);
  ++record_;
  return true;
}

void CsvReader::finish(Block& out) {
  auto owners = make_ref<Owners>();
  for (BufferRef& buffer : owners_) owners->list.push_back(std::move(buffer));
  rows_.finish(out, owners);
}

}  // namespace weir
