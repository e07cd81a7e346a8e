// Once across a fork.
#include "core/once.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

namespace weir {
namespace {

TEST_CASE("once: all threads find the work done, and one has done it") {
  Once once;
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      once.call([&] { ++done; });
      CHECK(done == 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("once: a child forked while another thread is at it begins again [fork]") {
  Once once;
  std::atomic<bool> at_it{false};
  std::atomic<bool> goes_on{false};
  std::thread other([&] {
    once.call([&] {
      at_it = true;
      while (!goes_on) std::this_thread::yield();
    });
  });
  while (!at_it) std::this_thread::yield();
  const pid_t child = ::fork();
  if (child == 0) {
    int done = 0;
    once.call([&] { ++done; });
    once.call([&] { ++done; });
    ::_exit(done == 1 ? 0 : 1);
  }
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  goes_on = true;
  other.join();
  bool again = false;
  once.call([&] { again = true; });
  CHECK(!again);
}

}  // namespace
}  // namespace weir
