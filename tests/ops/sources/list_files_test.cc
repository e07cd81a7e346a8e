#include <filesystem>
#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const ContractEntries list_files_contract(
    "list_files", {{"list_files(\"FOLDER/tests/conformance/data/*.csv\", seed: 4) | repeat(2)"}}, kOpens);

Lines names(const Lines& files) {
  Lines out;
  for (const std::string& file : files) out.push_back('"' + kConformanceData + file + '"');
  return out;
}

std::string list_files(const std::string& pattern, const std::string& more) {
  return "list_files(\"" + kConformanceData + pattern + "\"" + more + ")";
}

TEST_CASE("list_files sorts where it does not shuffle") {
  CHECK(run(list_files("many/part-?.txt", ", shuffle: false")) ==
        names({"many/part-a.txt", "many/part-b.txt", "many/part-c.txt", "many/part-d.txt"}));
  CHECK(run(list_files("many/part-[b-c].txt", ", shuffle: false")) ==
        names({"many/part-b.txt", "many/part-c.txt"}));
  CHECK(cardinality(list_files("many/part-?.txt", "")) == 4);
  CHECK(spec(list_files("many/part-?.txt", "")) == "string");
}

TEST_CASE("list_files shuffles anew each epoch, by its seed") {
  const std::string twice = list_files("many/part-?.txt", ", seed: 3") + " | repeat(2)";
  Lines both = run(twice);
  REQUIRE(both.size() == 8);
  CHECK(Lines(both.begin(), both.begin() + 4) != Lines(both.begin() + 4, both.end()));
  CHECK(run(twice) == both);
  CHECK(run_restored(twice, 6) == Lines(both.begin() + 6, both.end()));
}

TEST_CASE("list_files takes several patterns and sorts what they match") {
  const std::string folder = kConformanceData + "many/";
  CHECK(run("list_files([\"" + folder + "part-d*\", \"" + folder + "part-a*\"], shuffle: false)") ==
        names({"many/part-a.txt", "many/part-d.txt"}));
}

TEST_CASE("list_files refuses a position that was saved among other files, wherever it stands") {
  for (const char* behind :
       {"", " | batch(1)", " | map(f -> f) | prefetch(2)", " | flat_map(f -> from_tensors(f))",
        " | interleave(f -> from_tensors(f), cycle_length: 2)", " | repeat(2) | shuffle(2, seed: 1)"}) {
    TemporaryFolder folder;
    auto make = [&](const char* name) { std::ofstream(folder.at(name)) << name; };
    for (const char* name : {"a", "c", "d"}) make(name);
    const std::string text = "list_files(\"" + folder.path() + "/*\", seed: 3)" + behind;
    INFO(text);
    ThreadsRuntime runtime;
    auto iterator = open_text(*runtime, text);
    take_lines(*iterator, 1);
    const std::string saved = require_value(iterator->save());
    CHECK(take_lines(*open_text(*runtime, text, &saved), 2) == take_lines(*iterator, 2));
    make("b");
    auto refusal = [&]() -> std::string {
      try {
        open_text(*runtime, text, &saved);
      } catch (const std::runtime_error& error) {
        return error.what();
      }
      return "";
    };
    CHECK(contains(refusal(), "expected the 3 names that list_files("));
    CHECK(contains(refusal(), "found 4, the first difference at \"" + folder.at("b") + "\""));
  }
}

// The message of the first error, after which nothing follows.
std::string refusal(Runtime& runtime, const std::string& text, const std::string& saved) {
  auto iterator = open_text(runtime, text, &saved);
  Block block;
  if (require_value(iterator->next(1, block)) != PullResult::rows || block.errors.empty()) return "";
  const ErrorPtr error = block.errors[0].error;
  CHECK(error->code == Code::failed_precondition);
  CHECK(require_value(iterator->next(1, block)) == PullResult::end);
  return error->message;
}

TEST_CASE("list_files of a pattern that a variable gives refuses other files, wherever it stands") {
  for (
      const char* more :
      {" | flat_map(p -> list_files(p, seed: 3))", " | flat_map(p -> list_files(p, shuffle: false))",
       // Ports that begin again at the opening.
       " | flat_map(p -> list_files(p, seed: 3) | batch(1))",
       " | flat_map(p -> list_files(p, seed: 3)) | batch(1)",
       " | flat_map(p -> list_files(p, seed: 3)) | batch(1) | batch(1)",
       " | flat_map(p -> list_files(p, seed: 3) | repeat(2) | shuffle(2, seed: 1))",
       " | interleave(p -> list_files(p, seed: 3), cycle_length: 2) | shuffle(2, seed: 1)",
       " | flat_map(p -> list_files(p, seed: 3) | prefetch(2))",
       // The pump opens it.
       " | flat_map(p -> list_files(p, seed: 3)) | prefetch(2)",
       " | flat_map(p -> list_files(p, seed: 3)) | prefetch(2) | batch(1)",
       " | flat_map(p -> list_files(p, seed: 3)) | prefetch(2) | map(f -> f, num_parallel_calls: 2) | batch(1)"}) {
    TemporaryFolder folder;
    auto make = [&](const char* name) { std::ofstream(folder.at(name)) << name; };
    for (const char* name : {"a", "c", "d"}) make(name);
    const std::string text = "from_tensors(\"" + folder.path() + "/*\")" + more;
    INFO(text);
    ThreadsRuntime runtime;
    auto iterator = open_text(*runtime, text);
    take_lines(*iterator, 1);
    std::string saved = require_value(iterator->save());
    const Lines rest = all_lines(*iterator);
    CHECK(all_lines(*open_text(*runtime, text, &saved)) == rest);
    for (size_t again = 0; again < 2; ++again) {
      make("b");
      const std::string message = refusal(*runtime, text, saved);
      CHECK(contains(message, "expected the 3 names that list_files(\"" + folder.path() + "/*\") gave"));
      CHECK(contains(message, "found 4, the first difference at \"" + folder.at("b") + "\""));
      std::filesystem::remove(folder.at("b"));
      // A position that was restored and saved knows them, too.
      auto restored = open_text(*runtime, text, &saved);
      if (again + 1 < rest.size()) CHECK(take_lines(*restored, 1) == Lines{rest[again]});
      saved = require_value(restored->save());
    }
  }
}

TEST_CASE("list_files of a pattern from a variable is a position among its own files only") {
  TemporaryFolder folder;
  for (const char* name : {"a1", "a2", "b1", "b2"}) std::ofstream(folder.at(name)) << name;
  const std::string text = "from_tensor_slices([\"" + folder.at("a*") + "\", \"" + folder.at("b*") +
                           "\"]) | flat_map(p -> list_files(p, shuffle: false)) | repeat(2) | batch(1)";
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  take_lines(*iterator, 1);
  const std::string saved = require_value(iterator->save());
  const Lines rest = take_lines(*iterator, 8);
  // That pattern has not been tried yet.
  std::ofstream(folder.at("b3")) << "b3";
  CHECK(all_lines(*open_text(*runtime, text, &saved)).size() == rest.size() + 1);
}

TEST_CASE("list_files that matches nothing cannot be built") {
  CHECK(contains(build_error(list_files("nowhere-*", "")), "no file matches"));
  CHECK_FALSE(contains(build_error(list_files("nowhere-*", "")), "[1]"));
  CHECK(contains(build_error(list_files("nowhere[1].txt", "")), "[1] is one character, the 1"));
  CHECK(contains(build_error("list_files(3)"), "expected a pattern, a string or a list of strings"));
}

}  // namespace
}  // namespace weir::test
