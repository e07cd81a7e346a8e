#include "capi/runtime.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>

#include "capi/callback.h"
#include "capi/generator.h"
#include "core/buffer.h"
#include "core/launcher.h"
#include "exec/threads.h"
#include "expr/types/callback.h"
#include "fs/file_system.h"
#include "fs/local_files.h"
#include "fs/machine_limits.h"
#include "fs/remote_files.h"
#include "syntax/hints.h"

namespace weir::capi {

namespace {

bool asks_for_top(const char* value) { return value && *value != '\0' && std::string_view(value) != "0"; }

// What the extension weir-remote serves, for an error that names it.
constexpr std::string_view kRemoteSchemes[] = {"http", "https", "s3", "gs", "az", "hf"};

constexpr int64_t kDefaultPoolBytes = int64_t{256} << 20;

constexpr uint64_t kMaxFoldersBytes = 1 << 16;

// The first version of weir_runtime_options.
constexpr size_t kRuntimeOptionsBytes = offsetof(weir_runtime_options, record_bytes);

// An eighth of what the control group allows is enough to keep for later.
int64_t default_pool_bytes(const MachineLimits& machine) {
  return machine.memory_bytes == 0 ? kDefaultPoolBytes
                                   : std::min(kDefaultPoolBytes, machine.memory_bytes / 8);
}

// A quarter of what the runtime may hold, or of the machine's memory, is enough to run ahead with.
int64_t ahead_bytes(const weir_runtime_options& options, const MachineLimits& machine) {
  int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : machine.memory_bytes;
  if (memory == 0) memory = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(1, memory / 4);
}

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() override {
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
  int64_t computing_ns() override {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
};

class SystemRandom final : public RandomSource {
 public:
  explicit SystemRandom(Clock& clock) : clock_(clock) {}
  uint64_t draw() override {
    uint64_t bits = 0;
    // A machine that has just booted may have none yet; then the clock must do.
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
      bits = static_cast<uint64_t>(clock_.now_ns());
    return bits;
  }

 private:
  Clock& clock_;
};

}  // namespace

class HostAllocator final : public RefCounted {
 public:
  explicit HostAllocator(const weir_allocator& host) : host_(host) {}

  static void* allocate(void* context, size_t size, size_t alignment) {
    auto* self = static_cast<HostAllocator*>(context);
    void* data = nullptr;
    // One that throws has none to give, either.
    notify_host([&] { data = self->host_.allocate(self->host_.user_data, size, alignment); });
    if (data) self->ref();
    return data;
  }
  static void release(void* context, void* data, size_t size) {
    auto* self = static_cast<HostAllocator*>(context);
    notify_host([&] { self->host_.release(self->host_.user_data, data, size); });
    self->unref();
  }

 private:
  ~HostAllocator() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  const weir_allocator host_;
};

RuntimeHost::RuntimeHost(std::vector<std::string> extension_folders)
    : files_(local_file_system(), [this](const std::string& scheme) { return find_scheme(scheme); }),
      extensions_(
          std::move(extension_folders),
          [this] {
            return weir_runtime{
                publish(HandleKind::runtime, std::make_unique<RuntimeObject>(RefPtr<RuntimeHost>(this)))};
          },
          [this](const Status& damaged) {
            logger_->log(Logger::Level::warning,
                         concat("an extension is left out: ", damaged.error().describe()));
          }) {}

RefPtr<RuntimeHost> RuntimeHost::create(const weir_runtime_options& options, RefPtr<HostAllocator> allocator,
                                        std::unique_ptr<Logger> logger, const std::string& trace_file,
                                        std::vector<std::string> extension_folders) {
  // Starting threads makes the system read files about the machine.
  RefPtr<RuntimeHost> host(new RuntimeHost(std::move(extension_folders)));
  host->clock_ = std::make_unique<SteadyClock>();
  host->random_ = std::make_unique<SystemRandom>(*host->clock_);
  host->logger_ = std::move(logger);
  host->allocator_ = std::move(allocator);
  const MachineLimits machine = machine_limits(local_file_system());
  int64_t retained = std::max<int64_t>(options.pool_bytes, 0);
  if (options.pool_bytes == 0) retained = default_pool_bytes(machine);
  Allocator functions;
  if (host->allocator_) {
    functions = {HostAllocator::allocate, HostAllocator::release, host->allocator_.get()};
  }
  host->pool_ = std::make_unique<BufferPool>(static_cast<size_t>(retained), functions);
  ThreadsOptions threads;
  threads.compute_threads = options.thread_count;
  threads.most_processors = machine.processors;
  threads.ahead_bytes = ahead_bytes(options, machine);
  host->executor_ = make_threads(threads);
  Runtime& runtime = host->runtime_;
  runtime.executor = host->executor_.get();
  runtime.clock = host->clock_.get();
  runtime.files = &host->files_;
  runtime.names = host.get();
  runtime.random = host->random_.get();
  runtime.logger = host->logger_.get();
  runtime.pool = host->pool_.get();
  // A program that has more rights than its caller does not take the caller's word.
  runtime.world = world_of(::secure_getenv);
  set_cache_folder(::secure_getenv);
  if (options.record_bytes > 0) runtime.limits.record_bytes = options.record_bytes;
  if (options.memory_bytes > 0) runtime.budget = make_ref<MemoryBudget>(options.memory_bytes);
  if (!trace_file.empty()) {
    host->trace_file_ = trace_file;
    host->trace_ = std::make_unique<TraceLog>();
    runtime.trace = host->trace_.get();
  }
  if (options.flags & WEIR_RUNTIME_TOP || asks_for_top(::secure_getenv("WEIR_TOP")))
    host->top_ = std::make_unique<TopPage>(runtime);
  return host;
}

// Threads first: their jobs use the rest. What they did is complete then.
RuntimeHost::~RuntimeHost() {
  top_.reset();
  const bool alive = executor_ && executor_->alive();
  executor_.reset();
  if (trace_ && alive) write_trace();
}

void RuntimeHost::write_trace() noexcept try {
  const std::string json = trace_->to_json();
  const Status written = runtime_.files->write_file_atomically(
      trace_file_, {reinterpret_cast<const uint8_t*>(json.data()), json.size()});
  if (written.ok()) return;
  logger_->log(Logger::Level::error, concat("the trace is lost: ", written.error().describe()));
} catch (...) {
  // Nobody is left to be told.
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the callback is moved
Status RuntimeHost::add_callback(const std::string& name, RefPtr<const Callback> callback) {
  MutexLock lock(mutex_);
  if (!callbacks_.try_emplace(name, std::move(callback)).second) {
    return Status(Code::already_exists, Mistake(concat("a callback is already registered as @", name)));
  }
  return Status();
}

Status RuntimeHost::add_file_system(const std::vector<std::string>& schemes, RefPtr<RemoteStore> store) {
  return files_.add(schemes, std::make_shared<RemoteFiles>(std::move(store), blocks_));
}

namespace {

Status not_registered(const std::string& library, std::string_view what) {
  return failed_precondition(
      concat("the index of the extension ", quote(library), " lists ", what, ", which it does not register"));
}

}  // namespace

Status RuntimeHost::find_scheme(const std::string& scheme) {
  const Result<std::string> library = extensions_.provide(Extensions::Provides::scheme, scheme);
  const std::string what = concat("no file system serves names with ", quote(scheme + "://"));
  if (!library.ok()) return Status(library.status().code(), Mistake(what, library.status().error().message));
  if (!library->empty()) return not_registered(*library, quote(scheme + "://"));
  if (std::ranges::find(kRemoteSchemes, scheme) != std::end(kRemoteSchemes))
    return not_installed(concat("names with ", quote(scheme + "://"), " need"), "weir-remote");
  if (scheme == "file") return invalid_argument(R"(names of local files have no "file://"; leave it out)");
  return invalid_argument(
      {what, syntax::nearest_hint(scheme, {std::begin(kRemoteSchemes), std::end(kRemoteSchemes)})});
}

Status RuntimeHost::not_installed(std::string_view what, std::string_view extension) const {
  std::string folders;
  for (const std::string& folder : extensions_.folders())
    folders += concat(folders.empty() ? "" : ", ", folder);
  return failed_precondition(
      {concat(what, " the extension ", extension, ", which is in none of the folders ", folders),
       "install it there, or set WEIR_EXTENSIONS to its folder"});
}

Status RuntimeHost::add_table_format(const std::string& name, RefPtr<const TableFormat> format) {
  MutexLock lock(mutex_);
  if (table_formats_.try_emplace(name, std::move(format)).second) return {};
  return Status(Code::already_exists, Mistake(concat("a table format is already registered as ", name)));
}

Result<RefPtr<const TableFormat>> RuntimeHost::table_format(const std::string& name) {
  const auto known = [&] {
    MutexLock lock(mutex_);
    const auto found = table_formats_.find(name);
    return found == table_formats_.end() ? nullptr : found->second;
  };
  if (RefPtr<const TableFormat> there = known()) return there;
  WEIR_ASSIGN(const std::string library, extensions_.provide(Extensions::Provides::table, name));
  if (RefPtr<const TableFormat> there = known()) return there;
  if (!library.empty()) return not_registered(library, concat("the table format ", name));
  return not_installed(concat(name, " needs"), "weir-parquet");
}

Result<std::optional<HandedThing>> RuntimeHost::find(const std::string& name) {
  WEIR_ASSIGN(const std::string library, extensions_.provide(Extensions::Provides::name, name));
  if (library.empty()) return std::optional<HandedThing>();
  MutexLock lock(mutex_);
  const auto registered = callbacks_.find(name);
  if (registered != callbacks_.end()) return std::optional<HandedThing>(registered->second);
  return not_registered(library, name);
}

Handed RuntimeHost::callbacks() const {
  MutexLock lock(mutex_);
  return callbacks_;
}

Result<uint64_t> RuntimeHost::share_iterator(const std::string& name, uint64_t iterator) {
  MutexLock lock(mutex_);
  uint64_t& named = shared_iterators_[name];
  OwnerResult owned = OwnerResult::unknown;
  if (named != 0) owned = add_owner(HandleKind::iterator, named);
  if (owned == OwnerResult::unknown) {
    named = iterator;
    owned = add_owner(HandleKind::iterator, named);
  }
  if (owned != OwnerResult::added) return too_many_owners("an iterator");
  return named;
}

void RuntimeHost::forget_iterator(uint64_t iterator) {
  MutexLock lock(mutex_);
  std::erase_if(shared_iterators_, [&](const auto& named) { return named.second == iterator; });
}

Result<RefPtr<RuntimeHost>> runtime_of(weir_runtime runtime) {
  Pin<RuntimeObject> pinned(runtime.value);
  if (!pinned) return pin_error(pinned, "a runtime", runtime.value);
  return pinned->host;
}

namespace {

// Takes the allocator from the options. It is destroyed here unless an object that destroys it could be made.
Result<RefPtr<HostAllocator>> take_allocator(const weir_allocator* given) {
  if (!given) return RefPtr<HostAllocator>();
  weir_allocator known = WEIR_ALLOCATOR_INIT;
  const Status status = read_struct("weir_allocator", given, sizeof(weir_allocator), known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (!known.allocate || !known.release) {
    return invalid_argument("expected weir_allocator to have allocate and release, found NULL");
  }
  auto allocator = make_ref<HostAllocator>(known);
  guard.dismiss();
  return allocator;
}

Result<std::unique_ptr<Logger>> take_logger(const weir_logger* given, Logger::Level least) {
  if (!given) return make_stderr_logger(least);
  weir_logger known = WEIR_LOGGER_INIT;
  const Status status = read_struct("weir_logger", given, sizeof(weir_logger), known);
  DestroyGuard guard(known.destroy, known.user_data);
  WEIR_TRY(status);
  if (!known.log) return invalid_argument("expected weir_logger to have a log function, found NULL");
  auto logger = make_host_logger(known, least);
  guard.dismiss();
  return logger;
}

Status check_options(const weir_runtime_options& options) {
  if (options.thread_count < 0 || options.thread_count > kMaxComputeThreads) {
    return invalid_argument(
        expected_found(concat("thread_count from 0 to ", kMaxComputeThreads), concat(options.thread_count)));
  }
  if (options.log_level < 0 || options.log_level > WEIR_LOG_ERROR) {
    return invalid_argument(
        expected_found(concat("log_level from 0 to ", WEIR_LOG_ERROR), concat(options.log_level)));
  }
  if (options.flags & ~WEIR_RUNTIME_TOP) {
    return invalid_argument(expected_found("flags WEIR_RUNTIME_...", concat(options.flags)));
  }
  if (options.record_bytes < 0) {
    return invalid_argument(expected_found("record_bytes of 0 or more", concat(options.record_bytes)));
  }
  if (options.memory_bytes < 0) {
    return invalid_argument(expected_found("memory_bytes of 0 or more", concat(options.memory_bytes)));
  }
  return Status();
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_runtime_create(const weir_runtime_options* options, weir_runtime* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    weir_runtime_options known = WEIR_RUNTIME_OPTIONS_INIT;
    const Status status = read_struct("weir_runtime_options", options, kRuntimeOptionsBytes, known);
    auto allocator = take_allocator(known.allocator);
    int32_t level =
        known.log_level > 0 && known.log_level <= WEIR_LOG_ERROR ? known.log_level : WEIR_LOG_WARNING;
    auto logger = take_logger(known.logger, static_cast<Logger::Level>(level - WEIR_LOG_DEBUG));
    WEIR_TRY(status);
    if (!allocator.ok()) return allocator.status();
    if (!logger.ok()) return logger.status();
    WEIR_TRY(check_options(known));
    if (process_ends()) {
      return failed_precondition("the process is exiting; create the runtime before main returns");
    }
    WEIR_ASSIGN(const std::string_view trace_file,
                read_string(known.trace_file, known.trace_file_size, "the name of a file", kMaxNameBytes));
    WEIR_ASSIGN(const std::string_view folders, read_string(known.extensions, known.extensions_size,
                                                            "folders of extensions", kMaxFoldersBytes));
    // A program that has more rights than its caller loads nothing that the caller names.
    WEIR_ASSIGN(auto extensions, extension_folders(folders, ::secure_getenv("WEIR_EXTENSIONS")));
    auto host = RuntimeHost::create(known, *std::move(allocator), *std::move(logger), std::string(trace_file),
                                    std::move(extensions));
    out->value = publish(HandleKind::runtime, std::make_unique<RuntimeObject>(std::move(host)));
    return Status();
  });
}

void weir_runtime_destroy(weir_runtime runtime) {
  released([&] { drop_owner(HandleKind::runtime, runtime.value); });
}

int32_t weir_runtime_load_extension(weir_runtime runtime, const char* file, uint64_t file_size,
                                    weir_error* error) {
  return guarded(error, [&]() -> Status {
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(const std::string_view name,
                read_string(file, file_size, "the name of a file", kMaxNameBytes));
    return host->extensions().load(std::string(name));
  });
}
