#include "exec/fork_join.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "exec/feeds.h"
#include "exec/threads.h"

namespace weir {
namespace {

// What was called, whatever part was called by whom.
std::vector<int> calls_of(Executor& executor, int threads, int parts) {
  std::vector<std::atomic<int>> called(static_cast<size_t>(parts));
  run_parts(executor, threads, parts, [&](int part) { ++called[static_cast<size_t>(part)]; });
  return {called.begin(), called.end()};
}

TEST_CASE("fork_join: each part is called once before it returns", "[threads]") {
  const int live = live_objects;
  auto executor = make_threads({.compute_threads = 4});
  for (int threads : {1, 2, 4, 100}) {
    for (int parts : {0, 1, 2, 3, 5, 64, 1000}) {
      for (int again = 0; again < 20; ++again)
        CHECK(calls_of(*executor, threads, parts) == std::vector<int>(static_cast<size_t>(parts), 1));
    }
  }
  executor = nullptr;
  CHECK(live_objects == live);
}

TEST_CASE("fork_join: several threads take parts at once", "[threads]") {
  auto executor = make_threads({.compute_threads = 4});
  // Two parts that wait for one another.
  std::atomic<int> inside{0};
  run_parts(*executor, 2, 2, [&](int) {
    ++inside;
    inside.notify_all();
    for (int now = inside; now < 2; now = inside) inside.wait(now);
  });
  CHECK(inside == 2);
}

TEST_CASE("fork_join: one thread does all where no other is wanted", "[threads]") {
  auto executor = make_threads({.compute_threads = 4});
  const auto self = std::this_thread::get_id();
  int calls = 0;
  run_parts(*executor, 1, 50, [&](int part) {
    CHECK(std::this_thread::get_id() == self);
    CHECK(part == calls++);
  });
  CHECK(calls == 50);
}

TEST_CASE("fork_join: it ends where others never begin", "[threads]") {
  // Every other thread is busy until this is over.
  auto executor = make_threads({.compute_threads = 2});
  std::atomic<bool> over{false};
  class Busy final : public Job {
   public:
    explicit Busy(std::atomic<bool>& until) : until_(until) {}
    void run() noexcept override { until_.wait(false); }

   private:
    std::atomic<bool>& until_;
  };
  for (int i = 0; i < 2; ++i) REQUIRE(executor->submit(Lane::compute, make_ref<Busy>(over)));
  CHECK(calls_of(*executor, 2, 9) == std::vector<int>(9, 1));
  over = true;
  over.notify_all();
}

}  // namespace
}  // namespace weir
