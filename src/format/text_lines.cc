#include "format/text_lines.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kCopiedLineBytes = 64 * 1024;

}  // namespace

bool WithoutReturns::make_room(size_t size) {
  if (copies_ && copies_->size() - copied_ >= size) return false;
  copies_ = Buffer::allocate(std::max(size, kCopiedLineBytes));
  copied_ = 0;
  return true;
}

std::string_view WithoutReturns::copy(std::string_view line) {
  char* const to = reinterpret_cast<char*>(copies_->data()) + copied_;
  char* const end = std::copy_if(line.begin(), line.end(), to, [](char c) { return c != '\r'; });
  const auto size = static_cast<size_t>(end - to);
  copied_ += size;
  return {to, size};
}

std::string_view LineReader::next_line(RecordBatch& out) {
  if (!begins_like_text()) return {};
  skip_byte_order_mark();
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
  const std::string_view line =
      without_returns_.of({reinterpret_cast<const char*>(bytes.data()), size}, out.owners);
  if (newline == nullptr && line.empty()) {
    done_ = true;
    return {};
  }
  blocks_.advance(newline == nullptr ? size : size + 1);
  ++record_;
  return line;
}

Status LineReader::next_batch(size_t max_records, size_t max_bytes, RecordBatch& out) {
  without_returns_.renew();
  return gather(max_records, max_bytes, out, [&] { return next_line(out); });
}

}  // namespace weir
