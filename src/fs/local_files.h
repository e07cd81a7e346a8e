// Functions for the machine's own files besides local_file_system(). Any thread may call these; they may
// block.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/status.h"

namespace weir {

// For a library that opens files by itself: what opening this one for reading would say. Opens nothing, since
// closing a file gives up the locks that the process has on it.
Status check_local_file(const std::string& name);

// Sets FileSystem::cache_folder() of the machine's files: $XDG_CACHE_HOME/weir, or ~/.cache/weir. `variable`
// gives the value of an environment variable, or null; names that are not absolute are ignored.
void set_cache_folder(const std::function<const char*(const char*)>& variable);

// Replaces a small file in a folder where others may write, too, such as /dev/shm. Only this user can read
// it. It follows no link, never waits and syncs nothing. It writes NAME.tmp first, which a killed process may
// leave behind; another user's NAME.tmp makes it fail.
Status write_private_file(const std::string& name, std::span<const uint8_t> bytes);

// Creates a file that only this user can read. It is not there yet, and a link of that name is not followed.
// Syncs nothing. If it fails, nothing is left.
Status create_private_file(const std::string& name, std::span<const uint8_t> bytes);
// Puts a file in place of another one, or of none.
Status rename_local_file(const std::string& from, const std::string& to);
// Sets when a file was modified to now; errors are ignored.
void touch_local_file(const std::string& name) noexcept;

}  // namespace weir
