#include "ops/contract.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries save_contract("save",
                                    {{"range(23) | " + call("save", lasting_folder("saved")), anything}},
                                    kLosesPlaces);

TEST_CASE("save writes what load reads") {
  TemporaryFolder folder;
  const std::string load = call("load", folder.at("s"));
  for (const char* more :
       {"", ", compression: \"zlib\"", ", num_shards: 3", ", num_shards: 3, compression: \"zlib\""}) {
    CAPTURE(more);
    CHECK(run("range(1000) | map(x -> (x, \"ab\", arange(x % 3))) | " + call("save", folder.at("s"), more))
              .empty());
    const Lines lines = run(load);
    REQUIRE(lines.size() == 1000);
    CHECK(lines[998] == "(998, \"ab\", [0, 1])");
    CHECK(cardinality(load) == 1000);
  }
}

TEST_CASE("save keeps structures, shapes and dtypes") {
  TemporaryFolder folder;
  const std::string structures =
      "range(4) | map(x -> {\"user/id\": float16(x), rest: (arange(x), [\"a\", \"b\"], x > 1, (uint8(x),))})";
  const Lines lines = run(structures);
  run(structures + " | " + call("save", folder.at("s")));
  CHECK(run(call("load", folder.at("s"))) == lines);
  CHECK(spec(call("load", folder.at("s"))) == spec(structures));
  // Of no elements, too.
  run(structures + " | take(0) | " + call("save", folder.at("s")));
  CHECK(run(call("load", folder.at("s"))).empty());
  CHECK(spec(call("load", folder.at("s"))) == spec(structures));
}

TEST_CASE("save replaces what was there, whoever wrote it") {
  TemporaryFolder folder;
  run("range(5) | " + call("save", folder.at("s"), ", num_shards: 4"));
  run("range(7, 9) | batch(2) | " + call("save", folder.at("s")));
  CHECK(run(call("load", folder.at("s"))) == Lines{"[7, 8]"});
  CHECK(files_in(folder.at("s")).size() == 2);
}

TEST_CASE("save passes errors on and writes the rest") {
  TemporaryFolder folder;
  CHECK(run("probe(6, errors: \"0,2,5\") | " + call("save", folder.at("s"))) ==
        Lines{"error: data_loss", "error: data_loss", "error: data_loss"});
  CHECK(run(call("load", folder.at("s"))) == Lines{"1", "3", "4"});
}

TEST_CASE("save in a lambda gives the empty tuple") {
  TemporaryFolder folder;
  CHECK(
      run("zip(range(6) | window(2), from_tensor_slices([\"a\", \"b\", \"c\"])) | map((w, n) -> w | save(\"" +
          folder.path() + "/\" + n))") == Lines{"()", "()", "()"});
  CHECK(run(call("load", folder.at("b"))) == Lines{"2", "3"});
}

TEST_CASE("save replaces nothing where the consumer stops at an error") {
  // The first fails before save has pulled all, the other while it goes on writing.
  for (const char* elements : {"range(4)", "range(300000)"}) {
    CAPTURE(elements);
    TemporaryFolder folder;
    const std::string failing = std::string(elements) + " | map(x -> 6 // (x - 1)) | ";
    run("range(5) | " + call("save", folder.path()));
    const std::vector<std::string> before = files_in(folder.path());
    for (int round = 0; round < 8; ++round) {
      ThreadsRuntime runtime;
      auto in_lambda =
          open_text(*runtime, "range(2) | map(i -> " + failing + call("save", folder.path()) + ")");
      CHECK(take_lines(*in_lambda, 1) == Lines{"error: invalid_argument"});
      CHECK(files_in(folder.path()) == before);
      CHECK(take_lines(*in_lambda, 1) == Lines{"error: invalid_argument"});
      auto stopped = open_text(*runtime, failing + call("save", folder.path()));
      CHECK(take_lines(*stopped, 1) == Lines{"error: invalid_argument"});
      stopped.reset();
      CHECK(files_in(folder.path()) == before);
    }
    CHECK(run(call("load", folder.path())).size() == 5);
  }
}

TEST_CASE("save that stopped at an error continues from its position") {
  TemporaryFolder folder;
  const std::string text = "probe(9, errors: \"2,6\") | " + call("save", folder.path());
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  CHECK(take_lines(*iterator, 1) == Lines{"error: data_loss"});
  const std::string saved = require_value(iterator->save());
  iterator.reset();
  CHECK(files_in(folder.path()).empty());
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"error: data_loss"});
  CHECK(run(call("load", folder.path())) == Lines{"0", "1", "3", "4", "5", "7", "8"});
}

TEST_CASE("save is refused while another writer has the folder") {
  TemporaryFolder folder;
  auto lock = require_value(local_file_system().try_lock(folder.at("lock")));
  CHECK(run("range(3) | " + call("save", folder.path())) == Lines{"error: unavailable"});
  CHECK(files_in(folder.path()) == std::vector<std::string>{"lock"});
}

TEST_CASE("save refuses what it cannot write") {
  CHECK_THAT(build_error("range(4) | repeat() | save(\"x\")"), Catch::Contains("take(n)"));
  CHECK_THAT(build_error("range(4) | window(2) | save(\"x\")"), Catch::Contains("dataset"));
  CHECK_THAT(build_error("range(4) | save(\"x\", num_shards: 0)"), Catch::Contains("num_shards"));
  CHECK_THAT(build_error("range(4) | save(\"x\", compression: \"auto\")"), Catch::Contains("\"zlib\""));
}

}  // namespace
}  // namespace weir::test
