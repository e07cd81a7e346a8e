#include "format/text_lines.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kCopiedLineBytes = 64 * 1024;

}  // namespace

char* LineReader::room(size_t size, RecordBatch& out) {
  if (!copies_ || copies_->size() - copied_ < size) {
    copies_ = Buffer::allocate(std::max(size, kCopiedLineBytes));
    copied_ = 0;
    // The last owner is that of the lines that are views.
    out.owners.insert(out.owners.begin(), copies_);
  }
  char* place = reinterpret_cast<char*>(copies_->data()) + copied_;
  copied_ += size;
  return place;
}

std::string_view LineReader::without_returns(std::string_view line, RecordBatch& out) {
  // Mostly there is just one, at the end.
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.find('\r') == std::string_view::npos) return line;
  char* copy = room(line.size(), out);
  char* end = std::copy_if(line.begin(), line.end(), copy, [](char c) { return c != '\r'; });
  return {copy, static_cast<size_t>(end - copy)};
}

std::string_view LineReader::next_line(RecordBatch& out) {
  if (!begins_like_text()) return {};
  std::span<const uint8_t> bytes = blocks_.peek(1);
  const void* newline = nullptr;
  // How many bytes have no newline among them.
  size_t searched = 0;
  while (searched < bytes.size()) {
    newline = std::memchr(bytes.data() + searched, '\n', bytes.size() - searched);
    if (newline != nullptr) break;
    searched = bytes.size();
    if (searched > record_bytes_limit_) break;
    bytes = blocks_.extend(record_bytes_limit_ + 1);
  }
  if (newline == nullptr && !blocks_.status().ok()) return fail_unreadable();
  const size_t size = newline == nullptr
                          ? bytes.size()
                          : static_cast<size_t>(static_cast<const uint8_t*>(newline) - bytes.data());
  if (size > record_bytes_limit_)
    return fail_too_long(newline == nullptr ? "a longer line" : concat("a line of ", size));
  if (bytes.empty()) {
    done_ = true;
    return {};
  }
  const std::string_view line = without_returns({reinterpret_cast<const char*>(bytes.data()), size}, out);
  if (newline == nullptr && line.empty()) {
    done_ = true;
    return {};
  }
  blocks_.advance(newline == nullptr ? size : size + 1);
  ++record_;
  return line;
}

Status LineReader::next_batch(size_t max_records, size_t max_bytes, RecordBatch& out) {
  copies_ = nullptr;
  return gather(max_records, max_bytes, out, [&] { return next_line(out); });
}

}  // namespace weir
