#include "ops/contract.h"
#include "ops/pipelines.h"

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

TEST_CASE("shard goes on where it was saved") {
  CHECK(run_restored("range(3000) | shard(3, 1)", 998) == Lines{"2995", "2998"});
  CHECK(run_restored("probe(9, errors: \"1\") | shard(3, 2)", 2) == Lines{"6"});
}

}  // namespace
}  // namespace weir::test
