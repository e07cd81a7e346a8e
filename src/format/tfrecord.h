// TFRecord files: RecordReader returns checked records as views into shared buffers, RecordWriter writes them.
//
// Reader and writer own their file and are not thread-safe; only the file system blocks. Both checksums are
// verified, and no record costs an allocation. Errors are those of the file, and data_loss with file, offset
// (in the decompressed bytes) and record number. An error loses the rest of the file, as does memory that
// runs out, since nothing marks where the next record begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/runtime.h"
#include "core/status.h"
#include "core/str.h"
#include "format/inflate.h"
#include "fs/file_system.h"

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

class RecordReader {
 public:
  explicit RecordReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit = kRecordBytesLimit);
  static Result<std::unique_ptr<RecordReader>> open(FileSystem& file_system, const std::string& name,
                                                    Compression compression,
                                                    uint64_t record_bytes_limit = kRecordBytesLimit);

  // Appends records until there are `max_records` more, or `max_bytes` bytes of them are reached, including
  // the record that reaches them. Appends at least one, except at the end (ok) or for an error, which comes
  // once, after the records before it, and is followed by the end.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

  RecordPosition position() const { return {blocks_.offset(), record_}; }
  // Goes to a position that position() returned for the same file; data_loss if the file has become shorter.
  // In a compressed file it reads everything before the position.
  Status seek(RecordPosition position);
  const std::string& file() const { return blocks_.file(); }

 private:
  // The next record; a null view at the end and after an error.
  std::string_view next_record();
  std::string_view fail(Code code, Mistake mistake);
  std::string_view fail_short(std::string_view what, uint64_t found, uint64_t expected);
  std::string_view fail_corrupted(std::string_view what);
  void fail_without_memory();

  BlockReader blocks_;
  const uint64_t record_bytes_limit_;
  uint64_t record_ = 0;
  bool done_ = false;
  Status failure_;
};

class RecordWriter {
 public:
  // `compression` is none, gzip or zlib; `level` 0 to 9, or -1 for zlib's own choice.
  static Result<std::unique_ptr<RecordWriter>> create(FileSystem& file_system, const std::string& name,
                                                      Compression compression, int level = -1);
  virtual ~RecordWriter() = default;

  // After an error of any of these the file is damaged; every further call returns the same error.
  virtual Status write(Str record) = 0;
  // Hands everything written to the file system; a reader then sees whole records.
  virtual Status flush() = 0;
  // Completes the file; a writer destroyed before leaves it incomplete.
  // REQUIRES: nothing is called afterwards.
  virtual Status close() = 0;
};

}  // namespace weir
