#include "dataset/openings.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "dataset/operator.h"
#include "ops/list.h"
#include "support/test_runtime.h"

namespace weir {

namespace test {
namespace {

using Places = std::vector<uint64_t>;

DatasetRef node(int depth) {
  auto params = range_op::definition().make_params();
  Fields fields;
  params->fields(fields);
  for (Field& field : fields.list) {
    if (std::string_view(field.name) == "stop") **std::get_if<IntParam*>(&field.slot) = 3;
  }
  return *Dataset::build(range_op::definition(), std::move(params), {}, {.depth = depth});
}

Places all(Openings openings, uint64_t what) {
  Places out;
  for (uint64_t number; openings.take(what, number);) out.push_back(number);
  return out;
}

TEST_CASE("openings: numbers come back in their order, node by node") {
  Openings openings;
  for (uint64_t number : {4, 6, 8, 9, 10, 11, 30}) openings.add(1, number);
  for (uint64_t number : {0, 1, 2}) openings.add(2, number);
  CHECK(all(openings, 1) == Places{4, 6, 8, 9, 10, 11, 30});
  CHECK(all(openings, 2) == Places{0, 1, 2});
  CHECK(all(openings, 3).empty());
  Openings loaded;
  REQUIRE(loaded.assign(openings.written()));
  CHECK(all(loaded, 1) == Places{4, 6, 8, 9, 10, 11, 30});
}

TEST_CASE("openings: a fixed step is one run, however long") {
  Openings openings;
  for (uint64_t i = 0; i < 1000; ++i) openings.add(3, 5 + 2 * i);
  CHECK(openings.run_count() == 1);
  CHECK(openings.written() == Places{3, 5, 2, 1000});
  uint64_t number = 0;
  REQUIRE(openings.take(3, number));
  CHECK(openings.written() == Places{3, 7, 2, 999});
}

TEST_CASE("openings: lists are joined in their order") {
  for (size_t cut = 0; cut <= 8; ++cut) {
    const Places numbers = {1, 2, 3, 5, 7, 8, 20, 21};
    Openings first, second;
    for (size_t i = 0; i < numbers.size(); ++i) (i < cut ? first : second).add(0, numbers[i]);
    first.append(second);
    CHECK(all(first, 0) == numbers);
  }
}

TEST_CASE("openings: digests of names come back in their order, node by node") {
  Openings openings;
  openings.add_names(4, Places{2, 7, 8});
  openings.add_names(4, Places{2, 7, 8});
  openings.add_names(6, Places{1, 9});
  Openings later;
  later.add_names(4, Places{2, 7, 8});
  later.add_names(4, Places{0});
  openings.append(later);
  CHECK(openings.written_names() == Places{4, 3, 3, 2, 7, 8, 6, 1, 2, 1, 9, 4, 1, 1, 0});
  Openings loaded;
  REQUIRE(loaded.assign({}, openings.written_names()));
  Places digest;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(loaded.take_names(4, digest));
    CHECK(digest == Places{2, 7, 8});
  }
  REQUIRE(loaded.take_names(4, digest));
  CHECK(digest == Places{0});
  CHECK(!loaded.take_names(4, digest));
  CHECK(!loaded.empty());
  REQUIRE(loaded.take_names(6, digest));
  CHECK(loaded.empty());
}

TEST_CASE("openings: damaged numbers are refused") {
  Openings names;
  for (const Places& damaged : {Places{4}, Places{4, 1}, Places{4, 0, 1, 5}, Places{4, 1, 2, 5},
                                Places{4, 1, UINT64_MAX, 5}, Places{4, 1, 1, 5, 6}}) {
    CHECK(!names.assign({}, damaged));
  }
  Openings openings;
  CHECK(!openings.assign(Places{1, 2, 3}));
  CHECK(!openings.assign(Places{1, 2, 3, 0}));
  CHECK(openings.assign(Places{}));
}

TEST_CASE("openings: a replay takes the old numbers and leaves the counts alone") {
  TestRuntime runtime;
  DatasetRef counted = node(0);
  Openings outer_made, outer_due, inner_made, inner_due;
  OpeningLog outer{0, outer_made, outer_due, nullptr};
  OpeningLog inner{0, inner_made, inner_due, &outer};
  Context ctx = runtime.context();
  ctx.openings = &inner;
  runtime.epochs.set(counted->id(), 9);
  outer_due.add(2 * counted->id(), 4);
  inner_due.add(2 * counted->id(), 2);
  // Those of the inner one come first: they were made before the anchor of the outer one.
  CHECK(count_opening(ctx, *counted).number == 2);
  CHECK(outer_made.empty());
  CHECK(count_opening(ctx, *counted).number == 4);
  CHECK(count_opening(ctx, *counted).number == 9);
  CHECK(runtime.epochs.count(counted->id()) == 10);
  CHECK(all(inner_made, 2 * counted->id()) == Places{2, 4, 9});
  CHECK(all(outer_made, 2 * counted->id()) == Places{4, 9});
}

TEST_CASE("openings: what a call counts for itself is not listed outside it") {
  TestRuntime runtime;
  Openings made, due;
  OpeningLog log{0, made, due, nullptr};
  EpochScope call(nullptr, 1, 5);
  Context ctx = runtime.context();
  ctx.epochs = &call;
  ctx.openings = &log;
  CHECK(count_opening(ctx, *node(1)).number == 0);
  CHECK(made.empty());
  DatasetRef captured = node(0);
  CHECK(count_opening(ctx, *captured).number == 0);
  CHECK(all(made, 2 * captured->id()) == Places{0});
}

TEST_CASE("openings: a quiet Context counts nothing outside") {
  TestRuntime runtime;
  Openings made, due;
  OpeningLog log{0, made, due, nullptr};
  Context ctx = runtime.context();
  ctx.openings = &log;
  DatasetRef counted = node(0);
  QuietContext quiet(ctx);
  CHECK(count_opening(*quiet, *counted).number == 0);
  CHECK(count_opening(*quiet, *counted).number == 1);
  CHECK(count_opening(ctx, *counted).number == 0);
  CHECK(all(made, 2 * counted->id()) == Places{0});
}

}  // namespace
}  // namespace test
}  // namespace weir
