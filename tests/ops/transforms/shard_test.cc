#include "core/text.h"
#include "dataset/access.h"
#include "ops/contract.h"
#include "ops/list.h"
#include "ops/pipelines.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// An error is no element, so those after it belong to other shards than without it.
const ContractEntries shard_contract("shard",
                                     {{"PROBE | shard(3, 1)", [](int64_t k) { return 3 * k - 1; }, false},
                                      {"PROBE | shard(1, 0)"}});

TEST_CASE("shard keeps every num_shards-th element from index on") {
  CHECK(run("range(8) | shard(3, 1)") == Lines{"1", "4", "7"});
  CHECK(run("range(8) | shard(3, 2)") == Lines{"2", "5"});
  CHECK(run("range(3) | shard(1, 0)") == Lines{"0", "1", "2"});
  CHECK(run("range(3) | shard(5, 4)").empty());
  CHECK(run("range(3000) | shard(1025, 1024)") == Lines{"1024", "2049"});
  CHECK(run("range(3) | shard(9223372036854775807, 2)") == Lines{"2"});
}

TEST_CASE("the shards of more than one block are the whole") {
  Lines all;
  for (int i = 0; i < 7; ++i) {
    const Lines part = run("range(5000) | shard(7, " + std::to_string(i) + ")");
    REQUIRE(part.size() == 5000u / 7 + (i < 5000 % 7 ? 1 : 0));
    for (size_t k = 0; k < part.size(); ++k) CHECK(part[k] == std::to_string(7 * k + static_cast<size_t>(i)));
  }
}

TEST_CASE("the cardinality of shard") {
  CHECK(cardinality("range(8) | shard(3, 1)") == 3);
  CHECK(cardinality("range(8) | shard(3, 2)") == 2);
  CHECK(cardinality("range(8) | repeat() | shard(3, 2)") == -1);
  CHECK(cardinality("range(8) | filter(x -> x > 1) | shard(3, 2)") == -2);
  CHECK(cardinality("range(8) | shard(auto, auto)") == -2);
}

TEST_CASE("errors go to every shard and are not counted") {
  CHECK(run("probe(6, errors: \"0,3\") | shard(2, 0)") ==
        Lines{"error: data_loss", "1", "error: data_loss", "4"});
  CHECK(run("probe(6, errors: \"0,3\") | shard(2, 1)") ==
        Lines{"error: data_loss", "2", "error: data_loss", "5"});
}

TEST_CASE("an index that is too large is refused, also one known only when it opens") {
  CHECK(build_error("range(5) | shard(2, 2)").find("expected an index below num_shards, 2, found 2") !=
        std::string::npos);
  CHECK(build_error("range(5) | shard(2, auto)").find("auto for both") != std::string::npos);
  CHECK(build_error("range(5) | shard(auto, auto) | shard(auto, auto)").find("another in its input") !=
        std::string::npos);
  CHECK(run("range(2) | flat_map(i -> range(4) | shard(2, i + 1))") ==
        Lines{"1", "3", "error: invalid_argument"});
}

// Gives one row for each demand, and keeps the last one.
class Asked final : public Cursor {
 public:
  Asked(Opening&, const NoParams&) {}
  static Demand& last() {
    static Demand demand;
    return demand;
  }
  Step next(Context&, const Demand& demand, Block& out) override {
    last() = demand;
    out.reset(1);
    out.rows = 1;
    *out.columns[0].make_dense<int64_t>(Shape(), 1) = given_++;
    return PullResult::rows;
  }
  void state(Archive& archive) override { archive("given", given_); }
  int64_t assured() const noexcept override { return sure() ? INT64_MAX : 0; }
  // Whether none of its rows fails.
  static bool& sure() {
    static bool sure = true;
    return sure;
  }

 private:
  int64_t given_ = 0;
};

Result<Spec> asked_spec(const ParamsBase&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }

const OperatorDef& asked_operator() {
  static const OperatorDef def = define<NoParams, Asked>({
      .name = "asked",
      .kind = OperatorKind::source,
      // A Stage tells no others which values are wanted.
      .typing = {.spec = asked_spec, .columns = Columns::mapped},
  });
  return def;
}

// What a shard asks of its input last for its first element, if `rows` are wanted of it.
Demand asked(int64_t num_shards, int64_t index, int rows) {
  TestRuntime test;
  const auto stage = test.open(Build(shard_op::definition())
                                   .set<IntParam>("num_shards", num_shards)
                                   .set<IntParam>("index", index)
                                   .over(Build(asked_operator()).node())
                                   .node());
  Context ctx = test.context();
  Demand demand;
  demand.rows = rows;
  Block block;
  PullResult got = PullResult::pending;
  while (got == PullResult::pending) got = stage->next(ctx, demand, block);
  REQUIRE(got == PullResult::rows);
  CHECK(block.rows == 1);
  return Asked::last();
}

TEST_CASE("shard asks for no more than it needs, and says which values it wants") {
  CHECK(demand("probe(50) | shard(3, 1)", 1) == 2);
  CHECK(demand("probe(50) | shard(3, 1)", 2) == 5);
  CHECK(demand("probe(50) | shard(1, 0)", 7) == 7);
  const auto check = [](const Demand& found, int rows, int first, int step) {
    CHECK(found.rows == rows);
    CHECK(found.first == first);
    CHECK(found.step == step);
  };
  // The demand for the first element, and for the others that are wanted with it.
  check(asked(3, 0, 1), 1, 0, 3);
  check(asked(3, 0, 2), 4, 0, 3);
  check(asked(3, 1, 2), 4, 0, 3);
  check(asked(3, 0, 1000), kMaxBlockRows, 0, 3);
  check(asked(1024, 0, 2), kMaxBlockRows, 0, 1024);
  check(asked(1025, 0, 1), 1, 0, 1);
  check(asked(1025, 0, 2), kMaxBlockRows, 0, 1);
  check(asked(INT64_MAX, 0, 1), 1, 0, 1);
  check(asked(INT64_MAX, 1, 1), 1, 0, 1);
  // Any of them may be an error, which is given.
  Asked::sure() = false;
  check(asked(3, 0, 2), 2, 0, 3);
  check(asked(3, 1, 1), 1, 0, 3);
  check(asked(1025, 0, 2), 2, 0, 1);
  Asked::sure() = true;
}

TEST_CASE("shard gives no more rows than are wanted, whatever fails") {
  for (const char* errors : {"0,1", "0,1,2,3,4,5,6", "1,2,4,5", "11,12,13"}) {
    CAPTURE(errors);
    const std::string text = concat("probe(20, errors: \"", errors, "\") | shard(2, 1)");
    ThreadsRuntime runtime;
    const Lines all = all_lines(*runtime, text);
    for (size_t given = 0; given < all.size(); ++given) {
      const auto iterator = open_text(*runtime, text + " | prefetch(2)");
      take_lines(*iterator, static_cast<int64_t>(given));
      const std::string saved = require_value(iterator->save());
      const auto restored = open_text(*runtime, text + " | prefetch(2)", &saved);
      CHECK(all_lines(*restored) == Lines(all.begin() + static_cast<ptrdiff_t>(given), all.end()));
    }
  }
}

TEST_CASE("a damaged position of a shard is an error") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(9) | shard(3, 1)");
  for (const int64_t before : {-1, 0, 2, 3}) {
    CAPTURE(before);
    TestRuntime test;
    const auto stage = test.open(document->root());
    Archive cursor;
    int64_t number = before;
    cursor("before", number);
    std::string bytes = cursor.take();
    Archive archive;
    int64_t standing = 0;
    archive("shard", standing);
    archive("state", bytes);
    const std::string saved = archive.take();
    Archive loaded(saved);
    stage->state(loaded);
    Context ctx = test.context();
    Block block;
    REQUIRE(stage->next(ctx, {}, block) == PullResult::rows);
    // The position of its input is not there.
    const std::string found = block.errors[0].error->describe();
    CHECK((found.find("before") != std::string::npos) == (before < 0 || before > 2));
  }
}

TEST_CASE("shard goes on where it was saved") {
  CHECK(run_restored("range(3000) | shard(3, 1)", 998) == Lines{"2995", "2998"});
  CHECK(run_restored("probe(9, errors: \"1\") | shard(3, 2)", 2) == Lines{"6"});
}

int looks_at_access = 0;

// The same, with positions, which cost as much as the rows before them.
const OperatorDef& placed_operator() {
  static const OperatorDef def = [] {
    OperatorDef placed = asked_operator();
    placed.name = "placed";
    placed.access.open = [](Opening&, const ParamsBase&) -> Result<std::unique_ptr<Access>> {
      return Status(Code::internal, "is not opened by positions");
    };
    placed.access.refuses = [](const ParamsBase&) -> const char* {
      ++looks_at_access;
      return nullptr;
    };
    placed.access.seeks = [](Opening&, const ParamsBase&) { return false; };
    return placed;
  }();
  return def;
}

TEST_CASE("each of many shards asks its input once whether that can seek") {
  TestRuntime test;
  DatasetRef node = Build(placed_operator()).node();
  for (int i = 0; i < 60; ++i) {
    node = Build(shard_op::definition())
               .set<IntParam>("num_shards", int64_t{1})
               .set<IntParam>("index", int64_t{0})
               .over(node)
               .node();
  }
  looks_at_access = 0;
  const auto stage = test.open(node);
  // With the parameters as they are written, and with their values.
  CHECK(looks_at_access == 2 * 60);
}

}  // namespace
}  // namespace weir::test
