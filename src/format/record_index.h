// RecordIndex: where each record of an uncompressed TFRecord file begins, so that a record is read by its
// number.
//
//   WEIR_ASSIGN(RefPtr<RecordIndex> index, RecordIndex::open(files, "a.tfrecord"));  // null: none that fits
//   WEIR_ASSIGN(index, RecordIndex::make(files, "a.tfrecord", nullptr));
//
// It is in a file next to the records, their name with kIndexSuffix, and fits one size and modification time:
// when the file has changed the index is ignored. It has 8 bytes per record and is read a page at a time, a
// small one as a whole after some pages. It is not trusted: a record is checked when it is read. Not
// thread-safe; only the file system blocks.
//
// The file, little-endian: "weirindx", version (4 bytes), the masked CRC of the next 24 (4), size (8) and
// time of change in nanoseconds (8) of the records' file, their count (8); then the offset of each (8), and
// the end of the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ref.h"
#include "core/status.h"
#include "fs/file_system.h"

namespace weir {

inline constexpr std::string_view kIndexSuffix = ".weir-index";

class RecordIndex : public RefCounted {
 public:
  // Null if there is none, or it is damaged or made of another state of the file. Errors are those of the
  // files.
  static Result<RefPtr<RecordIndex>> open(FileSystem& files, const std::string& name);
  // Goes through the file's lengths, of which each is checked. data_loss for damage, with file, offset and
  // record; cancelled once `cancelled`, if given, is set; unavailable if the file changes meanwhile.
  static Result<RefPtr<RecordIndex>> make(FileSystem& files, const std::string& name,
                                          const std::atomic<bool>* cancelled);
  // Writes the result of make() next to the file, for open().
  Status save(FileSystem& files, const std::string& name) const;

  int64_t count() const { return count_; }
  // The offsets of records [first, first + count], the last of which ends the one before it.
  // REQUIRES: 0 <= first, 0 <= count, first + count <= count()
  Status offsets(int64_t first, int64_t count, std::vector<uint64_t>& out);

 private:
  RecordIndex();
  Status load_page_of(int64_t entry);

  int64_t count_ = 0;
  // Either the index itself or its file.
  std::string bytes_;
  RefPtr<RandomAccessFile> file_;
  // How many entries a page has, and which was read last.
  int64_t page_entries_;
  int64_t page_ = -1;
  int pages_read_ = 0;
  std::vector<uint64_t> entries_;
};

}  // namespace weir
