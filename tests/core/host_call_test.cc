#include "core/host_call.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <stdexcept>

namespace weir {
namespace {

int the_value;

// Runs `body` on its own thread and returns the thread's value. The body returns null unless the thread ends.
void* on_thread(std::function<void()> body) {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void* argument) -> void* {
        (*static_cast<std::function<void()>*>(argument))();
        return nullptr;
      },
      &body);
  void* value = nullptr;
  pthread_join(thread, &value);
  return value;
}

struct Counted {
  explicit Counted(int& gone) : gone_(gone) {}
  ~Counted() { ++gone_; }
  int& gone_;
};

TEST_CASE("host_call: a function that returns, and one that throws") {
  int calls = 0;
  CHECK(call_host([&] { ++calls; }));
  CHECK(calls == 1);
  CHECK_THROWS_AS(call_host([] { throw std::runtime_error("no"); }), std::runtime_error);
  CHECK_FALSE(thread_ends());
}

TEST_CASE("host_call: a thread that ends in a function goes on until it is let go", "[threads]") {
  int inner = 0;
  int outer = 0;
  int steps = 0;
  void* value = on_thread([&] {
    Counted lives_on(outer);
    for (int i = 0; i < 3; ++i) {
      const bool returned = call_host([&] {
        Counted dies(inner);
        pthread_exit(&the_value);
      });
      // Only the frames below the call have been unwound.
      if (!returned && thread_ends() && inner == i + 1 && outer == 0) ++steps;
    }
    if (call_host([] {})) ++steps;
    end_thread();
    steps = -1;
  });
  CHECK(value == &the_value);
  CHECK(steps == 4);
  CHECK(outer == 1);
}

TEST_CASE("host_call: calls of the host within one another end one by one", "[threads]") {
  int stops = 0;
  void* value = on_thread([&] {
    call_host([&] {
      call_host([] { pthread_exit(&the_value); });
      ++stops;
      end_thread();
    });
    if (thread_ends()) ++stops;
    end_thread();
  });
  CHECK(value == &the_value);
  CHECK(stops == 2);
}

TEST_CASE("host_call: a thread that stays alive ends again, with another value", "[threads]") {
  int other = 0;
  bool ends = true;
  void* value = on_thread([&] {
    call_host([] { pthread_exit(&the_value); });
    stay_alive();
    ends = thread_ends();
    call_host([&] { pthread_exit(&other); });
    end_thread();
  });
  CHECK_FALSE(ends);
  CHECK(value == &other);
}

TEST_CASE("host_call: a cancellation acts in functions of the host's, not where it is shielded",
          "[threads]") {
  bool shielded = false;
  bool stopped = false;
  void* value = on_thread([&] {
    pthread_cancel(pthread_self());
    {
      const Uncancelled uncancelled;
      {
        const Uncancelled within;
        pthread_testcancel();
      }
      pthread_testcancel();
      ::usleep(0);
      shielded = true;
    }
    stopped = !call_host([] { pthread_testcancel(); });
    end_thread();
  });
  CHECK(shielded);
  CHECK(stopped);
  CHECK(value == PTHREAD_CANCELED);
}

}  // namespace
}  // namespace weir
