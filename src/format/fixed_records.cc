#include "format/fixed_records.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "format/signature.h"
#include "fs/file_system.h"

namespace weir {

namespace {

std::string layout_text(const FixedLayout& layout) {
  return concat("a header of ", layout.header_bytes, " bytes, records of ", layout.record_bytes,
                " and a footer of ", layout.footer_bytes);
}

// What another format would need in place of other lengths.
std::string hint_for_size(ByteStream& stream) {
  std::array<uint8_t, kSignatureBytes> bytes;
  const Result<size_t> size = stream.read(bytes);
  std::string hint;
  if (size.ok()) hint = signature_hint({reinterpret_cast<const char*>(bytes.data()), *size});
  return hint.empty() ? "correct record_bytes, header_bytes or footer_bytes" : hint;
}

}  // namespace

Result<int64_t> count_fixed_records(ByteStream& stream, const FixedLayout& layout,
                                    uint64_t record_bytes_limit) {
  WEIR_ASSIGN(const int64_t size, stream.size());
  const uint64_t outside = layout.header_bytes + layout.footer_bytes;
  const auto bytes = static_cast<uint64_t>(size);
  if (size >= 0 && (bytes < outside || (bytes - outside) % layout.record_bytes != 0)) {
    return file_error(Code::invalid_argument,
                      expected_found(concat("a size that fits ", layout_text(layout)),
                                     concat(bytes, " bytes"), hint_for_size(stream)),
                      stream.file());
  }
  if (layout.record_bytes > record_bytes_limit) {
    return file_error(
        Code::resource_exhausted,
        expected_found(concat("records of at most ", record_bytes_limit, " bytes (the limit record_bytes)"),
                       concat("record_bytes: ", layout.record_bytes),
                       "raise record_bytes of weir_runtime_options, or --record-bytes of the command"),
        stream.file());
  }
  return size < 0 ? -1 : static_cast<int64_t>((bytes - outside) / layout.record_bytes);
}

Result<std::unique_ptr<FixedReader>> FixedReader::open(std::unique_ptr<ByteStream> stream, FixedLayout layout,
                                                       uint64_t record_bytes_limit, size_t block_bytes) {
  WEIR_ASSIGN(const int64_t count, count_fixed_records(*stream, layout, record_bytes_limit));
  return std::unique_ptr<FixedReader>(
      new FixedReader(std::move(stream), layout, count, record_bytes_limit, block_bytes));
}

std::string_view FixedReader::fail_short(uint64_t found) {
  if (!blocks_.status().ok()) return fail_unreadable();
  if (count_ >= 0) {
    return fail(Code::data_loss, expected_found(concat(count_, " records, as when the file was opened"),
                                                concat(record_), "restore the file"));
  }
  return fail(Code::data_loss, concat("truncated file: expected ", layout_text(layout_), ", found ", found,
                                      " bytes and the end of the file; restore the file or write it again"));
}

bool FixedReader::skip_header() {
  while (blocks_.offset() < layout_.header_bytes) {
    const size_t size = blocks_.peek(1).size();
    if (size == 0) {
      fail_short(0);
      return false;
    }
    blocks_.advance(static_cast<size_t>(std::min<uint64_t>(size, layout_.header_bytes - blocks_.offset())));
  }
  return true;
}

// Where the count is not known, the footer is peeked at as well: bytes before it are records.
std::string_view FixedReader::next_record() {
  if (static_cast<int64_t>(record_) == count_) {
    done_ = true;
    return {};
  }
  if (!skip_header()) return {};
  const auto size = static_cast<size_t>(layout_.record_bytes);
  const auto footer = static_cast<size_t>(layout_.footer_bytes);
  const std::span<const uint8_t> bytes = blocks_.peek(size + footer);
  if (bytes.size() < size + footer) {
    if (count_ >= 0 || bytes.size() != footer || !blocks_.status().ok()) return fail_short(bytes.size());
    done_ = true;
    return {};
  }
  blocks_.advance(size);
  ++record_;
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

Status FixedReader::next_batch(size_t max_records, size_t max_bytes, RecordBatch& out) {
  return gather(max_records, max_bytes, out, [this] { return next_record(); });
}

}  // namespace weir
