#include "ops/contract.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries contract("load",
                               {
                                   {"load(\"FOLDER/tests/golden/data/squares\")", anything},
                                   {"load(\"FOLDER/tests/golden/data/squares\") | batch(2)", anything},
                               });

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
  REQUIRE(lines.size() == 1 + 100000 - 32768);
  CHECK(lines[0] == "error: data_loss");
  CHECK(lines[1] == "32768");
  CHECK_THAT(first_error(text), Catch::Contains(shard) && Catch::Contains("offset 64"));
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

}  // namespace
}  // namespace weir::test
