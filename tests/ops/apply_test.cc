#include "ops/functions/apply.h"

#include <catch2/catch_test_macros.hpp>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/exception.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

Result<Spec> numbers(const ParamsBase&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }

// The operator whose cursor the test acts as.
struct Driven {
  static Result<std::unique_ptr<Cursor>> open(Opening&, const NoParams&) {
    return internal_error("not opened");
  }
};

DatasetRef driven() {
  static const OperatorDef def =
      define<NoParams, Driven>({.name = "driven", .kind = OperatorKind::source, .typing = {.spec = numbers}});
  return Build(def).node();
}

// Ten times the ordinal; there is memory for calls of one row, except for the ordinal `without`.
class TimesTen final : public Function {
 public:
  TimesTen(std::string why_not_again, int64_t without)
      : Function(Spec::tensor(DType::int64), Spec::tensor(DType::int64)),
        why_not_again_(std::move(why_not_again)),
        without_(without) {}
  void call(const CallArgs& args, const Block& in, Block& out) const override {
    calls.push_back({args.base_ordinal, in.rows});
    if (in.rows > 1 || args.base_ordinal == without_) throw std::bad_alloc();
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = 10 * args.base_ordinal;
  }
  Lane lane() const override { return Lane::compute; }
  std::string not_replayable() const override { return why_not_again_; }
  void add_sites(Sites&) const override {}
  void epoch_nodes(std::vector<EpochNode>&) const override {}

  mutable std::vector<std::pair<int64_t, int>> calls;

 private:
  const std::string why_not_again_;
  const int64_t without_;
};

struct ApplyDriver {
  explicit ApplyDriver(std::string why_not_again = "", int64_t without = -1)
      : ctx(runtime.context()),
        node(driven()),
        opening{ctx, {node, nullptr, 5}},
        times_ten(make_ref<TimesTen>(std::move(why_not_again), without)),
        apply(opening, function()) {}

  FunctionParam function() const {
    FunctionParam f(FunctionParam::Takes::element, FunctionParam::Gives::anything);
    f.function = times_ten;
    return f;
  }

  TestRuntime runtime;
  Context ctx;
  DatasetRef node;
  Opening opening;
  RefPtr<TimesTen> times_ten;
  Apply apply;
};

Block rows_of(int rows) {
  Block block;
  block.reset(1);
  block.rows = rows;
  int64_t* values = block.columns[0].make_dense<int64_t>(Shape(), rows);
  for (int i = 0; i < rows; ++i) values[i] = i;
  return block;
}

bool without_memory(const Block& block, int row) {
  const ErrorPtr* error = block.error_of(row);
  return error != nullptr && is_out_of_memory(**error);
}

int64_t value_of(const Block& block, int row) { return *block.columns[0].row(row).as<int64_t>(); }

TEST_CASE("apply: a block without memory costs its first row, and the others keep their ordinals") {
  ApplyDriver driver("", 103);
  Block out;
  driver.apply(*driver.runtime.session, 100, rows_of(5), out);
  REQUIRE(out.rows == 5);
  CHECK(out.errors.size() == 2);
  CHECK(without_memory(out, 0));
  CHECK(without_memory(out, 3));
  CHECK(value_of(out, 1) == 1010);
  CHECK(value_of(out, 2) == 1020);
  CHECK(value_of(out, 4) == 1040);
  // The first one is not tried again.
  CHECK(driver.times_ten->calls ==
        std::vector<std::pair<int64_t, int>>{{100, 5}, {101, 1}, {102, 1}, {103, 1}, {104, 1}});
}

TEST_CASE("apply: rows that had failed keep their errors, and the first of the others is lost") {
  ApplyDriver driver;
  Block in = rows_of(4);
  in.fail_row(0, data_loss("before").pointer());
  in.fail_row(2, data_loss("between").pointer());
  Block out;
  driver.apply(*driver.runtime.session, 0, in, out);
  REQUIRE(out.rows == 4);
  CHECK(out.errors.size() == 3);
  CHECK((*out.error_of(0))->message == "before");
  CHECK(without_memory(out, 1));
  CHECK((*out.error_of(2))->message == "between");
  CHECK(value_of(out, 3) == 30);
}

TEST_CASE("apply: a function that gives something else the next time is not called again") {
  ApplyDriver driver("it draws from the world");
  Block out;
  CHECK_THROWS_AS(driver.apply(*driver.runtime.session, 0, rows_of(3), out), std::bad_alloc);
  CHECK(driver.times_ten->calls.size() == 1);
}

TEST_CASE("apply: one row without memory is the caller's to tell") {
  ApplyDriver driver("", 7);
  Block out;
  CHECK_THROWS_AS(driver.apply(*driver.runtime.session, 7, rows_of(1), out), std::bad_alloc);
  CHECK(driver.times_ten->calls.size() == 1);
}

TEST_CASE("apply: where all rows have failed nothing is called") {
  ApplyDriver driver;
  Block in = rows_of(2);
  in.fail_row(0, data_loss("first").pointer());
  in.fail_row(1, data_loss("second").pointer());
  for (const bool drop : {false, true}) {
    Block out;
    driver.apply(*driver.runtime.session, 0, in, out, drop);
    CHECK(out.rows == 2);
    CHECK(out.columns.size() == (drop ? 0 : 1));
    CHECK((*out.error_of(1))->message == "second");
  }
  CHECK(driver.times_ten->calls.empty());
}

}  // namespace
}  // namespace weir::test
