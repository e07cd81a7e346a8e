// Which threads a Scheduler asks for: within its limit, for one that is inside another, and where whoever
// waits is alone.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "exec/fair_queue.h"
#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/sim_world.h"

namespace weir {
namespace {

// Keeps jobs instead of running them.
class KeepingExecutor final : public Executor {
 public:
  bool submit(Lane lane, RefPtr<Job> job) noexcept override {
    ++submitted;
    if (refuses) return false;
    queues[static_cast<int>(lane)].push(std::move(job));
    return true;
  }
  int parallelism() const noexcept override { return 4; }
  RefPtr<Parker> make_parker() noexcept override { return parkers_->make_parker(); }

  int submitted = 0;
  bool refuses = false;
  FairQueue queues[kLanes];

 private:
  std::unique_ptr<Executor> parkers_ = make_threads({.probe = no_threads});
};

struct KeptJobs {
  KeptJobs() {
    runtime.executor = &executor;
    runtime.clock = &clock;
  }
  test::FakeClock clock;
  KeepingExecutor executor;
  Runtime runtime;
};

class NumberedPump final : public Pump {
 public:
  NumberedPump(Session& session, Lane lane, std::vector<int>* order = nullptr, int number = 0)
      : Pump(session, lane), order_(order), number_(number) {}
  int runs = 0;

 protected:
  After run(bool) noexcept override {
    ++runs;
    if (order_) order_->push_back(number_);
    return After::rest;
  }
  void release() noexcept override {}

 private:
  std::vector<int>* const order_;
  const int number_;
};

RefPtr<Tuning> with_threads(int threads) {
  auto tuning = make_ref<Tuning>();
  tuning->threads = threads;
  return tuning;
}

// As of an earlier run, and to stay so.
RefPtr<Tuning> always_alone() {
  auto tuning = make_ref<Tuning>();
  tuning->tunes = false;
  tuning->begin.emplace(kAlone, 1);
  return tuning;
}

TEST_CASE(
    "scheduler limits: with one thread, pumps of all lanes run one after the other though nobody waits") {
  for (const Lane first : {Lane::compute, Lane::blocking}) {
    for (const Lane second : {Lane::compute, Lane::blocking}) {
      CAPTURE(static_cast<int>(first), static_cast<int>(second));
      sim::SimWorld world(1);
      RefPtr<Session> session = make_session(world.runtime());
      session->scheduler->tune(with_threads(1));
      auto one = make_ref<NumberedPump>(*session, first);
      auto other = make_ref<NumberedPump>(*session, second);
      world.client("who wakes them", [&] {
        one->wake();
        other->wake();
      });
      REQUIRE(world.run() == "");
      CHECK(one->runs == 1);
      CHECK(other->runs == 1);
      one->close();
      other->close();
    }
  }
}

TEST_CASE("scheduler limits: no more jobs than threads, and those that were refused do not count") {
  KeptJobs world;
  RefPtr<Session> session = make_session(world.runtime);
  session->scheduler->tune(with_threads(2));
  std::vector<RefPtr<NumberedPump>> pumps;
  for (int i = 0; i < 5; ++i)
    pumps.push_back(make_ref<NumberedPump>(*session, i % 2 == 0 ? Lane::compute : Lane::blocking));
  world.executor.refuses = true;
  for (int i = 0; i < 2; ++i) pumps[static_cast<size_t>(i)]->wake();
  CHECK(world.executor.submitted == 2);
  world.executor.refuses = false;
  for (int i = 2; i < 5; ++i) pumps[static_cast<size_t>(i)]->wake();
  CHECK(world.executor.submitted == 4);
  for (const auto& pump : pumps) pump->close();
}

TEST_CASE("scheduler limits: inside an iterator with a limit only those that wait run pumps") {
  for (const int threads : {0, 3}) {
    CAPTURE(threads);
    KeptJobs world;
    RefPtr<Session> outer = make_session(world.runtime);
    RefPtr<Session> inner = make_session(world.runtime);
    outer->scheduler->tune(with_threads(threads));
    inner->scheduler->tune_inside(*outer->scheduler);
    auto pump = make_ref<NumberedPump>(*inner, Lane::compute);
    pump->wake();
    CHECK(world.executor.submitted == (threads == 0 ? 1 : 0));
    pump->close();
  }
}

TEST_CASE("scheduler limits: what is inside an iterator, however deep, has a part of its share") {
  KeptJobs world;
  std::vector<RefPtr<Session>> sessions;
  for (int i = 0; i < 4; ++i) sessions.push_back(make_session(world.runtime));
  // The third one is inside the second, which is inside the first.
  sessions[1]->scheduler->tune_inside(*sessions[0]->scheduler);
  sessions[2]->scheduler->tune_inside(*sessions[1]->scheduler);
  std::vector<int> order;
  std::vector<RefPtr<NumberedPump>> pumps;
  for (int i = 0; i < 4; ++i)
    pumps.push_back(make_ref<NumberedPump>(*sessions[static_cast<size_t>(i)], Lane::compute, &order, i));
  FairQueue& queue = world.executor.queues[static_cast<int>(Lane::compute)];
  // A job of the first is at work, so the fourth comes before what is inside the first.
  pumps[0]->wake();
  const RefPtr<Job> at_work = queue.pop();
  pumps[1]->wake();
  pumps[2]->wake();
  pumps[3]->wake();
  std::vector<RefPtr<Job>> jobs;
  while (!queue.empty()) jobs.push_back(queue.pop());
  for (const RefPtr<Job>& job : jobs) job->run();
  CHECK(order == std::vector<int>{3, 1, 2});
  at_work->run();
  CHECK(order.back() == 0);
  queue.ended(*at_work, 1);
  for (const RefPtr<Job>& job : jobs) queue.ended(*job, 1);
  for (const auto& pump : pumps) pump->close();
}

TEST_CASE("scheduler limits: alone while no window wants threads, and nobody waits for a descriptor") {
  KeptJobs world;
  RefPtr<Session> session = make_session(world.runtime);
  Scheduler& scheduler = *session->scheduler;
  scheduler.tune(always_alone());
  CHECK_FALSE(scheduler.alone());
  scheduler.may_be_alone();
  CHECK(scheduler.alone());
  scheduler.wants_threads();
  CHECK_FALSE(scheduler.alone());
  scheduler.may_be_alone();
  CHECK_FALSE(scheduler.alone());
  // Another dataset has windows of its own.
  scheduler.tune(always_alone());
  scheduler.may_be_alone();
  CHECK(scheduler.alone());
  // A descriptor stays.
  REQUIRE(scheduler.ready_descriptor().ok());
  CHECK_FALSE(scheduler.alone());
  scheduler.tune(always_alone());
  scheduler.may_be_alone();
  CHECK_FALSE(scheduler.alone());
}

TEST_CASE("scheduler limits: what is inside an iterator is not alone by itself") {
  KeptJobs world;
  RefPtr<Session> outer = make_session(world.runtime);
  RefPtr<Session> inner = make_session(world.runtime);
  outer->scheduler->tune(always_alone());
  inner->scheduler->tune_inside(*outer->scheduler);
  inner->scheduler->may_be_alone();
  CHECK_FALSE(inner->scheduler->alone());
}

TEST_CASE("scheduler limits: a wake raises who waits for a row, rather than who saves") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    sim::SimWorld world(seed);
    RefPtr<Session> session = make_session(world.runtime());
    Scheduler& scheduler = *session->scheduler;
    bool has_row = false;
    bool stopped = false;
    const auto wait_for_sleepers = [&](const char* count) {
      while (scheduler.describe().find(count) == std::string::npos) world.switch_point();
    };
    world.client("reader", [&] {
      REQUIRE(scheduler.drive([&] { return has_row ? PullResult::rows : PullResult::pending; }).ok());
      stopped = true;
      scheduler.wake_all();
    });
    world.client("saver", [&] {
      wait_for_sleepers("sleepers 1");
      REQUIRE(scheduler.drive_saving([&] { return stopped ? PullResult::end : PullResult::pending; }).ok());
    });
    world.client("feed", [&] {
      wait_for_sleepers("sleepers 2");
      has_row = true;
      scheduler.wake();
    });
    REQUIRE(world.run() == "");
    CHECK(stopped);
  }
}

TEST_CASE("scheduler limits: who waits for so long waits no longer") {
  for (const int64_t ns : {0, 1, 999, 5'000'000}) {
    CAPTURE(ns);
    sim::SimWorld world(3, {.exact_time = true});
    RefPtr<Session> session = make_session(world.runtime());
    int64_t waited_ns = -1;
    world.client("reader", [&] {
      Clock& clock = *world.runtime().clock;
      const int64_t begin_ns = clock.now_ns();
      CHECK(*session->scheduler->drive_within(ns, [] { return PullResult::pending; }) == PullResult::pending);
      waited_ns = clock.now_ns() - begin_ns;
    });
    REQUIRE(world.run() == "");
    CHECK(waited_ns == ns);
  }
}

// Gives an element at its second call, ten milliseconds later, and wakes itself in between, so that nobody
// waits.
struct BusyPoll {
  PullResult operator()() {
    clock.advance(5'000'000);
    if (again) {
      ++elements;
      return PullResult::rows;
    }
    again = true;
    scheduler.wake();
    return PullResult::pending;
  }
  int64_t delivered() const { return elements; }

  Scheduler& scheduler;
  test::FakeClock& clock;
  int64_t& elements;
  bool again = false;
};

TEST_CASE("scheduler limits: what became ready while whoever waited was alone gets threads once it is not") {
  KeptJobs world;
  test::FakeClock clock;
  world.runtime.clock = &clock;
  RefPtr<Session> session = make_session(world.runtime);
  Scheduler& scheduler = *session->scheduler;
  scheduler.tune(make_ref<Tuning>());
  scheduler.may_be_alone();
  REQUIRE(scheduler.alone());
  auto computes = make_ref<NumberedPump>(*session, Lane::compute);
  auto blocks = make_ref<NumberedPump>(*session, Lane::blocking);
  computes->wake();
  blocks->wake();
  CHECK(world.executor.submitted == 0);
  // A consumer that has something else to do leaves the rest to threads.
  int64_t elements = 0;
  for (int i = 0; i < 100 && scheduler.alone(); ++i) {
    REQUIRE(world.executor.submitted == 0);
    REQUIRE(*scheduler.drive(BusyPoll{scheduler, clock, elements}) == PullResult::rows);
  }
  CHECK_FALSE(scheduler.alone());
  CHECK(elements == 5);
  CHECK(world.executor.submitted == 2);
  computes->close();
  blocks->close();
}

}  // namespace
}  // namespace weir
