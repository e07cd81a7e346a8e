// A wait continues when a signal interrupts it.
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/interrupting_signal.h"

namespace weir {
namespace {

constexpr int kSignals = 300;

TEST_CASE("signals: a parked thread stays parked until it is unparked, each time") {
  const InterruptingSignal signal;
  auto executor = make_threads();
  const RefPtr<Parker> parker = executor->make_parker();
  std::atomic<int> step{0};
  // Set before it parks, and only once.
  parker->unpark();
  parker->unpark();
  std::thread sleeper([&] {
    for (int i = 0; i < 3; ++i) {
      parker->park();
      ++step;
    }
    // Alive for the last signals.
    while (step < 4) std::this_thread::yield();
  });
  for (int woken = 1; woken <= 3; ++woken) {
    while (step < woken) std::this_thread::yield();
    InterruptingSignal::send(sleeper, kSignals);
    CHECK(step == woken);
    if (woken < 3) parker->unpark();
  }
  ++step;
  sleeper.join();
}

TEST_CASE("signals: whoever waits for a row goes on waiting") {
  const InterruptingSignal signal;
  SteadyClock clock;
  auto executor = make_threads();
  Runtime runtime;
  runtime.executor = executor.get();
  runtime.clock = &clock;
  Mutex mutex;
  std::vector<RefPtr<Job>> wakes;
  CountingOptions options;
  options.pending_every = 2;
  options.later = [&](RefPtr<Job> job) {
    MutexLock lock(mutex);
    wakes.push_back(std::move(job));
  };
  Reader reader(runtime, [&](Session&) { return counting(options); });
  std::atomic<int> answers{0};
  std::atomic<int> rows{0};
  std::thread client([&] {
    for (int i = 0; i < 3; ++i) {
      const Result<PullResult> got = reader.next();
      rows += got.ok() && *got == PullResult::rows && reader.is(i, 0);
      ++answers;
    }
    // Alive for the last signals.
    while (answers < 4) std::this_thread::yield();
  });
  for (int given = 1; given <= 2; ++given) {
    RefPtr<Job> wake;
    while (!wake) {
      std::this_thread::yield();
      MutexLock lock(mutex);
      if (wakes.empty()) continue;
      wake = std::move(wakes.back());
      wakes.pop_back();
    }
    InterruptingSignal::send(client, kSignals);
    CHECK(answers == given);
    wake->run();
  }
  while (answers < 3) std::this_thread::yield();
  ++answers;
  client.join();
  CHECK(rows == 3);
}

}  // namespace
}  // namespace weir
