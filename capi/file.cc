// weir_file: a file that the program reads through the runtime's file systems.
#include "capi/file.h"

#include <cstring>

#include "capi/runtime.h"

namespace weir::capi {

namespace {

struct FileObject final : Object {
  static constexpr HandleKind kKind = HandleKind::file;
  RefPtr<RuntimeHost> host;
  RefPtr<RandomAccessFile> file;
  std::string version;
};

}  // namespace

weir_file publish_file(RefPtr<RandomAccessFile> file) {
  auto object = std::make_unique<FileObject>();
  object->file = std::move(file);
  return {publish(HandleKind::file, std::move(object))};
}

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_file_open(weir_runtime runtime, const char* name, uint64_t name_size, weir_file_info* info,
                       weir_file* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    if (info) WEIR_TRY(check_out_struct("weir_file_info", info->struct_size, sizeof(weir_file_info)));
    auto object = std::make_unique<FileObject>();
    WEIR_ASSIGN(object->host, runtime_of(runtime));
    WEIR_ASSIGN(const std::string_view given,
                read_string(name, name_size, "the name of a file", kMaxNameBytes));
    WEIR_ASSIGN(object->file, object->host->runtime().files->open(std::string(given)));
    if (info) {
      WEIR_ASSIGN(FileInfo known, object->file->info());
      info->size = known.size;
      object->version = std::move(known.version);
      info->flags = 0;
      info->modified_ns = known.modified_ns;
      info->version = to_string_struct(object->version);
    }
    out->value = publish(HandleKind::file, std::move(object));
    return Status();
  });
}

int32_t weir_file_read(weir_file file, uint64_t offset, void* out, uint64_t size, uint64_t* read,
                       weir_error* error) {
  return guarded(error, read, [&]() -> Status {
    if (!out && size > 0) return invalid_argument(expected_found("a place for the bytes", "NULL"));
    Pin<FileObject> pinned(file.value);
    if (!pinned) return pin_error(pinned, "a file", file.value);
    while (*read < size) {
      const std::span<uint8_t> rest(static_cast<uint8_t*>(out) + *read, static_cast<size_t>(size - *read));
      WEIR_ASSIGN(const size_t got, pinned->file->read_at(offset + *read, rest));
      if (got == 0) break;
      *read += got;
    }
    return Status();
  });
}

void weir_file_release(weir_file file) {
  released([&] { drop_owner(HandleKind::file, file.value); });
}
