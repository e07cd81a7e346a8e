// RecordIndex: where each record of a file begins, in its decompressed bytes, so that a record is read by its
// number.
//
//   const std::string place = index_beside("a.txt");
//   WEIR_ASSIGN(RefPtr<RecordIndex> index, RecordIndex::open(files, "a.txt", format, place));  // null: none
//   WEIR_ASSIGN(index, RecordIndex::make(files, "a.txt", format, nullptr));
//
// It is in a file of its own, most often next to the records, and fits one size, modification time and
// version, and one meaning of records: when the file has changed, or is read as another format, the index is
// ignored. That of a file with neither time nor version is not kept. It has 8 bytes per record and is read a
// page at a time, a small one as a whole after some pages. It is not trusted: a record is checked when it is
// read. Not thread-safe; only the file system blocks.
//
// The file, little-endian: "weirindx", the masked CRC of the next 28 bytes (4), IndexedFormat::number() (4),
// size (8) and time of change in nanoseconds (8) of the records' file, their count (8); then the offset of
// each (8), and the end of the last. If the file has a version, the hash of it with the time as seed is in
// place of the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ref.h"
#include "core/status.h"
#include "format/record_scan.h"
#include "fs/file_system.h"

namespace weir {

inline constexpr std::string_view kIndexSuffix = ".weir-index";
// After the name of an index: who makes it holds this lock.
inline constexpr std::string_view kIndexLockSuffix = ".lock";

std::string index_beside(const std::string& name);
// Whether a file is an index, or one that is there while an index is made.
bool is_of_index(std::string_view name);

class RecordIndex : public RefCounted {
 public:
  // That of the file `name` in the file `place`. Null if there is none, or it is damaged or made of another
  // state of the file or another format. Errors are those of the files.
  static Result<RefPtr<RecordIndex>> open(FileSystem& files, const std::string& name,
                                          const IndexedFormat& format, const std::string& place);
  // Goes through the file. What is wrong with it from some record on becomes failure();
  // failed_precondition if it changes meanwhile.
  static Result<RefPtr<RecordIndex>> make(FileSystem& files, const std::string& name,
                                          const IndexedFormat& format, const std::atomic<bool>* cancelled);
  // That of `count` records of `bytes` bytes from `begin` on of the file, which needs no file of its own.
  // REQUIRES: bytes > 0; the end of the last is a uint64
  static RefPtr<RecordIndex> of_records(uint64_t begin, uint64_t bytes, int64_t count, FileInfo file = {});
  // That of a file that cannot be read.
  static RefPtr<RecordIndex> failed(Status failure);
  // Writes the result of make(), for open(); failed_precondition if nothing tells one state of the file from
  // another. REQUIRES: failure().ok()
  Status save(FileSystem& files, const std::string& place) const;

  int64_t count() const { return count_; }
  // The error in place of the records after those that are counted.
  const Status& failure() const { return failure_; }
  // The state of the file that it fits.
  const FileInfo& file() const { return info_; }
  // That of the decompressed bytes; no record ends beyond it.
  uint64_t file_size() const { return file_size_; }
  // The offsets of records [first, first + count], the last of which ends the one before it.
  // REQUIRES: 0 <= first, 0 <= count, first + count <= count()
  Status offsets(int64_t first, int64_t count, std::vector<uint64_t>& out);

 private:
  RecordIndex(int64_t count, uint64_t file_size, FileInfo info);
  Status load_page_of(int64_t entry);

  const int64_t count_;
  const uint64_t file_size_;
  const FileInfo info_;
  Status failure_;
  // The index itself, or its file, or what it is computed from.
  std::string bytes_;
  RefPtr<RandomAccessFile> file_;
  uint64_t begin_ = 0;
  uint64_t record_bytes_ = 0;
  // How many entries a page has, and which was read last.
  int64_t page_entries_;
  int64_t page_ = -1;
  int pages_read_ = 0;
  std::vector<uint64_t> entries_;
};

}  // namespace weir
