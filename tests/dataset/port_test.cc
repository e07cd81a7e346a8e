#include "dataset/port.h"

#include <catch2/catch_test_macros.hpp>

#include "ops/list.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir {

namespace test {
namespace {

DatasetRef range(int64_t stop) { return Build(range_op::definition()).set<IntParam>("stop", stop).node(); }

struct PortDriver {
  PortDriver(const DatasetRef& node, Port::Mode mode)
      : ctx(runtime.context()), port(ctx, {node, nullptr, 0}, mode) {}
  // The first value of the next block of at most `rows`, which stay unconsumed; -1 at the end.
  int64_t pull(int rows) {
    Demand demand;
    demand.rows = rows;
    if (port.pull(ctx, demand, block) != PullResult::rows) return -1;
    return *block.columns[0].row(0).as<int64_t>();
  }
  std::string save() {
    Archive archive;
    port.state(archive);
    return archive.take();
  }
  Status load(const std::string& bytes) {
    Archive archive(bytes);
    port.state(archive);
    archive.finish();
    return archive.status();
  }

  TestRuntime runtime;
  Context ctx;
  Port port;
  Block block;
};

TEST_CASE("rows taken piecewise are consumed when the cursor says so") {
  PortDriver driver(range(10), Port::Mode::keep);
  Demand demand;
  demand.rows = 4;
  REQUIRE(driver.port.fill(driver.ctx, demand) == PullResult::rows);
  CHECK(driver.port.buffered() == 4);
  driver.port.take(3);
  CHECK(driver.port.position() == 3);
  CHECK(driver.port.consumed() == 0);
  CHECK(driver.port.fill(driver.ctx, demand) == PullResult::rows);
  CHECK(driver.port.buffered() == 1);
  driver.port.consume_all();
  CHECK(driver.port.consumed() == 3);
}

TEST_CASE("what was not consumed comes again after a restore") {
  for (int64_t consumed : {0, 1, 31, 32, 33, 150, 299, 300}) {
    INFO("consumed " << consumed);
    PortDriver driver(range(400), Port::Mode::keep);
    for (int i = 0; i < 100; ++i) driver.pull(3);
    driver.port.consume_to(consumed);
    PortDriver restored(range(400), Port::Mode::keep);
    REQUIRE(restored.load(driver.save()).ok());
    CHECK(restored.save() == driver.save());
    CHECK(restored.port.position() == consumed);
    CHECK(restored.pull(1) == consumed);
    CHECK(restored.port.values() == consumed + 1);
  }
}

TEST_CASE("a port in pass mode stands where its input does") {
  PortDriver driver(range(9), Port::Mode::pass);
  driver.pull(4);
  PortDriver restored(range(9), Port::Mode::pass);
  REQUIRE(restored.load(driver.save()).ok());
  CHECK(restored.port.position() == 4);
  CHECK(restored.port.values() == 4);
  CHECK(restored.pull(1) == 4);
}

TEST_CASE("a port of the whole input begins again") {
  PortDriver driver(range(200), Port::Mode::whole);
  for (int i = 0; i < 100; ++i) driver.pull(1);
  PortDriver restored(range(200), Port::Mode::whole);
  REQUIRE(restored.load(driver.save()).ok());
  CHECK(restored.pull(1) == 0);
}

// Counts the rows that it makes.
struct CountedParams : ParamsOf<CountedParams> {
  void fields(Fields&) override {}
};
int64_t g_made = 0;
class Counted final : public Cursor {
 public:
  Counted(Opening&, const CountedParams&) {}
  Step next(Context&, const Demand& demand, Block& out) override {
    out.reset(demand.drop ? 0 : 1);
    out.rows = demand.rows;
    if (!demand.drop)
      std::fill_n(out.columns[0].make_dense<int64_t>(Shape(), demand.rows), demand.rows, given_);
    given_ += demand.rows;
    g_made += demand.rows;
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("given", given_); }

 private:
  int64_t given_ = 0;
};

DatasetRef counted() {
  static const OperatorDef def = define<CountedParams, Counted>({
      .name = "counted",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return Build(def).node();
}

// Cannot resume a position.
class Frail final : public Cursor {
 public:
  Frail(Opening&, const CountedParams&) {}
  Step next(Context&, const Demand&, Block& out) override {
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = given_++;
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("given", given_); }
  Step resume(Context&) override { return not_found("gone"); }

 private:
  int64_t given_ = 0;
};

DatasetRef frail() {
  static const OperatorDef def = define<CountedParams, Frail>({
      .name = "frail",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return Build(def).node();
}

TEST_CASE("an input that cannot take its position up is one error and the end") {
  PortDriver driver(frail(), Port::Mode::keep);
  for (int i = 0; i < 40; ++i) driver.pull(1);
  REQUIRE(driver.port.last_anchor()->ordinal == 32);
  // Up to the anchor, one row and several rows after it.
  for (int64_t consumed : {32, 33, 40}) {
    INFO("consumed " << consumed);
    driver.port.consume_to(consumed);
    PortDriver restored(frail(), Port::Mode::keep);
    REQUIRE(restored.load(driver.save()).ok());
    REQUIRE(restored.port.pull(restored.ctx, Demand(), restored.block) == PullResult::rows);
    REQUIRE(restored.block.rows == 1);
    REQUIRE(restored.block.failed(0));
    CHECK(restored.block.errors[0].error->message == "gone");
    CHECK(restored.block.errors[0].error->path == "frail");
    CHECK(restored.port.position() == consumed + 1);
    CHECK(restored.port.pull(restored.ctx, Demand(), restored.block) == PullResult::end);
  }
}

TEST_CASE("an input that has become shorter is one error and the end") {
  PortDriver driver(range(400), Port::Mode::keep);
  for (int i = 0; i < 20; ++i) driver.pull(1);
  driver.port.consume_to(20);
  PortDriver restored(range(12), Port::Mode::keep);
  REQUIRE(restored.load(driver.save()).ok());
  REQUIRE(restored.port.fill(restored.ctx, Demand()) == PullResult::rows);
  REQUIRE(restored.port.block().failed(0));
  CHECK(restored.port.block().errors[0].error->code == Code::data_loss);
  restored.port.take(1);
  restored.port.consume_all();
  CHECK(restored.port.fill(restored.ctx, Demand()) == PullResult::end);
  CHECK(restored.port.fill(restored.ctx, Demand()) == PullResult::end);
}

TEST_CASE("anchors behind slow rows are close, and stay close enough however many rows wait") {
  constexpr int64_t kRows = 20000;
  PortDriver driver(counted(), Port::Mode::keep);
  for (int64_t i = 0; i < kRows; ++i) {
    driver.runtime.clock.advance(1'000'000);
    driver.pull(1);
  }
  for (int64_t consumed : {int64_t{0}, int64_t{40}, kRows / 2, kRows - 1}) {
    INFO("consumed " << consumed);
    driver.port.consume_to(consumed);
    PortDriver restored(counted(), Port::Mode::keep);
    REQUIRE(restored.load(driver.save()).ok());
    g_made = 0;
    CHECK(restored.pull(1) == consumed);
    CHECK(g_made <= 1 + kRows / 64);
  }
}

TEST_CASE("anchors before fast rows are rare") {
  PortDriver driver(counted(), Port::Mode::keep);
  driver.runtime.clock.step_ns = 1000;
  const int64_t before = driver.runtime.clock.now_ns();
  for (int i = 0; i < 100'000; ++i) driver.pull(1);
  // Two readings of the clock per anchor.
  CHECK((driver.runtime.clock.now_ns() - before) / 2000 < 20);
}

TEST_CASE("a target is offered for one pull only") {
  PortDriver driver(range(9), Port::Mode::keep);
  BufferRef place = Buffer::allocate(64);
  driver.port.bind_target(0, place, place->data(), 2 * sizeof(int64_t));
  Demand demand;
  demand.rows = 3;
  REQUIRE(driver.port.fill(driver.ctx, demand) == PullResult::rows);
  CHECK(driver.port.block().columns[0].tensor().data != place->data());
  driver.port.take(3);
  demand.rows = 2;
  REQUIRE(driver.port.fill(driver.ctx, demand) == PullResult::rows);
  CHECK(driver.port.block().columns[0].tensor().data != place->data());
  CHECK(place->unique());
}

TEST_CASE("a target that fits is filled") {
  PortDriver driver(range(9), Port::Mode::keep);
  BufferRef place = Buffer::allocate(64);
  driver.port.bind_target(0, place, place->data() + 8, 3 * sizeof(int64_t));
  Demand demand;
  demand.rows = 3;
  REQUIRE(driver.port.fill(driver.ctx, demand) == PullResult::rows);
  CHECK(driver.port.block().columns[0].tensor().data == place->data() + 8);
  CHECK(reinterpret_cast<int64_t*>(place->data())[3] == 2);
}

// Two rows per opening, both its number; answers pending before each pull when told to.
class Numbered final : public Cursor {
 public:
  Numbered(Opening& opening, const NoParams&)
      : number_(static_cast<int64_t>(count_opening(opening.ctx, *opening.node).number)) {}
  Step next(Context& ctx, const Demand&, Block& out) override {
    if (given_ == 2) return PullResult::end;
    if (pends && (waited_ = !waited_)) {
      ctx.waker->wake();
      return PullResult::pending;
    }
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = number_;
    ++given_;
    return PullResult::rows;
  }
  void state(Archive& archive) override {
    archive("number", number_);
    archive("given", given_, 0, 2);
  }
  static inline bool pends = false;

 private:
  int64_t number_;
  int64_t given_ = 0;
  bool waited_ = false;
};

DatasetRef numbered_thrice() {
  static const OperatorDef def = define<NoParams, Numbered>({
      .name = "numbered",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&, std::span<const DatasetRef>) -> Result<Spec> {
                   return Spec::tensor(DType::int64);
                 },
                 .cardinality = unknown_cardinality},
      .position = {.counts_openings = always},
  });
  return Build(repeat_op::definition()).set<IntParam>("count", 3).over(Build(def).node()).node();
}

TEST_CASE("openings that a replay has not made again stand in the next position, too") {
  Numbered::pends = false;
  const DatasetRef node = numbered_thrice();
  PortDriver driver(node, Port::Mode::keep);
  for (int i = 0; i < 6; ++i) CHECK(driver.pull(1) == i / 2);
  driver.port.consume_to(3);
  const std::string saved = driver.save();
  PortDriver between(node, Port::Mode::keep);
  REQUIRE(between.load(saved).ok());
  Numbered::pends = true;
  // Restored, but stopped among the rows that are dropped.
  CHECK(between.pull(1) == -1);
  CHECK(between.save() == saved);
  Numbered::pends = false;
  PortDriver last(node, Port::Mode::keep);
  last.runtime.epochs.set(node->inputs()[0]->id(), 50);
  REQUIRE(last.load(saved).ok());
  CHECK(last.pull(1) == 1);
  CHECK(last.save() == saved);
  CHECK(last.pull(1) == 2);
  CHECK(last.pull(1) == 2);
  CHECK(last.pull(1) == -1);
  // The opening after the last epoch is the first one that counts.
  CHECK(last.runtime.epochs.count(node->inputs()[0]->id()) == 51);
}

TEST_CASE("a damaged position is an error") {
  PortDriver driver(range(400), Port::Mode::keep);
  for (int i = 0; i < 100; ++i) driver.pull(3);
  driver.port.consume_to(200);
  const std::string saved = driver.save();
  for (size_t length = 0; length < saved.size(); ++length) {
    PortDriver victim(range(400), Port::Mode::keep);
    CHECK(!victim.load(saved.substr(0, length)).ok());
  }
}

}  // namespace
}  // namespace test
}  // namespace weir
