#include "format/json_reader.h"

#include <algorithm>
#include <cstring>

#include "core/float_mode.h"
#include "core/text.h"

namespace weir {

namespace {

// Tokens are found for so many bytes at a time, so that they stay in a near cache.
constexpr size_t kLinesBytes = size_t{128} << 10;
constexpr std::string_view kMark = "\xef\xbb\xbf";

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

JsonReader::JsonReader(std::unique_ptr<ByteStream> stream, const std::vector<FieldType>& fields,
                       uint64_t record_bytes_limit, size_t block_bytes)
    : FileReader(std::move(stream), record_bytes_limit, block_bytes), rows_(fields) {}

size_t JsonReader::whole_lines() {
  if (!begins_like_text()) return 0;
  if (blocks_.offset() == 0) {
    if (text_of(blocks_.peek(kMark.size())).starts_with(kMark)) blocks_.advance(kMark.size());
  }
  std::string_view bytes = text_of(blocks_.peek(1));
  const size_t last = bytes.substr(0, kLinesBytes).rfind('\n');
  if (last != std::string_view::npos) return last + 1;
  // The first line is long, or the last of the file.
  size_t searched = std::min(bytes.size(), kLinesBytes);
  while (searched <= record_bytes_limit_) {
    const size_t end = bytes.find('\n', searched);
    if (end != std::string_view::npos) return end + 1;
    searched = bytes.size();
    bytes = text_of(blocks_.extend(record_bytes_limit_ + 1));
    if (bytes.size() == searched) break;
  }
  if (searched > record_bytes_limit_) {
    fail_too_long("a longer line");
    return 0;
  }
  if (!blocks_.status().ok()) {
    fail_unreadable();
    return 0;
  }
  if (bytes.empty()) done_ = true;
  return bytes.size();
}

bool JsonReader::next_lines() {
  const size_t size = whole_lines();
  if (size == 0) return false;
  lines_ = text_of(blocks_.peek(1)).substr(0, size);
  lines_offset_ = blocks_.offset();
  read_ = 0;
  one_by_one_ = index_.find(lines_) != JsonIndex::Fault::none;
  if (one_by_one_) return true;
  token_ = index_.tokens().data();
  rows_.start_text(lines_);
  return true;
}

void JsonReader::add(std::string_view line, size_t begin) {
  if (owners_.empty() || owners_.back() != blocks_.buffer()) owners_.push_back(blocks_.buffer());
  const bool good = one_by_one_ ? rows_.parse(line, index_) : rows_.parse(begin, begin + line.size(), token_);
  if (good) [[likely]]
    return;
  rows_.columns().add_failed(file_error(Code::invalid_argument, rows_.mistake("the line"), file(),
                                        static_cast<int64_t>(blocks_.offset()), static_cast<int64_t>(record_))
                                 .pointer());
}

void JsonReader::next_line() {
  const char* const begin = lines_.data() + read_;
  const void* end = std::memchr(begin, '\n', lines_.size() - read_);
  const size_t size =
      end ? static_cast<size_t>(static_cast<const char*>(end) - begin) : lines_.size() - read_;
  if (size > record_bytes_limit_) {
    fail_too_long(concat("a line of ", size));
    return;
  }
  const std::string_view line(begin, size);
  const bool blank =
      one_by_one_ ? line.find_first_not_of(" \t\r") == std::string_view::npos : *token_ >= read_ + size;
  if (!blank) add(line, read_);
  const size_t step = size + (end ? 1 : 0);
  read_ += step;
  blocks_.advance(step);
  if (!blank) ++record_;
}

void JsonReader::read_rows(size_t max_rows, size_t max_bytes) {
  const FloatMode mode;
  const auto rows = [&] { return static_cast<size_t>(rows_.columns().rows()); };
  const uint64_t first = blocks_.offset();
  while (rows() < max_rows && !done_ && (rows() == 0 || blocks_.offset() - first < max_bytes)) {
    // Another position may have been sought.
    const bool here = read_ < lines_.size() && lines_offset_ + read_ == blocks_.offset() &&
                      text_of(blocks_.peek(1)).data() == lines_.data() + read_;
    if (!here && !next_lines()) break;
    next_line();
  }
}

Status JsonReader::next_batch(size_t max_rows, size_t max_bytes, Block& out) {
  try {
    out.reset(static_cast<size_t>(rows_.columns().components()));
    owners_.clear();
    rows_.columns().begin(max_rows);
    read_rows(max_rows, max_bytes);
    if (rows_.columns().rows() > 0) finish(out);
  } catch (const std::bad_alloc&) {
    lines_ = {};
    fail_without_memory();
    rows_.columns().begin(0);
    out.reset(0);
  }
  return rows_.columns().rows() == 0 ? std::exchange(failure_, {}) : Status();
}

void JsonReader::finish(Block& out) {
  auto owners = make_ref<Owners>();
  for (BufferRef& buffer : owners_) owners->list.push_back(std::move(buffer));
  rows_.give_owners(owners->list);
  rows_.columns().finish(out, owners);
}

}  // namespace weir
