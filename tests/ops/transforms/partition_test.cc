// partition: errors, turns and what stands behind it. Parts over ranks are in tests/iterator/parts_test.cc.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "ops/contract.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

const ContractEntries partition_contract(
    "partition",
    {{"range(4) | partition(2, p -> PROBE | take(30))", anything, false},
     {"range(50) | partition(3, p -> p | shuffle(4, seed: 1)) | map(x -> x + 1)", anything, false}},
    kLosesPlaces | kLosesOrder | kOpens);

std::string refusal(Runtime& runtime, const char* text) {
  const auto document = parse_document(runtime, text);
  REQUIRE(!document.ok());
  CHECK(document.status().code() == Code::invalid_argument);
  return document.status().error().message;
}

void check_refused(Runtime& runtime, const char* text, const char* part) {
  const std::string message = refusal(runtime, text);
  INFO(text << ": " << message);
  CHECK(message.find(part) != std::string::npos);
}

TEST_CASE("partition: what cannot be cut, or would hold elements back, is refused when it is built") {
  ThreadsRuntime runtime;
  check_refused(*runtime, "range(9) | repeat() | partition(2, p -> p)", "finite");
  check_refused(*runtime, "range(9) | filter(x -> x > 1) | partition(2, p -> p)", "cut in parts");
  check_refused(*runtime,
                "range(9) | filter(x -> x > 1) | map(x -> -x) | partition(2, p -> p, by: \"index\")",
                "found filter, which does not; put it inside the parts");
  check_refused(*runtime, "range(9) | partition(2, p -> p, by: \"files\")", "a source of files");
  check_refused(*runtime, "range(9) | partition(2, p -> p, by: \"rows\")", "\"rows\"");
  check_refused(*runtime, "range(3) | flat_map(x -> range(9) | partition(2, p -> p))",
                "outside of functions");
  check_refused(*runtime, "range(9) | partition(2, p -> p | filter(x -> x > 2), even: true)",
                "assert_cardinality");
  for (const char* behind : {"shuffle(3)", "batch(2)", "window(2)", "padded_batch(2)", "unbatch()", "cache()",
                             "flat_map(x -> range(x))", "interleave(x -> range(x))", "unique()",
                             "partition(2, p -> p)", "concatenate(range(3))"}) {
    const std::string text =
        std::string("range(9) | map(x -> [x]) | map(x -> x[0]) | partition(2, p -> p) | ") + behind;
    INFO(text);
    const auto document = parse_document(*runtime, text);
    CHECK(document.status().code() == Code::invalid_argument);
  }
  for (
      const char* shared :
      {"range(9) | shard(auto, auto) | partition(2, p -> p)",
       "range(9) | partition(2, p -> p | shard(auto, auto))",
       "let d = range(9) | shard(auto, auto) range(9) | partition(2, p -> zip(p, d))",
       "range(9) | map(x -> range(x) | shard(auto, auto) | reduce(0, (s, y) -> s + y)) | partition(2, p -> p)"})
    check_refused(*runtime, shared, "leave shard out; a partition gives each rank its parts");
  check_refused(*runtime, "range(9) | partition(2, p -> p) | shard(auto, auto)",
                "found a partition in its input; leave shard out");
  check_refused(*runtime, "zip(range(9) | partition(2, p -> p), range(9))",
                "partition(n, part -> zip(… part …))");
  check_refused(*runtime, "range(9) | partition(2, p -> p) | batch(2)",
                "partition(n, part -> part | batch(…))");
  check_refused(*runtime, "range(9) | partition(2, p -> p) | reduce(0, (s, x) -> s + x)",
                "found reduce; leave the partition out");
}

TEST_CASE("partition: parts that are cached or drained have the rows of their cut") {
  ThreadsRuntime runtime;
  const std::string cut = "range(12) | global_shuffle(seed: 3) | partition(3, p -> p";
  const Lines plain = all_lines(*runtime, cut + ")");
  CHECK(all_lines(*runtime, cut + " | cache())") == plain);
  CHECK(all_lines(*runtime, cut + " | map(x -> x) | cache() | prefetch(2))") == plain);
  CHECK(all_lines(*runtime, cut + " | cache() | cache())") == plain);
  CHECK(all_lines(*runtime, cut + " | take(4) | cache() | repeat(2) | skip(4))") == plain);
  const Lines batches = all_lines(*runtime, cut + " | batch(4))");
  for (const char* drained :
       {"range(1) | map(_ -> p | batch(4) | get_single_element())",
        "range(1) | flat_map(_ -> p | cache()) | batch(4)",
        "range(1) | map(_ -> range(1) | flat_map(_ -> p) | batch(4) | get_single_element())",
        "range(1) | map(_ -> p | prefetch(1) | batch(4) | get_single_element())"}) {
    INFO(drained);
    CHECK(all_lines(*runtime, "range(12) | global_shuffle(seed: 3) | partition(3, p -> " +
                                  std::string(drained) + ")") == batches);
  }
  // A shuffle outside that is drained with the part has an order for each row, as without a part.
  const std::string outer =
      "let d = range(6) | shuffle(6, seed: 1)\nrange(4) | partition(2, p -> range(3) | map(_ -> ";
  const Lines with_part =
      all_lines(*runtime, outer + "zip(p, d) | map((_, x) -> x) | batch(9) | get_single_element()))");
  CHECK(with_part ==
        all_lines(*runtime, outer + "zip(d, p) | map((x, _) -> x) | batch(9) | get_single_element()))"));
  CHECK(with_part[0] != with_part[2]);
  // Without a seed, and in a later epoch.
  for (const std::string& text : std::vector<std::string>{
           "range(12) | global_shuffle() | partition(3, p -> p | cache())", cut + " | cache())"}) {
    const DocumentRef document = parse_text(*runtime, text);
    const auto iterator = OpenIterator(new Iterator(*runtime, nullptr, document->spec(), document));
    require_ok(iterator->initialize(nullptr, {.params = {}, .epoch = 2}));
    Lines sorted = all_lines(*iterator);
    CHECK(sorted != plain);
    std::ranges::sort(sorted, {}, [](const std::string& line) { return std::stoi(line); });
    CHECK(sorted == all_lines(*runtime, "range(12)"));
  }
  // Each position goes on with them.
  const std::string text = cut + " | cache() | shuffle(3, seed: 2))";
  const Lines all = all_lines(*runtime, text);
  for (int64_t taken = 0; taken < 12; ++taken) {
    INFO(taken);
    OpenIterator iterator = open_text(*runtime, text);
    take_lines(*iterator, taken);
    const std::string saved = require_value(iterator->save());
    CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines(all.begin() + taken, all.end()));
  }
}

TEST_CASE("partition: what does not hold elements back stands behind it") {
  ThreadsRuntime runtime;
  CHECK(all_lines(*runtime, "range(9) | partition(2, p -> p) | take(3) | enumerate()") ==
        Lines{"(0, 0)", "(1, 4)", "(2, 1)"});
  CHECK(all_lines(*runtime, "range(5) | partition(2, p -> p) | skip(1) | repeat(2) | filter(x -> x != 1)") ==
        Lines{"2", "3", "4", "2", "3", "4"});
}

// A part that cannot be opened gives its error in its turn, and no more.
TEST_CASE("partition: a part whose pipeline cannot be opened is one error") {
  ThreadsRuntime runtime;
  CHECK(all_lines(*runtime, "range(5) | partition(2, p -> p | batch((p | cardinality()) - 2))") ==
        Lines{"error: invalid_argument", "[2]", "[3]", "[4]"});
}

TEST_CASE("partition: where parts cannot be found there is one error, also after a restore") {
  ThreadsRuntime runtime;
  const std::string text = "text_line(\"/none/here\") | partition(2, p -> p, by: \"index\") | repeat(2)";
  const Lines all(2, "error: not_found");
  CHECK(all_lines(*runtime, text) == all);
  for (int64_t at = 0; at <= 2; ++at) {
    OpenIterator iterator = open_text(*runtime, text);
    take_lines(*iterator, at);
    const std::string saved = require_value(iterator->save());
    OpenIterator again = open_text(*runtime, text, &saved);
    CHECK(all_lines(*again) == Lines(all.begin() + at, all.end()));
  }
}

TEST_CASE("partition: a number of parts that is computed, and one that ranks do not divide") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "param n: int64\n  range(5) | partition($n, p -> p)");
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {{"n", "2"}}}));
  CHECK(all_lines(*iterator) == Lines{"0", "2", "1", "3", "4"});
  const World world{0, 2, {}};
  const std::vector<ParamValue> three{{"n", "3"}};
  require_ok(iterator->initialize(document, {.params = three, .world = &world}));
  CHECK(all_lines(*iterator) == Lines{"error: failed_precondition"});
}

TEST_CASE("partition: rows of records keep the files that they came from") {
  ThreadsRuntime runtime;
  const TemporaryFolder folder;
  std::filesystem::copy_file(std::string(WEIR_SOURCE_DIR) + "/tests/data/records/five.tfrecord",
                             folder.at("five"));
  const OpenIterator iterator =
      open_text(*runtime, "tfrecord(\"" + folder.at("five") + "\") | partition(2, p -> p, by: \"index\")");
  for (const int64_t record : {0, 2, 1, 3, 4}) {
    Block block;
    REQUIRE(require_value(iterator->next(1, block)) == PullResult::rows);
    CHECK(block.origins.of(0).record() == record);
  }
}

}  // namespace
}  // namespace weir
