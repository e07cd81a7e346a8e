#include "capi/extensions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

#include "core/spec.h"
#include "core/text.h"
#include "fs/file_system.h"
#include "syntax/parser.h"

namespace weir::capi {

namespace {

constexpr uint64_t kMaxIndexBytes = 1 << 20;
constexpr std::string_view kIndexSuffix = ".weir.json";

// Where libweir.so is; empty if that is unknown.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&weir_version), &info) == 0 || !info.dli_fname) return {};
  const std::string file(info.dli_fname);
  const size_t slash = file.rfind('/');
  return slash == std::string::npos || file[0] != '/' ? std::string() : file.substr(0, slash);
}

std::vector<std::string> split_folders(std::string_view text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Status damaged_index(const std::string& file, std::string_view found) {
  return invalid_argument(expected_found(
      concat(R"({"library": "FILE", "schemes": […], "functions": […], "sources": […], "tables": […]} in )",
             quote(file)),
      concat(found)));
}

using Provides = Extensions::Provides;

// Of what is provided in an index.
std::string key_of(Provides what, const std::string& name) {
  return concat(name, what == Provides::scheme ? "://" : what == Provides::table ? " table" : "");
}

// Adds what an index says to `out`; the first to provide something wins.
Status read_index(const std::string& folder, const std::string& file,
                  std::map<std::string, std::string>& out) {
  WEIR_ASSIGN(const std::string text, local_file_system().read_file(file, kMaxIndexBytes));
  const Result<syntax::Tree> tree = syntax::parse_value(text);
  if (!tree.ok() || tree->root->kind != syntax::Kind::dict) return damaged_index(file, "something else");
  std::string library;
  std::vector<std::string> provided;
  for (const syntax::Item& item : tree->root->items) {
    if (item.name == "library" && item.value->kind == syntax::Kind::string) {
      library = item.value->text;
      continue;
    }
    const bool known =
        item.name == "schemes" || item.name == "tables" || item.name == "functions" || item.name == "sources";
    if (!known) continue;
    if (item.value->kind != syntax::Kind::list) return damaged_index(file, concat(item.name, " without []"));
    for (const syntax::Item& each : item.value->items) {
      if (each.value->kind != syntax::Kind::string)
        return damaged_index(file, concat(item.name, " of another kind"));
      const Provides what = item.name == "schemes"  ? Provides::scheme
                            : item.name == "tables" ? Provides::table
                                                    : Provides::name;
      provided.push_back(key_of(what, each.value->text));
    }
  }
  if (library.empty() || library.find('/') != std::string::npos) {
    return damaged_index(file, concat("the library ", quote(library), ", which is no file beside it"));
  }
  for (std::string& name : provided) out.try_emplace(std::move(name), concat(folder, "/", library));
  return {};
}

using LoadFunction = int32_t (*)(weir_runtime, weir_extension*, weir_error*);

Result<LoadFunction> open_library(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char* const why = library ? nullptr : dlerror();
  if (!library) {
    return file_error(Code::invalid_argument,
                      concat("cannot load the extension ", quote(file), ": ", why ? why : "unknown error"),
                      file);
  }
  void* const found = dlsym(library, "weir_extension_load");
  if (found) return reinterpret_cast<LoadFunction>(found);
  return file_error(Code::invalid_argument,
                    expected_found("an extension, which exports weir_extension_load",
                                   concat(quote(file), ", which does not")),
                    file);
}

// A hint where an extension uses another copy of the library, which the process has loaded for everything.
std::string other_copy() {
  Dl_info info{};
  void* const found = dlsym(RTLD_DEFAULT, "weir_version");
  if (!found || found == reinterpret_cast<const void*>(&weir_version) || dladdr(found, &info) == 0) return {};
  return concat("load ", quote(info.dli_fname), " with RTLD_LOCAL, since extensions use that copy");
}

// An error that an extension's load function got from the library.
struct OwnedError {
  weir_error error = WEIR_ERROR_INIT;
  ~OwnedError() { weir_error_clear(&error); }
};

}  // namespace

// While an extension is loaded, and afterwards.
struct Extensions::Loading {
  std::atomic<uint32_t> done{0};
  // Its load function has run, which may have registered something: it isn't called again.
  bool called = false;
  Status status;
  // The thread that loads it.
  const pid_t thread = gettid();
};

Result<std::vector<std::string>> extension_folders(std::string_view options, const char* environment) {
  std::vector<std::string> out = split_folders(options);
  for (const std::string& folder : out) {
    if (folder[0] != '/')
      return invalid_argument(expected_found("extension folders with absolute names", concat(quote(folder))));
  }
  for (std::string& folder : split_folders(environment ? environment : "")) {
    if (folder[0] == '/') out.push_back(std::move(folder));
  }
  if (const std::string own = own_folder(); !own.empty()) out.push_back(own + "/weir");
  return out;
}

Result<std::shared_ptr<const Extensions::Index>> Extensions::index() {
  {
    MutexLock lock(mutex_);
    if (index_) return index_;
  }
  auto made = std::make_shared<Index>();
  for (const std::string& folder : folders_) {
    Result<std::vector<std::string>> names = local_file_system().list_folder(folder);
    if (!names.ok()) continue;
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      if (!name.ends_with(kIndexSuffix)) continue;
      const Status status = read_index(folder, concat(folder, "/", name), made->libraries);
      if (!status.ok()) made->damaged.push_back(status);
    }
  }
  {
    MutexLock lock(mutex_);
    if (index_) return index_;
    index_ = made;
  }
  for (const Status& status : made->damaged) damaged_(status);
  return std::shared_ptr<const Index>(std::move(made));
}

Result<std::vector<std::string>> Extensions::names() {
  WEIR_ASSIGN(const std::shared_ptr<const Index> known, index());
  std::vector<std::string> out;
  for (const auto& [name, library] : known->libraries) {
    if (is_identifier(name)) out.push_back(name);
  }
  return out;
}

Status Extensions::load_now(const std::string& file, bool& called) const {
  WEIR_ASSIGN(const LoadFunction load, open_library(file));
  const weir_runtime handle = runtime_();
  weir_extension extension{};
  extension.struct_size = sizeof extension;
  OwnedError failure;
  int32_t result = WEIR_OK;
  const ErrorPtr thrown = call_host([&] {
    called = true;
    result = load(handle, &extension, &failure.error);
  });
  weir_runtime_destroy(handle);
  const auto failed = [&](Code code, std::string_view why) {
    const std::string what = concat("the extension ", quote(file), " failed to load: ", why);
    return file_error(code, Mistake(what, other_copy()), file);
  };
  if (thrown) return failed(thrown->code, thrown->message);
  if (extension.abi != WEIR_EXTENSION_ABI) {
    return file_error(Code::failed_precondition,
                      expected_found(concat("an extension for ABI ", WEIR_EXTENSION_ABI),
                                     concat(quote(file), ", which is for ", extension.abi),
                                     "install the one that belongs to this library"),
                      file);
  }
  if (result == WEIR_OK) return {};
  const bool known = failure.error.code > 0 && failure.error.code <= WEIR_CODE_DATA_LOSS;
  const std::string why = known ? std::string(failure.error.message.data, failure.error.message.size)
                                : concat("it returned ", result);
  return failed(code_given(failure.error.code), why);
}

Status Extensions::load(const std::string& file) {
  if (!file.starts_with('/'))
    return invalid_argument(expected_found("an extension's file with an absolute name", concat(quote(file))));
  char* const resolved = ::realpath(file.c_str(), nullptr);
  if (!resolved) return file_error(Code::not_found, concat("there is no extension ", quote(file)), file);
  const std::string path(resolved);
  std::free(resolved);
  auto mine = std::make_shared<Loading>();
  std::shared_ptr<Loading> loading;
  {
    MutexLock lock(mutex_);
    loading = loaded_.try_emplace(path, mine).first->second;
  }
  if (loading == mine) {
    try {
      loading->status = load_now(path, loading->called);
    } catch (const std::bad_alloc&) {
      loading->status = Status(out_of_memory());
    }
    if (!loading->status.ok() && !loading->called) {
      MutexLock lock(mutex_);
      loaded_.erase(path);
    }
    loading->done.store(1, std::memory_order_release);
    loading->done.notify_all();
  } else if (loading->thread == gettid() && loading->done.load(std::memory_order_acquire) == 0) {
    return failed_precondition(concat("the extension ", quote(path), " needs itself while it loads"));
  }
  loading->done.wait(0, std::memory_order_acquire);
  return loading->status;
}

Result<std::string> Extensions::provide(Provides what, const std::string& name) {
  WEIR_ASSIGN(const std::shared_ptr<const Index> known, index());
  const auto found = known->libraries.find(key_of(what, name));
  if (found == known->libraries.end()) {
    // A name has an error of its own, with the nearest one.
    if (what == Provides::name || known->damaged.empty()) return std::string();
    return known->damaged.front();
  }
  WEIR_TRY(load(found->second));
  return found->second;
}

}  // namespace weir::capi
