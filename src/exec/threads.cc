#include "exec/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "core/float_mode.h"
#include "core/load_library.h"
#include "core/once.h"
#include "core/sync.h"
#include "core/text.h"
#include "exec/fair_queue.h"
#include "exec/memory_ledger.h"
#include "exec/onetbb.h"
#include "exec/watch.h"

namespace weir {
namespace {

// How often a thread checks for its permit before it sleeps.
constexpr int kLooks = 4;
// How long a blocking thread stays without a job.
constexpr std::chrono::seconds kIdleTime{2};
constexpr const char* kComputeName = "weir-compute";
// At most this many threads are tried out at once.
constexpr int kMaxProbedThreads = 64;

// When the library is loaded, so that no fork is missed.
[[maybe_unused]] const int counts_forks =
    ::pthread_atfork(nullptr, nullptr, [] { counted_forks.fetch_add(1, std::memory_order_relaxed); });

// The executor whose job this thread runs.
thread_local const void* running_for = nullptr;

// Not std::condition_variable, whose waits follow the wall clock where the C library is old.
class ThreadParker final : public Parker {
 public:
  ThreadParker() {
    pthread_condattr_t attributes;
    ::pthread_condattr_init(&attributes);
    ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ::pthread_cond_init(&woken_, &attributes);
    ::pthread_condattr_destroy(&attributes);
  }
  ~ThreadParker() override {
    ::pthread_cond_destroy(&woken_);
    ::pthread_mutex_destroy(&mutex_);
  }

  void park() override {
    for (int i = 0; i < kLooks && !permitted_.load(std::memory_order_relaxed); ++i) std::this_thread::yield();
    wait([this] { ::pthread_cond_wait(&woken_, &mutex_); }, [] { return false; });
  }
  bool park_for(int64_t ns) override {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    constexpr int64_t kSecond = 1'000'000'000;
    // About thirty years, which no addition overflows.
    const int64_t nanoseconds = until.tv_nsec + std::clamp<int64_t>(ns, 0, kSecond * kSecond);
    until.tv_sec += nanoseconds / kSecond;
    until.tv_nsec = nanoseconds % kSecond;
    bool late = false;
    return wait([&] { late = ::pthread_cond_timedwait(&woken_, &mutex_, &until) != 0; },
                [&] { return late; });
  }
  void unpark() override {
    ::pthread_mutex_lock(&mutex_);
    permitted_.store(true, std::memory_order_relaxed);
    ::pthread_mutex_unlock(&mutex_);
    ::pthread_cond_signal(&woken_);
  }

 private:
  // Waits until there is a permit, which it takes, or until `done`. False without a permit.
  template <class Sleep, class Done>
  bool wait(Sleep&& sleep, Done&& done) {
    ::pthread_mutex_lock(&mutex_);
    while (!permitted_.load(std::memory_order_relaxed) && !done()) sleep();
    const bool permitted = permitted_.load(std::memory_order_relaxed);
    if (permitted) permitted_.store(false, std::memory_order_relaxed);
    ::pthread_mutex_unlock(&mutex_);
    return permitted;
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t woken_;
  // There is a permit, at most one. Written under the lock; a wait looks before it takes the lock.
  std::atomic<bool> permitted_{false};
};

// Names the calling thread, the first time. oneTBB's workers keep the name: they serve whoever computes.
void name_thread_once(const char* name) noexcept {
  thread_local bool named = false;
  if (std::exchange(named, true)) return;
  ::pthread_setname_np(::pthread_self(), name);
}

// Starts a thread that leaves the host's signal handlers alone. The caller must join or detach it.
bool start_thread(void* (*body)(void*), void* argument, pthread_t& thread) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = ::pthread_create(&thread, nullptr, body, argument) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// What an executor, its threads and the arena's tasks share; may outlive the executor.
class JobQueue : public RefCounted {
 public:
  // `thread_name` is at most 15 bytes.
  JobQueue(std::string_view name, const char* thread_name, const void* executor, int limit)
      : name_(name), thread_name_(thread_name), executor_(executor), limit_(limit) {}

  bool submit(const RefPtr<Job>& job) noexcept;
  // Drops jobs that have not started and waits for the serving threads, unless called on one of them.
  virtual void close();
  // Runs jobs until there are none. The runner is already counted.
  void serve() noexcept;
  // Describes the jobs and what its threads do, to show why nothing runs.
  std::string describe();

 protected:
  // Makes some thread call serve(). Returns false if there is none.
  virtual bool start_runner() noexcept = 0;
  // Waits for work; returns false if the runner must leave.
  // REQUIRES: mutex_ is held
  virtual bool wait_for_job() { return false; }
  // True if this thread runs a job of the executor.
  bool inside() const { return running_for == executor_; }

  Mutex mutex_;
  std::condition_variable_any more_;
  std::condition_variable_any left_;
  int idle_ = 0;
  bool closed_ = false;
  FairQueue jobs_;

 private:
  const std::string_view name_;
  const char* const thread_name_;
  const void* const executor_;
  const int limit_;
  // Runners asked for and not gone; of these, those inside serve().
  int runners_ = 0;
  int serving_ = 0;
  const Shown<JobQueue> shown_{this};
};

bool JobQueue::submit(const RefPtr<Job>& job) noexcept try {
  MutexLock lock(mutex_);
  if (closed_) return false;
  jobs_.push(job);
  if (static_cast<size_t>(idle_) >= jobs_.size()) {
    lock.unlock();
    more_.notify_one();
    return true;
  }
  if (runners_ >= limit_) return true;
  ++runners_;
  lock.unlock();
  if (start_runner()) return true;
  MutexLock again(mutex_);
  --runners_;
  if (runners_ > 0) return true;
  // No runner will come for it. If one came and went meanwhile, the job has run.
  return !jobs_.remove(*job);
} catch (...) {
  return false;
}

void JobQueue::serve() noexcept {
  name_thread_once(thread_name_);
  // A new thread begins with the mode of the one that started it, and a task with that of the arena's maker.
  FloatMode mode;
  LongDoubleMode long_mode;
  const void* const outer = running_for;
  running_for = executor_;
  mutex_.lock();
  ++serving_;
  for (;;) {
    if (jobs_.empty()) {
      if (closed_ || !wait_for_job()) break;
      continue;
    }
    RefPtr<Job> job = jobs_.pop();
    mutex_.unlock();
    const auto begin = std::chrono::steady_clock::now();
    job->run();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    mutex_.lock();
    jobs_.ended(*job, took.count());
    mutex_.unlock();
    job = nullptr;
    mutex_.lock();
  }
  --runners_;
  --serving_;
  if (closed_) left_.notify_all();
  mutex_.unlock();
  running_for = outer;
}

void JobQueue::close() {
  mutex_.lock();
  closed_ = true;
  DroppedJobs dropped;
  jobs_.drop(dropped);
  more_.notify_all();
  while (!inside() && serving_ > 0) left_.wait(mutex_);
  mutex_.unlock();
}

std::string JobQueue::describe() {
  std::string text = concat("queue of executor ", name_of(executor_), ", ", name_);
  if (!mutex_.try_lock()) return text + ": locked";
  text += concat(": jobs ", jobs_.size(), "; runners ", runners_, " of ", limit_, "; begun ", serving_,
                 "; idle ", idle_, closed_ ? "; closed" : "");
  mutex_.unlock();
  return text;
}

// Plain threads, added while all are busy. A thread that leaves is joined by the next one that does, and the
// last one by close().
class ThreadQueue final : public JobQueue {
 public:
  using JobQueue::JobQueue;

  void close() override {
    JobQueue::close();
    mutex_.lock();
    // Nobody will be there to join the calling thread, nor those that leave after it.
    abandoned_ = inside();
    while (!abandoned_ && threads_ > 0) left_.wait(mutex_);
    const std::optional<pthread_t> last = std::exchange(ended_, std::nullopt);
    mutex_.unlock();
    if (last) ::pthread_join(*last, nullptr);
  }

 private:
  bool start_runner() noexcept override {
    RefPtr<ThreadQueue> self(this);
    // Counted before it can leave.
    count(1);
    pthread_t thread;
    if (!start_thread(
            [](void* argument) -> void* {
              auto queue = RefPtr<ThreadQueue>::adopt(static_cast<ThreadQueue*>(argument));
              queue->serve();
              queue->leave();
              return nullptr;
            },
            self.get(), thread)) {
      count(-1);
      return false;
    }
    static_cast<void>(self.release());
    return true;
  }

  void count(int threads) {
    MutexLock lock(mutex_);
    threads_ += threads;
    if (closed_) left_.notify_all();
  }

  void leave() {
    mutex_.lock();
    const std::optional<pthread_t> before = std::exchange(ended_, std::nullopt);
    if (abandoned_) {
      ::pthread_detach(::pthread_self());
    } else {
      ended_ = ::pthread_self();
    }
    --threads_;
    if (closed_) left_.notify_all();
    mutex_.unlock();
    if (before) ::pthread_join(*before, nullptr);
  }

  bool wait_for_job() override {
    ++idle_;
    const std::cv_status woken = more_.wait_for(mutex_, kIdleTime);
    --idle_;
    return woken == std::cv_status::no_timeout || !jobs_.empty();
  }

  // Threads started that have not passed leave(), and the last one that did.
  int threads_ = 0;
  std::optional<pthread_t> ended_;
  bool abandoned_ = false;
};

// Keeps the end of the process from coming in the middle of an arena's start: libtbb's destructors run at
// exit(), and what starts meanwhile would call what they have destroyed. Registered after libtbb was loaded,
// so it runs before them. Without a lock, which a forked child might find taken by a thread that it does not
// have.
class ArenaStarts {
 public:
  static void watch_exit() {
    registered.call([] { call_at_exit(&ArenaStarts::wait_at_exit); });
  }

  // Counts a start as long as it lives.
  ArenaStarts() { add(1); }
  ~ArenaStarts() { add(-1); }
  ArenaStarts(const ArenaStarts&) = delete;
  ArenaStarts& operator=(const ArenaStarts&) = delete;
  static bool allowed() { return !exiting.load(); }

 private:
  // The process in the upper half, the number of its starts in the lower.
  static uint64_t of_process() { return static_cast<uint64_t>(::getpid()) << 32; }
  static void add(int64_t count) {
    const uint64_t mine = of_process();
    uint64_t now = starts.load();
    uint64_t next = 0;
    do {
      const int64_t before = now >> 32 == mine >> 32 ? static_cast<int64_t>(now & UINT32_MAX) : 0;
      next = mine | static_cast<uint64_t>(std::max<int64_t>(0, before + count));
    } while (!starts.compare_exchange_weak(now, next));
  }
  static void wait_at_exit() {
    exiting.store(true);
    const uint64_t mine = of_process();
    for (uint64_t now = starts.load(); now >> 32 == mine >> 32 && now != mine; now = starts.load())
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  static constinit Once registered;
  static constinit std::atomic<uint64_t> starts;
  static constinit std::atomic<bool> exiting;
};

constinit Once ArenaStarts::registered;
constinit std::atomic<uint64_t> ArenaStarts::starts{0};
constinit std::atomic<bool> ArenaStarts::exiting{false};

// Tasks of a oneTBB arena. A task takes jobs until there are none and never waits; no exception leaves it.
//
// close() leaves behind the tasks that oneTBB has yet to start: waiting for them could take long while its
// threads are busy, and for ever if they wait for the caller of close(). A task left behind finds a closed
// queue. docs/adr/0013 says why the host's threads don't enqueue.
class ArenaQueue final : public JobQueue {
 public:
  ArenaQueue(const void* executor, int limit, RefPtr<ThreadQueue> starter)
      : JobQueue("arena", kComputeName, executor, limit), limit_(limit), starter_(std::move(starter)) {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &host_mask_);
    MutexLock lock(all_mutex);
    next_ = all;
    if (next_) next_->place_ = &next_;
    all = this;
  }

  // Makes the arena start its threads now, while the probe's answer is fresh.
  bool warm_up() { return starter_->submit(make_ref<Start>(*this, Start::What::threads)); }

 private:
  // What a host's thread hands to the starter's thread.
  class Start final : public Job {
   public:
    enum class What : uint8_t { threads, runner };
    Start(ArenaQueue& queue, What what) : queue_(&queue), what_(what) {}

    void run() noexcept override {
      // oneTBB's threads belong to the host, too, and inherit the signal mask of whoever makes them start.
      sigset_t before;
      ::pthread_sigmask(SIG_SETMASK, &queue_->host_mask_, &before);
      const bool enqueued = queue_->open() && (what_ == What::threads || queue_->enqueue_runner());
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      // Without an arena, this thread computes.
      if (!enqueued && what_ == What::runner) queue_->serve();
    }

   private:
    const RefPtr<ArenaQueue> queue_;
    const What what_;
  };

  ~ArenaQueue() override {
    MutexLock lock(all_mutex);
    *place_ = next_;
    if (next_) next_->place_ = place_;
  }

  bool start_runner() noexcept override try {
    if (open_.load(std::memory_order_acquire) && known_to_tbb()) return enqueue_runner();
    return starter_->submit(make_ref<Start>(*this, Start::What::runner));
  } catch (...) {
    return false;
  }

  // Or of a thread of weir's, which ends with the executor.
  static bool known_to_tbb() {
    return running_for || tbb::this_task_arena::current_thread_index() != tbb::task_arena::not_initialized;
  }

  bool enqueue_runner() noexcept try {
    if (!ArenaStarts::allowed()) return false;
    arena_->enqueue([self = RefPtr<ArenaQueue>(this)] { self->serve(); });
    return true;
  } catch (...) {
    return false;
  }

  // REQUIRES: on the starter's thread
  bool open() noexcept try {
    if (arena_) return true;
    const ArenaStarts start;
    if (!ArenaStarts::allowed()) return false;
    // An arena of one reserves its slot. What is enqueued there gets a worker even where oneTBB owns none,
    // and oneTBB doesn't warn that it has none to give.
    auto arena = std::make_unique<tbb::task_arena>(limit_, limit_ == 1 ? 1 : 0);
    arena->enqueue([] {});
    arena_ = std::move(arena);
    open_.store(true, std::memory_order_release);
    return true;
  } catch (...) {
    return false;
  }

  // All queues, so that a leak checker can reach them when the process ends: tasks that oneTBB never
  // started still hold them.
  static constinit Mutex all_mutex;
  static constinit ArenaQueue* all;
  ArenaQueue* next_ = nullptr;
  ArenaQueue** place_ = &all;

  const int limit_;
  const RefPtr<ThreadQueue> starter_;
  sigset_t host_mask_;
  std::unique_ptr<tbb::task_arena> arena_;
  std::atomic<bool> open_{false};
};

constinit Mutex ArenaQueue::all_mutex;
constinit ArenaQueue* ArenaQueue::all = nullptr;

// True if that many threads can exist at once. Does not wait for them to end.
bool probe_threads(int count) {
  struct Probe : RefCounted {
    std::atomic<int> over{0};
  };
  auto probe = make_ref<Probe>();
  int started = 0;
  for (; started < count; ++started) {
    RefPtr<Probe> share = probe;
    pthread_t thread;
    if (!start_thread(
            [](void* argument) -> void* {
              RefPtr<Probe>::adopt(static_cast<Probe*>(argument))->over.wait(0);
              return nullptr;
            },
            share.get(), thread)) {
      break;
    }
    static_cast<void>(share.release());
    ::pthread_detach(thread);
  }
  probe->over.store(1);
  probe->over.notify_all();
  return started == count;
}

class Threads final : public Executor {
 public:
  explicit Threads(const ThreadsOptions& options) {
    if (options.ahead_bytes > 0) memory_ = make_ref<MemoryLedger>(options.ahead_bytes);
    // Those that the process's affinity allows.
    int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (options.most_processors > 0) processors = std::min(processors, options.most_processors);
    size_ =
        std::clamp(options.compute_threads > 0 ? options.compute_threads : processors, 1, kMaxComputeThreads);
    const int blocking =
        std::clamp(options.blocking_threads > 0 ? options.blocking_threads : kMaxBlockingThreads, 1,
                   kMaxBlockingThreads);
    auto* probe = options.probe ? options.probe : probe_threads;
    if (!probe(std::min({size_, processors, kMaxProbedThreads}))) return;
    blocking_size_ = blocking;
    blocking_ = make_ref<ThreadQueue>("blocking threads", "weir-blocking", this, blocking);
    compute_ = make_compute();
  }

  ~Threads() override {
    if (!alive()) {
      // Other threads may have held any lock when the process forked, so none of it is touched again.
      static_cast<void>(compute_.release());
      static_cast<void>(starter_.release());
      static_cast<void>(blocking_.release());
      return;
    }
    if (compute_) compute_->close();
    if (starter_) starter_->close();
    if (blocking_) blocking_->close();
  }

  bool submit(Lane lane, RefPtr<Job> job) noexcept override {
    JobQueue* queue = (lane == Lane::compute ? compute_ : blocking_).get();
    return queue && alive() && queue->submit(job);
  }
  int parallelism() const noexcept override { return size_; }
  int blocking_parallelism() const noexcept override { return blocking_size_; }
  MemoryLedger* memory() const noexcept override { return memory_.get(); }
  RefPtr<Parker> make_parker() noexcept override { return RefPtr<Parker>(new (std::nothrow) ThreadParker); }

 private:
  // oneTBB serves up to as many threads as it owns in this process, including the calling one. If more were
  // asked for, in a child, where oneTBB's threads are missing, and where there is no oneTBB that can be used,
  // plain threads compute.
  RefPtr<JobQueue> make_compute() {
    const bool found = forks_ == 0 && find_onetbb();
    ArenaStarts::watch_exit();
    if (!found) return make_plain();
    const size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    const int owned = static_cast<int>(std::clamp<size_t>(allowed, 2, kMaxComputeThreads + 1)) - 1;
    if (size_ <= owned + 1) {
      auto starter = make_ref<ThreadQueue>("starter", "weir-starter", this, 1);
      auto arena = make_ref<ArenaQueue>(this, std::min(size_, owned), starter);
      if (arena->warm_up()) {
        starter_ = std::move(starter);
        return arena;
      }
    }
    return make_plain();
  }
  RefPtr<JobQueue> make_plain() {
    return make_ref<ThreadQueue>("compute threads", kComputeName, this, size_);
  }

  RefPtr<MemoryLedger> memory_;
  int size_ = 1;
  int blocking_size_ = 1;
  RefPtr<JobQueue> compute_;
  // The arena's starter thread, if compute_ is an arena.
  RefPtr<ThreadQueue> starter_;
  RefPtr<JobQueue> blocking_;
};

}  // namespace

bool process_ends() { return !ArenaStarts::allowed(); }

uint64_t fork_generation() { return counted_forks.load(); }

std::unique_ptr<Executor> make_threads(const ThreadsOptions& options) {
  return std::make_unique<Threads>(options);
}

}  // namespace weir
