// How long rows take, by estimate; what a Budget keeps of memory that windows share; and threads
// that leave the host's signals alone.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "exec/budget.h"
#include "exec/memory_ledger.h"
#include "exec/pace.h"
#include "exec/threads.h"
#include "exec/ticker.h"
#include "exec/window_core.h"
#include "support/fakes.h"

namespace weir {
namespace {

TEST_CASE("estimates: rows are cheap where half a window of them takes less than waking a thread") {
  const auto cheap = [](int64_t row_ns, int64_t rows) {
    FeedCost cost;
    for (int i = 0; i < 2000; ++i) cost.pulled(row_ns, 1, 1);
    return cost.cheap(rows);
  };
  CHECK(cheap(100, 40));
  CHECK_FALSE(cheap(100, 42));
  CHECK(cheap(2000, 1));
  CHECK(cheap(2000, 3));
  CHECK_FALSE(cheap(2000, 4));
}

TEST_CASE("estimates: a clock that stands still says nothing about rows") {
  FeedCost still;
  for (int i = 0; i < 1000; ++i) still.pulled(0, 1, 1);
  CHECK_FALSE(still.cheap(2));
  FeedCost nothing;
  for (int i = 0; i < 1000; ++i) nothing.pulled(100, 0, 1);
  CHECK_FALSE(nothing.cheap(2));
  FeedCost cost;
  for (int i = 0; i < 63; ++i) cost.pulled(100, 1, 1);
  CHECK_FALSE(cost.cheap(2));
  cost.pulled(100, 1, 1);
  CHECK(cost.cheap(2));
}

TEST_CASE("budget: a window that goes gives all of its memory to those who wait") {
  auto memory = make_ref<WindowMemory>(1000);
  auto waiter = make_ref<test::CountingWaker>();
  {
    Budget budget(1'000'000, memory);
    REQUIRE(budget.go_on(10));
    CHECK(budget.reserve(1000, 1000, *waiter) == 1000);
    budget.charge(3, 900);
    CHECK(memory->used() == 900);
    CHECK(memory->reserve(500, *waiter) == 100);
    CHECK(memory->reserve(1, *waiter) == 0);
    CHECK(waiter->count == 0);
  }
  CHECK(waiter->count == 1);
  CHECK(memory->used() == 100);
}

TEST_CASE("budget: a window without rows may pull one, whatever others hold") {
  auto memory = make_ref<WindowMemory>(1000);
  auto waiter = make_ref<test::CountingWaker>();
  REQUIRE(memory->reserve(1000, *waiter) == 1000);
  Budget budget(1'000'000, memory);
  REQUIRE(budget.go_on(10));
  CHECK(budget.reserve(500, 500, *waiter) == 1);
  budget.charge(1, 80);
  CHECK(memory->used() == 1080);
  REQUIRE(budget.go_on(10));
  CHECK(budget.reserve(500, 500, *waiter) == 0);
}

TEST_CASE("budget: of the memory of all, a window keeps one reserve") {
  const auto ledger = make_ref<MemoryLedger>(4096 * 100);
  auto memory = make_ref<WindowMemory>(WindowMemory::kUnlimited, ledger.get());
  REQUIRE(memory->reserve_bytes() == 100);
  auto waiter = make_ref<test::CountingWaker>();
  Budget budget(1'000'000, memory);
  REQUIRE(budget.go_on(100));
  CHECK(budget.reserve(1000, 1000, *waiter) >= 1000);
  CHECK(memory->used() == 1100);
  budget.charge(10, 1000);
  CHECK(memory->used() == 1100);
  // What is not more than two reserves stays.
  budget.refund_bytes(100);
  CHECK(memory->used() == 1100);
  budget.refund_bytes(1);
  CHECK(memory->used() == 899 + 100);
  CHECK(ledger->used() == memory->used());
}

TEST_CASE("window core: once cancelled, a window does not end in another way") {
  WindowEnd cancelled;
  cancelled.set(PullResult::cancelled, nullptr);
  cancelled.set(PullResult::end, nullptr);
  CHECK(cancelled.answer == PullResult::cancelled);
  WindowEnd ended;
  ended.set(PullResult::end, nullptr);
  ended.set(PullResult::cancelled, nullptr);
  CHECK(ended.answer == PullResult::cancelled);
}

// The name of this thread, and whether any signal of the host would come here.
struct ThreadSigns {
  char name[16] = {};
  bool takes_signals = false;
  void look() {
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM})
      takes_signals = takes_signals || sigismember(&mask, signal) == 0;
  }
};

sigset_t mask_now() {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

TEST_CASE("threads: a ticker's thread has its name and leaves the host's signals alone", "[threads]") {
  ThreadSigns signs;
  std::atomic<bool> ticked{false};
  {
    Ticker ticker("weir-tick-test", 1000, [&] {
      if (ticked) return;
      signs.look();
      ticked = true;
      ticked.notify_all();
    });
    ticked.wait(false);
  }
  CHECK(std::string(signs.name) == "weir-tick-test");
  CHECK_FALSE(signs.takes_signals);
  const sigset_t mask = mask_now();
  CHECK(sigismember(&mask, SIGINT) == 0);
}

class LookingJob final : public Job {
 public:
  LookingJob(ThreadSigns& signs, std::atomic<bool>& done) : signs_(signs), done_(done) {}
  void run() noexcept override {
    signs_.look();
    done_ = true;
    done_.notify_all();
  }

 private:
  ThreadSigns& signs_;
  std::atomic<bool>& done_;
};

TEST_CASE("threads: a blocking one leaves the host's signals alone", "[threads]") {
  ThreadSigns signs;
  std::atomic<bool> done{false};
  const std::unique_ptr<Executor> executor = make_threads();
  REQUIRE(executor->submit(Lane::blocking, make_ref<LookingJob>(signs, done)));
  done.wait(false);
  CHECK_FALSE(signs.takes_signals);
  const sigset_t mask = mask_now();
  CHECK(sigismember(&mask, SIGINT) == 0);
}

}  // namespace
}  // namespace weir
