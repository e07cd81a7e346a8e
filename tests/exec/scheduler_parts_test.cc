// The parts of a Scheduler that have rules of their own.
#include <catch2/catch_test_macros.hpp>

#include "exec/fair_queue.h"
#include "exec/lane_jobs.h"
#include "exec/poll_waiters.h"
#include "exec/scheduler.h"
#include "support/sim_world.h"

namespace weir {
namespace {

struct SomeParker final : Parker {
  void park() override {}
  bool park_for(int64_t) override { return false; }
  void unpark() override {}
};

Sleeper sleeper(bool saves = false) { return {make_ref<SomeParker>(), saves}; }

TEST_CASE("poll waiters: a wake is counted, and raises one that waits for a row before one that saves") {
  PollWaiters waiters;
  CHECK(waiters.wake() == nullptr);
  CHECK(waiters.wakes() == 1);
  CHECK_FALSE(waiters.any());
  Sleeper reader = sleeper();
  Sleeper saver = sleeper(true);
  waiters.join(reader);
  waiters.join(saver);
  CHECK(waiters.sleepers() == 2);
  CHECK(waiters.wake() == reader.parker);
  CHECK(waiters.any());
  CHECK(waiters.wake() == saver.parker);
  CHECK_FALSE(waiters.any());
  CHECK(waiters.wakes() == 3);
}

TEST_CASE("poll waiters: one that withdraws is not woken, and one that was woken may withdraw, too") {
  PollWaiters waiters;
  Sleeper first = sleeper();
  Sleeper second = sleeper();
  waiters.join(first);
  waiters.join(second);
  waiters.withdraw(second);
  CHECK(waiters.pop() == first.parker);
  waiters.withdraw(first);
  CHECK_FALSE(waiters.any());
  CHECK(waiters.pop() == nullptr);
  CHECK(waiters.wakes() == 0);
}

TEST_CASE("poll waiters: a descriptor is readable after a wake that follows arm(), and waits like a thread") {
  PollWaiters waiters;
  CHECK_FALSE(waiters.has_descriptor());
  waiters.arm();
  CHECK_FALSE(waiters.any());
  const int descriptor = *waiters.descriptor();
  CHECK(*waiters.descriptor() == descriptor);
  CHECK(sim::readable(descriptor));
  waiters.arm();
  waiters.arm();
  CHECK(waiters.armed());
  CHECK(waiters.any());
  CHECK_FALSE(sim::readable(descriptor));
  CHECK(waiters.wake() == nullptr);
  CHECK(sim::readable(descriptor));
  CHECK_FALSE(waiters.any());
  waiters.signal();
  CHECK_FALSE(waiters.any());
}

TEST_CASE("lane jobs: no more than there are ready pumps, nor than the limit in all") {
  LaneJobs jobs;
  CHECK_FALSE(jobs.limited());
  CHECK(jobs.admit(Lane::compute, 1));
  CHECK_FALSE(jobs.admit(Lane::compute, 1));
  CHECK(jobs.admit(Lane::blocking, 1));
  CHECK_FALSE(jobs.admit(Lane::caller, 1));
  jobs.begun(Lane::compute);
  CHECK(jobs.waiting(Lane::compute) == 0);
  jobs.limit(2);
  CHECK(jobs.limited());
  // Begun, but not ended.
  CHECK_FALSE(jobs.admit(Lane::compute, 1));
  jobs.ended();
  CHECK(jobs.admit(Lane::compute, 1));
  CHECK_FALSE(jobs.helpless());
  jobs.refused(Lane::compute);
  CHECK(jobs.helpless());
  CHECK(jobs.waiting(Lane::compute) == 0);
  CHECK(jobs.admit(Lane::compute, 1));
  jobs.limit(0);
  CHECK(jobs.admit(Lane::compute, 2));
  jobs.forbid();
  CHECK_FALSE(jobs.admit(Lane::compute, 9));
}

TEST_CASE("running pumps: who waits is woken once none runs") {
  RunningPumps running;
  Sleeper waits = sleeper();
  CHECK_FALSE(running.wait(waits));
  running.begin();
  running.begin();
  REQUIRE(running.wait(waits));
  CHECK(running.waiting() == 1);
  running.end();
  CHECK(running.pop() == nullptr);
  running.end();
  CHECK(running.pop() == waits.parker);
  CHECK(running.pop() == nullptr);
  Sleeper without;
  running.begin();
  CHECK(running.wait(without));
  CHECK(running.waiting() == 0);
}

TEST_CASE("lane shares: an iterator inside another one has the shares of the outermost") {
  struct Owner : RefCounted {
    LaneShares shares;
  };
  const auto outermost = make_ref<Owner>();
  const auto outer = make_ref<Owner>();
  LaneShares inner;
  CHECK_FALSE(inner.joined());
  CHECK(inner.of(Lane::compute) != inner.of(Lane::blocking));
  outer->shares.join(outermost->shares, outermost);
  inner.join(outer->shares, outer);
  CHECK(inner.joined());
  CHECK(inner.of(Lane::compute) == outermost->shares.of(Lane::compute));
  CHECK(inner.of(Lane::blocking) == outermost->shares.of(Lane::blocking));
  CHECK(outermost->unique() == false);
  CHECK(outer->unique());
}

}  // namespace
}  // namespace weir
