// The library's side of a call, as the stores use it.
#pragma once

#include <weir/weir.h>

#include <cstring>
#include <string>
#include <string_view>

#include "remote/failure.h"

namespace weir_remote {

struct FileInfo {
  bool is_folder = false;
  uint64_t size = 0;
  int64_t modified_ns = 0;
  std::string version;
};

class Call {
 public:
  // `place` is the store's, and lives as long as the call.
  explicit Call(weir_call handle, std::string_view place = {}) : handle_(handle), place_(place) {}

  bool cancelled() const { return weir_call_cancelled(handle_) != 0; }
  int32_t fail(const Failure& failure) const {
    weir_call_fail(handle_, 0, failure.code, failure.message.data(), failure.message.size(), nullptr);
    return -failure.code;
  }
  // Copies `info` for the library.
  void give(const FileInfo& info, weir_file_info* out) const {
    out->flags = info.is_folder ? WEIR_FILE_FOLDER : 0;
    out->size = info.size;
    out->modified_ns = info.modified_ns;
    out->version = {nullptr, 0};
    const std::string version = version_of(info);
    void* memory = nullptr;
    if (!version.empty() && weir_call_allocate(handle_, version.size(), &memory, nullptr) == WEIR_OK) {
      std::memcpy(memory, version.data(), version.size());
      out->version = {static_cast<const char*>(memory), version.size()};
    }
  }
  // Reports an entry of a folder. One whose name can't be part of a path, such as "..", is left out.
  void entry(std::string_view name, const FileInfo& info) const {
    weir_file_info shown{};
    shown.struct_size = sizeof(shown);
    shown.flags = info.is_folder ? WEIR_FILE_FOLDER : 0;
    shown.size = info.size;
    shown.modified_ns = info.modified_ns;
    const std::string version = version_of(info);
    shown.version = {version.data(), version.size()};
    weir_error error = WEIR_ERROR_INIT;
    const int32_t result = weir_call_entry(handle_, name.data(), name.size(), &shown, &error);
    const std::string why = error.message.data ? error.message.data : "";
    weir_error_clear(&error);
    if (result != WEIR_OK && result != -WEIR_CODE_INVALID_ARGUMENT) throw Failure(-result, why);
  }
  void done(uint64_t size) const { weir_call_done(handle_, size); }

 private:
  // Files of the same name in two places may have the same tag.
  std::string version_of(const FileInfo& info) const {
    return info.version.empty() || place_.empty() ? info.version
                                                  : info.version + " of " + std::string(place_);
  }

  weir_call handle_;
  std::string_view place_;
};

}  // namespace weir_remote
