#include <algorithm>
#include <set>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "ops/shuffling/index_shuffle.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

const ContractEntries global_shuffle_contract(
    "global_shuffle",
    {{"range(23) | map(x -> (x, x * 2)) | global_shuffle(seed: 3)", anything, false},
     {"range(23) | batch(3) | global_shuffle(seed: 1) | repeat(2)", anything, false},
     {"range(3) | flat_map(n -> range(n * 9 + 1) | enumerate(start: n) | global_shuffle(seed: n))", anything,
      false},
     {"zip(range(30) | skip(4), from_tensor_slices([\"a\", \"b\", \"c\"]) | repeat(9)) | shard(2, 1) | "
      "concatenate(from_list([(7, \"x\")])) | prefetch(2) | global_shuffle(reshuffle_each_iteration: false, seed: 2) | "
      "repeat(2)",
      anything, false},
     {"range(40) | map(x -> assert(x % 9 != 5, \"no\", x), num_parallel_calls: 3) | global_shuffle(seed: 4) | "
      "prefetch(3)",
      anything, false}},
    kLosesOrder | kOpens);

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("global_shuffle: every element once, at every count") {
  for (int64_t count : {1, 2, 3, 17, 255, 256, 257, 65535, 65536, 65537, 65538, 131073}) {
    INFO(count);
    const IndexShuffle order(count, {1, 2, 0xfffffff7});
    std::vector<bool> seen(static_cast<size_t>(count));
    int64_t fixed = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = order.at(i);
      REQUIRE((at >= 0 && at < count));
      REQUIRE(!seen[static_cast<size_t>(at)]);
      seen[static_cast<size_t>(at)] = true;
      fixed += at == i;
    }
    CHECK((count < 17 || fixed < 12));
  }
}

TEST_CASE("global_shuffle: each part of the key counts") {
  const IndexShuffle order(1000, {1, 2, 3});
  for (const IndexShuffle::Key& key : {IndexShuffle::Key{9, 2, 3}, {1, 9, 3}, {1, 2, 9}}) {
    const IndexShuffle other(1000, key);
    int same = 0;
    for (int64_t i = 0; i < 1000; ++i) same += order.at(i) == other.at(i);
    CHECK(same < 12);
  }
}

TEST_CASE("global_shuffle: the elements are those of the input, in another order") {
  for (const std::string text :
       {"range(100)",
        "range(50, -50, -1, dtype: int16)",
        "range(9) | map(x -> {a: x, b: full([x], x)})",
        "from_tensors((1, \"x\"))",
        "from_list([[1], [2, 3], zeros([0], int64)])",
        "from_tensor_slices(([1, 2, 3], [\"a\", \"b\", \"c\"]))",
        "range(10) | batch(3)",
        "range(10) | batch(3, drop_remainder: true) | batch(2)",
        "range(10) | take(4)",
        "range(10) | take(-1)",
        "range(10) | skip(4)",
        "range(10) | shard(3, 2)",
        "range(10) | shard(3, 0) | skip(1) | take(2)",
        "range(4) | enumerate(start: 5)",
        "range(4) | repeat(3) | skip(2)",
        "range(1500) | repeat(100) | take(149999)",
        "zip(range(5), range(9) | batch(2))",
        "zip({a: range(5) | map(x -> x * x), b: from_list([1, 2])})",
        "range(3) | concatenate(range(3)) | map(x -> x + 1)",
        "from_list([{a: 1, b: \"x\"}]) | concatenate(from_list([{b: \"y\", a: 2}, {b: \"z\", a: 3}]))",
        "range(9) | map(x -> x + int64(random_uniform([], seed: 1) * 1000.0)) | repeat(3)",
        "range(9) | map(x -> random_uniform([], seed: 2), num_parallel_calls: 2) | prefetch(3)"}) {
    INFO(text);
    const Lines plain = run(text, 64);
    const Lines mixed = run(text + " | global_shuffle(seed: 6)", 64);
    CHECK(sorted(mixed) == sorted(plain));
    CHECK((plain.size() < 9 || mixed != plain));
    CHECK(cardinality(text + " | global_shuffle(seed: 6)") == static_cast<int64_t>(plain.size()));
    CHECK(run(text + " | global_shuffle(seed: 6)", 1) == mixed);
  }
}

TEST_CASE("global_shuffle: errors stand in the places of their elements") {
  const std::string text = "range(12) | map(x -> assert(x % 5 != 3, \"no\", x))";
  const Lines order = run("range(12) | global_shuffle(seed: 1)");
  Lines expected;
  for (const std::string& line : order)
    expected.push_back(line == "3" || line == "8" ? "error: invalid_argument" : line);
  CHECK(run(text + " | global_shuffle(seed: 1)", 64) == expected);
  // A batch of which one failed, a pair, and what is computed from a failed one.
  CHECK(sorted(run(text + " | batch(4) | global_shuffle(seed: 1)")) ==
        Lines{"[4, 5, 6, 7]", "error: invalid_argument", "error: invalid_argument"});
  CHECK(
      sorted(run("zip(range(5), " + text + ") | enumerate() | map((i, p) -> p) | global_shuffle(seed: 1)")) ==
      Lines{"(0, 0)", "(1, 1)", "(2, 2)", "(4, 4)", "error: invalid_argument"});
}

TEST_CASE("global_shuffle: a new order in each epoch, unless it is not wanted") {
  const Lines two = run("range(30) | global_shuffle(seed: 1) | batch(30) | repeat(3)");
  REQUIRE(two.size() == 3);
  CHECK(std::set<std::string>(two.begin(), two.end()).size() == 3);
  const Lines same =
      run("range(30) | global_shuffle(seed: 1, reshuffle_each_iteration: false) | batch(30) | repeat(3)");
  CHECK(std::set<std::string>(same.begin(), same.end()).size() == 1);
}

TEST_CASE("global_shuffle: its own elements have positions") {
  const Lines once = run("range(9) | global_shuffle(seed: 2)");
  CHECK(run("range(9) | global_shuffle(seed: 2) | skip(4)") == Lines(once.begin() + 4, once.end()));
  Lines twice = run("range(9) | global_shuffle(seed: 2) | global_shuffle(seed: 1)");
  CHECK(twice != once);
  std::sort(twice.begin(), twice.end());
  CHECK(twice == Lines{"0", "1", "2", "3", "4", "5", "6", "7", "8"});
}

TEST_CASE("global_shuffle: what it refuses") {
  const auto mistake = [](const std::string& input) { return build_error(input + " | global_shuffle()"); };
  CHECK(contains(mistake("range(9) | filter(x -> x > 3)"), "filter, which does not"));
  CHECK(contains(mistake("range(9) | shuffle(3) | batch(2)"), "shuffle, which does not"));
  CHECK(contains(mistake("zip(range(9), range(9) | take_while(x -> x < 3))"), "take_while, which does not"));
  CHECK(contains(mistake("range(9) | repeat()"), "the dataset is infinite"));
  CHECK(contains(mistake("range(0)"), "the dataset is empty"));
  CHECK(contains(mistake("range(9) | take(0)"), "the dataset is empty"));
  CHECK(run("range(2) | flat_map(n -> range(n) | global_shuffle(seed: 1))") == Lines{"0"});
}

TEST_CASE("global_shuffle: positions") {
  const std::string two =
      "range(1800) | global_shuffle(seed: 1) | concatenate(range(900) | global_shuffle(seed: 5))";
  for (const std::string& text : std::vector<std::string>{
           "range(40) | map(x -> (x, random_uniform([], seed: 1))) | global_shuffle(seed: 2) | repeat(2)",
           "range(3000) | batch(7) | global_shuffle(seed: (7, 9))",
           // Read by position in turn: the place lies behind the first block, the opening before it.
           "range(2000) | global_shuffle(seed: 1) | global_shuffle(seed: 2) | repeat(2)",
           "range(2000) | global_shuffle(seed: 1) | skip(5) | repeat(2)",
           two + " | partition(2, p -> p | shuffle(20, seed: 1)) | repeat(2)",
           "range(2000) | global_shuffle(seed: 1) | partition(3, p -> p | repeat(2))",
           "range(3) | flat_map(n -> range(1500 + n) | global_shuffle(seed: 1) | skip(n))"}) {
    INFO(text);
    const Lines all = run(text);
    for (size_t count = 0; count <= all.size(); count += sanitized_step(3) + count / 9)
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
  }
}

}  // namespace
}  // namespace weir::test
