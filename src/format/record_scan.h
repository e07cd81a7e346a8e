// scan_records: finds where each record of a file begins, for its index (format/record_index.h). Reads the
// file once, 256 KiB at a time, whatever its records are; of local TFRecords and archives only what lies
// around their lengths.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/status.h"
#include "format/codec.h"
#include "fs/file_system.h"

namespace weir {

// What the records of a file are. Two with the same number() have the same records.
struct IndexedFormat {
  enum class Kind : uint8_t { records = 1, lines = 2, rows = 3, objects = 4, elements = 5 };
  Kind kind = Kind::records;
  // One that may have positions (format/codec.h). Offsets are those of the decompressed bytes.
  Compression compression = Compression::none;
  // Of rows, as in CsvFormat.
  bool header = false;
  bool quotes = true;
  char delimiter = ',';

  uint32_t number() const;
  // How few bytes a record may have.
  uint64_t least_bytes() const;
};

// Appends the offset of each record, 8 bytes, and where the last one ends. Errors name file, offset and
// record: data_loss for damage, invalid_argument for a file that is no text, or whose header is none;
// cancelled once `cancelled`, if given, is set. At one, the last offset appended is where a record that is
// not whole begins.
Status scan_records(const IndexedFormat& format, RandomAccessFile& file, uint64_t size,
                    const std::atomic<bool>* cancelled, std::string& offsets);

}  // namespace weir
