#include "exec/threads.h"

#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "exec/feeds.h"
#include "support/watchdog.h"

namespace weir {
namespace {

class CallJob final : public Job {
 public:
  explicit CallJob(std::function<void()> call) : call_(std::move(call)) {}
  void run() noexcept override { call_(); }

 private:
  const std::function<void()> call_;
  LiveObject counted_;
};

RefPtr<Job> job(std::function<void()> call) { return make_ref<CallJob>(std::move(call)); }

TEST_CASE("threads: every job runs once, on either lane", "[threads]") {
  const int live = live_objects;
  auto executor = make_threads();
  std::atomic<int> ran{0};
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(executor->submit(i % 2 ? Lane::compute : Lane::blocking, job([&] {
                               if (++ran == 2000) ran.notify_all();
                             })));
  }
  for (int now = ran; now < 2000; now = ran) ran.wait(now);
  executor = nullptr;
  CHECK(ran == 2000);
  CHECK(live_objects == live);
}

TEST_CASE("threads: those of each lane have its name", "[threads]") {
  auto executor = make_threads({.compute_threads = 2});
  for (const Lane lane : {Lane::compute, Lane::blocking}) {
    std::string found;
    std::atomic<bool> done{false};
    REQUIRE(executor->submit(lane, job([&] {
                               char name[32] = "";
                               ::pthread_getname_np(::pthread_self(), name, sizeof name);
                               found = name;
                               done = true;
                               done.notify_all();
                             })));
    done.wait(false);
    CHECK(found == (lane == Lane::compute ? "weir-compute" : "weir-blocking"));
  }
}

TEST_CASE("threads: a quota of processors limits the default, not what was asked for", "[threads]") {
  CHECK(make_threads({.most_processors = 1})->parallelism() == 1);
  CHECK(make_threads({.compute_threads = 3, .most_processors = 1})->parallelism() == 3);
}

TEST_CASE("threads: blocking jobs up to the limit run at once", "[threads]") {
  auto executor = make_threads({.blocking_threads = 6});
  std::atomic<int> inside{0};
  std::atomic<int> left{0};
  for (int i = 0; i < 6; ++i) {
    REQUIRE(executor->submit(Lane::blocking, job([&] {
                               ++inside;
                               inside.notify_all();
                               // Nobody leaves before all have come.
                               for (int now = inside; now < 6; now = inside) inside.wait(now);
                               ++left;
                               left.notify_all();
                             })));
  }
  for (int now = left; now < 6; now = left) left.wait(now);
  CHECK(inside == 6);
}

// Returns once `count` threads are in it at the same time.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  void join() {
    ++inside_;
    inside_.notify_all();
    for (int now = inside_; now < count_; now = inside_) inside_.wait(now);
  }

 private:
  const int count_;
  std::atomic<int> inside_{0};
};

// Returns once `count` jobs of the blocking lane have met.
void meet(Executor& executor, int count) {
  auto jobs = std::make_shared<Meeting>(count);
  auto ends = std::make_shared<Meeting>(count + 1);
  for (int i = 0; i < count; ++i) {
    REQUIRE(executor.submit(Lane::blocking, job([=] {
                              jobs->join();
                              ends->join();
                            })));
  }
  ends->join();
}

TEST_CASE("threads: jobs that wait for each other run beside an idle thread", "[threads]") {
  // Where one thread is idle and two jobs come, or two are and three jobs come, each gets a thread.
  for (int round = 0; round < 50; ++round) {
    auto executor = make_threads({.blocking_threads = 8});
    for (int count = 1; count <= 4; ++count) meet(*executor, count);
  }
}

// Says when its thread is gone, but for what the system does itself.
struct Mourner {
  ~Mourner() {
    if (gone) ++*gone;
  }
  // Not atomic: a thread that was not joined races.
  int* gone = nullptr;
};
thread_local Mourner mourner;

TEST_CASE("threads: blocking threads, idle or busy, are gone when their executor is", "[threads]") {
  auto executor = make_threads({.blocking_threads = 4});
  int gone = 0;
  Meeting begun(4);
  Meeting marked(5);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(executor->submit(Lane::blocking, job([&] {
                               begun.join();
                               mourner.gone = &gone;
                               marked.join();
                             })));
  }
  marked.join();
  executor = nullptr;
  CHECK(gone == 4);
}

TEST_CASE("threads: where none can be started, jobs are refused", "[threads]") {
  auto executor = make_threads({.probe = no_threads});
  CHECK(!executor->submit(Lane::compute, job([] {})));
  CHECK(!executor->submit(Lane::blocking, job([] {})));
  CHECK(executor->alive());
  CHECK(executor->parallelism() >= 1);
}

TEST_CASE("threads: going waits for what runs and drops what waits", "[threads]") {
  const int live = live_objects;
  auto executor = make_threads({.blocking_threads = 1});
  std::atomic<int> stage{0};
  std::atomic<bool> waited{false};
  REQUIRE(executor->submit(Lane::blocking, job([&] {
                             stage = 1;
                             stage.notify_all();
                             stage.wait(1);
                             waited = true;
                           })));
  stage.wait(0);
  std::atomic<int> late{0};
  for (int i = 0; i < 10; ++i) REQUIRE(executor->submit(Lane::blocking, job([&] { ++late; })));
  std::thread releaser([&] {
    stage = 2;
    stage.notify_all();
  });
  executor = nullptr;
  CHECK(waited);
  releaser.join();
  CHECK(late <= 10);
  CHECK(live_objects == live);
}

TEST_CASE("threads: a job may destroy its own executor", "[threads]") {
  const int live = live_objects;
  const Lane lane = GENERATE(Lane::blocking, Lane::compute);
  auto executor = make_threads({.compute_threads = 2, .blocking_threads = 4});
  // Others are idle, or busy until it is gone.
  meet(*executor, 3);
  std::atomic<bool> gone{false};
  Meeting begins(2);
  Meeting ends(2);
  REQUIRE(executor->submit(Lane::blocking, job([&] {
                             begins.join();
                             gone.wait(false);
                             ends.join();
                           })));
  // A job that has not begun is dropped with its executor.
  begins.join();
  REQUIRE(executor->submit(lane, job([&] {
                             executor = nullptr;
                             gone = true;
                             gone.notify_all();
                           })));
  ends.join();
  CHECK(!executor);
  // The last reference to a job goes after its run.
  while (live_objects != live) std::this_thread::yield();
}

TEST_CASE("threads: a thread that oneTBB does not know is not made known to it", "[threads]") {
  auto executor = make_threads({.compute_threads = 2});
  std::atomic<int> ran{0};
  std::thread host([&] {
    for (int i = 1; i <= 10; ++i) {
      REQUIRE(executor->submit(Lane::compute, job([&] {
                                 ++ran;
                                 ran.notify_all();
                               })));
      for (int now = ran; now < i; now = ran) ran.wait(now);
    }
    const int unknown = tbb::task_arena::not_initialized;
    CHECK(tbb::this_task_arena::current_thread_index() == unknown);
  });
  host.join();
}

// Runs `body` in a child; true if it returned true there.
bool in_child(const std::function<bool()>& body) {
  // Nobody may hold a lock of the allocator, which under the address sanitizer stays locked in the child.
  watchdog_settle();
  const pid_t child = ::fork();
  if (child == 0) {
    // A child that hangs says so before its parent does, and goes with it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    watchdog_start(30);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("threads: a child after fork is refused what the parent made, and may make its own", "[fork]") {
  auto executor = make_threads();
  SteadyClock clock;
  Runtime runtime;
  runtime.executor = executor.get();
  runtime.clock = &clock;
  auto build = [](Session& s) {
    WindowOptions options;
    options.max_rows = 64;
    return window(s, counting({.total = 100000}), options);
  };
  auto reader = std::make_unique<Reader>(runtime, build);
  REQUIRE(*reader->next() == PullResult::rows);
  CHECK(in_child([&] {
    return !executor->alive() && !executor->submit(Lane::compute, job([] {})) &&
           reader->next().status().code() == Code::failed_precondition;
  }));
  CHECK(in_child([&] {
    executor = nullptr;
    auto own = make_threads();
    Runtime fresh;
    fresh.executor = own.get();
    fresh.clock = &clock;
    Reader mine(fresh, build);
    std::atomic<bool> ran{false};
    if (!own->submit(Lane::compute, job([&] {
                       ran = true;
                       ran.notify_all();
                     }))) {
      return false;
    }
    ran.wait(false);
    for (int i = 0; i < 1000; ++i) {
      if (*mine.next() != PullResult::rows) return false;
    }
    return true;
  }));
  CHECK(*reader->next() == PullResult::rows);
}

}  // namespace
}  // namespace weir
