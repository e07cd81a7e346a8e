// The extension's entry: registers a file system for each kind of store. All share one engine, which lives as
// long as one of them.
#include <weir/weir.h>

#include <memory>
#include <new>
#include <string>
#include <thread>

#include "remote/az_store.h"
#include "remote/gs_store.h"
#include "remote/hf_store.h"
#include "remote/http_store.h"
#include "remote/remote_file.h"
#include "remote/s3_store.h"

namespace weir_remote {
namespace {

struct Registration {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<Store> store;  // goes before the engine
};

Store& store_of(void* user_data) { return *static_cast<Registration*>(user_data)->store; }

std::string text_of(weir_string text) { return std::string(text.data, text.size); }

// Runs `work`; what it throws becomes the call's failure.
template <typename Work>
int32_t guarded(weir_call handle, Work&& work, std::string_view place = {}) {
  Call call(handle, place);
  try {
    work(call);
    return WEIR_OK;
  } catch (const Failure& failure) {
    return call.fail(failure);
  } catch (const std::exception& other) {
    return call.fail(Failure(WEIR_CODE_RESOURCE_EXHAUSTED, other.what()));
  }
}

int32_t stat_file(void* user_data, weir_string name, weir_file_info* out, weir_call handle) {
  Store& store = store_of(user_data);
  return guarded(
      handle, [&](Call call) { call.give(store.stat(text_of(name), call), out); }, store.place());
}

int32_t list_folder(void* user_data, weir_string folder, weir_string prefix, weir_call handle) {
  Store& store = store_of(user_data);
  return guarded(
      handle, [&](Call call) { store.list(text_of(folder), text_of(prefix), call); }, store.place());
}

int32_t open_file(void* user_data, weir_string name, weir_file_info* out, void** file, weir_call handle) {
  Store& store = store_of(user_data);
  return guarded(
      handle,
      [&](Call call) {
        auto opened = store.open(text_of(name), call);
        call.give(opened->info(), out);
        *file = opened.release();
      },
      store.place());
}

int32_t read_file(void*, void* file, uint64_t offset, void* out, uint64_t size, weir_call handle) {
  return guarded(handle, [&](Call call) {
    static_cast<const RemoteFile*>(file)->read(offset, static_cast<char*>(out), size, call);
  });
}

void close_file(void*, void* file) { delete static_cast<RemoteFile*>(file); }

int32_t create_file(void* user_data, weir_string name, void** writer, weir_call handle) {
  return guarded(handle,
                 [&](Call call) { *writer = store_of(user_data).create(text_of(name), call).release(); });
}

int32_t write_file(void*, void* writer, const void* data, uint64_t size, weir_call handle) {
  return guarded(handle, [&](Call call) {
    static_cast<Writer*>(writer)->write({static_cast<const char*>(data), size}, call);
  });
}

int32_t finish_file(void*, void* writer, int32_t publish, weir_call handle) {
  std::unique_ptr<Writer> owned(static_cast<Writer*>(writer));
  return guarded(handle, [&](Call call) { owned->finish(publish != 0, call); });
}

int32_t remove_file(void* user_data, weir_string name, weir_call handle) {
  return guarded(handle, [&](Call call) { store_of(user_data).remove(text_of(name), call); });
}

void destroy(void* user_data) {
  auto* const registration = static_cast<Registration*>(user_data);
  // The read that ended last may have kept it, and a thread of the engine cannot wait for itself.
  if (registration->engine->is_here()) {
    std::thread([registration] { delete registration; }).detach();
  } else {
    delete registration;
  }
}

// What `store` can do besides reading.
enum : uint32_t { kLists = 1, kWrites = 2 };

int32_t register_store(weir_runtime runtime, std::string_view schemes, uint32_t abilities,
                       std::shared_ptr<Engine> engine, std::shared_ptr<Store> store, weir_error* error) {
  auto registration = std::make_unique<Registration>(Registration{std::move(engine), std::move(store)});
  weir_file_system files{};
  files.struct_size = sizeof(files);
  files.schemes = schemes.data();
  files.schemes_size = schemes.size();
  files.stat = stat_file;
  if ((abilities & kLists) != 0) files.list = list_folder;
  files.open = open_file;
  files.read = read_file;
  files.close = close_file;
  if ((abilities & kWrites) != 0) {
    files.create = create_file;
    files.write = write_file;
    files.finish = finish_file;
    files.remove = remove_file;
  }
  files.destroy = destroy;
  files.user_data = registration.release();  // the library's, whatever the result
  return weir_runtime_register_file_system(runtime, &files, error);
}

int32_t register_all(weir_runtime runtime, weir_error* error) {
  auto engine = std::make_shared<Engine>();
  struct Kind {
    std::string_view schemes;
    uint32_t abilities;
    std::shared_ptr<Store> store;
  };
  const Kind kinds[] = {
      {"http https", 0, std::make_shared<HttpStore>(*engine)},
      {"s3", kLists | kWrites, std::make_shared<S3Store>(*engine)},
      {"gs", kLists | kWrites, std::make_shared<GsStore>(*engine)},
      {"az", kLists | kWrites, std::make_shared<AzStore>(*engine)},
      {"hf", kLists, std::make_shared<HfStore>(*engine)},
  };
  for (const Kind& kind : kinds) {
    int32_t result = register_store(runtime, kind.schemes, kind.abilities, engine, kind.store, error);
    if (result != WEIR_OK) return result;
  }
  return WEIR_OK;
}

}  // namespace
}  // namespace weir_remote

extern "C" __attribute__((visibility("default"))) int32_t weir_extension_load(weir_runtime runtime,
                                                                              weir_extension* out,
                                                                              weir_error* error) {
  out->abi = WEIR_EXTENSION_ABI;
  out->name = "weir-remote";
  out->version = WEIR_REMOTE_VERSION;
  try {
    return weir_remote::register_all(runtime, error);
  } catch (...) {
    return -WEIR_CODE_RESOURCE_EXHAUSTED;
  }
}
