// What is particular to the machine's own files, beside local_file_system(). Any thread may call these; they may block.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/status.h"

namespace weir {

// For a library that opens files by itself: what opening this one for reading would say. Opens nothing, since closing a
// file gives up the locks that the process has on it.
Status check_local_file(const std::string& name);

// Replaces a small file in a folder where others may write, too, such as /dev/shm. Only this user can read it. Follows no
// link, waits for nobody and syncs nothing. Goes through NAME.tmp, as a killed process may leave behind; one of another
// user makes it fail.
Status write_private_file(const std::string& name, std::span<const uint8_t> bytes);

}  // namespace weir
