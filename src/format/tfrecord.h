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

#include "core/status.h"
#include "core/str.h"
#include "format/file_reader.h"
#include "format/inflate.h"
#include "fs/file_system.h"

namespace weir {

class RecordReader : public FileReader {
 public:
  explicit RecordReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit = kRecordBytesLimit);
  static Result<std::unique_ptr<RecordReader>> open(FileSystem& file_system, const std::string& name,
                                                    Compression compression,
                                                    uint64_t record_bytes_limit = kRecordBytesLimit);

  // Appends records until there are `max_records` more, or `max_bytes` bytes of them are reached, including
  // the record that reaches them. Appends at least one, except at the end (ok) or for an error, which comes
  // once, after the records before it, and is followed by the end.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

 private:
  // The next record; a null view at the end and after an error.
  std::string_view next_record();
  std::string_view fail_short(std::string_view what, uint64_t found, uint64_t expected);
  std::string_view fail_corrupted(std::string_view what);
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
