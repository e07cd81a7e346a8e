// What a Stage does around its cursor: rows that it owes, places of errors, and too few rows.
#include <catch2/catch_test_macros.hpp>

#include "core/exception.h"
#include "dataset/held_rows.h"
#include "dataset/holding.h"
#include "dataset/openings.h"
#include "dataset/stage.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// Gives as many rows as are wanted, 0, 1, 2 …, up to `count`. Loses `lost`
// rows to the exception that the first call throws, if that is not 0.
struct GenerousParams : ParamsOf<GenerousParams> {
  IntParam count{100};
  IntParam lost{0};
  void fields(Fields& f) override {
    f("count", count, "");
    f("lost", lost, "");
  }
};

// What the cursors below fail with, once; null for none. The row is record 5 of the file "outer".
ErrorPtr& next_error() {
  static ErrorPtr error;
  return error;
}

class Generous final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening&, const GenerousParams& params) {
    return std::unique_ptr<Cursor>(std::make_unique<Generous>(*params.count, *params.lost));
  }
  Generous(int64_t count, int64_t lost) : count_(count), lost_(lost) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (next_error()) {
      out.origins.add(0, Origin(ctx.session.source_names().number("outer"), 5));
      return std::exchange(next_error(), nullptr);
    }
    if (lost_ > 0) throw std::bad_alloc();
    if (given_ >= count_) return PullResult::end;
    out.reset(1);
    out.rows = static_cast<int>(std::min<int64_t>(demand.rows, count_ - given_));
    int64_t* numbers = out.columns[0].make_dense<int64_t>(Shape(), out.rows);
    for (int i = 0; i < out.rows; ++i) numbers[i] = given_++;
    return PullResult::rows;
  }
  int64_t lose(const ErrorPtr&) noexcept override { return std::exchange(lost_, 0); }
  void state(Archive& archive) override { archive("given", given_); }
  Step resume(Context&) override { return given_ > count_ ? PullResult::end : PullResult::rows; }

 private:
  const int64_t count_;
  int64_t lost_;
  int64_t given_ = 0;
};

const OperatorDef& generous_operator() {
  static const OperatorDef def = define<GenerousParams, Generous>({
      .name = "generous",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return def;
}

struct GenerousStage {
  explicit GenerousStage(int64_t count, int64_t lost = 0)
      : stage(runtime.open(
            Build(generous_operator()).set<IntParam>("count", count).set<IntParam>("lost", lost).node())) {}

  PullResult next(int rows = 10) {
    Context ctx = runtime.context();
    Demand demand;
    demand.rows = rows;
    return stage->next(ctx, demand, out);
  }
  // Loads a position with so many errors that are still to come, rows by value behind them, and so many given
  // by the cursor.
  void load(int64_t errors, const std::vector<int64_t>& held, int64_t given) {
    Archive archive;
    int64_t standing = -errors;
    archive("generous", standing);
    if (!held.empty()) {
      Block block;
      block.reset(1);
      block.rows = static_cast<int>(held.size());
      std::copy(held.begin(), held.end(), block.columns[0].make_dense<int64_t>(Shape(), block.rows));
      HeldRows rows;
      rows.add(std::move(block));
      Archive inner;
      rows.state(inner, Spec::tensor(DType::int64));
      std::string bytes = inner.take();
      archive("held", bytes);
    }
    Archive cursor;
    cursor("given", given);
    std::string bytes = cursor.take();
    archive("state", bytes);
    const std::string saved = archive.take();
    Archive loaded(saved);
    stage->state(loaded);
    REQUIRE(loaded.status().ok());
  }
  const Error& error() const {
    REQUIRE(out.errors.size() == 1);
    return *out.errors[0].error;
  }
  int64_t number(int row) const { return out.columns[0].tensor().as<int64_t>()[row]; }

  TestRuntime runtime;
  std::unique_ptr<Stage> stage;
  Block out;
};

TEST_CASE("stage rules: errors that are still to come are first, then rows by value, then the cursor's") {
  GenerousStage generous(7);
  generous.load(2, {31, 32, 33}, 5);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(generous.next() == PullResult::rows);
    CHECK(generous.error().code == Code::resource_exhausted);
  }
  REQUIRE(generous.next(2) == PullResult::rows);
  CHECK(generous.out.rows == 2);
  CHECK(generous.number(0) == 31);
  CHECK(generous.number(1) == 32);
  REQUIRE(generous.next() == PullResult::rows);
  CHECK(generous.out.rows == 1);
  CHECK(generous.number(0) == 33);
  REQUIRE(generous.next() == PullResult::rows);
  CHECK(generous.out.rows == 2);
  CHECK(generous.number(0) == 5);
  CHECK(generous.next() == PullResult::end);
}

TEST_CASE("stage rules: an error keeps the file that it names, and else has that of its row") {
  GenerousStage generous(7);
  next_error() = data_loss("here").pointer();
  REQUIRE(generous.next() == PullResult::rows);
  CHECK(generous.error().file == "outer");
  CHECK(generous.error().record == 5);
  CHECK(generous.error().path == "generous");
  Error own;
  own.code = Code::data_loss;
  own.message = "there";
  own.file = "inner";
  own.path = "elsewhere";
  next_error() = std::make_shared<Error>(own);
  REQUIRE(generous.next() == PullResult::rows);
  CHECK(generous.error().file == "inner");
  CHECK(generous.error().record == own.record);
  CHECK(generous.error().path == "elsewhere");
  own.file.clear();
  own.record = 9;
  next_error() = std::make_shared<Error>(own);
  REQUIRE(generous.next() == PullResult::rows);
  CHECK(generous.error().file.empty());
  CHECK(generous.error().record == 9);
}

TEST_CASE("stage rules: where memory ran out before, too few rows are no sign of a shorter input") {
  for (const bool lacked : {false, true}) {
    GenerousStage generous(7);
    if (lacked) {
      next_error() = out_of_memory();
      REQUIRE(generous.next() == PullResult::rows);
    }
    CHECK(generous.runtime.session->lacked_memory == lacked);
    generous.load(0, {}, 8);
    REQUIRE(generous.next() == PullResult::rows);
    CHECK(generous.error().code == (lacked ? Code::resource_exhausted : Code::data_loss));
    CHECK(generous.error().position_lost);
    CHECK(generous.next() == PullResult::end);
  }
}

TEST_CASE("stage rules: more errors than are worth it are not saved one by one") {
  for (const int64_t errors : {1, 65'536, 65'537}) {
    CAPTURE(errors);
    GenerousStage generous(7, errors + 1);
    REQUIRE(generous.next() == PullResult::rows);
    REQUIRE(generous.error().code == Code::resource_exhausted);
    Holding holding;
    Archive archive(&holding);
    generous.stage->state(archive);
    CHECK(holding.goes_on() == (errors <= 65'536));
    if (!holding.goes_on()) CHECK(is_out_of_memory(*holding.error));
  }
}

}  // namespace
}  // namespace weir::test
