#include "exec/scheduler.h"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <thread>

#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/sim_world.h"

namespace weir {
namespace {

// An iterator whose polls are a function of the test.
struct Driven {
  explicit Driven(ThreadsOptions options = {}) : executor(make_threads(options)) {
    runtime.executor = executor.get();
    runtime.clock = &clock;
    session = make_session(runtime);
  }
  Scheduler& scheduler() { return *session->scheduler; }

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

TEST_CASE("scheduler: an answer that is not pending comes at once") {
  Driven driven;
  int polls = 0;
  auto poll = [&] { return ++polls, PullResult::rows; };
  CHECK(*driven.scheduler().drive(poll) == PullResult::rows);
  CHECK(*driven.scheduler().try_drive(poll) == PullResult::rows);
  CHECK(polls == 2);
  CHECK(!Scheduler::inside_any());
}

TEST_CASE("scheduler: a driver runs the pumps of its iterator, and a closed pump never runs") {
  Driven driven({.probe = no_threads});
  auto pump = make_ref<CountingPump>(*driven.session, Lane::compute, 2);
  auto closed = make_ref<CountingPump>(*driven.session, Lane::blocking, 0);
  pump->wake();
  closed->wake();
  closed->close();
  CHECK(closed->releases == 1);
  CHECK(*driven.scheduler().drive([&] { return pump->runs == 3 ? PullResult::end : PullResult::pending; }) ==
        PullResult::end);
  CHECK(closed->runs == 0);
  closed->wake();
  pump->close();
  pump->close();
  CHECK(pump->releases == 1);
}

TEST_CASE("scheduler: a pump that is closed while it runs is released on its way out, once") {
  Driven driven({.probe = no_threads});
  auto pump = make_ref<CountingPump>(*driven.session, Lane::compute, 5);
  pump->meanwhile = [&] {
    pump->close();
    pump->wake();
    CHECK(pump->releases == 0);
  };
  pump->wake();
  CHECK(*driven.scheduler().drive([&] { return pump->runs ? PullResult::end : PullResult::pending; }) ==
        PullResult::end);
  CHECK(pump->runs == 1);
  CHECK(pump->releases == 1);
}

TEST_CASE("scheduler: an iterator that would wait for itself is refused") {
  Driven a({.probe = no_threads});
  Driven b({.probe = no_threads});
  Code direct = Code::ok, through_b = Code::ok, saved = Code::ok;
  auto nested = [&](Driven& driven) {
    return driven.scheduler().drive([] { return PullResult::end; }).status().code();
  };
  CHECK(*a.scheduler().drive([&] {
    direct = nested(a);
    saved = a.scheduler().between_polls([] {}).code();
    Result<PullResult> inner = b.scheduler().drive([&] {
      through_b = nested(a);
      return PullResult::end;
    });
    CHECK(inner.ok());
    return PullResult::end;
  }) == PullResult::end);
  CHECK(direct == Code::failed_precondition);
  CHECK(saved == Code::failed_precondition);
  CHECK(through_b == Code::failed_precondition);
  CHECK(nested(a) == Code::ok);
  CHECK(nested(b) == Code::ok);
}

TEST_CASE("scheduler: an interrupt reaches the iterators that this one's code waits for", "[threads]") {
  Driven a;
  Driven b;
  std::atomic<bool> waiting{false};
  std::atomic<bool> cancelled{false};
  std::thread canceller([&] {
    waiting.wait(false);
    cancelled = true;
    a.scheduler().interrupt();
  });
  CHECK(*a.scheduler().drive([&] {
    return *b.scheduler().drive([&] {
      waiting = true;
      waiting.notify_all();
      return cancelled ? PullResult::cancelled : PullResult::pending;
    });
  }) == PullResult::cancelled);
  canceller.join();
}

TEST_CASE("scheduler: between two polls means between them", "[threads]") {
  Driven driven;
  std::atomic<bool> polling{false};
  std::atomic<int> overlaps{0};
  std::atomic<int> saved{0};
  std::thread saver([&] {
    for (int i = 0; i < 200; ++i)
      saved += driven.scheduler().between_polls([&] { overlaps += polling; }).ok();
  });
  int polls = 0;
  CHECK(*driven.scheduler().drive([&] {
    polling = true;
    driven.scheduler().wake();
    polling = false;
    return ++polls < 2000 ? PullResult::pending : PullResult::end;
  }) == PullResult::end);
  saver.join();
  CHECK(overlaps == 0);
  CHECK(saved == 200);
}

TEST_CASE("scheduler: the descriptor is readable while asking again is worthwhile") {
  Driven driven({.probe = no_threads});
  const int descriptor = *driven.scheduler().ready_descriptor();
  CHECK(*driven.scheduler().ready_descriptor() == descriptor);
  CHECK(sim::readable(descriptor));
  PullResult answer = PullResult::pending;
  auto poll = [&] { return answer; };
  CHECK(*driven.scheduler().try_drive(poll) == PullResult::pending);
  CHECK(!sim::readable(descriptor));
  driven.scheduler().wake();
  CHECK(sim::readable(descriptor));
  answer = PullResult::rows;
  CHECK(*driven.scheduler().try_drive(poll) == PullResult::rows);
  CHECK(sim::readable(descriptor));
  answer = PullResult::pending;
  CHECK(*driven.scheduler().try_drive(poll) == PullResult::pending);
  CHECK(!sim::readable(descriptor));
  auto pump = make_ref<CountingPump>(*driven.session, Lane::caller, 0);
  pump->wake();
  CHECK(sim::readable(descriptor));
  CHECK(*driven.scheduler().try_drive(poll) == PullResult::pending);
  CHECK(pump->runs == 1);
  CHECK(!sim::readable(descriptor));
}

TEST_CASE("scheduler: quiet means that no pump runs", "[threads]") {
  Driven driven;
  std::atomic<int> stage{0};
  auto pump = make_ref<CountingPump>(*driven.session, Lane::blocking, 0);
  pump->meanwhile = [&] {
    stage = 1;
    stage.notify_all();
    stage.wait(1);
    // A wait from inside a callback would never end, so it does not begin.
    driven.scheduler().wait_until_quiet();
    stage = 3;
  };
  pump->wake();
  stage.wait(0);
  stage = 2;
  stage.notify_all();
  driven.scheduler().wait_until_quiet();
  CHECK(stage == 3);
  pump->close();
}

}  // namespace
}  // namespace weir
