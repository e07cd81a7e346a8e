#include "exec/credit.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "exec/feeds.h"
#include "support/sim_world.h"

namespace weir {
namespace {

// A clock that the feeds move.
struct MovedByFeeds final : Clock {
  int64_t now_ns() override { return now; }
  int64_t computing_ns() override { return 0; }
  int64_t now = 1;
};

// Gives one row for each pull, after it has done something.
class DoingFeed final : public Feed {
 public:
  explicit DoingFeed(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
  PullResult next(Context&, const Demand&, Block& out, Mark&) override {
    if (meanwhile_) meanwhile_();
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = 7;
    return PullResult::rows;
  }

 private:
  const std::function<void()> meanwhile_;
};

// Four cores, and forty-eight calls that may wait.
struct CreditWorld {
  CreditWorld() {
    runtime.executor = world.runtime().executor;
    runtime.clock = &clock;
    session = make_session(runtime);
  }
  RefPtr<Credit> credit(int limit, int useful, const TunerStart& start = TunerStart()) {
    return make_ref<Credit>(*session, limit, useful, start);
  }

  MovedByFeeds clock;
  sim::SimWorld world{1, {.compute_threads = 4, .blocking_threads = 64}};
  Runtime runtime;
  RefPtr<Session> session;
};

struct WaitingFeed {
  WaitingFeed(CreditWorld& world, const RefPtr<Credit>& credit, std::function<void()> meanwhile = nullptr)
      : world_(world),
        feed(std::make_unique<CreditedFeed>(std::make_unique<DoingFeed>(std::move(meanwhile)), credit)) {}
  PullResult pull() {
    EpochScope epochs;
    Context context{*world_.session, waker.get(), &epochs};
    Block out;
    Mark mark;
    return feed->next(context, Demand(), out, mark);
  }
  int wakes() const { return waker->count; }

 private:
  CreditWorld& world_;

 public:
  RefPtr<test::CountingWaker> waker = make_ref<test::CountingWaker>();
  std::unique_ptr<CreditedFeed> feed;
};

TEST_CASE("credit: no more feeds at once than there are credits, and the others in their order") {
  CreditWorld world;
  const RefPtr<Credit> credit = world.credit(2, 1);
  CHECK(credit->limit() == 2);
  WaitingFeed third(world, credit);
  WaitingFeed fourth(world, credit);
  WaitingFeed second(world, credit, [&] {
    CHECK(third.pull() == PullResult::pending);
    CHECK(fourth.pull() == PullResult::pending);
    CHECK(third.pull() == PullResult::pending);
    CHECK(third.wakes() == 0);
  });
  int woken_by_second = 0;
  WaitingFeed first(world, credit, [&] {
    CHECK(second.pull() == PullResult::rows);
    woken_by_second = third.wakes();
    CHECK(fourth.wakes() == 0);
  });
  CHECK(first.pull() == PullResult::rows);
  CHECK(woken_by_second == 1);
  CHECK(fourth.wakes() == 1);
  CHECK(fourth.pull() == PullResult::rows);
  CHECK(third.pull() == PullResult::rows);
}

TEST_CASE("credit: what a feed was granted goes on to the next one when it is gone") {
  for (const bool waits : {false, true}) {
    CAPTURE(waits);
    CreditWorld world;
    const RefPtr<Credit> credit = world.credit(1, 1);
    WaitingFeed granted(world, credit);
    WaitingFeed next(world, credit);
    WaitingFeed first(world, credit, [&] {
      CHECK(granted.pull() == PullResult::pending);
      if (waits) CHECK(next.pull() == PullResult::pending);
    });
    CHECK(first.pull() == PullResult::rows);
    REQUIRE(granted.wakes() == 1);
    // While it is granted nobody else has it.
    if (!waits) CHECK(next.pull() == PullResult::pending);
    CHECK(next.wakes() == 0);
    granted.feed = nullptr;
    CHECK(next.wakes() == 1);
    CHECK(next.pull() == PullResult::rows);
  }
}

TEST_CASE("credit: a feed that is gone from the middle of the line takes nobody along") {
  CreditWorld world;
  const RefPtr<Credit> credit = world.credit(1, 1);
  WaitingFeed a(world, credit);
  WaitingFeed b(world, credit);
  WaitingFeed c(world, credit);
  WaitingFeed first(world, credit, [&] {
    for (WaitingFeed* feed : {&a, &b, &c}) CHECK(feed->pull() == PullResult::pending);
    b.feed = nullptr;
  });
  CHECK(first.pull() == PullResult::rows);
  CHECK(a.pull() == PullResult::rows);
  CHECK(c.wakes() == 1);
  CHECK(b.wakes() == 0);
  CHECK(c.pull() == PullResult::rows);
}

TEST_CASE("credit: auto begins with the cores, or with fewer where fewer are of use") {
  CreditWorld world;
  CHECK(world.credit(0, 3)->limit() == 3);
  CHECK(world.credit(0, 9)->limit() == 4);
  CHECK(world.credit(7, 3)->limit() == 7);
}

TEST_CASE("credit: who waits in line is woken once feeds are known to wait") {
  CreditWorld world;
  const RefPtr<Credit> credit = world.credit(0, 1);
  REQUIRE(credit->limit() == 1);
  TunerStart start;
  start.number = 2;
  const RefPtr<Credit> two = world.credit(0, 1, start);
  REQUIRE(two->limit() == 1);
  WaitingFeed other(world, two);
  WaitingFeed first(world, two, [&] {
    CHECK(other.pull() == PullResult::pending);
    two->expect_waiting(*world.session->scheduler);
    CHECK(two->limit() == 2);
    CHECK(other.wakes() == 1);
    CHECK(other.pull() == PullResult::rows);
  });
  CHECK(first.pull() == PullResult::rows);
}

// How many feeds may be pulled at once after pulls that gained much while the consumer waited.
int limit_in_the_end(CreditWorld& world, const RefPtr<Credit>& credit) {
  int most = credit->limit();
  WaitingFeed feed(world, credit, [&] { world.clock.now += 40'000'000 / credit->limit(); });
  for (int i = 0; i < 5000; ++i) {
    credit->starved();
    CHECK(feed.pull() == PullResult::rows);
    most = std::max(most, credit->limit());
  }
  return most;
}

TEST_CASE("credit: of feeds that wait, at most twice as many as are of use, or as an earlier run had found") {
  for (const int useful : {3, 6}) {
    CAPTURE(useful);
    CreditWorld world;
    const RefPtr<Credit> tuned = world.credit(0, useful);
    tuned->expect_waiting(*world.session->scheduler);
    CHECK(tuned->limit() == useful);
    CHECK(limit_in_the_end(world, tuned) == 2 * useful);
    TunerStart frozen;
    frozen.number = useful - 1;
    frozen.tunes = false;
    const RefPtr<Credit> fixed = world.credit(0, useful, frozen);
    fixed->expect_waiting(*world.session->scheduler);
    CHECK(fixed->limit() == useful - 1);
    CHECK(limit_in_the_end(world, fixed) == useful - 1);
    frozen.number = 100;
    const RefPtr<Credit> most = world.credit(0, useful, frozen);
    most->expect_waiting(*world.session->scheduler);
    CHECK(most->limit() == 2 * useful);
  }
}

}  // namespace
}  // namespace weir
