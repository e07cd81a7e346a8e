// TFRecord files: RecordReader returns checked records as views into shared buffers, RecordWriter writes
// them.
//
// Reader and writer own their file and are not thread-safe; only the file system blocks. Both checksums are
// verified, and no record costs an allocation. Errors are those of the file, and data_loss with file, offset
// (in the decompressed bytes) and record number. An error loses the rest of the file, as does memory that
// runs out, since nothing marks where the next record begins. With OnCorrupt::resync only the damaged stretch
// is lost: the reader continues at the next position where both checksums fit. That takes time linear in the
// file, whatever lengths the damage claims.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"
#include "core/str.h"
#include "format/file_reader.h"
#include "format/inflate.h"
#include "format/range_checksums.h"
#include "fs/file_system.h"

namespace weir {

// What to do at a damaged record: an error that ends the file; the end of the file without an error, which is
// up to the caller of the reader; or an error for the damaged stretch, after which the file continues.
enum class OnCorrupt : uint8_t { error, skip_file, resync };

// "error", "skip_file" or "resync".
Result<OnCorrupt> parse_on_corrupt(std::string_view name);

class RecordReader : public FileReader {
 public:
  explicit RecordReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit = kRecordBytesLimit,
                        OnCorrupt on_corrupt = OnCorrupt::error, size_t block_bytes = kBlockBytes);
  static Result<std::unique_ptr<RecordReader>> open(FileSystem& file_system, const std::string& name,
                                                    Compression compression,
                                                    uint64_t record_bytes_limit = kRecordBytesLimit);

  // Appends records until there are `max_records` more, or `max_bytes` bytes of them are reached, including
  // the record that reaches them. Appends at least one, except at the end (ok) or for an error, which comes
  // once, after the records before it, and is followed by the end; with OnCorrupt::resync by what follows the
  // damaged stretch. A stretch begins where a whole record should and ends where the next one does, or at the
  // end.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);
  // Whether records may follow the error that next_batch returned last.
  bool goes_on() const { return !done_; }
  bool skips_damaged_file() const { return on_corrupt_ == OnCorrupt::skip_file; }
  // The search for the next record ends with Code::cancelled once `cancelled` is set. It must outlive the
  // reader.
  void stop_when(const std::atomic<bool>& cancelled) { cancelled_ = &cancelled; }
  // How many bytes of records it has hashed for nothing, or to look for whole ones.
  uint64_t searched_bytes() const { return damaged_bytes_ + ranges_.hashed_bytes(); }

 private:
  // The next record; a null view at the end and after an error.
  std::string_view next_record();
  std::string_view fail_short(std::string_view what, uint64_t found, uint64_t expected);
  std::string_view fail_corrupted(std::string_view what);
  // The bytes from the current position on: `size` of them, or all that there are.
  std::span<const uint8_t> peek_far(size_t size);
  // The checksum of `size` bytes, `from` bytes after the current position, where `bytes` begin.
  uint32_t checksum(std::span<const uint8_t> bytes, size_t from, size_t size);
  // Whether a whole record lies `from` bytes after the current position.
  bool at_record(size_t from);
  // Goes to the next whole record, or to the end; returns the error of the stretch passed over.
  Status pass_damage(const Status& found);

  const OnCorrupt on_corrupt_;
  const std::atomic<bool>* cancelled_ = nullptr;
  // Whether the last record read was damaged, as opposed to too long or unreadable.
  bool damaged_ = false;
  // Records that damage may claim overlap; only what was hashed in a search is asked for there.
  RangeChecksums ranges_;
  // Those of damaged records that were hashed all the same.
  uint64_t damaged_bytes_ = 0;
  // The size of that record if only its data is damaged, else 0.
  size_t damaged_size_ = 0;
};

class RecordWriter {
 public:
  // invalid_argument for "auto", and for a level that the compression does not have.
  // With `plain` the bytes of the records follow one another, and nothing else is in the file.
  static Result<std::unique_ptr<RecordWriter>> create(FileSystem& file_system, const std::string& name,
                                                      Compression compression, int level = kDefaultLevel,
                                                      bool plain = false);
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
