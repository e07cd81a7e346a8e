// The watchdog of all test programs, in a child process that it ends.
#include "support/watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <ctime>
#include <functional>
#include <string>
#include <thread>

#include "exec/feeds.h"
#include "exec/threads.h"

namespace weir {
namespace {

struct Ended {
  int status = -1;
  std::string text;
  bool says(const char* words) const { return text.find(words) != std::string::npos; }
};

// Runs `body` in a child, which may be silent for a tenth of a second. Returns how it ended and what it
// printed.
Ended in_watched_child(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  watchdog_settle();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    // Not one of Catch2's, which would count this as a failure.
    std::signal(SIGABRT, SIG_DFL);
    watchdog_start(0.1);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  std::array<char, 4096> part{};
  for (ssize_t size; (size = ::read(ends[0], part.data(), part.size())) > 0;)
    ended.text.append(part.data(), static_cast<size_t>(size));
  ::close(ends[0]);
  ::waitpid(child, &ended.status, 0);
  return ended;
}

// What all tests of this file do with a runtime of their own.
struct Own {
  Own() { runtime.executor = executor.get(); }
  const std::unique_ptr<Executor> executor = make_threads({.compute_threads = 2});
  Runtime runtime;
};

TEST_CASE("watchdog: a wake that never comes ends the program, which says who waits", "[fork]") {
  const Ended ended = in_watched_child([] {
    Own own;
    auto scheduler = make_ref<Scheduler>(own.runtime);
    static_cast<void>(scheduler->drive([] { return PullResult::pending; }));
  });
  INFO(ended.text);
  CHECK(WIFSIGNALED(ended.status));
  CHECK(WTERMSIG(ended.status) == SIGABRT);
  CHECK(ended.says(": no driver; wakes 0; sleepers 1; "));
  CHECK(ended.says("blocking: ready 0, jobs 0"));
  CHECK(ended.says(", blocking threads: jobs 0; runners 0 of 64"));
}

TEST_CASE("watchdog: it says which iterator waits for which, and what its threads do", "[fork]") {
  const Ended ended = in_watched_child([] {
    Own own;
    auto inner = make_ref<Scheduler>(own.runtime);
    auto outer = make_ref<Scheduler>(own.runtime);
    class Outer final : public Job {
     public:
      Outer(Scheduler& o, Scheduler& i) : outer_(o), inner_(i) {}
      void run() noexcept override {
        static_cast<void>(outer_.drive([this] {
          return inner_.drive([] { return PullResult::pending; }).ok() ? PullResult::end
                                                                       : PullResult::cancelled;
        }));
      }

     private:
      Scheduler& outer_;
      Scheduler& inner_;
    };
    own.executor->submit(Lane::blocking, make_ref<Outer>(*outer, *inner));
    static_cast<void>(inner->drive([] { return PullResult::pending; }));
  });
  INFO(ended.text);
  CHECK(WIFSIGNALED(ended.status));
  CHECK(ended.says("sleepers 2"));
  CHECK(ended.says(": driven; wakes 0"));
  CHECK(ended.says(" waits for scheduler 0x"));
  CHECK(ended.says(", blocking threads: jobs 0; runners 1 of 64; begun 1; idle 0"));
}

TEST_CASE("watchdog: a program that waits for one that works goes on", "[fork]") {
  const Ended ended = in_watched_child([] {
    const pid_t worker = ::fork();
    if (worker == 0) {
      // Several times as long as the watchdog's patience, in processor time.
      for (const auto until = ::clock() + CLOCKS_PER_SEC; ::clock() < until;) {
      }
      ::_exit(0);
    }
    ::waitpid(worker, nullptr, 0);
  });
  INFO(ended.text);
  CHECK(WIFEXITED(ended.status));
  CHECK(ended.text.empty());
}

}  // namespace
}  // namespace weir
