// A host for weir-remote alone: the functions of weir.h that it calls, and plain functions for the tests in
// Python, which load this with RTLD_GLOBAL before the extension. So the extension's promises are tested
// without the library's caches.
#include <dlfcn.h>
#include <weir/weir.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct CallState {
  std::mutex mutex;
  std::condition_variable changed;
  int32_t code = 0;
  std::string message;
  std::string entries;  // "name\tfolder\tsize\tmodified\tversion\n"
  std::vector<std::string*> memory;
  bool is_done = false;
  int done_count = 0;
  uint64_t size = 0;
  std::atomic<bool> cancelled{false};

  ~CallState() {
    for (std::string* bytes : memory) delete bytes;
  }
  weir_call handle() { return {reinterpret_cast<uint64_t>(this)}; }
};

CallState& state_of(weir_call call) { return *reinterpret_cast<CallState*>(call.value); }

std::map<std::string, weir_file_system> systems;
std::vector<weir_file_system> registered;
std::mutex threads_mutex;
std::set<std::thread::id> threads;  // that ended calls
thread_local int32_t last_code = 0;
thread_local std::string last_message;

weir_string text_of(const char* text) { return {text, std::strlen(text)}; }

const weir_file_system& system_of(const char* name) {
  std::string scheme(name, std::strstr(name, "://") - name);
  return systems.at(scheme);
}

int32_t end_call(CallState& call, int32_t result) {
  last_code = result == WEIR_OK && call.code == 0 ? 0 : call.code != 0 ? call.code : WEIR_CODE_UNKNOWN;
  last_message = call.message;
  return last_code;
}

void show(const weir_file_info& info, uint64_t* size, int64_t* modified, char* version) {
  *size = info.size;
  *modified = info.modified_ns;
  std::memcpy(version, info.version.data, std::min<uint64_t>(info.version.size, 200));
  version[std::min<uint64_t>(info.version.size, 200)] = 0;
}

struct OpenFile {
  const weir_file_system* system;
  void* file;
};

}  // namespace

extern "C" {

int32_t weir_call_fail(weir_call call, int64_t, int32_t code, const char* message, uint64_t size,
                       weir_error*) {
  CallState& state = state_of(call);
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.code == 0) {
    state.code = code;
    state.message.assign(message, size);
  }
  return WEIR_OK;
}

int32_t weir_call_cancelled(weir_call call) { return state_of(call).cancelled ? 1 : 0; }

int32_t weir_call_allocate(weir_call call, uint64_t size, void** out, weir_error*) {
  CallState& state = state_of(call);
  std::lock_guard<std::mutex> lock(state.mutex);
  state.memory.push_back(new std::string(size, '\0'));
  *out = state.memory.back()->data();
  return WEIR_OK;
}

void weir_call_done(weir_call call, uint64_t size) {
  {
    std::lock_guard<std::mutex> lock(threads_mutex);
    threads.insert(std::this_thread::get_id());
  }
  CallState& state = state_of(call);
  std::lock_guard<std::mutex> lock(state.mutex);
  state.is_done = true;
  ++state.done_count;
  state.size = size;
  state.changed.notify_all();
}

void weir_error_clear(weir_error*) {}
int32_t weir_call_entry(weir_call call, const char* name, uint64_t size, const weir_file_info* info,
                        weir_error*) {
  const std::string entry(name, size);
  if (entry.empty() || entry == "." || entry == ".." || entry.find('/') != std::string::npos)
    return -WEIR_CODE_INVALID_ARGUMENT;
  CallState& state = state_of(call);
  std::lock_guard<std::mutex> lock(state.mutex);
  std::ostringstream line;
  line << entry << '\t' << ((info->flags & WEIR_FILE_FOLDER) != 0 ? 1 : 0) << '\t' << info->size << '\t'
       << info->modified_ns << '\t' << std::string(info->version.data, info->version.size) << '\n';
  state.entries += line.str();
  return WEIR_OK;
}

int32_t weir_runtime_register_file_system(weir_runtime, const weir_file_system* files, weir_error*) {
  registered.push_back(*files);
  std::istringstream schemes(std::string(files->schemes, files->schemes_size));
  for (std::string scheme; schemes >> scheme;) systems[scheme] = *files;
  return WEIR_OK;
}

// Loads the extension and returns what weir_extension_load does; -100 if it can't be loaded.
int32_t host_load(const char* library) {
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    last_message = dlerror();
    return -100;
  }
  auto load = reinterpret_cast<int32_t (*)(weir_runtime, weir_extension*, weir_error*)>(
      dlsym(loaded, "weir_extension_load"));
  weir_extension extension{};
  extension.struct_size = sizeof(extension);
  return load({1}, &extension, nullptr);
}

// Ends the extension, which may be loaded again.
void host_unload() {
  for (const weir_file_system& files : registered) files.destroy(files.user_data);
  registered.clear();
  systems.clear();
}

// How many threads have ended calls since the last time that this was called.
int32_t host_threads() {
  std::lock_guard<std::mutex> lock(threads_mutex);
  const auto count = static_cast<int32_t>(threads.size());
  threads.clear();
  return count;
}

int32_t host_code() { return last_code; }
const char* host_message() { return last_message.c_str(); }

int32_t host_stat(const char* name, uint64_t* size, int32_t* is_folder, int64_t* modified, char* version) {
  CallState call;
  const weir_file_system& files = system_of(name);
  weir_file_info info{};
  info.struct_size = sizeof(info);
  int32_t result = files.stat(files.user_data, text_of(name), &info, call.handle());
  *is_folder = (info.flags & WEIR_FILE_FOLDER) != 0 ? 1 : 0;
  show(info, size, modified, version);
  return end_call(call, result);
}

// The entries are the message.
int32_t host_list(const char* folder, const char* prefix) {
  CallState call;
  const weir_file_system& files = system_of(folder);
  int32_t result = files.list(files.user_data, text_of(folder), text_of(prefix), call.handle());
  end_call(call, result);
  if (last_code == 0) last_message = call.entries;
  return last_code;
}

void* host_open(const char* name, uint64_t* size, int64_t* modified, char* version) {
  CallState call;
  const weir_file_system& files = system_of(name);
  weir_file_info info{};
  info.struct_size = sizeof(info);
  void* file = nullptr;
  int32_t result = files.open(files.user_data, text_of(name), &info, &file, call.handle());
  show(info, size, modified, version);
  if (end_call(call, result) != 0) return nullptr;
  return new OpenFile{&system_of(name), file};
}

// Reads `count` ranges at once: offsets[i], sizes[i] into outs[i]. sizes[i] becomes what was read. Returns
// the code of the first failure. After `cancel_ms` (if above 0) the calls are cancelled.
int32_t host_read(void* opened, int32_t count, const uint64_t* offsets, uint64_t* sizes, char** outs,
                  int32_t cancel_ms) {
  OpenFile& file = *static_cast<OpenFile*>(opened);
  std::vector<CallState> calls(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    int32_t result = file.system->read(file.system->user_data, file.file, offsets[i], outs[i], sizes[i],
                                       calls[i].handle());
    if (result != WEIR_OK) weir_call_done(calls[i].handle(), 0);
  }
  int32_t first = 0;
  std::string message;
  for (int32_t i = 0; i < count; ++i) {
    CallState& call = calls[static_cast<size_t>(i)];
    std::unique_lock<std::mutex> lock(call.mutex);
    auto is_done = [&] { return call.is_done; };
    if (cancel_ms > 0 && !call.changed.wait_for(lock, std::chrono::milliseconds(cancel_ms), is_done))
      call.cancelled = true;
    call.changed.wait(lock, is_done);
    sizes[i] = call.size;
    if (call.done_count != 1) call.code = WEIR_CODE_INTERNAL;
    if (call.code != 0 && first == 0) {
      first = call.code;
      message = call.message;
    }
  }
  last_code = first;
  last_message = message;
  return first;
}

void host_close(void* opened) {
  OpenFile* file = static_cast<OpenFile*>(opened);
  file->system->close(file->system->user_data, file->file);
  delete file;
}

// Reads files whole, `step` bytes per request with `at_once` requests under way, and returns the bytes per
// second.
double host_rate(int32_t count, const char** names, uint64_t step, int32_t at_once) {
  struct Piece {
    void* file;
    uint64_t offset;
    uint64_t size;
  };
  std::vector<Piece> pieces;
  std::vector<void*> files;
  uint64_t total = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int32_t i = 0; i < count; ++i) {
    uint64_t size = 0;
    int64_t modified = 0;
    char version[201];
    files.push_back(host_open(names[i], &size, &modified, version));
    if (files.back() == nullptr) return 0;
    total += size;
    for (uint64_t at = 0; at < size; at += step)
      pieces.push_back({files.back(), at, std::min(step, size - at)});
  }
  std::atomic<size_t> next{0};
  std::atomic<int32_t> failed{0};
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < at_once; ++i) {
    threads.emplace_back([&] {
      std::vector<char> buffer(step);
      char* out = buffer.data();
      for (size_t at = next++; at < pieces.size(); at = next++) {
        uint64_t size = pieces[at].size;
        if (host_read(pieces[at].file, 1, &pieces[at].offset, &size, &out, 0) != 0) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  for (void* file : files) host_close(file);
  return failed == 0 ? static_cast<double>(total) / took.count() : 0;
}

void* host_create(const char* name) {
  CallState call;
  const weir_file_system& files = system_of(name);
  if (files.create == nullptr) {
    last_code = WEIR_CODE_UNIMPLEMENTED;
    last_message = "read only";
    return nullptr;
  }
  void* writer = nullptr;
  int32_t result = files.create(files.user_data, text_of(name), &writer, call.handle());
  return end_call(call, result) == 0 ? new OpenFile{&system_of(name), writer} : nullptr;
}

int32_t host_write(void* opened, const char* data, uint64_t size) {
  CallState call;
  OpenFile& file = *static_cast<OpenFile*>(opened);
  return end_call(call, file.system->write(file.system->user_data, file.file, data, size, call.handle()));
}

int32_t host_finish(void* opened, int32_t publish) {
  CallState call;
  OpenFile* file = static_cast<OpenFile*>(opened);
  int32_t code =
      end_call(call, file->system->finish(file->system->user_data, file->file, publish, call.handle()));
  delete file;
  return code;
}

int32_t host_remove(const char* name) {
  CallState call;
  const weir_file_system& files = system_of(name);
  return end_call(call, files.remove(files.user_data, text_of(name), call.handle()));
}

}  // extern "C"
