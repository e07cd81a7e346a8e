#include "exec/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>
#include <vector>

#include "core/float_mode.h"
#include "core/host_call.h"
#include "core/sync.h"

namespace weir {
namespace {

// How often a thread looks for its permit before it sleeps.
constexpr int kLooks = 4;
// How long a blocking thread without a job stays.
constexpr std::chrono::seconds kIdleTime{2};
// How long a closing executor waits for threads that do not run a job, so that few outlive it.
constexpr std::chrono::milliseconds kGrace{100};
// More threads than this are not tried out at once.
constexpr int kMaxProbedThreads = 64;

void count_forks() {
  static const int installed =
      ::pthread_atfork(nullptr, nullptr, [] { counted_forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(installed);
}

// The executor whose job this thread runs.
thread_local const void* running_for = nullptr;

// Not std::condition_variable: a host's thread may be cancelled where it waits.
class ThreadParker final : public Parker {
 public:
  ThreadParker() = default;
  ~ThreadParker() override {
    ::pthread_cond_destroy(&woken_);
    ::pthread_mutex_destroy(&mutex_);
  }

  void park() override {
    for (int i = 0; i < kLooks && !permitted_.load(std::memory_order_relaxed); ++i) std::this_thread::yield();
    ::pthread_mutex_lock(&mutex_);
    // A cancelled wait has the lock again, too.
    const bool woken = call_host([this] {
      while (!permitted_.load(std::memory_order_relaxed)) ::pthread_cond_wait(&woken_, &mutex_);
    });
    if (woken) permitted_.store(false, std::memory_order_relaxed);
    ::pthread_mutex_unlock(&mutex_);
  }
  void unpark() override {
    ::pthread_mutex_lock(&mutex_);
    permitted_.store(true, std::memory_order_relaxed);
    ::pthread_mutex_unlock(&mutex_);
    ::pthread_cond_signal(&woken_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t woken_ = PTHREAD_COND_INITIALIZER;
  // There is a permit, one at most. Written under the lock; a park looks before it takes that.
  std::atomic<bool> permitted_{false};
};

// The host's signal handlers are none of our threads' business.
bool start_thread(void* (*body)(void*), void* argument) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = ::pthread_create(&thread, nullptr, body, argument) == 0;
  if (started) ::pthread_detach(thread);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// What an executor, its threads and the arena's tasks share; it outlives the executor where they do.
class JobQueue : public RefCounted {
 public:
  JobQueue(const void* executor, int limit) : executor_(executor), limit_(limit) {}

  bool submit(const RefPtr<Job>& job) noexcept;
  // Drops what has not begun and waits for what runs, unless that is the caller.
  void close();

 protected:
  // Has some thread call serve(). False if there is none.
  virtual bool start_runner() noexcept = 0;
  // Waits for work; false if the runner is to go. REQUIRES: mutex_ is held
  virtual bool wait_for_job() { return false; }
  // Runs jobs until there are none, or until another runner has taken over. The runner has been counted.
  void serve() noexcept;

  Mutex mutex_;
  std::condition_variable_any more_;
  int idle_ = 0;
  bool closed_ = false;
  std::deque<RefPtr<Job>> jobs_;

 private:
  // REQUIRES: mutex_ is held, and this thread counts as busy
  bool replace_runner() noexcept;

  const void* const executor_;
  const int limit_;
  std::condition_variable_any left_;
  int runners_ = 0;
  int busy_ = 0;
};

bool JobQueue::submit(const RefPtr<Job>& job) noexcept try {
  MutexLock lock(mutex_);
  if (closed_) return false;
  jobs_.push_back(job);
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
  // Nobody will come for it. If somebody came and went meanwhile, the job has run.
  auto found = std::find(jobs_.begin(), jobs_.end(), job);
  if (found == jobs_.end()) return true;
  jobs_.erase(found);
  return false;
} catch (...) {
  return false;
}

void JobQueue::serve() noexcept {
  // A new thread begins with the mode of the one that started it, and a task with that of the arena's maker.
  FloatMode mode;
  LongDoubleMode long_mode;
  const void* const outer = running_for;
  running_for = executor_;
  mutex_.lock();
  for (;;) {
    if (jobs_.empty()) {
      if (closed_ || !wait_for_job()) break;
      continue;
    }
    RefPtr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++busy_;
    mutex_.unlock();
    job->run();
    job = nullptr;
    mutex_.lock();
    const bool replaced = thread_ends() && replace_runner();
    --busy_;
    if (closed_ && busy_ == 0) left_.notify_all();
    if (replaced) {
      mutex_.unlock();
      running_for = outer;
      return;
    }
  }
  --runners_;
  if (closed_) left_.notify_all();
  mutex_.unlock();
  running_for = outer;
}

// The thread was to end in a function of the host's: another runner takes its place. A thread of oneTBB's
// goes back there, since it cannot end.
bool JobQueue::replace_runner() noexcept {
  bool replaced = false;
  if (!closed_) {
    mutex_.unlock();
    replaced = start_runner();
    mutex_.lock();
  }
  stay_alive();
  return replaced;
}

void JobQueue::close() {
  const Uncancelled uncancelled;
  std::deque<RefPtr<Job>> dropped;
  mutex_.lock();
  closed_ = true;
  dropped.swap(jobs_);
  more_.notify_all();
  if (running_for != executor_) {
    while (busy_ > 0) left_.wait(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + kGrace;
    while (runners_ > 0 && left_.wait_until(mutex_, deadline) == std::cv_status::no_timeout) {
    }
  }
  mutex_.unlock();
}

// Plain threads, grown while all are busy.
class ThreadQueue final : public JobQueue {
 public:
  using JobQueue::JobQueue;

 private:
  bool start_runner() noexcept override {
    RefPtr<ThreadQueue> self(this);
    if (!start_thread(
            [](void* argument) -> void* {
              RefPtr<ThreadQueue>::adopt(static_cast<ThreadQueue*>(argument))->serve();
              return nullptr;
            },
            self.get())) {
      return false;
    }
    static_cast<void>(self.release());
    return true;
  }

  bool wait_for_job() override {
    ++idle_;
    const std::cv_status woken = more_.wait_for(mutex_, kIdleTime);
    --idle_;
    return woken == std::cv_status::no_timeout || !jobs_.empty();
  }
};

// Tasks of a oneTBB arena. A task takes jobs until there are none and never waits; no exception leaves it.
class ArenaQueue final : public JobQueue {
 public:
  ArenaQueue(const void* executor, int limit) : JobQueue(executor, limit), limit_(limit) {}

  // Has the arena start its threads now, while the probe's answer is fresh.
  bool warm_up() noexcept try {
    arena_ = std::make_unique<tbb::task_arena>(limit_, 0);
    arena_->enqueue([] {});
    return true;
  } catch (...) {
    arena_ = nullptr;
    return false;
  }
  // In a child after fork the arena must not be touched.
  void abandon_arena() { static_cast<void>(arena_.release()); }
  void close_arena() { arena_ = nullptr; }

 private:
  bool start_runner() noexcept override try {
    arena_->enqueue([self = RefPtr<ArenaQueue>(this)] { self->serve(); });
    return true;
  } catch (...) {
    return false;
  }

  const int limit_;
  std::unique_ptr<tbb::task_arena> arena_;
};

// Whether so many threads can exist at once. Does not wait for them to go.
bool probe_threads(int count) {
  struct Probe : RefCounted {
    std::atomic<int> over{0};
  };
  auto probe = make_ref<Probe>();
  int started = 0;
  for (; started < count; ++started) {
    RefPtr<Probe> share = probe;
    if (!start_thread(
            [](void* argument) -> void* {
              RefPtr<Probe>::adopt(static_cast<Probe*>(argument))->over.wait(0);
              return nullptr;
            },
            share.get())) {
      break;
    }
    static_cast<void>(share.release());
  }
  probe->over.store(1);
  probe->over.notify_all();
  return started == count;
}

class Threads final : public Executor {
 public:
  explicit Threads(const ThreadsOptions& options) {
    const int processors = std::max(1u, std::thread::hardware_concurrency());
    size_ =
        std::clamp(options.compute_threads > 0 ? options.compute_threads : processors, 1, kMaxComputeThreads);
    const int blocking =
        std::clamp(options.blocking_threads > 0 ? options.blocking_threads : kMaxBlockingThreads, 1,
                   kMaxBlockingThreads);
    auto* probe = options.probe ? options.probe : probe_threads;
    if (!probe(std::min({size_, processors, kMaxProbedThreads}))) return;
    blocking_ = make_ref<ThreadQueue>(this, blocking);
    compute_ = make_compute();
  }

  ~Threads() override {
    if (!alive()) {
      // Other threads held who knows what when the process forked: nothing of it is touched again.
      if (arena_) arena_->abandon_arena();
      static_cast<void>(compute_.release());
      static_cast<void>(blocking_.release());
      static_cast<void>(arena_.release());
      return;
    }
    if (compute_) compute_->close();
    if (blocking_) blocking_->close();
    if (arena_) arena_->close_arena();
  }

  bool submit(Lane lane, RefPtr<Job> job) noexcept override {
    JobQueue* queue = (lane == Lane::compute ? compute_ : blocking_).get();
    return queue && alive() && queue->submit(job);
  }
  int parallelism() const noexcept override { return size_; }
  RefPtr<Parker> make_parker() noexcept override { return RefPtr<Parker>(new (std::nothrow) ThreadParker); }

 private:
  // oneTBB serves up to as many threads as it owns in this process, which counts the calling one. Where more
  // were asked for, and in a child, where oneTBB's threads are missing, plain threads compute.
  RefPtr<JobQueue> make_compute() {
    const size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    const int owned = static_cast<int>(std::clamp<size_t>(allowed, 2, kMaxComputeThreads + 1)) - 1;
    if (forks_ == 0 && size_ <= owned + 1) {
      auto arena = make_ref<ArenaQueue>(this, std::min(size_, owned));
      if (arena->warm_up()) return arena_ = std::move(arena);
    }
    return make_ref<ThreadQueue>(this, size_);
  }

  int size_ = 1;
  RefPtr<JobQueue> compute_;
  RefPtr<JobQueue> blocking_;
  // compute_ again, if that is an arena.
  RefPtr<ArenaQueue> arena_;
};

}  // namespace

uint64_t fork_generation() {
  count_forks();
  return counted_forks.load();
}

std::unique_ptr<Executor> make_threads(const ThreadsOptions& options) {
  count_forks();
  return std::make_unique<Threads>(options);
}

}  // namespace weir
