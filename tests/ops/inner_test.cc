#include "ops/functions/inner.h"

#include <catch2/catch_test_macros.hpp>

#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

Result<Spec> inner_numbers(const ParamsBase&, std::span<const DatasetRef>) {
  return Spec::tensor(DType::int64);
}

// The rows 0 to 4, of which 1 fails.
class Outer final : public Cursor {
 public:
  Outer(Opening&, const NoParams&) {}
  Step next(Context&, const Demand& demand, Block& out) override {
    if (given_ == 5) return PullResult::end;
    out.reset(1);
    out.rows = demand.at_most(5 - given_).rows;
    int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), out.rows);
    for (int i = 0; i < out.rows; ++i, ++given_) {
      values[i] = given_;
      if (given_ == 1) out.fail_row(i, data_loss("row").pointer());
    }
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("given", given_); }

 private:
  int64_t given_ = 0;
};

// Three rows: the key that it was opened with, how often it was opened before, and 7.
class Told final : public Cursor {
 public:
  Told(Opening& opening, const NoParams&) {
    rows_[0] = static_cast<int64_t>(opening.key);
    rows_[1] = static_cast<int64_t>(count_opening(opening.ctx, *opening.node).number);
  }
  Step next(Context&, const Demand&, Block& out) override {
    if (given_ == 3) return PullResult::end;
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = rows_[given_++];
    return PullResult::rows;
  }
  void state(Archive& archive) override {
    archive("given", given_, 0, 3);
    archive("opened", rows_[1]);
  }

 private:
  int64_t rows_[3] = {0, 0, 7};
  int64_t given_ = 0;
};

struct Closed {
  static Result<std::unique_ptr<Cursor>> open(Opening&, const NoParams&) { return not_found("closed"); }
};

template <class C>
DatasetRef node_of(const char* name, bool counts = false) {
  static const OperatorDef def = define<NoParams, C>({
      .name = name,
      .kind = OperatorKind::source,
      .typing = {.spec = inner_numbers},
      .position = {.counts_openings = counts ? always : nullptr},
  });
  return Build(def).inside(1).node();
}

// Row 2 fails, row 3 gives a dataset that cannot be opened, the others `told`.
class Opens final : public Function {
 public:
  explicit Opens(DatasetRef told)
      : Function(Spec::tensor(DType::int64), Spec::dataset(Spec::tensor(DType::int64))),
        told_(std::move(told)),
        closed_(node_of<Closed>("closed")) {}
  void call(const CallArgs&, const Block& in, Block& out) const override {
    REQUIRE(in.rows == 1);
    out.reset(1);
    out.rows = 1;
    const int64_t value = *in.columns[0].row(0).as<int64_t>();
    const DatasetRef& node = value == 3 ? closed_ : told_;
    out.columns[0].make_list().push_back(dataset_tensor(make_ref<NestedDataset>(node, EnvRef())));
    if (value == 2) out.fail_row(0, invalid_argument("call").pointer());
  }
  Lane lane() const override { return Lane::compute; }
  std::string not_replayable() const override { return ""; }
  void add_sites(Sites&) const override {}
  void epoch_nodes(std::vector<EpochNode>&) const override {}

 private:
  DatasetRef told_;
  DatasetRef closed_;
};

// The operator whose cursor the test acts as.
struct DrivenInner {
  static Result<std::unique_ptr<Cursor>> open(Opening&, const NoParams&) {
    return internal_error("not opened");
  }
};

DatasetRef driven_inner() {
  static const OperatorDef def =
      define<NoParams, DrivenInner>({.name = "driven", .typing = {.spec = inner_numbers}});
  return Build(def).over(node_of<Outer>("outer")).node();
}

FunctionParam opens() {
  static const DatasetRef told = node_of<Told>("told", true);
  FunctionParam f(FunctionParam::Takes::element, FunctionParam::Gives::dataset);
  f.function = make_ref<Opens>(told);
  return f;
}

struct InnerDriver {
  explicit InnerDriver(uint64_t key = 5)
      : ctx(runtime.context()),
        node(driven_inner()),
        opening{ctx, {node, nullptr, key}},
        function(opens()),
        source(opening, function) {}

  Step open(std::unique_ptr<Inner>& inner) { return source.open_next(ctx, inner); }
  int64_t next(Inner& inner) {
    Block out;
    if (inner.next(ctx, Demand(), out) != PullResult::rows) return -1;
    return *out.columns[0].row(0).as<int64_t>();
  }

  TestRuntime runtime;
  Context ctx;
  DatasetRef node;
  Opening opening;
  FunctionParam function;
  InnerSource source;
};

TEST_CASE("a row of the input is taken for each dataset, but not consumed") {
  InnerDriver driver;
  std::unique_ptr<Inner> inner;
  REQUIRE(driver.open(inner).answer() == PullResult::rows);
  REQUIRE(inner);
  CHECK(inner->ordinal() == 0);
  CHECK(driver.source.input().position() == 1);
  CHECK(driver.source.input().consumed() == 0);
  for (int i = 0; i < 3; ++i) driver.next(*inner);
  CHECK(driver.next(*inner) == -1);
  CHECK(driver.source.input().position() == 1);
}

TEST_CASE("what stands in the way of a dataset is its row's error, once") {
  InnerDriver driver;
  std::unique_ptr<Inner> first;
  REQUIRE(driver.open(first).answer() == PullResult::rows);
  // The row, the call, the opening.
  for (const Code code : {Code::data_loss, Code::invalid_argument, Code::not_found}) {
    std::unique_ptr<Inner> inner;
    const Step step = driver.open(inner);
    REQUIRE(step.error());
    CHECK(step.error()->code == code);
    CHECK(!inner);
  }
  std::unique_ptr<Inner> last;
  REQUIRE(driver.open(last).answer() == PullResult::rows);
  CHECK(last->ordinal() == 4);
  CHECK(driver.open(first).answer() == PullResult::end);
}

TEST_CASE("the key of a dataset follows from the row's number, and its openings are counted from 0") {
  InnerDriver driver(21);
  // As wide a block as the input gives: the function is called for each row.
  Demand demand;
  demand.rows = 5;
  REQUIRE(driver.source.input().fill(driver.ctx, demand) == PullResult::rows);
  for (int64_t row = 0; row < 5; ++row) {
    std::unique_ptr<Inner> inner;
    if (driver.open(inner).error()) continue;
    CHECK(inner->ordinal() == row);
    CHECK(driver.next(*inner) == static_cast<int64_t>(derive_key(21, static_cast<uint64_t>(row))));
    CHECK(driver.next(*inner) == 0);
  }
  // The scope around it counts none of them.
  CHECK(driver.runtime.epochs.table() == nullptr);
}

TEST_CASE("a dataset goes on where it was saved, with its count of openings") {
  for (int given = 0; given <= 3; ++given) {
    InnerDriver driver;
    std::unique_ptr<Inner> inner;
    REQUIRE(driver.open(inner).answer() == PullResult::rows);
    for (int i = 0; i < given; ++i) driver.next(*inner);
    Inner::Saved saved = inner->save();
    REQUIRE(saved.epochs.size() == 3);
    CHECK(saved.epochs[0] == 1);
    CHECK(saved.epochs[2] == 1);
    // As if it had been opened again and again.
    saved.epochs[2] = 6;
    InnerDriver other;
    std::unique_ptr<Inner> restored;
    REQUIRE(other.open(restored).answer() == PullResult::rows);
    REQUIRE(restored->load(saved).ok());
    for (int i = given; i <= 3; ++i) CHECK(other.next(*restored) == driver.next(*inner));
    CHECK(restored->save().epochs == saved.epochs);
  }
}

TEST_CASE("a damaged position of a dataset is an error") {
  InnerDriver driver;
  std::unique_ptr<Inner> inner;
  REQUIRE(driver.open(inner).answer() == PullResult::rows);
  const Inner::Saved saved = inner->save();
  CHECK(!inner->load({saved.bytes.substr(0, saved.bytes.size() - 1), saved.epochs}).ok());
  CHECK(!inner->load({saved.bytes + "x", saved.epochs}).ok());
  CHECK(!inner->load({saved.bytes, {1, 2}}).ok());
}

}  // namespace
}  // namespace weir::test
