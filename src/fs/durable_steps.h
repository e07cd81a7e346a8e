// The order of steps in which a file is replaced and folders are created, so that a power failure at any of
// them leaves either the old state or the new one. The local and the simulated disk share it, so the
// simulation tests what runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/status.h"

namespace weir {

// `steps` has write(bytes) and sync() of a file next to the target, rename() over the target, discard() of
// that file, and sync_folder().
template <class Steps>
Status replace_in_order(Steps& steps, std::span<const uint8_t> bytes) {
  Status status = steps.write(bytes);
  // Without this the name could lead to a file that lacks its bytes.
  if (status.ok()) status = steps.sync();
  if (status.ok()) status = steps.rename();
  if (!status.ok()) {
    steps.discard();
    return status;
  }
  // Until then the old file may come back.
  return steps.sync_folder();
}

// "a" for "a/b" and "a/b/".
inline std::string parent_of(const std::string& folder) {
  const size_t last = folder.find_last_not_of('/');
  const size_t slash = last == std::string::npos ? 0 : folder.rfind('/', last);
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : folder.substr(0, slash);
}

// `steps` has make(folder), which returns false if there is such a folder, and sync(folder).
template <class Steps>
Status create_folders_in_order(Steps& steps, const std::string& folder) {
  for (size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const std::string part = folder.substr(0, end);
    WEIR_ASSIGN(const bool made, steps.make(part));
    // Another process may have made the folder a moment ago and not synced it yet. Its parent may not be ours
    // to sync, so a failure counts only for folders made here.
    const Status synced = steps.sync(parent_of(part));
    if (made) WEIR_TRY(synced);
  }
  return {};
}

}  // namespace weir
