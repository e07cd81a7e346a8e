#include "exec/ticker.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>

#include "core/sync.h"
#include "exec/threads.h"

namespace weir {

struct Ticker::Shared {
  const uint64_t forks = fork_generation();
  int64_t period_ns = 0;
  std::function<void()> tick;
  const char* name = "";
  Mutex mutex;
  std::condition_variable_any stops;
  bool stopped = false;
  bool started = false;
  pthread_t thread{};

  void run() {
    ::pthread_setname_np(::pthread_self(), name);
    mutex.lock();
    while (!stopped) {
      stops.wait_for(mutex, std::chrono::nanoseconds(period_ns));
      if (stopped) break;
      mutex.unlock();
      tick();
      mutex.lock();
    }
    mutex.unlock();
  }
};

Ticker::Ticker(const char* name, int64_t period_ns, std::function<void()> tick)
    : shared_(std::make_unique<Shared>()) {
  shared_->period_ns = period_ns;
  shared_->tick = std::move(tick);
  shared_->name = name;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto body = [](void* shared) -> void* {
    static_cast<Shared*>(shared)->run();
    return nullptr;
  };
  shared_->started = ::pthread_create(&shared_->thread, nullptr, body, shared_.get()) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Ticker::alive() const noexcept { return shared_->forks == fork_generation(); }

Ticker::~Ticker() {
  if (!alive()) {
    // The thread may have held the lock when the process forked.
    static_cast<void>(shared_.release());
    return;
  }
  {
    MutexLock lock(shared_->mutex);
    shared_->stopped = true;
  }
  shared_->stops.notify_all();
  if (shared_->started) ::pthread_join(shared_->thread, nullptr);
}

}  // namespace weir
