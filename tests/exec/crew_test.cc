#include "exec/crew.h"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <thread>

#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/sim_world.h"

namespace weir {
namespace {

bool no_threads(int) { return false; }

// An iterator whose polls are a function of the test.
struct Driven {
  explicit Driven(ThreadsOptions options = {}) : executor(make_threads(options)) {
    runtime.executor = executor.get();
    runtime.clock = &clock;
    session = make_session(runtime);
  }
  Crew& crew() { return *session->crew; }

  SteadyClock clock;
  std::unique_ptr<Executor> executor;
  Runtime runtime;
  RefPtr<Session> session;
};

class CountingPump final : public Pump {
 public:
  CountingPump(Session& session, Lane lane, int again) : Pump(session, lane), again_(again) {}
  std::atomic<int> runs{0};
  std::atomic<int> releases{0};
  std::function<void()> meanwhile;

 protected:
  After run(bool) noexcept override {
    ++runs;
    if (meanwhile) meanwhile();
    return again_-- > 0 ? After::again : After::rest;
  }
  void release() noexcept override { ++releases; }

 private:
  std::atomic<int> again_;
};

TEST_CASE("crew: an answer that is not pending comes at once") {
  Driven driven;
  int polls = 0;
  auto poll = [&] { return ++polls, Pull::rows; };
  CHECK(*driven.crew().drive(poll) == Pull::rows);
  CHECK(*driven.crew().try_drive(poll) == Pull::rows);
  CHECK(polls == 2);
  CHECK(!Crew::inside_any());
}

TEST_CASE("crew: a driver runs the pumps of its iterator, and a closed pump never runs") {
  Driven driven({.probe = no_threads});
  auto pump = make_ref<CountingPump>(*driven.session, Lane::compute, 2);
  auto closed = make_ref<CountingPump>(*driven.session, Lane::blocking, 0);
  pump->wake();
  closed->wake();
  closed->close();
  CHECK(closed->releases == 1);
  CHECK(*driven.crew().drive([&] { return pump->runs == 3 ? Pull::end : Pull::pending; }) == Pull::end);
  CHECK(closed->runs == 0);
  closed->wake();
  pump->close();
  pump->close();
  CHECK(pump->releases == 1);
}

TEST_CASE("crew: a pump that is closed while it runs is released on its way out, once") {
  Driven driven({.probe = no_threads});
  auto pump = make_ref<CountingPump>(*driven.session, Lane::compute, 5);
  pump->meanwhile = [&] {
    pump->close();
    pump->wake();
    CHECK(pump->releases == 0);
  };
  pump->wake();
  CHECK(*driven.crew().drive([&] { return pump->runs ? Pull::end : Pull::pending; }) == Pull::end);
  CHECK(pump->runs == 1);
  CHECK(pump->releases == 1);
}

TEST_CASE("crew: an iterator that would wait for itself is refused") {
  Driven a({.probe = no_threads});
  Driven b({.probe = no_threads});
  Code direct = Code::ok, through_b = Code::ok, saved = Code::ok;
  auto nested = [&](Driven& driven) { return driven.crew().drive([] { return Pull::end; }).status().code(); };
  CHECK(*a.crew().drive([&] {
    direct = nested(a);
    saved = a.crew().between_polls([] {}).code();
    Result<Pull> inner = b.crew().drive([&] {
      through_b = nested(a);
      return Pull::end;
    });
    CHECK(inner.ok());
    return Pull::end;
  }) == Pull::end);
  CHECK(direct == Code::failed_precondition);
  CHECK(saved == Code::failed_precondition);
  CHECK(through_b == Code::failed_precondition);
  CHECK(nested(a) == Code::ok);
  CHECK(nested(b) == Code::ok);
}

TEST_CASE("crew: an interrupt reaches the iterators that this one's code waits for", "[threads]") {
  Driven a;
  Driven b;
  std::atomic<bool> waiting{false};
  std::atomic<bool> cancelled{false};
  std::thread canceller([&] {
    waiting.wait(false);
    cancelled = true;
    a.crew().interrupt();
  });
  CHECK(*a.crew().drive([&] {
    return *b.crew().drive([&] {
      waiting = true;
      waiting.notify_all();
      return cancelled ? Pull::cancelled : Pull::pending;
    });
  }) == Pull::cancelled);
  canceller.join();
}

TEST_CASE("crew: between two polls means between them", "[threads]") {
  Driven driven;
  std::atomic<bool> polling{false};
  std::atomic<int> overlaps{0};
  std::atomic<int> saved{0};
  std::thread saver([&] {
    for (int i = 0; i < 200; ++i) saved += driven.crew().between_polls([&] { overlaps += polling; }).ok();
  });
  int polls = 0;
  CHECK(*driven.crew().drive([&] {
    polling = true;
    driven.crew().wake();
    polling = false;
    return ++polls < 2000 ? Pull::pending : Pull::end;
  }) == Pull::end);
  saver.join();
  CHECK(overlaps == 0);
  CHECK(saved == 200);
}

TEST_CASE("crew: the descriptor is readable while asking again is worthwhile") {
  Driven driven({.probe = no_threads});
  const int descriptor = *driven.crew().ready_descriptor();
  CHECK(*driven.crew().ready_descriptor() == descriptor);
  CHECK(sim::readable(descriptor));
  Pull answer = Pull::pending;
  auto poll = [&] { return answer; };
  CHECK(*driven.crew().try_drive(poll) == Pull::pending);
  CHECK(!sim::readable(descriptor));
  driven.crew().wake();
  CHECK(sim::readable(descriptor));
  answer = Pull::rows;
  CHECK(*driven.crew().try_drive(poll) == Pull::rows);
  CHECK(sim::readable(descriptor));
  answer = Pull::pending;
  CHECK(*driven.crew().try_drive(poll) == Pull::pending);
  CHECK(!sim::readable(descriptor));
  auto pump = make_ref<CountingPump>(*driven.session, Lane::caller, 0);
  pump->wake();
  CHECK(sim::readable(descriptor));
  CHECK(*driven.crew().try_drive(poll) == Pull::pending);
  CHECK(pump->runs == 1);
  CHECK(!sim::readable(descriptor));
}

TEST_CASE("crew: quiet means that no pump runs", "[threads]") {
  Driven driven;
  std::atomic<int> stage{0};
  auto pump = make_ref<CountingPump>(*driven.session, Lane::blocking, 0);
  pump->meanwhile = [&] {
    stage = 1;
    stage.notify_all();
    stage.wait(1);
    // A wait from inside a callback would never end, so it does not begin.
    driven.crew().wait_until_quiet();
    stage = 3;
  };
  pump->wake();
  stage.wait(0);
  stage = 2;
  stage.notify_all();
  driven.crew().wait_until_quiet();
  CHECK(stage == 3);
  pump->close();
}

}  // namespace
}  // namespace weir
