#include "capi/file_system.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "capi/call.h"
#include "capi/callback.h"
#include "capi/runtime.h"
#include "core/sync.h"
#include "fs/given_up.h"
#include "fs/routed_files.h"

namespace weir::capi {

namespace {

constexpr size_t kMostEntries = size_t{1} << 24;
constexpr uint64_t kMaxVersionBytes = 1024;
constexpr uint64_t kMaxSchemesBytes = 1024;

// Why a call of a file system failed, for the file that it was about.
class FileCall final : public AnyCall {
 public:
  // It is cancelled once the file is given up, or who uses the file system.
  FileCall(const std::string& name, RefPtr<const GivenUp> user, const std::atomic<bool>* given_up = nullptr)
      : name_(name), user_(std::move(user)), given_up_(given_up) {}

  bool cancelled() const override {
    return (user_ && user_->value()) || (given_up_ && given_up_->load(std::memory_order_relaxed));
  }
  Status fail(int64_t row, int32_t code, std::string_view message) override {
    if (row != 0)
      return {Code::out_of_range, expected_found("row 0 of a call of a file system", concat(row))};
    if (failure_.ok()) failure_ = read_error(code_given(code), std::string(message), name_);
    return {};
  }
  Status add_entry(std::string_view name, bool is_file) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
        name.find('\0') != name.npos)
      return invalid_argument(expected_found("the name of an entry, without slashes", concat(quote(name))));
    if (entries_.size() == kMostEntries)
      return resource_exhausted(concat("a folder has more than ", kMostEntries, " entries"));
    entries_.emplace_back(name);
    are_files_.push_back(is_file);
    return {};
  }
  std::vector<std::string> take_entries(bool only_folders) {
    size_t at = 0;
    if (only_folders) std::erase_if(entries_, [&](const std::string&) { return are_files_[at++]; });
    return std::move(entries_);
  }
  // What became of `which`, which returned `result`.
  Status outcome(std::string_view which, int32_t result) const {
    if (!failure_.ok()) return failure_;
    if (result == WEIR_OK) return {};
    return read_error(Code::unknown,
                      expected_found(concat("WEIR_OK from ", which, " of a file system"), concat(result)),
                      name_);
  }

  // Of a read. The first to ask gets what to call when it is done.
  RemoteFile::Done done;
  uint64_t most = 0;
  RemoteFile::Done take_done() {
    MutexLock lock(mutex_);
    return std::exchange(done, nullptr);
  }

 private:
  const std::string name_;
  const RefPtr<const GivenUp> user_;
  const std::atomic<bool>* const given_up_;
  Status failure_;
  std::vector<std::string> entries_;
  std::vector<bool> are_files_;
  Mutex mutex_;
};

Result<FileInfo> info_of(const weir_file_info& given, const std::string& name) {
  const Result<std::string_view> version =
      read_string(given.version.data, given.version.size, "a version", kMaxVersionBytes);
  if (!version.ok()) return read_error(Code::internal, version.status().error().what(), name);
  if (given.size > INT64_MAX) {
    return read_error(Code::invalid_argument, expected_found("a size below 2^63", concat(given.size)), name);
  }
  return FileInfo{.size = given.size,
                  .modified_ns = given.modified_ns,
                  .is_folder = (given.flags & WEIR_FILE_FOLDER) != 0,
                  .version = std::string(*version)};
}

class HostStore final : public RemoteStore {
 public:
  explicit HostStore(const weir_file_system& host) : host_(host) {}
  ~HostStore() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  const weir_file_system& host() const { return host_; }

  // Calls function(call) of the host and returns what became of it. `use` gets the call afterwards.
  template <class Function>
  Status run(std::string_view which, const std::string& name, Function&& function) const {
    return run(which, name, function, [](FileCall&) { return Status(); });
  }
  template <class Function, class Use>
  Status run(std::string_view which, const std::string& name, Function&& function, Use&& use) const {
    OpenCall<FileCall> call(std::make_unique<FileCall>(name, GivenUp::current()));
    int32_t result = WEIR_OK;
    if (ErrorPtr thrown = call_host([&] { result = function(call.handle()); })) return Status(thrown);
    FileCall& closed = call.close();
    WEIR_TRY(closed.outcome(which, result));
    return use(closed);
  }

  Result<FileInfo> stat(const std::string& name) override;
  Result<std::vector<std::string>> list(const std::string& folder, const std::string& prefix,
                                        bool only_folders) override;
  Result<OpenedRemote> open(const std::string& name) override;
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override;
  Status remove(const std::string& name) override;

 private:
  Status missing(std::string_view what, const std::string& name) const {
    return file_error(Code::unimplemented,
                      concat("cannot ", what, " ", quote(name), ": its file system does not"), name);
  }

  const weir_file_system host_;
};

class HostFile final : public RemoteFile {
 public:
  HostFile(RefPtr<const HostStore> store, std::string name)
      : store_(std::move(store)), name_(std::move(name)) {}
  ~HostFile() override {
    if (!open_) return;
    const weir_file_system& host = store_->host();
    notify_host([&] { host.close(host.user_data, file); });
  }

  void* file = nullptr;
  void opened() { open_ = true; }

  void give_up() noexcept override { given_up_.store(true, std::memory_order_relaxed); }
  void read(uint64_t offset, std::span<uint8_t> out, Done done) override {
    auto made = std::make_unique<FileCall>(name_, user_, &given_up_);
    made->done = std::move(done);
    made->most = out.size();
    const weir_call call{publish(HandleKind::call, std::move(made))};
    const weir_file_system& host = store_->host();
    int32_t result = WEIR_OK;
    const ErrorPtr thrown =
        call_host([&] { result = host.read(host.user_data, file, offset, out.data(), out.size(), call); });
    if (!thrown && result == WEIR_OK) return;
    finish(call, [&](FileCall& failed) -> Result<size_t> {
      if (thrown) return Status(thrown);
      return failed.outcome("read", result == WEIR_OK ? WEIR_END : result);
    });
  }

  // Ends a read unless it has ended: answers with what `outcome` says.
  template <class Outcome>
  static void finish(weir_call call, Outcome&& outcome) {
    Done done;
    Result<size_t> got = size_t{0};
    {
      Pin<AnyCall> pinned(call.value);
      if (!pinned || pinned->of_rows()) return;
      auto& ended = static_cast<FileCall&>(*pinned);
      done = ended.take_done();
      if (!done) return;
      got = outcome(ended);
      drop_owner(HandleKind::call, call.value);
    }
    done(std::move(got));
  }

 private:
  const RefPtr<const HostStore> store_;
  const std::string name_;
  // Who opened it.
  const RefPtr<const GivenUp> user_ = GivenUp::current();
  bool open_ = false;
  std::atomic<bool> given_up_{false};
};

class HostWriter final : public WritableFile {
 public:
  HostWriter(RefPtr<const HostStore> store, std::string name)
      : store_(std::move(store)), name_(std::move(name)) {}
  ~HostWriter() override {
    if (open_) static_cast<void>(finish(0));
  }

  void* writer = nullptr;
  void opened() { open_ = true; }

  Status append(std::span<const uint8_t> bytes) override {
    const weir_file_system& host = store_->host();
    if (failure_.ok()) {
      failure_ = store_->run("write", name_, [&](weir_call call) {
        return host.write(host.user_data, writer, bytes.data(), bytes.size(), call);
      });
    }
    return failure_;
  }
  // It is durable when it is there.
  Status sync() override { return {}; }
  Status close() override {
    if (failure_.ok()) return finish(1);
    static_cast<void>(finish(0));
    return failure_;
  }

 private:
  Status finish(int32_t publish) {
    open_ = false;
    const weir_file_system& host = store_->host();
    return store_->run("finish", name_,
                       [&](weir_call call) { return host.finish(host.user_data, writer, publish, call); });
  }

  const RefPtr<const HostStore> store_;
  const std::string name_;
  bool open_ = false;
  // Of the first piece that failed: without it the file is not whole.
  Status failure_;
};

Result<FileInfo> HostStore::stat(const std::string& name) {
  weir_file_info info = WEIR_FILE_INFO_INIT;
  FileInfo out;
  WEIR_TRY(run(
      "stat", name,
      [&](weir_call call) { return host_.stat(host_.user_data, to_string_struct(name), &info, call); },
      [&](FileCall&) -> Status {
        WEIR_ASSIGN(out, info_of(info, name));
        return {};
      }));
  return out;
}

Result<std::vector<std::string>> HostStore::list(const std::string& folder, const std::string& prefix,
                                                 bool only_folders) {
  if (!host_.list) return missing("list", folder);
  std::vector<std::string> out;
  WEIR_TRY(run(
      "list", folder,
      [&](weir_call call) {
        return host_.list(host_.user_data, to_string_struct(folder), to_string_struct(prefix), call);
      },
      [&](FileCall& call) -> Status {
        out = call.take_entries(only_folders);
        return {};
      }));
  // A folder and a file may share a name there.
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<OpenedRemote> HostStore::open(const std::string& name) {
  weir_file_info info = WEIR_FILE_INFO_INIT;
  auto file = make_ref<HostFile>(RefPtr<const HostStore>(this), name);
  FileInfo known;
  WEIR_TRY(run(
      "open", name,
      [&](weir_call call) {
        const int32_t result = host_.open(host_.user_data, to_string_struct(name), &info, &file->file, call);
        if (result == WEIR_OK) file->opened();
        return result;
      },
      [&](FileCall&) -> Status {
        WEIR_ASSIGN(known, info_of(info, name));
        return {};
      }));
  return OpenedRemote{std::move(file), std::move(known)};
}

Result<std::unique_ptr<WritableFile>> HostStore::create(const std::string& name) {
  if (!host_.create) return missing("write", name);
  auto writer = std::make_unique<HostWriter>(RefPtr<const HostStore>(this), name);
  WEIR_TRY(run("create", name, [&](weir_call call) {
    const int32_t result = host_.create(host_.user_data, to_string_struct(name), &writer->writer, call);
    if (result == WEIR_OK) writer->opened();
    return result;
  }));
  return std::unique_ptr<WritableFile>(std::move(writer));
}

Status HostStore::remove(const std::string& name) {
  if (!host_.remove) return missing("remove", name);
  return run("remove", name,
             [&](weir_call call) { return host_.remove(host_.user_data, to_string_struct(name), call); });
}

Status check_functions(const weir_file_system& known) {
  if (!known.stat || !known.open || !known.read || !known.close)
    return invalid_argument(expected_found("weir_file_system to have stat, open, read and close", "NULL"));
  const int writes = (known.create != nullptr) + (known.write != nullptr) + (known.finish != nullptr);
  if (writes != 0 && writes != 3)
    return invalid_argument(expected_found("create, write and finish of a weir_file_system, or none of them",
                                           concat(writes, " of them")));
  return check_flags(known.flags, 0, "no flags of weir_file_system");
}

Result<std::vector<std::string>> read_schemes(const weir_file_system& known) {
  WEIR_ASSIGN(const std::string_view text,
              read_string(known.schemes, known.schemes_size, "schemes", kMaxSchemesBytes));
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string scheme(text.substr(begin, end - begin));
    const bool has_capitals = std::ranges::any_of(scheme, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (scheme_of(scheme + "://") != scheme || scheme.empty() || has_capitals) {
      return invalid_argument(expected_found("schemes of small letters and digits, with a space between them",
                                             concat(quote(text))));
    }
    out.push_back(scheme);
    begin = end + 1;
  }
  if (out.empty()) return invalid_argument(expected_found("schemes of a weir_file_system", "none"));
  return out;
}

}  // namespace

Result<TakenFileSystem> take_file_system(const weir_file_system* given) {
  if (!given) return invalid_argument("expected a file system, found NULL");
  weir_file_system known = WEIR_FILE_SYSTEM_INIT;
  const Status status = read_struct("weir_file_system", given, sizeof(weir_file_system), known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  WEIR_TRY(check_functions(known));
  TakenFileSystem taken;
  WEIR_ASSIGN(taken.schemes, read_schemes(known));
  taken.store = make_ref<HostStore>(known);
  guard.dismiss();
  return taken;
}

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_runtime_register_file_system(weir_runtime runtime, const weir_file_system* files,
                                          weir_error* error) {
  return guarded(error, [&]() -> Status {
    WEIR_ASSIGN(TakenFileSystem taken, take_file_system(files));
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    return host->add_file_system(taken.schemes, std::move(taken.store));
  });
}

void weir_call_done(weir_call call, uint64_t size) {
  released([&] {
    HostFile::finish(call, [&](FileCall& read) -> Result<size_t> {
      WEIR_TRY(read.outcome("read", WEIR_OK));
      if (size <= read.most) return static_cast<size_t>(size);
      return Status(
          Code::internal,
          expected_found(concat("at most ", read.most, " bytes from read of a file system"), concat(size)));
    });
  });
}

int32_t weir_call_entry(weir_call call, const char* name, uint64_t name_size, const weir_file_info* info,
                        weir_error* error) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<AnyCall> pinned(call.value);
    if (!pinned) return pin_error(pinned, "the call of a file system that is running", call.value);
    if (pinned->of_rows())
      return invalid_argument(expected_found("the call of a file system", "one of a function or a source"));
    weir_file_info known = WEIR_FILE_INFO_INIT;
    WEIR_TRY(read_struct("weir_file_info", info, sizeof(weir_file_info), known));
    WEIR_ASSIGN(const std::string_view entry,
                read_string(name, name_size, "the name of an entry", kMaxNameBytes));
    return static_cast<FileCall&>(*pinned).add_entry(entry, info && (known.flags & WEIR_FILE_FOLDER) == 0);
  });
}
