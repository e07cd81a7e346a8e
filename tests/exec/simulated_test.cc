// Windows and schedulers under the simulated executor: each seed is one pipeline, one interleaving and one
// end.
#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "exec/feeds.h"
#include "support/sim_world.h"

namespace weir {
namespace {

using sim::SimOptions;
using sim::SimWorld;

const uint64_t kSeeds = sim::seed_count(600);

// The pipeline that a seed gives.
struct Plan {
  CountingOptions source;
  int64_t added = 0;
  bool ordered = true;
};

SimOptions world_options(uint64_t seed) {
  SimOptions options;
  options.lanes = seed % 5 == 3   ? SimOptions::Lanes::refusing
                  : seed % 5 == 4 ? SimOptions::Lanes::stalled
                                  : SimOptions::Lanes::working;
  options.compute_threads = 1 + static_cast<int>(seed / 5 % 3);
  return options;
}

std::unique_ptr<Feed> build(SimWorld& world, Session& session, Plan& plan,
                            const std::function<void(int64_t)>& meanwhile = nullptr) {
  plan.source.total = static_cast<int64_t>(world.draw(120));
  plan.source.fail_every = world.draw(3) == 0 ? 1 + static_cast<int64_t>(world.draw(20)) : 0;
  plan.source.pending_every = world.draw(2) == 0 ? 2 + static_cast<int>(world.draw(5)) : 0;
  if (world.draw(2) == 0) {
    plan.source.later = [&world](RefPtr<Job> job) { world.client("the outside", [job] { job->run(); }); };
  }
  std::unique_ptr<Feed> feed = counting(plan.source);
  const Lane lanes[] = {Lane::compute, Lane::blocking, Lane::caller};
  const uint64_t depth = 1 + world.draw(3);
  for (uint64_t level = 0; level < depth; ++level) {
    if (world.draw(2) == 0) {
      WindowOptions options;
      options.max_rows = 1 + static_cast<int64_t>(world.draw(40));
      options.max_bytes = world.draw(3) == 0 ? 1 + static_cast<int64_t>(world.draw(200)) : 1 << 20;
      options.block_rows = 1 + static_cast<int>(world.draw(16));
      options.lane = lanes[world.draw(3)];
      feed = window(session, std::move(feed), options);
    } else {
      CallWindowOptions options;
      options.calls_in_flight = static_cast<int>(world.draw(5));
      options.ahead_rows = static_cast<int64_t>(world.draw(20));
      options.max_bytes = world.draw(3) == 0 ? 1 + static_cast<int64_t>(world.draw(200)) : 1 << 20;
      options.one_row_per_call = world.draw(2) == 0;
      options.lane = lanes[world.draw(3)];
      options.feed_lane = lanes[world.draw(3)];
      options.ordered = level + 1 < depth || world.draw(4) != 0;
      plan.ordered = options.ordered;
      feed = calls(session, std::move(feed), std::make_unique<AddOne>(meanwhile), options);
      ++plan.added;
    }
  }
  return feed;
}

// Reads to the end, or up to `stop` rows, in widths given by the seed; returns "" if all was right.
std::string read(SimWorld& world, Reader& reader, const Plan& plan, int64_t stop) {
  std::vector<bool> seen(static_cast<size_t>(plan.source.total));
  int64_t position = 0;
  while (position < stop) {
    const int rows = 1 + static_cast<int>(world.draw(12));
    Result<PullResult> answer = reader.next(rows);
    if (!answer.ok()) return "refused: " + answer.status().error().message;
    if (*answer == PullResult::end) {
      if (position != plan.source.total) return "ended at " + std::to_string(position);
      if (*reader.next() != PullResult::end) return "went on after the end";
      return "";
    }
    if (*answer != PullResult::rows) return "unexpected answer";
    if (reader.out.rows < 1 || reader.out.rows > rows)
      return "gave " + std::to_string(reader.out.rows) + " rows";
    const int64_t expected = plan.ordered ? position : reader.mark.ordinal;
    if (!reader.is(expected, plan.added, plan.source.fail_every))
      return "wrong at " + std::to_string(position);
    if (!reader.mark.anchor) return "a block without an anchor";
    for (int i = 0; i < reader.out.rows; ++i) {
      std::vector<bool>::reference row = seen[static_cast<size_t>(expected + i)];
      if (row) return "twice: " + std::to_string(expected + i);
      row = true;
    }
    position += reader.out.rows;
  }
  return "";
}

// Runs `scenario` under every seed and checks that nothing hangs, leaks or overlaps.
template <class Scenario>
void for_all_seeds(Scenario scenario) {
  int64_t steps = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const int live = live_objects;
    {
      SimWorld world(seed, world_options(seed));
      const std::string failure = scenario(world, seed);
      steps += world.steps();
      if (!failure.empty()) FAIL(failure);
    }
    REQUIRE(live_objects == live);
    REQUIRE(CountingFeed::overlaps == 0);
    REQUIRE(AddOne::destroyed_early == 0);
  }
  // A world without switches proves nothing.
  CHECK(steps > 100 * static_cast<int64_t>(kSeeds));
}

TEST_CASE("simulation: a pipeline of windows gives the exact sequence", "[simulation]") {
  for_all_seeds([](SimWorld& world, uint64_t) {
    std::string failure;
    world.client("the reader", [&] {
      Plan plan;
      Reader reader(world.runtime(), [&](Session& s) { return build(world, s, plan); });
      // Half of the readers leave early.
      const int64_t stop = world.draw(2) == 0 ? plan.source.total + 1 : static_cast<int64_t>(world.draw(100));
      failure = read(world, reader, plan, stop);
    });
    const std::string hang = world.run();
    return hang.empty() ? failure : hang;
  });
}

TEST_CASE("simulation: a cancel from another thread ends every wait", "[simulation]") {
  for_all_seeds([](SimWorld& world, uint64_t) {
    std::string failure;
    std::optional<Reader> reader;
    Plan plan;
    int using_it = 2;
    world.client("the reader", [&] {
      reader.emplace(world.runtime(), [&](Session& s) { return build(world, s, plan); });
      for (;;) {
        PullResult answer = *reader->next(1 + static_cast<int>(world.draw(8)));
        if (answer == PullResult::cancelled || answer == PullResult::end) break;
      }
      if (--using_it == 0) reader.reset();
    });
    world.client("who cancels", [&] {
      for (uint64_t i = world.draw(200); i > 0 || !reader; i -= i > 0) world.switch_point();
      reader->cancel();
      if (*reader->next() != PullResult::cancelled) failure = "went on after the cancel";
      if (--using_it == 0) reader.reset();
    });
    const std::string hang = world.run();
    return hang.empty() ? failure : hang;
  });
}

TEST_CASE("simulation: several threads on one iterator share its rows", "[simulation]") {
  for_all_seeds([](SimWorld& world, uint64_t) {
    std::string failure;
    Plan plan;
    Reader reader(world.runtime(), [&](Session& s) { return build(world, s, plan); });
    std::vector<int> seen(static_cast<size_t>(plan.source.total));
    for (int i = 0; i < 3; ++i) {
      world.client("reader " + std::to_string(i), [&] {
        for (bool more = true; more;) {
          // What was read is checked with the right to drive, since out and mark are shared.
          Result<PullResult> answer = reader.session->scheduler->drive([&] {
            PullResult got = reader.poll(1 + static_cast<int>(world.draw(4)));
            if (got == PullResult::rows) {
              for (int row = 0; row < reader.out.rows; ++row) ++seen[size_t(reader.mark.ordinal + row)];
            }
            return got;
          });
          more = *answer == PullResult::rows;
        }
      });
    }
    const std::string hang = world.run();
    reader.root = nullptr;
    if (!hang.empty()) return hang;
    for (int count : seen) {
      if (count != 1) return "a row was given " + std::to_string(count) + " times";
    }
    return failure;
  });
}

TEST_CASE("simulation: try_next never waits and the descriptor says when to ask again", "[simulation]") {
  for_all_seeds([](SimWorld& world, uint64_t seed) {
    std::string failure;
    world.client("the reader", [&] {
      Plan plan;
      Reader reader(world.runtime(), [&](Session& s) { return build(world, s, plan); });
      // A lane that takes jobs and never runs them is beyond what try_next can know.
      if (seed % 5 == 4) return;
      Result<int> descriptor = reader.session->scheduler->ready_descriptor();
      int64_t position = 0;
      for (;;) {
        PullResult answer = *reader.try_next(3);
        if (answer == PullResult::end) break;
        if (answer == PullResult::pending) {
          // Waits like poll(2); a lost signal shows as a run without end.
          while (!sim::readable(*descriptor)) world.switch_point();
          continue;
        }
        position += reader.out.rows;
      }
      if (position != plan.source.total) failure = "ended at " + std::to_string(position);
    });
    const std::string hang = world.run();
    return hang.empty() ? failure : hang;
  });
}

TEST_CASE("simulation: callbacks that read another iterator, and circles of them", "[simulation]") {
  for_all_seeds([](SimWorld& world, uint64_t) {
    std::string failure;
    const bool circle = world.draw(2) == 0;
    Plan inner_plan, outer_plan;
    std::optional<Reader> outer;
    int refused = 0;
    Reader inner(world.runtime(), [&](Session& s) {
      return build(world, s, inner_plan, [&](int64_t) {
        if (circle && !outer->next().ok()) ++refused;
      });
    });
    outer.emplace(world.runtime(), [&](Session& s) {
      return build(world, s, outer_plan, [&](int64_t) {
        if (!inner.next().ok()) ++refused;
        if (!outer->session->scheduler->inside()) failure = "a callback is not inside its iterator";
        if (outer->next().ok()) failure = "an iterator may wait for itself";
      });
    });
    world.client("the reader", [&] {
      for (;;) {
        Result<PullResult> answer = outer->next();
        if (!answer.ok() || *answer != PullResult::rows) break;
      }
    });
    const std::string hang = world.run();
    outer.reset();
    inner.root = nullptr;
    return hang.empty() ? failure : hang;
  });
}

TEST_CASE("simulation: as many calls at once as asked for, and no more", "[simulation]") {
  int reached[5] = {};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const int limit = 1 + static_cast<int>(seed % 4);
    AddOne::most = 0;
    SimWorld world(seed, {.compute_threads = 6});
    world.client("the reader", [&] {
      Reader reader(world.runtime(), [&](Session& s) {
        CallWindowOptions options;
        options.calls_in_flight = limit;
        return calls(s, counting({.total = 60}), std::make_unique<AddOne>([&](int64_t) {
                       for (int i = 0; i < 20; ++i) world.switch_point();
                     }),
                     options);
      });
      while (*reader.next() == PullResult::rows) {
      }
    });
    REQUIRE(world.run() == "");
    REQUIRE(AddOne::most <= limit);
    reached[limit] += AddOne::most == limit;
  }
  for (int limit = 1; limit <= 4; ++limit) CHECK(reached[limit] > 10);
}

TEST_CASE("simulation: a seed is one interleaving", "[simulation]") {
  auto digest = [](uint64_t seed) {
    SimWorld world(seed);
    world.client("the reader", [&] {
      Plan plan;
      Reader reader(world.runtime(), [&](Session& s) { return build(world, s, plan); });
      static_cast<void>(read(world, reader, plan, 1000));
    });
    REQUIRE(world.run().empty());
    return world.digest();
  };
  CHECK(digest(7) == digest(7));
  CHECK(digest(7) != digest(8));
}

TEST_CASE("simulation: a deadlock is found and says who waits", "[simulation]") {
  std::string failure;
  {
    SimWorld world(1);
    RefPtr<Parker> bed = world.runtime().executor->make_parker();
    world.client("the sleeper", [bed] { bed->park(); });
    failure = world.run();
  }
  CHECK(failure.find("deadlock") != std::string::npos);
  CHECK(failure.find("the sleeper is parked") != std::string::npos);
}

// Reads rows whose calls take 5 ms each, with as many in flight as the tuner finds; returns "" if all rows
// were right.
std::string read_calls(SimWorld& world, const CallWindowOptions& options,
                       const std::function<void(int64_t)>& body) {
  std::string failure;
  AddOne::most = 0;
  world.client("reader", [&] {
    Reader reader(world.runtime(), [&](Session& session) {
      return calls(session, counting({.total = 1500}), std::make_unique<AddOne>(body), options);
    });
    for (int64_t row = 0; row < 1500; ++row) {
      if (*reader.next() != PullResult::rows || !reader.is(row, 1))
        failure = "wrong at " + std::to_string(row);
    }
    if (*reader.next() != PullResult::end) failure = "no end";
  });
  const std::string run = world.run();
  return run.empty() ? failure : run;
}

TEST_CASE("simulated: auto puts more calls in flight where they wait, within the threads for those") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    CallWindowOptions options;
    options.one_row_per_call = true;
    // A function that says so, or a callback that turns out to.
    if (seed % 2 == 0) options.lane = Lane::blocking;
    options.may_wait = seed % 2 == 1;
    SimWorld world(seed, {.compute_threads = 2, .blocking_threads = 40, .exact_time = true});
    CHECK(read_calls(world, options, [&](int64_t) { world.sleep(5'000'000); }) == "");
    CHECK(AddOne::most == 30);
  }
}

TEST_CASE("simulated: auto keeps to the cores where functions compute") {
  CallWindowOptions options;
  options.one_row_per_call = true;
  options.may_wait = true;
  SimWorld world(1, {.compute_threads = 2, .blocking_threads = 40, .exact_time = true});
  CHECK(read_calls(world, options, [&](int64_t) { world.compute(5'000'000); }) == "");
  CHECK(AddOne::most == 2);
}

}  // namespace
}  // namespace weir
