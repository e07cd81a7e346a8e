// RecordRows: what a format makes of the bytes of a record that was read by its position. The bytes are where
// an index says, which may be wrong, so they are checked. For record_access; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/block.h"
#include "format/csv_rows.h"
#include "format/fields.h"
#include "format/file_reader.h"

namespace weir {

// The bytes from the beginning of a record to that of the next one, and where they lie.
struct RecordBytes {
  std::string_view bytes;
  // The byte before them; -1 at the beginning of the file.
  int before = -1;
  // They end with the file.
  bool at_end = false;
  const std::string& file;
  uint64_t offset = 0;
  int64_t record = 0;

  // Nothing but a byte-order mark precedes it.
  bool begins_file() const { return before < 0 || (before == 0xbf && offset == kByteOrderMark.size()); }
  // The bytes without such a mark, which older indices count to the first record.
  std::string_view text() const {
    const bool marked = before < 0 && bytes.starts_with(kByteOrderMark);
    return marked ? bytes.substr(kByteOrderMark.size()) : bytes;
  }
};

class RecordRows {
 public:
  virtual ~RecordRows() = default;

  // How many bytes a record has at least, and how many that the limit record_bytes does not count.
  virtual uint64_t least_bytes() const { return 1; }
  virtual uint64_t frame_bytes() const { return 0; }

  // Begins a block of so many rows. REQUIRES: `out` and `owners` stay until finish()
  virtual void begin(int rows, Block& out, const OwnersRef& owners) = 0;
  // Makes the next row, a view of the bytes, whose owner is one of `owners`. Returns what is wrong if the
  // bytes are no record; then there is no row yet.
  virtual std::string_view add(const RecordBytes& record) = 0;
  // The next row fails.
  virtual void add_failed(ErrorPtr error) = 0;
  virtual void finish() = 0;
};

std::unique_ptr<RecordRows> tfrecord_rows();
std::unique_ptr<RecordRows> fixed_rows();
std::unique_ptr<RecordRows> line_rows();
std::unique_ptr<RecordRows> csv_rows(CsvFormat format, std::map<std::string, CsvPicks> picks);
std::unique_ptr<RecordRows> json_rows(const std::vector<FieldType>& fields);
std::unique_ptr<RecordRows> tar_rows(const std::vector<FieldType>& fields);

}  // namespace weir
