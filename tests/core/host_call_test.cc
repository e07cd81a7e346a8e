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
  CHECK_FALSE(call_host([&] { ++calls; }));
  CHECK(calls == 1);
  const ErrorPtr error = call_host([] { throw std::runtime_error("no"); });
  REQUIRE(error);
  CHECK(error->code == Code::internal);
  CHECK(error->message.find("no") != std::string::npos);
  CHECK(call_host([] { throw std::bad_alloc(); }) == out_of_memory());
  CHECK(notify_host([] { throw 7; })->code == Code::internal);
  CHECK(call_host([] { throw StatusException(data_loss("gone")); })->code == Code::data_loss);
  CHECK_FALSE(thread_ends());
}

// Calls itself inside itself and returns how deep it came.
int nested(int level, ErrorPtr& error) {
  int deepest = level;
  if (ErrorPtr failed = call_host([&] { deepest = nested(level + 1, error); })) error = std::move(failed);
  return deepest;
}

TEST_CASE("host_call: calls inside each other have a bound") {
  for (int again = 0; again < 2; ++again) {
    ErrorPtr error;
    CHECK(nested(0, error) == host_call::kMostDepth);
    REQUIRE(error);
    CHECK(error->code == Code::failed_precondition);
    CHECK(error->message.find("at most 32 calls") != std::string::npos);
  }
  // What throws leaves the depth as it was.
  for (int i = 0; i < 100; ++i) CHECK(call_host([] { throw 1; })->code == Code::internal);
  CHECK_FALSE(call_host([] {}));
}

TEST_CASE("host_call: a thread that ends in a function goes on until it is let go", "[threads]") {
  int inner = 0;
  int outer = 0;
  int steps = 0;
  void* value = on_thread([&] {
    Counted lives_on(outer);
    for (int i = 0; i < 3; ++i) {
      const bool returned = !call_host([&] {
        Counted dies(inner);
        pthread_exit(&the_value);
      });
      // Only the frames below the call have been unwound.
      if (!returned && thread_ends() && inner == i + 1 && outer == 0) ++steps;
    }
    if (!call_host([] {})) ++steps;
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
    (void)call_host([&] {
      if (call_host([] { pthread_exit(&the_value); }) == thread_ended()) ++stops;
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
    notify_host([] { pthread_exit(&the_value); });
    stay_alive();
    ends = thread_ends();
    notify_host([&] { pthread_exit(&other); });
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
    stopped = call_host([] { pthread_testcancel(); }) == thread_ended();
    end_thread();
  });
  CHECK(shielded);
  CHECK(stopped);
  CHECK(value == PTHREAD_CANCELED);
}

}  // namespace
}  // namespace weir
