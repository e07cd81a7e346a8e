#include "format/array_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "format/array_fill.h"

namespace weir {

namespace {

// Gaps between rows that are worth reading in place of another read.
constexpr uint64_t kGapBytes = 4096;
constexpr size_t kRetainedRowBytes = size_t{4} << 20;

}  // namespace

ArrayReader::ArrayReader(std::unique_ptr<ByteStream> stream, ArrayLayout layout, size_t piece_bytes)
    : stream_(std::move(stream)),
      layout_(std::move(layout)),
      pool_(kRetainedRowBytes),
      piece_bytes_(piece_bytes) {}

Status ArrayReader::seek(RecordPosition position) {
  const auto row = static_cast<int64_t>(position.record);
  if (row < 0 || row > layout_.rows) {
    return file_error(
        Code::data_loss,
        expected_found(concat("at least ", position.record, " rows, as when the position was saved"),
                       concat(layout_.rows), "restore the file"),
        stream_->file());
  }
  row_ = row;
  return Status();
}

Result<uint64_t> ArrayReader::read_bytes(uint64_t offset, std::span<uint8_t> to) {
  if (piece_bytes_ == 0) return read_file(offset, to);
  uint64_t filled = 0;
  while (filled < to.size()) {
    const Result<std::span<const uint8_t>> piece = piece_at(offset + filled);
    if (!piece.ok()) return piece.status();
    if (piece->empty()) break;
    const size_t size = std::min<size_t>(piece->size(), to.size() - filled);
    std::memcpy(to.data() + filled, piece->data(), size);
    filled += size;
  }
  return filled;
}

Result<std::span<const uint8_t>> ArrayReader::piece_at(uint64_t offset) {
  if (offset < piece_begin_ || offset - piece_begin_ >= piece_size_) {
    piece_size_ = 0;
    if (!piece_) piece_ = Buffer::allocate(piece_bytes_);
    WEIR_ASSIGN(piece_size_, read_file(offset, {piece_->data(), piece_bytes_}));
    piece_begin_ = offset;
  }
  return std::span<const uint8_t>(piece_->data(), piece_size_).subspan(offset - piece_begin_);
}

Result<uint64_t> ArrayReader::read_file(uint64_t offset, std::span<uint8_t> to) {
  failed_ = stream_->seek(offset);
  uint64_t filled = 0;
  while (failed_.ok() && filled < to.size()) {
    const Result<size_t> got = stream_->read(to.subspan(filled));
    failed_ = got.status();
    if (!got.ok() || *got == 0) break;
    filled += *got;
  }
  return filled;
}

Result<int> ArrayReader::read_rows(int rows, uint8_t* to) {
  const uint64_t row_bytes = layout_.row_bytes;
  const auto count = static_cast<uint64_t>(rows);
  if (row_bytes == 0) return rows;
  if (layout_.stride == row_bytes) {
    WEIR_ASSIGN(const uint64_t got, read_bytes(offset_of(row_), {to, count * row_bytes}));
    return static_cast<int>(got / row_bytes);
  }
  if (layout_.stride > row_bytes + kGapBytes) {
    for (int i = 0; i < rows; ++i, to += row_bytes) {
      WEIR_ASSIGN(const uint64_t got, read_bytes(offset_of(row_ + i), {to, row_bytes}));
      if (got < row_bytes) return i;
    }
    return rows;
  }
  const uint64_t size = (count - 1) * layout_.stride + row_bytes;
  if (!shared_ || shared_->size() < size) shared_ = pool_.allocate(size);
  WEIR_ASSIGN(const uint64_t got, read_bytes(offset_of(row_), {shared_->data(), size}));
  if (got < row_bytes) return 0;
  const uint64_t whole = std::min(count, (got - row_bytes) / layout_.stride + 1);
  for (uint64_t i = 0; i < whole; ++i, to += row_bytes)
    std::memcpy(to, shared_->data() + i * layout_.stride, row_bytes);
  return static_cast<int>(whole);
}

Status ArrayReader::next_batch(size_t max_rows, size_t max_bytes, Block& out) {
  const uint64_t fitting = max_bytes / std::max<uint64_t>(1, layout_.row_bytes);
  const auto wanted = std::min<uint64_t>(max_rows, std::max<uint64_t>(1, fitting));
  const int rows = static_cast<int>(std::min<uint64_t>(wanted, static_cast<uint64_t>(layout_.rows - row_)));
  if (rows == 0) return Status();
  out.reset(1);
  ArrayFill fill(out.columns[0], layout_.type.dtype, layout_.row, rows, layout_.row_bytes, &pool_);
  WEIR_ASSIGN(const int got, read_rows(rows, fill.bytes(0)));
  if (got == 0) {
    WEIR_TRY(failed_);
    return file_error(Code::data_loss,
                      expected_found(concat(layout_.rows, " rows, as when the file was opened"), concat(row_),
                                     "restore the file"),
                      stream_->file(), static_cast<int64_t>(offset_of(row_)), row_);
  }
  // What is thrown from here on loses these rows.
  const int64_t first = std::exchange(row_, row_ + got);
  out.rows = got;
  fill.made(layout_.type, 0, got, [&](int row, const Status& status) {
    out.fail_row(row, file_error(status.code(), status.error().what(), stream_->file(),
                                 static_cast<int64_t>(offset_of(first + row)), first + row)
                          .pointer());
  });
  fill.finish();
  if (got < rows) out.columns[0] = out.columns[0].slice(0, got);
  return Status();
}

}  // namespace weir
