// TFRecord files: RecordReader gives checked records as views into shared buffers, RecordWriter writes them.
// Ownership: a batch's owners keep the bytes of its records; reader and writer own their file.
// Threads: one at a time; nothing blocks but the file system.
// Errors: those of the file, and data_loss with file, offset (in the decompressed bytes) and record number.
// Either costs the rest of the file, as does memory that runs out: nothing says where the next record begins.
// Cost: both checksums and no allocation a record.
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

// A record's length stands in the file, and compressed ones cost their writer next to nothing.
inline constexpr uint64_t kRecordBytesLimit = static_cast<uint64_t>(Limits().record_bytes);

// Every record lies in one of `owners`, each of which is listed once.
struct RecordBatch {
  std::vector<Str> records;
  std::vector<BufferRef> owners;

  void clear() {
    records.clear();
    owners.clear();
  }
};

// Before which record a reader stands. `offset` counts decompressed bytes.
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

  // Appends records until there are `max_records` more or `max_bytes` bytes of them are reached (the record
  // that reaches them included). Appends at least one; else it is the end (ok) or an error, which comes once,
  // after the records before it, and is followed by the end.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

  RecordPosition position() const { return {blocks_.offset(), record_}; }
  // Goes to a position that position() gave for the same file; data_loss if it has become shorter. Costs
  // reading up to there where it is compressed.
  Status seek(RecordPosition position);
  const std::string& file() const { return blocks_.file(); }

 private:
  // The next record; a view of null at the end, and after an error.
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

  // After an error of any of these the file is damaged; every further call gives the same error.
  virtual Status write(Str record) = 0;
  // Hands everything written to the file system; a reader sees whole records then.
  virtual Status flush() = 0;
  // Completes the file. REQUIRES: nothing is called afterwards. Destroyed without it, the file is incomplete.
  virtual Status close() = 0;
};

}  // namespace weir
