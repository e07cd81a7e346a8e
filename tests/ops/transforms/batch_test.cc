#include "core/text.h"
#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries batch_contract(
    "batch",
    {{"PROBE | batch(4)", [](int64_t k) { return 4 * k; }, false},
     {"PROBE | batch(5, drop_remainder: true)", [](int64_t k) { return 5 * k; }, false},
     {"PROBE | map(x -> [x, x]) | batch(3) | batch(2)", [](int64_t k) { return 6 * k; }, false}},
    kLosesOrder);

TEST_CASE("large batches are the same whoever copies them") {
  // Rows of 48 KB, dense and of several shapes before; 512 KiB and more are copied by several threads.
  const std::string rows = "range(41) | map(x -> full([6000], x * 6000) + arange(6000)) | cache()";
  for (const char* n : {"1", "10", "11", "12", "16", "41"}) {
    const std::string digest =
        std::string(" | map(b -> (shape(b), sum(b), sum(b * arange(6000)), b[:, 0], b[:, 5999]))");
    const Lines alone = run("range(41) | map(x -> full([6000], x * 6000) + arange(6000)) | batch(" +
                            std::string(n) + ")" + digest);
    for (const char* calls : {"1", "2", "auto"}) {
      const std::string batch =
          " | batch(" + std::string(n) + ", num_parallel_calls: " + calls + ")" + digest;
      CHECK(run(rows + batch) == alone);
      CHECK(run(rows + " | shuffle(3, seed: 5) | filter(x -> x[0] != 12000)" + batch) ==
            run(rows + " | shuffle(3, seed: 5) | filter(x -> x[0] != 12000) | batch(" + n + ")" + digest));
    }
  }
}

TEST_CASE("batch joins n elements; the last batch may be short") {
  CHECK(run("range(5) | batch(2)") == Lines{"[0, 1]", "[2, 3]", "[4]"});
  CHECK(run("range(5) | batch(2, drop_remainder: true)") == Lines{"[0, 1]", "[2, 3]"});
  CHECK(run("range(0) | batch(2)").empty());
  CHECK(run("range(2) | batch(9223372036854775807)") == Lines{"[0, 1]"});
  CHECK(run("range(3) | batch(9, drop_remainder: true)").empty());
  CHECK(contains(build_error("range(3) | batch(0)"), "expected at least 1, found 0"));
}

TEST_CASE("batch adds a dimension, known where every batch is full") {
  CHECK(spec("range(5) | batch(2)") == "int64[?]");
  CHECK(spec("range(5) | batch(2, drop_remainder: true) | batch(3)") == "int64[?, 2]");
  CHECK(cardinality("range(5) | batch(2)") == 3);
  CHECK(cardinality("range(5) | batch(2, drop_remainder: true)") == 2);
  CHECK(cardinality("range(5) | repeat() | batch(2)") == -1);
}

TEST_CASE("an error takes the place of the rows that were gathered before it") {
  CHECK(run("probe(7, errors: \"1\") | batch(3)") == Lines{"error: data_loss", "[2, 3, 4]", "[5, 6]"});
  CHECK(run("probe(6, errors: \"3,4\") | batch(3)") ==
        Lines{"[0, 1, 2]", "error: data_loss", "error: data_loss", "[5]"});
  CHECK(run("probe(3, errors: \"2\") | batch(3)") == Lines{"error: data_loss"});
}

// Elements of 8 KiB and more go straight into the batch's own buffer, which is offered to the map below.
const char* const kLarge = " | map(x -> zeros([1024], int64) + x) | batch(10) | map(x -> x[:, 1023])";

TEST_CASE("errors amid rows that were written in the batch's own buffer") {
  CHECK(run(std::string("probe(15)") + kLarge) ==
        Lines{"[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[10, 11, 12, 13, 14]"});
  CHECK(run(std::string("probe(15, errors: \"3,6\")") + kLarge) ==
        Lines{"error: data_loss", "error: data_loss", "[7, 8, 9, 10, 11, 12, 13, 14]"});
  CHECK(run(std::string("range(15) | map(x -> assert(x % 8 != 7, \"no\", x))") + kLarge) ==
        Lines{"error: invalid_argument", "[8, 9, 10, 11, 12, 13, 14]"});
}

TEST_CASE("batches that were delivered are never written again") {
  register_probe();
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(4000) | map(x -> zeros([1024], int64) + x) | batch(100)");
  std::vector<Block> kept(40);
  for (Block& block : kept) require_value(iterator->next(1, block));
  for (int64_t i = 0; i < 40; ++i) {
    const Tensor batch = kept[static_cast<size_t>(i)].columns[0].row(0);
    for (int64_t row = 0; row < 100; ++row) REQUIRE(batch.as<int64_t>()[row * 1024 + 512] == i * 100 + row);
  }
}

TEST_CASE("pending answers and short blocks leave no gap in a large batch") {
  const Lines clean = run(std::string("probe(25)") + kLarge);
  for (int seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    CHECK(run("probe(25, pending: " + std::to_string(seed) + ")" + kLarge) == clean);
  }
}

TEST_CASE("a batch of different shapes is one error, and says which") {
  const std::string text = "range(4) | map(x -> range(x % 3 + 1) | batch(9)) | flat_map(x -> x) | batch(2)";
  CHECK(run(text) == Lines{"error: invalid_argument", "error: invalid_argument"});
}

TEST_CASE("batch asks for exactly the rows of its batch") {
  CHECK(demand("probe(50) | batch(4)", 1) == 4);
  CHECK(demand("probe(50) | batch(4) | batch(2)", 2) == 16);
}

TEST_CASE("a half-gathered batch is gathered again after a restore") {
  CHECK(run_restored("probe(9, errors: \"4\") | batch(4)", 1) == Lines{"error: data_loss", "[5, 6, 7, 8]"});
  CHECK(run_restored("probe(9, errors: \"4\") | batch(4)", 2) == Lines{"[5, 6, 7, 8]"});
}

TEST_CASE("what cannot be batched says how to make it dense") {
  CHECK(contains(build_error("range(3) | map(x -> ragged([x], [0, 1])) | batch(2)"),
                 "expected dense or sparse tensors, found ragged<int64>[1, ?]; to_tensor(x) in a map"));
  CHECK(contains(build_error("range(3) | map(x -> (x, some(x))) | batch(2)"),
                 "found optional<int64>; get_value(x) in a map"));
  CHECK(contains(build_error("range(3) | window(2) | padded_batch(2)"),
                 "found dataset<int64>; flat_map(x -> x)"));
  CHECK(contains(build_error("range(3) | map(x -> {s: from_dense([x])}) | padded_batch(2)"),
                 "expected dense tensors, found sparse<int64>[1]; to_dense(x) in a map"));
  CHECK(contains(build_error("range(3) | map(x -> ragged([x], [0, 1])) | padded_batch(2)"), "to_tensor(x)"));
}

TEST_CASE("strings of many owners are batched") {
  const std::string slot =
      "interleave(x -> from_tensor_slices([\"a\", \"bc\"]) | prefetch(1), cycle_length: 40)";
  Lines lines = run("range(40) | " + slot + " | batch(80)");
  REQUIRE(lines.size() == 1);
  std::string expected;
  for (int i = 0; i < 80; ++i) expected += i < 40 ? "\"a\", " : "\"bc\", ";
  CHECK(lines[0] == concat("[", std::string_view(expected).substr(0, expected.size() - 2), "]"));
}

}  // namespace
}  // namespace weir::test
