// FileReader: what the readers of files have in common: their position, limit and errors, and their batches.
//
// A reader owns its file and is not thread-safe; only the file system blocks. Errors are those of the file,
// or name file, offset (in the decompressed bytes) and record number. An error loses the rest of the file, as
// does memory that runs out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/runtime.h"
#include "core/status.h"
#include "core/str.h"
#include "format/inflate.h"

namespace weir {

// A record's length comes from the file, and a huge compressed record costs its writer almost nothing.
inline constexpr uint64_t kRecordBytesLimit = static_cast<uint64_t>(Limits().record_bytes);

// Every record lies in one of `owners`, which keep it alive. Each owner is listed once.
struct RecordBatch {
  std::vector<Str> records;
  std::vector<BufferRef> owners;

  void clear() {
    records.clear();
    owners.clear();
  }
};

// The record that a reader will read next. `offset` counts decompressed bytes.
struct RecordPosition {
  uint64_t offset = 0;
  uint64_t record = 0;
};

// At the beginning of a text, which it is no part of.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// What to say of a file that begins so, if it is of another format or compression and its bytes are no text.
std::optional<Mistake> mistake_of_no_text(std::span<const uint8_t> first_bytes);

class FileReader {
 public:
  RecordPosition position() const { return {blocks_.offset(), record_}; }
  // Goes to a position that position() returned for the same file; data_loss if the file has become shorter.
  // In a compressed file it reads everything before the position.
  Status seek(RecordPosition position);
  const std::string& file() const { return blocks_.file(); }
  // Blocks of so many bytes at most, from the next one on; longer records have as many as they need.
  void read_less(size_t block_bytes) { blocks_.read_less(block_bytes); }

 protected:
  FileReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit,
             size_t block_bytes = kBlockBytes)
      : blocks_(std::move(stream), block_bytes), record_bytes_limit_(record_bytes_limit) {}

  // Appends what `next` returns, a record in the current buffer or a null view at the end and after an error,
  // as next_batch of the readers says.
  template <class Next>
  Status gather(size_t max_records, size_t max_bytes, RecordBatch& out, Next next);

  std::string_view fail(Code code, Mistake mistake);
  // REQUIRES: blocks_.status() is an error.
  std::string_view fail_unreadable();
  // A record that is longer than the limit record_bytes; `found` says how long.
  std::string_view fail_too_long(std::string_view found);
  void fail_without_memory();
  // At the beginning of a file of another format or compression, what that is and what to do; else empty.
  std::string format_hint();
  // False, and failed, at the beginning of a file of another format whose bytes are no text.
  bool begins_like_text();
  // At the beginning of a file.
  void skip_byte_order_mark();

  BlockReader blocks_;
  const uint64_t record_bytes_limit_;
  uint64_t record_ = 0;
  bool done_ = false;
  Status failure_;
};

template <class Next>
Status FileReader::gather(size_t max_records, size_t max_bytes, RecordBatch& out, Next next) {
  const uint64_t first = record_;
  size_t count = 0;
  size_t bytes = 0;
  try {
    while (count < max_records && !done_) {
      // It is returned in registers. A record in memory would be read back right after the two stores that
      // wrote it, and that read waits until both are in the cache: no record's checksum would begin before
      // the last one's was done.
      const std::string_view record = next();
      if (record.data() == nullptr) break;
      if (out.owners.empty() || out.owners.back() != blocks_.buffer()) out.owners.push_back(blocks_.buffer());
      out.records.emplace_back(record.data(), record.size());
      ++count;
      bytes += record.size();
      if (bytes >= max_bytes) break;
    }
  } catch (const std::bad_alloc&) {
    record_ = first + count;
    fail_without_memory();
  }
  return count == 0 ? std::exchange(failure_, {}) : Status();
}

}  // namespace weir
