// scan_archive: finds where each element of a tar archive begins, for its index (format/record_index.h).
// Reads the headers of its members only.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/status.h"
#include "fs/file_system.h"

namespace weir {

// As scan_records().
Status scan_archive(RandomAccessFile& file, uint64_t size, const std::atomic<bool>* cancelled,
                    std::string& offsets);

}  // namespace weir
