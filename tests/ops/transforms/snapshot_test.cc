#include "ops/contract.h"
#include "ops/written_folders.h"
#include "support/replace.h"

namespace weir::test {
namespace {

// Of a pass that writes, later passes would read something else than was passed on; tests below have those.
const ContractEntries snapshot_contract(
    "snapshot",
    {
        {"PROBE | " + call("snapshot", locked_folder("passed")), anything},
        {"range(23) | " + call("snapshot", lasting_folder("read")), anything},
        {"range(3) | flat_map(x -> range(9) | " + call("snapshot", lasting_folder("nested")) + ") | batch(4)",
         anything},
    },
    kOpens);

const Lines kSquares = {"0", "1", "4", "9", "16"};

TEST_CASE("snapshot passes its elements on, and reads them the next time") {
  TemporaryFolder folder;
  const std::string snapshot = call("snapshot", folder.at("s"));
  const std::string squares = "probe(5) | map(x -> x * x) | " + snapshot;
  CHECK(run(squares) == kSquares);
  CHECK(files_in(folder.at("s")).size() == 2);
  // The input is not opened.
  CHECK(demand(squares, 9) == 0);
  CHECK(run(squares) == kSquares);
  CHECK(run(squares + " | repeat(2) | skip(3)") == Lines{"9", "16", "0", "1", "4", "9", "16"});
}

TEST_CASE("snapshot reads in the second epoch what the first one wrote") {
  TemporaryFolder folder;
  const std::string text =
      "probe(5) | " + call("snapshot", folder.at("s"), ", compression: \"zlib\"") + " | repeat(3)";
  CHECK(demand(text, 99) == 5);
}

TEST_CASE("snapshot writes nothing for an abandoned pass") {
  TemporaryFolder folder;
  const std::string text = "probe(50000) | " + call("snapshot", folder.at("s"));
  CHECK(run(text + " | take(3)") == Lines{"0", "1", "2"});
  CHECK(files_in(folder.path()).empty());
  CHECK(run(text).size() == 50000);
  CHECK(files_in(folder.at("s")).size() == 2);
}

TEST_CASE("snapshot leaves errors out of what it writes") {
  TemporaryFolder folder;
  const std::string text = "probe(4, errors: \"1,3\") | " + call("snapshot", folder.at("s"));
  CHECK(run(text) == Lines{"0", "error: data_loss", "2", "error: data_loss"});
  CHECK(run(text) == Lines{"0", "2"});
}

TEST_CASE("snapshot refuses what another pipeline wrote and says what differs") {
  TemporaryFolder folder;
  const std::string snapshot = " | " + call("snapshot", folder.at("s"));
  CHECK(run("range(5) | map(x -> x * x)" + snapshot).size() == 5);
  const auto refused = [&](const std::string& pipeline, const std::string& why) {
    CAPTURE(pipeline);
    CHECK(run(pipeline + snapshot) == Lines{"error: failed_precondition"});
    CHECK_THAT(first_error(pipeline + snapshot), Catch::Contains(why) && Catch::Contains(folder.at("s")));
  };
  refused("range(6) | map(x -> x * x)", "operator 1, range: parameter stop differs");
  refused("range(5) | map(x -> x + x)", "operator 2, map: parameter f differs");
  refused("range(5)", "operator 2, map, is there only");
  refused("range(5) | map(x -> x * x) | batch(2)", "their structure is int64, here it is int64[?]");
  refused("let n = 6 range(5) | map(x -> x * n)", "parameter f differs");
  // The same pipeline, written in another way.
  CHECK(run("range(stop: 5) | map(x -> x * x, num_parallel_calls: 2)" + snapshot) == kSquares);
  CHECK(run("let d = range(5) d | map(f: x -> x * x)" + snapshot) == kSquares);
}

TEST_CASE("snapshot tells pipelines apart by what their names stand for") {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& written, const std::string& other) {
    CAPTURE(written, other);
    const std::string snapshot = call("snapshot", folder.at(name));
    const auto with = [&](std::string text) {
      replace(text, "SNAPSHOT", snapshot);
      return text;
    };
    CHECK(first_error(with(written)).empty());
    CHECK(first_error(with(written)).empty());
    CHECK_THAT(first_error(with(other)), Catch::Contains("another pipeline"));
  };
  refused("a", "let n = 2 range(3) | map(x -> x * n) | SNAPSHOT",
          "let n = 3 range(3) | map(x -> x * n) | SNAPSHOT");
  refused("b", "let d = range(2) range(3) | flat_map(x -> d) | SNAPSHOT",
          "let d = range(3) range(3) | flat_map(x -> d) | SNAPSHOT");
  refused("c", "range(1) | flat_map(i -> let n = 2 in (range(3) | map(x -> x * n) | SNAPSHOT))",
          "range(1) | flat_map(i -> let n = 3 in (range(3) | map(x -> x * n) | SNAPSHOT))");
  refused("d", "let half = x -> x / 2 range(3) | map(x -> half(x)) | SNAPSHOT",
          "let half = x -> x / 4 range(3) | map(x -> half(x)) | SNAPSHOT");
  refused("e", "range(1, 2) | flat_map(i -> range(3) | map(x -> x * i) | SNAPSHOT)",
          "range(1, 3) | flat_map(i -> range(3) | map(x -> x * i) | SNAPSHOT)");
  refused("f", "(if 1 == 1 then range(3) else range(4)) | SNAPSHOT",
          "(if 1 == 2 then range(3) else range(4)) | SNAPSHOT");
  refused("g", "zip({a: range(3), b: range(4)}) | SNAPSHOT", "zip({a: range(4), b: range(3)}) | SNAPSHOT");
  refused("h", "let d = range(3) zip(d, d) | SNAPSHOT", "let d = range(3) zip(d, range(3)) | SNAPSHOT");
}

TEST_CASE("snapshot keeps a folder for each row if the rows name them") {
  TemporaryFolder folder;
  const std::string text =
      "from_tensor_slices([\"a\", \"bc\"]) | flat_map(n -> range(2) | map(x -> x + string_length(n)) | snapshot(\"" +
      folder.path() + "/\" + n))";
  const Lines lines = {"1", "2", "2", "3"};
  CHECK(run(text) == lines);
  CHECK(files_in(folder.path()) == std::vector<std::string>{"a", "bc"});
  CHECK(run(text) == lines);
}

TEST_CASE("snapshot refuses what cannot be written when it is built") {
  CHECK_THAT(build_error("range(4) | window(2) | snapshot(\"x\")"), Catch::Contains("dataset"));
  CHECK_THAT(build_error("range(4) | snapshot(\"\")"), Catch::Contains("the name of a folder"));
  CHECK_THAT(build_error("range(4) | snapshot(\"x\", compression: \"gzi\")"), Catch::Contains("\"zlib\""));
}

TEST_CASE("two passes at once: one writes, both give everything") {
  TemporaryFolder folder;
  const std::string text = "range(5000) | " + call("snapshot", folder.at("s"));
  ThreadsRuntime runtime;
  auto first = open_text(*runtime, text);
  auto second = open_text(*runtime, text);
  take_lines(*first, 10);
  take_lines(*second, 10);
  CHECK(all_lines(*second).size() == 4990);
  CHECK(all_lines(*first).size() == 4990);
  CHECK(files_in(folder.at("s")).size() == 2);
  auto third = open_text(*runtime, text);
  auto fourth = open_text(*runtime, text);
  take_lines(*third, 10);
  CHECK(all_lines(*fourth).size() == 5000);
  CHECK(all_lines(*third).size() == 4990);
}

TEST_CASE("a failure to write is one error, and the elements follow") {
  TemporaryFolder folder;
  std::ofstream(folder.at("file")) << "x";
  const std::string text = "range(3) | " + call("snapshot", folder.at("file"));
  const Lines lines = run(text);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].substr(0, 6) == "error:");
  CHECK(Lines(lines.begin() + 1, lines.end()) == Lines{"0", "1", "2"});
}

TEST_CASE("a restored pass neither loses nor doubles elements") {
  register_probe();
  const int64_t count = 3000;
  for (const int64_t saved_after : {0, 1, 40, 1500, 2999, 3000, 3001, 5999}) {
    CAPTURE(saved_after);
    TemporaryFolder folder;
    const std::string text = "probe(3000) | " + call("snapshot", folder.at("s")) + " | repeat(2)";
    ThreadsRuntime runtime;
    std::string saved;
    {
      auto iterator = open_text(*runtime, text);
      CHECK(take_lines(*iterator, saved_after).size() == static_cast<size_t>(saved_after));
      saved = require_value(iterator->save());
    }
    auto restored = open_text(*runtime, text, &saved);
    const Lines rest = all_lines(*restored);
    REQUIRE(rest.size() == static_cast<size_t>(2 * count - saved_after));
    for (size_t i = 0; i < rest.size(); ++i)
      REQUIRE(rest[i] == std::to_string((static_cast<int64_t>(i) + saved_after) % count));
    // Whatever was published is whole.
    CHECK(run(text).size() == static_cast<size_t>(2 * count));
  }
}

TEST_CASE("a restored pass over shuffled elements goes on in their order") {
  for (const int64_t saved_after : {1, 50, 1999, 2000, 2001, 3500}) {
    CAPTURE(saved_after);
    TemporaryFolder folder;
    const std::string text =
        "range(2000) | shuffle(2000, seed: 3) | " + call("snapshot", folder.at("s")) + " | repeat(2)";
    ThreadsRuntime runtime;
    Lines lines;
    std::string saved;
    {
      auto iterator = open_text(*runtime, text);
      lines = take_lines(*iterator, saved_after);
      saved = require_value(iterator->save());
    }
    const Lines rest = all_lines(*open_text(*runtime, text, &saved));
    lines.insert(lines.end(), rest.begin(), rest.end());
    REQUIRE(lines.size() == 4000);
    Lines first(lines.begin(), lines.begin() + 2000);
    const Lines second(lines.begin() + 2000, lines.end());
    if (saved_after > 2000) CHECK(first == second);
    std::sort(first.begin(), first.end());
    CHECK(std::unique(first.begin(), first.end()) == first.end());
  }
}

TEST_CASE("a position among elements that were written anew is refused") {
  TemporaryFolder folder;
  const std::string text = "range(100000) | " + call("snapshot", folder.at("s"));
  ThreadsRuntime runtime;
  all_lines(*runtime, text, 1000);
  std::string saved;
  {
    auto iterator = open_text(*runtime, text);
    take_lines(*iterator, 90000, 1000);
    saved = require_value(iterator->save());
  }
  auto same = open_text(*runtime, text, &saved);
  CHECK(all_lines(*same, 1000).size() == 10000);
  std::filesystem::remove_all(folder.at("s"));
  const Lines gone = all_lines(*open_text(*runtime, text, &saved));
  CHECK(gone == Lines{"error: failed_precondition"});
  all_lines(*runtime, text, 1000);
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"error: failed_precondition"});
}

TEST_CASE("snapshot reads what save of the same pipeline wrote") {
  TemporaryFolder folder;
  run("probe(5) | " + call("save", folder.at("s")));
  CHECK(demand("probe(5) | " + call("snapshot", folder.at("s")), 9) == 0);
}

}  // namespace
}  // namespace weir::test
