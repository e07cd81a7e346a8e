#include <catch2/catch_test_macros.hpp>
#include <climits>
#include <set>
#include <string>
#include <vector>

#include "core/memory_budget.h"
#include "ops/contract.h"
#include "ops/list.h"
#include "ops/pipelines.h"
#include "ops/shuffling/shuffle_order.h"
#include "support/probe.h"
#include "support/test_runtime.h"

namespace weir {

namespace {

const ContractEntries shuffle_contract(
    "shuffle",
    {{"PROBE | shuffle(6, seed: 1)", [](int64_t k) { return 6 + k; }, false},
     {"PROBE | map(x -> (x, [x, x, x])) | shuffle(100, seed: 5)", anything, false},
     {"PROBE | shuffle(1, seed: 5, reshuffle_each_iteration: false) | repeat(2)", anything, false},
     {"PROBE | shuffle(-2, seed: 1)", anything, false}},
    kLosesOrder | kOpens);

using test::Build;
using test::TestRuntime;

constexpr int64_t kError = INT64_MIN;
constexpr uint64_t kGraphSeed = 87654321;
using Rows = std::vector<int64_t>;

// A source of numbers, some of which fail; sometimes answers pending.
struct NumbersParams : ParamsOf<NumbersParams> {
  IntParam count;
  IntParam fails_each{0};
  IntParam pending_each{0};
  void fields(Fields& f) override {
    f("count", count, "");
    f("fails_each", fails_each, "");
    f("pending_each", pending_each, "");
  }
};

int g_widest = 0;
int g_dropped = 0;
int64_t g_pulled = 0;

class Numbers final : public Cursor {
 public:
  Numbers(Opening&, const NumbersParams& params)
      : count_(*params.count), fails_each_(*params.fails_each), pending_each_(*params.pending_each) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (pending_each_ > 0 && ++calls_ % pending_each_ == 0) {
      ctx.waker->wake();
      return PullResult::pending;
    }
    if (given_ == count_) return PullResult::end;
    out.reset(demand.drop ? 0 : 1);
    out.rows = demand.at_most(count_ - given_).rows;
    g_widest = std::max(g_widest, demand.rows);
    g_pulled += out.rows;
    if (demand.drop) g_dropped += out.rows;
    int64_t* entries = demand.drop ? nullptr : out.columns[0].make_dense<int64_t>(Shape(), out.rows);
    for (int i = 0; i < out.rows; ++i) {
      if (entries) entries[i] = given_;
      if (fails_each_ > 0 && given_ % fails_each_ == 1) out.fail_row(i, data_loss("broken").pointer());
      ++given_;
    }
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("given", given_, 0, count_); }

 private:
  int64_t count_;
  int64_t fails_each_;
  int64_t pending_each_;
  int64_t given_ = 0;
  int64_t calls_ = 0;
};

const OperatorDef& numbers_operator() {
  static const OperatorDef def = define<NumbersParams, Numbers>({
      .name = "numbers",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return def;
}

DatasetRef numbers(int64_t count, int64_t fails_each = 0, int64_t pending_each = 0) {
  return Build(numbers_operator())
      .set<IntParam>("count", count)
      .set<IntParam>("fails_each", fails_each)
      .set<IntParam>("pending_each", pending_each)
      .node();
}

DatasetRef range(int64_t stop) { return Build(range_op::definition()).set<IntParam>("stop", stop).node(); }

SeedParam seed_of(uint64_t seed, uint64_t seed2) {
  SeedParam out;
  out.site = make_ref<SeedSite>(SeedSite::Pair{seed, seed2});
  return out;
}

DatasetRef shuffle(DatasetRef input, int64_t size, uint64_t seed2, uint64_t seed = kGraphSeed,
                   bool reshuffle = true) {
  return Build(shuffle_op::definition())
      .set<IntParam>("buffer_size", size)
      .set<SeedParam>("seed", seed_of(seed, seed2))
      .set<BoolParam>("reshuffle_each_iteration", reshuffle)
      .over(std::move(input))
      .node();
}

// Appends the rows of one block; returns false at the end.
bool pull(TestRuntime& runtime, Stage& stage, int width, Rows& rows) {
  Context ctx = runtime.context();
  Demand demand;
  demand.rows = width;
  Block block;
  PullResult got;
  do {
    got = stage.next(ctx, demand, block);
  } while (got == PullResult::pending);
  if (got == PullResult::end) return false;
  REQUIRE(got == PullResult::rows);
  REQUIRE(block.rows >= 1);
  REQUIRE(block.rows <= width);
  for (int i = 0; i < block.rows; ++i) {
    rows.push_back(block.failed(i) ? kError : *block.columns[0].row(i).as<int64_t>());
  }
  return true;
}

Rows drain(TestRuntime& runtime, Stage& stage, int width) {
  Rows rows;
  while (pull(runtime, stage, width, rows)) {
  }
  return rows;
}

Rows run(const DatasetRef& node, int width) {
  TestRuntime runtime;
  return drain(runtime, *runtime.open(node), width);
}

// Opening counts survive in `epochs`, so that epochs follow one another as under repeat.
std::vector<Rows> run_epochs(const DatasetRef& node, int epochs) {
  TestRuntime runtime;
  std::vector<Rows> out;
  for (int i = 0; i < epochs; ++i) out.push_back(drain(runtime, *runtime.open(node), 7));
  return out;
}

std::string save(Stage& stage) {
  Archive archive;
  stage.state(archive);
  return archive.take();
}

struct Golden {
  int64_t count;
  int64_t size;
  uint64_t seed;
  uint64_t seed2;
  bool reshuffle;
  std::vector<Rows> epochs;
};

// The order in TensorFlow 2.21.
const std::vector<Golden>& goldens() {
  static const std::vector<Golden> table = {
      {10, 1, kGraphSeed, 1, true, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
      {10, 2, kGraphSeed, 1, true, {{0, 2, 3, 4, 5, 1, 7, 6, 9, 8}}},
      {10, 3, kGraphSeed, 7, true, {{1, 2, 0, 3, 6, 4, 8, 5, 7, 9}}},
      {10, 5, kGraphSeed, 42, true, {{0, 2, 3, 6, 7, 9, 1, 8, 4, 5}}},
      {10, 10, kGraphSeed, 42, true, {{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}}},
      {10, 100, kGraphSeed, 42, true, {{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}}},
      {10, int64_t{1} << 60, kGraphSeed, 42, true, {{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}}},
      {1, 4, kGraphSeed, 3, true, {{0}}},
      {0, 4, kGraphSeed, 1, true, {{}}},
      {33, 8, kGraphSeed, 0, true, {{4, 7,  2,  10, 9,  3,  13, 11, 14, 12, 0,  8,  6,  20, 16, 5, 18,
                                     1, 22, 19, 25, 24, 21, 15, 23, 28, 26, 29, 31, 32, 27, 30, 17}}},
      {10, 6, 5, 7, true, {{3, 5, 2, 0, 7, 9, 1, 4, 8, 6}}},
      {10, 6, 7, 5, true, {{4, 1, 3, 8, 2, 5, 7, 0, 6, 9}}},
      {6, 3, kGraphSeed, 11, true, {{2, 3, 4, 1, 0, 5}, {2, 1, 4, 0, 3, 5}, {1, 0, 4, 5, 2, 3}}},
      {6, 6, kGraphSeed, 11, false, {{5, 3, 1, 2, 0, 4}, {5, 3, 1, 2, 0, 4}}},
      {10, 4, kGraphSeed, 11, false, {{3, 1, 0, 4, 7, 8, 6, 9, 5, 2}}},
      {4, 10, kGraphSeed, 2, true, {{0, 3, 2, 1}, {1, 2, 3, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}}},
      {5, 5, kGraphSeed, 3, true, {{4, 3, 2, 1, 0}, {3, 4, 1, 2, 0}}},
  };
  return table;
}

TEST_CASE("shuffle gives the order of tf.data, epoch by epoch") {
  for (const Golden& golden : goldens()) {
    INFO(golden.count << " elements, buffer " << golden.size << ", seed " << golden.seed2);
    DatasetRef node = shuffle(range(golden.count), golden.size, golden.seed2, golden.seed, golden.reshuffle);
    CHECK(run_epochs(node, static_cast<int>(golden.epochs.size())) == golden.epochs);
    CHECK(node->cardinality() == golden.count);
    for (int width : {1, 2, 128, 1024}) CHECK(run(node, width) == golden.epochs[0]);
  }
}

TEST_CASE("shuffle over shuffle") {
  CHECK(run(shuffle(shuffle(range(12), 4, 1), 6, 2), 7) == Rows{5, 9, 2, 3, 4, 0, 6, 8, 10, 1, 11, 7});
}

TEST_CASE("A buffer of -2 holds the whole input") {
  for (int64_t count : {0, 1, 7, 2000}) {
    const std::vector<Rows> whole = run_epochs(shuffle(range(count), std::max<int64_t>(count, 1), 4), 3);
    CHECK(run_epochs(shuffle(range(count), -2, 4), 3) == whole);
    for (int width : {1, 64, 1024}) CHECK(run(shuffle(range(count), -2, 4), width) == whole[0]);
  }
  CHECK(run(shuffle(numbers(300, 3), -2, 9), 7) == run(shuffle(numbers(300, 3), 200, 9), 1));
}

TEST_CASE("shuffle refuses a buffer of no elements") {
  for (int64_t size : {0, -1, -3}) {
    auto built = Build(shuffle_op::definition()).set<IntParam>("buffer_size", size).over(range(5)).result();
    REQUIRE(!built.ok());
    CHECK(built.status().code() == Code::invalid_argument);
  }
}

TEST_CASE("shuffle refuses to hold all elements of an input without end") {
  for (const char* const text : {"counter() | shuffle(-2)", "range(3) | repeat() | shuffle(-2)"}) {
    ThreadsRuntime runtime;
    const auto parsed = parse_document(*runtime, text);
    REQUIRE(!parsed.ok());
    CHECK(parsed.status().code() == Code::invalid_argument);
    CHECK(parsed.status().error().describe().find("an infinite one") != std::string::npos);
  }
}

TEST_CASE("shuffle seldom asks for memory where there is none") {
  constexpr int64_t kElements = 200000;
  ThreadsRuntime runtime;
  (*runtime).budget = make_ref<MemoryBudget>(1);
  auto iterator = open_text(*runtime, "range(200000) | shuffle(100000, seed: 1)");
  Block block;
  int64_t given = 0;
  // A refusal makes an error of its own.
  std::set<ErrorPtr> refusals;
  while (require_value(iterator->next(kMaxBlockRows, block)) == PullResult::rows) {
    given += block.rows;
    for (const RowError& error : block.errors) refusals.insert(error.error);
  }
  CHECK(given == kElements);
  CHECK(refusals.size() <= 64);
}

TEST_CASE("Errors pass at once and do not change the order of the elements") {
  CHECK(run(shuffle(numbers(6, 6), 3, 1), 1) == Rows{kError, 2, 4, 0, 5, 3});
  Rows alone = run(shuffle(numbers(300, 3), 20, 9), 1);
  CHECK(std::count(alone.begin(), alone.end(), kError) == 100);
  // While it fills, errors come first; then each error comes before the element drawn after it.
  CHECK(alone[0] == kError);
  for (int width : {7, 128}) CHECK(run(shuffle(numbers(300, 3), 20, 9), width) == alone);
  CHECK(run(shuffle(numbers(300, 3, 2), 20, 9), 7) == alone);
}

TEST_CASE("A position restored anywhere gives the same tail") {
  struct Case {
    int64_t count, fails_each, pending_each, size;
  };
  const Case cases[] = {{40, 0, 0, 5},   {40, 3, 0, 7},   {40, 0, 0, 1},  {12, 5, 0, 100},
                        {200, 0, 0, 64}, {150, 2, 2, 10}, {90, 7, 3, 33}, {30, 4, 0, 30},
                        {30, 2, 0, 15},  {30, 2, 0, 1},   {90, 7, 3, -2}};
  for (const Case& c : cases) {
    DatasetRef node = shuffle(numbers(c.count, c.fails_each, c.pending_each), c.size, 5);
    const Rows whole = run(node, 1);
    for (int width : {1, 7, 128}) {
      TestRuntime runtime;
      auto stage = runtime.open(node);
      Rows head;
      do {
        INFO(c.count << " rows, buffer " << c.size << ", width " << width << ", at " << head.size());
        const std::string bytes = save(*stage);
        TestRuntime other;
        auto restored = other.open(node);
        Archive archive(bytes);
        restored->state(archive);
        REQUIRE(archive.status().ok());
        CHECK(save(*restored) == bytes);
        Rows tail = drain(other, *restored, width == 7 ? 3 : width);
        CHECK(tail == Rows(whole.begin() + static_cast<std::ptrdiff_t>(head.size()), whole.end()));
      } while (pull(runtime, *stage, width, head));
      CHECK(head == whole);
    }
  }
}

TEST_CASE("A restored position can be saved again, and is in the epoch that it was saved in") {
  DatasetRef node = shuffle(numbers(120, 11), 16, 3);
  TestRuntime runtime;
  drain(runtime, *runtime.open(node), 7);
  auto stage = runtime.open(node);
  Rows head;
  for (int i = 0; i < 6; ++i) pull(runtime, *stage, 7, head);
  const Rows second = run_epochs(node, 2)[1];
  for (int hop = 0; hop < 8; ++hop) {
    const std::string bytes = save(*stage);
    TestRuntime other;
    auto restored = other.open(node);
    Archive archive(bytes);
    restored->state(archive);
    pull(other, *restored, 5, head);
    stage = std::move(restored);
    // The stage continues under the runtime of the test.
    const std::string again = save(*stage);
    stage = runtime.open(node);
    Archive reread(again);
    stage->state(reread);
  }
  Rows tail = drain(runtime, *stage, 9);
  head.insert(head.end(), tail.begin(), tail.end());
  CHECK(head == second);
}

TEST_CASE("shuffle pulls no more than it needs, and drops what it re-reads in vain") {
  TestRuntime runtime;
  auto stage = runtime.open(shuffle(numbers(5000), 2000, 1));
  g_widest = 0;
  g_pulled = 0;
  Rows rows;
  pull(runtime, *stage, 1, rows);
  CHECK(g_widest == 1024);
  CHECK(g_pulled == 2000);
  pull(runtime, *stage, 5, rows);
  CHECK(rows.size() == 6);
  CHECK(g_pulled == 2005);

  auto late = runtime.open(shuffle(numbers(20000), 50, 1));
  Rows passed;
  while (passed.size() < 10000) {
    runtime.clock.advance(1'000'000);
    pull(runtime, *late, 10, passed);
  }
  const std::string bytes = save(*late);
  auto restored = runtime.open(shuffle(numbers(20000), 50, 1));
  Archive archive(bytes);
  restored->state(archive);
  g_pulled = 0;
  g_dropped = 0;
  pull(runtime, *restored, 1, rows);
  INFO("pulled again: " << g_pulled << ", of them dropped: " << g_dropped);
  CHECK(g_dropped > 0);
  // Pulls take long here, so that anchors are dense.
  CHECK(g_pulled < 50 * 20);
  CHECK(g_dropped < g_pulled);
}

// Rows of a tensor that a node owns, each with its number in front.
DatasetRef slices(int64_t count, int64_t width) {
  ValueParam value;
  Tensor rows = Tensor::allocate(DType::int64, Shape{count, width});
  for (int64_t i = 0; i < rows.count(); ++i) rows.as<int64_t>()[i] = i % width == 0 ? i / width : -i;
  value.set = true;
  value.spec = Spec::tensor(rows.dtype, rows.shape);
  value.values = {rows};
  return Build(from_tensor_slices_op::definition()).set("value", value).node();
}

TEST_CASE("Rows in memory come in the order of others, from every position") {
  const Rows whole = run(shuffle(range(900), 250, 5), 1);
  for (const int64_t width : {1, 3, 8, 9, 50}) {
    CAPTURE(width);
    const DatasetRef input = slices(900, width);
    const DatasetRef node = shuffle(input, 250, 5);
    for (const int rows : {1, 100, 1024}) CHECK(run(node, rows) == whole);
    CHECK(run(shuffle(input, -2, 7), 33) == run(shuffle(range(900), -2, 7), 5));
    TestRuntime runtime;
    auto stage = runtime.open(node);
    Rows head;
    while (pull(runtime, *stage, 150, head)) {
      TestRuntime other;
      auto restored = other.open(node);
      const std::string bytes = save(*stage);
      Archive archive(bytes);
      restored->state(archive);
      CHECK(drain(other, *restored, 64) ==
            Rows(whole.begin() + static_cast<std::ptrdiff_t>(head.size()), whole.end()));
    }
    CHECK(head == whole);
  }
}

TEST_CASE("Work without a row gives others their turn") {
  DatasetRef node = shuffle(numbers(20000), 10000, 1);
  TestRuntime runtime;
  runtime.clock.step_ns = 600'000;  // Two looks at the clock are too long.
  auto stage = runtime.open(node);
  Context ctx = runtime.context();
  Block block;
  int pending = 0;
  while (stage->next(ctx, Demand(), block) == PullResult::pending) ++pending;
  CHECK(pending > 2);
  CHECK(runtime.waker.count == pending);
  Rows rows{*block.columns[0].row(0).as<int64_t>()};
  Rows tail = drain(runtime, *stage, 100);
  rows.insert(rows.end(), tail.begin(), tail.end());
  CHECK(rows == run(node, 128));
}

TEST_CASE("Dropped rows are counted and not given") {
  DatasetRef node = shuffle(numbers(60, 7), 10, 4);
  const Rows whole = run(node, 1);
  TestRuntime runtime;
  auto stage = runtime.open(node);
  Context ctx = runtime.context();
  Demand demand;
  demand.rows = 8;
  demand.drop = true;
  Block block;
  size_t passed = 0;
  while (passed < 30) {
    REQUIRE(stage->next(ctx, demand, block) == PullResult::rows);
    for (int i = 0; i < block.rows; ++i, ++passed) CHECK(block.failed(i) == (whole[passed] == kError));
  }
  CHECK(drain(runtime, *stage, 7) == Rows(whole.begin() + static_cast<std::ptrdiff_t>(passed), whole.end()));
}

TEST_CASE("A damaged or foreign state is an error") {
  DatasetRef node = shuffle(numbers(100), 10, 4);
  TestRuntime runtime;
  auto stage = runtime.open(node);
  Rows head;
  pull(runtime, *stage, 40, head);
  const std::string bytes = save(*stage);
  // Shorter data than when it was saved.
  auto shorter = runtime.open(shuffle(numbers(20), 10, 4));
  Archive archive(bytes);
  shorter->state(archive);
  Rows rows;
  pull(runtime, *shorter, 1, rows);
  CHECK(rows == Rows{kError});
  CHECK(!pull(runtime, *shorter, 1, rows));
  // A smaller buffer than when it was saved.
  auto smaller = runtime.open(shuffle(numbers(100), 5, 4));
  Archive again(bytes);
  smaller->state(again);
  rows.clear();
  pull(runtime, *smaller, 1, rows);
  CHECK(rows == Rows{kError});
  // Any byte changed gives an error or some rows, never a crash.
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    auto victim = runtime.open(node);
    Archive input(damaged);
    victim->state(input);
    rows.clear();
    if (input.status().ok()) pull(runtime, *victim, 1, rows);
  }
}

TEST_CASE("The rewind finds what a ring of elements holds") {
  for (int64_t capacity : {1, 2, 3, 10, 33}) {
    for (int64_t total : {0, 1, 9, 10, 40, 200}) {
      ShuffleDraws order(7, static_cast<uint64_t>(capacity));
      Rows ring(static_cast<size_t>(std::min(capacity, total)) + 1, -1);
      int64_t values = 0;
      for (int64_t draws = 0; draws <= total; ++draws) {
        while (values < total && values - draws < capacity) {
          ring[static_cast<size_t>(values % capacity)] = values;
          ++values;
        }
        ShuffleRewind rewind(capacity, draws, values, order);
        while (!rewind.run(3)) {
        }
        REQUIRE(rewind.size() == values - draws);
        int64_t last = -1;
        for (int64_t i = 0; i < rewind.size(); ++i) {
          CHECK(ring[static_cast<size_t>(rewind[i].slot)] == rewind[i].element);
          CHECK(rewind[i].element > last);
          last = rewind[i].element;
        }
        if (draws == values) break;
        const int64_t front = draws % capacity;
        const int64_t hole = (front + order.offset(draws, values - draws)) % capacity;
        ring[static_cast<size_t>(hole)] = ring[static_cast<size_t>(front)];
      }
    }
  }
}

TEST_CASE("A shuffle is filled by pieces that fit into a cache") {
  register_probe();
  probe_counters().least_bytes = INT64_MAX;
  CHECK(test::run("probe(10) | shuffle(8, seed: 1)").size() == 10);
  CHECK(probe_counters().least_bytes <= 256 * 1024);
}

TEST_CASE("The rows that a restore reads again") {
  CHECK(shuffle_reread_rows(1) == 1);
  CHECK(static_cast<int>(shuffle_reread_rows(1000)) == 7484);
  CHECK(static_cast<int>(shuffle_reread_rows(1e6) / 1e6) == 14);
}

}  // namespace
}  // namespace weir
