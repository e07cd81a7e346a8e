#include "dataset/holding.h"

#include <catch2/catch_test_macros.hpp>
#include <new>
#include <numeric>
#include <optional>

#include "core/exception.h"
#include "dataset/operator.h"
#include "dataset/port.h"
#include "dataset/stage.h"
#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// Pumps run on the thread that waits, and calls take no time.
struct Alone {
  Alone() : executor(make_threads({.probe = [](int) { return false; }})) {
    runtime.executor = executor.get();
    runtime.clock = &clock;
    session = make_session(runtime);
  }
  template <class W>
  PullResult next(W& window, int rows) {
    const auto poll = [&] {
      Context context{*session, session->scheduler, &epochs};
      Demand demand;
      demand.rows = rows;
      return window.next(context, demand, out, mark);
    };
    return *session->scheduler->drive(poll);
  }
  // Lets the pumps run until they stop by themselves.
  void settle() {
    for (int i = 0; i < 64; ++i) (void)session->scheduler->try_drive([] { return PullResult::pending; });
  }

  FakeClock clock;
  std::unique_ptr<Executor> executor;
  Runtime runtime;
  RefPtr<Session> session;
  EpochScope epochs;
  Block out;
  Mark mark;
};

// Windows over the rows 0, 1 …, those of a CallWindow with 1 added.
std::unique_ptr<Window> window_over(Alone& alone, std::atomic<int64_t>* pulled, int64_t total = 40) {
  WindowOptions options;
  options.max_rows = 12;
  options.block_rows = 3;
  return std::make_unique<Window>(*alone.session, counting({.total = total}, pulled), options,
                                  EpochTableRef());
}
std::unique_ptr<CallWindow> calls_over(Alone& alone, std::atomic<int64_t>* pulled, bool ordered,
                                       int64_t total = 40) {
  CallWindowOptions options;
  options.calls_in_flight = 2;
  options.ordered = ordered;
  return std::make_unique<CallWindow>(*alone.session, counting({.total = total}, pulled),
                                      std::make_unique<AddOne>(), options, EpochTableRef());
}

// Takes the rows one by one. After each, the window holds all rows from there to the last that was pulled.
template <class W>
void check_copies(Alone& alone, W& window, const std::atomic<int64_t>& pulled, int64_t added) {
  bool inside_a_block = false;
  for (int64_t taken = 0;; ++taken) {
    if (alone.next(window, 1) == PullResult::end) {
      CHECK(taken == 40);
      break;
    }
    alone.settle();
    Holding holding;
    holding.pause(window);
    REQUIRE(window.at_rest(nullptr));
    std::vector<Block> blocks;
    window.copy_rows(blocks);
    std::vector<int64_t> copied;
    for (const Block& block : blocks) {
      for (int row = 0; row < block.rows; ++row) copied.push_back(*block.row(row)[0].template as<int64_t>());
    }
    std::vector<int64_t> expected(static_cast<size_t>(pulled - taken - 1));
    std::iota(expected.begin(), expected.end(), taken + 1 + added);
    REQUIRE(copied == expected);
    inside_a_block = inside_a_block || (blocks.size() > 1 && blocks[0].rows < blocks[1].rows);
  }
  CHECK(inside_a_block);
}

TEST_CASE("holding: a window at rest holds what was pulled and not given, part of a block, too") {
  std::atomic<int64_t> pulled{0};
  {
    Alone alone;
    check_copies(alone, *window_over(alone, &pulled), pulled, 0);
  }
  for (const bool ordered : {true, false}) {
    CAPTURE(ordered);
    Alone alone;
    pulled = 0;
    check_copies(alone, *calls_over(alone, &pulled, ordered), pulled, 1);
  }
}

// A paused window stays so, and goes on when the Holding goes, whether it has failed or not.
template <class W>
void check_pause(Alone& alone, W& window, const std::atomic<int64_t>& pulled) {
  for (int round = 0; round < 3; ++round) {
    const int64_t before = pulled;
    {
      Holding holding;
      holding.pause(window);
      holding.pause(window);
      if (round == 1) holding.fail(out_of_memory());
      if (round == 2) holding.stop(PullResult::pending);
      // Takes what is there.
      while (alone.session->scheduler
                 ->try_drive([&] {
                   Context context{*alone.session, alone.session->scheduler, &alone.epochs};
                   return window.next(context, Demand(), alone.out, alone.mark);
                 })
                 .ok() &&
             alone.out.rows > 0) {
        alone.out.rows = 0;
      }
      alone.settle();
      CHECK(pulled == before);
    }
    alone.settle();
    CHECK(pulled > before);
  }
}

TEST_CASE("holding: windows rest until it goes, also after a failure") {
  std::atomic<int64_t> pulled{0};
  {
    Alone alone;
    const auto window = window_over(alone, &pulled, 1000);
    alone.next(*window, 1);
    check_pause(alone, *window, pulled);
  }
  pulled = 0;
  Alone alone;
  const auto calls = calls_over(alone, &pulled, true, 1'000'000);
  alone.next(*calls, 1);
  check_pause(alone, *calls, pulled);
}

TEST_CASE("holding: a window that lies where a paused one was is paused, too") {
  Alone alone;
  std::atomic<int64_t> pulled{0};
  WindowOptions options;
  options.max_rows = 5;
  std::optional<Window> window;
  Holding holding;
  window.emplace(*alone.session, counting({.total = 40}), options, EpochTableRef());
  holding.pause(*window);
  window.emplace(*alone.session, counting({.total = 40}, &pulled), options, EpochTableRef());
  holding.pause(*window);
  Context context{*alone.session, alone.session->scheduler, &alone.epochs};
  CHECK(window->next(context, Demand(), alone.out, alone.mark) == PullResult::pending);
  alone.settle();
  CHECK(pulled == 0);
  CHECK(window->at_rest(nullptr));
}

// Gives 0, 1, and loses the three rows from 2 on; 5 to 8 follow, of which 5 was made ahead of a save.
class Losing final : public AheadOfConsumer {
 public:
  Losing(Opening&, const NoParams&) {}
  Step next(Context&, const Demand&, Block& out) override {
    if (next_ == 2) throw std::bad_alloc();
    if (next_ == 9) return PullResult::end;
    give(out);
    return PullResult::rows;
  }
  int64_t lose(const ErrorPtr&) noexcept override {
    next_ += 3;
    return 3;
  }
  void state(Archive& archive) override { archive("next", next_); }
  void warm_start() noexcept override {}
  void hold(Holding&, HeldRows& rows) override {
    if (next_ != 5) return;
    Block ahead;
    give(ahead);
    rows.add(std::move(ahead));
  }

 private:
  void give(Block& out) {
    out.reset(1);
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = next_++;
    out.rows = 1;
  }
  int64_t next_ = 0;
};

const OperatorDef& losing_operator() {
  static const OperatorDef def = define<NoParams, Losing>({
      .name = "losing",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return def;
}

// What is left, an error as -1.
std::vector<int64_t> rest_of(Stage& stage, Context ctx) {
  std::vector<int64_t> out;
  Block block;
  while (stage.next(ctx, Demand(), block) == PullResult::rows) {
    for (int row = 0; row < block.rows; ++row)
      out.push_back(block.failed(row) ? -1 : *block.row(row)[0].as<int64_t>());
  }
  return out;
}

std::string saved_by_value(Stage& stage, HeldRows unused = {}) {
  Holding holding;
  holding.unused = std::move(unused);
  Archive archive(&holding);
  stage.state(archive);
  CHECK(holding.goes_on());
  return archive.take();
}

std::string saved(Stage& stage) {
  Archive archive;
  stage.state(archive);
  return archive.take();
}

TEST_CASE("holding: a stage owes what was not used, errors, and what was made ahead, in this order") {
  TestRuntime test;
  const DatasetRef node = Build(losing_operator()).node();
  const auto restored = [&](const std::string& bytes) {
    auto stage = test.open(node);
    Archive archive(bytes);
    stage->state(archive);
    archive.finish();
    REQUIRE(archive.status().ok());
    return stage;
  };
  auto stage = test.open(node);
  Context ctx = test.context();
  Block block;
  for (int row = 0; row < 3; ++row) REQUIRE(stage->next(ctx, Demand(), block) == PullResult::rows);
  REQUIRE(block.failed(0));
  // Its reader has not used the 1 and the first error.
  Block one;
  one.reset(1);
  *one.columns[0].make_dense<int64_t>(Shape(), 1) = 1;
  one.rows = 1;
  HeldRows unused;
  unused.add(std::move(one));
  unused.add(block.slice(0, 1));
  const std::string bytes = saved_by_value(*stage, std::move(unused));
  const std::vector<int64_t> expected{1, -1, -1, -1, 5, 6, 7, 8};
  CHECK(rest_of(*restored(bytes), ctx) == expected);
  // Saved again at once, whether by value or not, it is the same.
  CHECK(saved_by_value(*restored(bytes)) == bytes);
  CHECK(saved(*restored(bytes)) == bytes);
  // And in the middle of what it owes.
  for (size_t taken = 1; taken < expected.size(); ++taken) {
    CAPTURE(taken);
    auto again = restored(bytes);
    std::vector<int64_t> found;
    Demand demand;
    demand.rows = 1;
    while (found.size() < taken) {
      REQUIRE(again->next(ctx, demand, block) == PullResult::rows);
      REQUIRE(block.rows == 1);
      found.push_back(block.failed(0) ? -1 : *block.row(0)[0].as<int64_t>());
    }
    for (const std::string& later : {saved_by_value(*again), saved(*again)}) {
      std::vector<int64_t> all = found;
      for (const int64_t value : rest_of(*restored(later), ctx)) all.push_back(value);
      CHECK(all == expected);
    }
  }
}

// Gives 0, an error, 2, 3 and so on, which cannot be made again.
class Spoiling final : public Cursor {
 public:
  Spoiling(Opening&, const NoParams&) {}
  Step next(Context&, const Demand&, Block& out) override {
    const int64_t value = next_++;
    if (value == 1) return data_loss("spoilt");
    out.reset(1);
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = value;
    out.rows = 1;
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("next", next_); }

 private:
  int64_t next_ = 0;
};

const OperatorDef& spoiling_operator() {
  static const OperatorDef def = define<NoParams, Spoiling>({
      .name = "spoiling",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
      .position = {.not_replayable = [](const ParamsBase&) { return "spoils its rows"; }},
  });
  return def;
}

TEST_CASE("holding: a port counts rows and elements up to the last one used") {
  TestRuntime test;
  test.session->hold_rows(true);
  Context ctx = test.context();
  const DatasetRef node = Build(spoiling_operator()).node();
  for (int64_t used = 0; used <= 5; ++used) {
    CAPTURE(used);
    Port port(ctx, {node, nullptr, 0}, Port::Mode::keep);
    Block block;
    for (int row = 0; row < 5; ++row) REQUIRE(port.pull(ctx, Demand(), block) == PullResult::rows);
    port.consume_to(used);
    Holding holding;
    Archive archive(&holding);
    port.state(archive);
    REQUIRE(holding.goes_on());
    const std::string bytes = archive.take();
    Port restored(ctx, {node, nullptr, 0}, Port::Mode::keep);
    Archive loading(bytes);
    restored.state(loading);
    loading.finish();
    REQUIRE(loading.status().ok());
    CHECK(restored.position() == used);
    Demand one;
    one.rows = 1;
    REQUIRE(restored.pull(ctx, one, block) == PullResult::rows);
    CHECK(block.failed(0) == (used == 1));
    if (used != 1) CHECK(*block.row(0)[0].as<int64_t>() == used);
    CHECK(restored.values() == (used == 0 ? 1 : used));
  }
}

}  // namespace
}  // namespace weir::test
