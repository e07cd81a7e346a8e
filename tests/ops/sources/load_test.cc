#include <algorithm>

#include "ops/contract.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries load_contract("load",
                                    {
                                        {"load(\"FOLDER/tests/golden/data/squares\")", anything},
                                        {"load(\"FOLDER/tests/golden/data/squares\") | batch(2)", anything},
                                    },
                                    kOpens);

TEST_CASE("load goes on where it was saved") {
  TemporaryFolder folder;
  run("range(3000) | " + call("save", folder.at("s"), ", num_shards: 2"));
  for (const int64_t count : {0, 1, 1024, 2999, 3000}) {
    const Lines rest = run_restored(call("load", folder.at("s")), count);
    REQUIRE(rest.size() == static_cast<size_t>(3000 - count));
    if (!rest.empty()) CHECK(rest[0] == std::to_string(count));
  }
}

TEST_CASE("load of nothing is a mistake of the text") {
  TemporaryFolder folder;
  ThreadsRuntime runtime;
  const Status none = parse_document(*runtime, call("load", folder.at("none"))).status();
  CHECK(none.code() == Code::not_found);
  CHECK_THAT(none.error().describe(), Catch::Contains("there are no written elements in"));
  std::filesystem::create_directories(folder.at("other"));
  CHECK(parse_document(*runtime, call("load", folder.at("other"))).status().code() == Code::not_found);
  std::ofstream(folder.at("other") + "/manifest") << "no manifest";
  CHECK(parse_document(*runtime, call("load", folder.at("other"))).status().code() == Code::invalid_argument);
  CHECK_THAT(build_error("from_tensor_slices([\"a\"]) | flat_map(n -> load(n))"),
             Catch::Contains("known when the dataset is built"));
}

TEST_CASE("load says where a chunk is damaged") {
  TemporaryFolder folder;
  run("range(100000) | " + call("save", folder.at("s")));
  const std::string shard = folder.at("s/") + files_in(folder.at("s"))[0];
  REQUIRE(shard.ends_with(".shard"));
  {
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('\x55');
  }
  const std::string text = call("load", folder.at("s"));
  const Lines lines = run(text, 1000);
  REQUIRE(lines.size() == 1 + 100000 - 65536);
  CHECK(lines[0] == "error: data_loss");
  CHECK(lines[1] == "65536");
  CHECK_THAT(first_error(text), Catch::Contains(shard) && Catch::Contains("offset 64"));
}

TEST_CASE("load: long chunks are given in the pieces that are asked for") {
  TemporaryFolder folder;
  run("range(70000) | " + call("save", folder.at("numbers")));
  const std::string numbers = call("load", folder.at("numbers"));
  CHECK(run(numbers + " | reduce(0, (sum, x) -> sum + x)") == Lines{"2449965000"});
  const Lines rest = run_restored(numbers, 65000);
  REQUIRE(rest.size() == 5000);
  CHECK(rest.front() == "65000");
  CHECK(rest.back() == "69999");
  // Rows of different shapes, and strings.
  const std::string uneven = "range(3000) | map(x -> (full([x % 3], x), as_string(x)))";
  run(uneven + " | " + call("save", folder.at("uneven")));
  for (int rows : {1, 7, 1024}) CHECK(run(call("load", folder.at("uneven")), rows) == run(uneven, rows));
}

TEST_CASE("elements that are replaced after the dataset was built are not mixed with the new ones") {
  TemporaryFolder folder;
  const std::string save = " | " + call("save", folder.at("s"));
  run("range(5)" + save);
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, call("load", folder.at("s")));
  run("range(7)" + save);
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {{}, nullptr}));
  CHECK(all_lines(*iterator) == Lines{"error: failed_precondition"});
}

TEST_CASE("two readers share a folder") {
  TemporaryFolder folder;
  run("range(5000) | " + call("save", folder.at("s")));
  const std::string text = call("load", folder.at("s"));
  CHECK(run("zip(" + text + ", " + text + ") | filter((a, b) -> a == b)").size() == 5000);
}

TEST_CASE("load by position gives what it gives one after another") {
  TemporaryFolder folder;
  const auto sorted = [](Lines lines) {
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  // Chunks of one shape, of several, and of strings.
  int number = 0;
  for (const char* text : {"range(70000)", "range(3000) | map(x -> (full([x % 3], x), as_string(x)))",
                           "range(3000) | map(x -> full([200], as_string(x)))"}) {
    const std::string path = folder.at(std::to_string(number++));
    run(text + (" | " + call("save", path, ", num_shards: 3")));
    const std::string load = call("load", path);
    const Lines all = run(text, 64);
    CHECK(sorted(run(load + " | global_shuffle(seed: 5)", 64)) == sorted(all));
    for (const size_t first : {0u, 1u, 2999u, 69999u, 80000u}) {
      const auto from = static_cast<ptrdiff_t>(std::min<size_t>(first, all.size()));
      CHECK(run(load + " | skip(" + std::to_string(first) + ")", 64) == Lines(all.begin() + from, all.end()));
    }
  }
}

TEST_CASE("load by position: a damaged chunk fails for each row that is wanted of it") {
  TemporaryFolder folder;
  run("range(200000) | " + call("save", folder.at("s")));
  const std::string load = call("load", folder.at("s"));
  CHECK(run(load + " | shard(50000, 0)") == Lines{"0", "50000", "100000", "150000"});
  const std::string shard = folder.at("s/") + files_in(folder.at("s"))[0];
  REQUIRE(shard.ends_with(".shard"));
  {
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    // In the second chunk, of rows 65,536 to 131,071.
    file.seekp(600000);
    file.put('\x55');
  }
  CHECK(run(load + " | shard(50000, 0)") == Lines{"0", "50000", "error: data_loss", "150000"});
  CHECK(run(load + " | skip(131071)", 64)[0] == "error: data_loss");
  CHECK(run(load + " | skip(131072)", 64)[0] == "131072");
  const Lines shuffled = run(load + " | global_shuffle(seed: 1)", 64);
  CHECK(std::count(shuffled.begin(), shuffled.end(), "error: data_loss") == 65536);
  CHECK(shuffled.size() == 200000);
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, load + " | map(x -> x + 1) | skip(131071)");
  Block block;
  REQUIRE(require_value(iterator->next(1, block)) == PullResult::rows);
  REQUIRE(block.errors.size() == 1);
  CHECK(block.errors[0].error->path == "skip/map/load");
}

}  // namespace
}  // namespace weir::test
