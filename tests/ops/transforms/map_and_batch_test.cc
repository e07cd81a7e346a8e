#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries map_and_batch_contract(
    "map_and_batch",
    {{"PROBE | map_and_batch(x -> x * 2, 4)", [](int64_t k) { return 4 * k; }, false},
     {"PROBE | map_and_batch(x -> (x, x * x), 5, drop_remainder: true, num_parallel_calls: 3)", anything,
      false},
     {"PROBE | map_and_batch(x -> (from_dense([x % 3, x]), x), 4)", [](int64_t k) { return 4 * k; }, false},
     {"PROBE | flat_map(x -> range(x % 5) | map_and_batch(y -> x + y, 2)) | prefetch(2)", anything, false}},
    kLosesOrder);

TEST_CASE("map_and_batch is map and batch") {
  for (int rows : {1, 3, 100}) {
    for (const char* calls : {"", ", num_parallel_calls: 3"}) {
      const std::string more = calls;
      CHECK(run("range(2500) | map_and_batch(x -> x * 3, 7" + more + ")", rows) ==
            run("range(2500) | map(x -> x * 3) | batch(7)", rows));
      CHECK(run("range(10) | map_and_batch(x -> {x, y: full([2], x)}, 4, drop_remainder: true" + more + ")",
                rows) ==
            run("range(10) | map(x -> {x, y: full([2], x)}) | batch(4, drop_remainder: true)", rows));
    }
  }
  CHECK(spec("range(9) | map_and_batch(x -> x, 3, drop_remainder: true)") == "int64[3]");
  CHECK(cardinality("range(10) | map_and_batch(x -> x, 4)") == 3);
  CHECK(cardinality("range(10) | map_and_batch(x -> x, 4, true)") == 2);
}

TEST_CASE("map_and_batch joins sparse tensors") {
  CHECK(run("range(5) | map_and_batch(x -> {s: from_dense([0, x]), x}, 2)") ==
        run("range(5) | map(x -> {s: from_dense([0, x]), x}) | batch(2)"));
  CHECK(run("range(4) | map_and_batch(x -> from_dense([assert(x != 1, \"one\", x)]), 2)") ==
        Lines{"error: invalid_argument", "sparse(indices: [[0, 0], [1, 0]], values: [2, 3], shape: [2, 1])"});
  CHECK(spec("range(9) | map_and_batch(x -> from_dense([x]), 3, drop_remainder: true)") ==
        "sparse<int64>[3, 1]");
  CHECK(contains(build_error("range(4) | map_and_batch(x -> ragged([x], [0, 1]), 2)"), "to_tensor(x)"));
}

TEST_CASE("map_and_batch: an error fails its batch, and the next begins where it would have") {
  for (int rows : {1, 3, 100}) {
    CHECK(run("range(9) | map_and_batch(x -> assert(x != 4, \"four\", x), 3)", rows) ==
          Lines{"[0, 1, 2]", "error: invalid_argument", "[6, 7, 8]"});
    CHECK(run("range(8) | map_and_batch(x -> assert(x != 7, \"seven\", x), 3)", rows) ==
          Lines{"[0, 1, 2]", "[3, 4, 5]", "error: invalid_argument"});
    CHECK(run("range(6) | map_and_batch(x -> assert(x > 1, \"low\", x), 3)", rows) ==
          Lines{"error: invalid_argument", "[3, 4, 5]"});
  }
}

}  // namespace
}  // namespace weir::test
