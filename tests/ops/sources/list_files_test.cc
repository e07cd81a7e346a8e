#include <fstream>

#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

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

TEST_CASE("list_files refuses a position that was saved among other files") {
  TemporaryFolder folder;
  auto make = [&](const char* name) { std::ofstream(folder.at(name)) << name; };
  for (const char* name : {"a", "b", "c"}) make(name);
  const std::string text = "list_files(\"" + folder.path() + "/*\", seed: 3)";
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  take_lines(*iterator, 1);
  const std::string saved = require_value(iterator->save());
  CHECK(take_lines(*open_text(*runtime, text, &saved), 2) == take_lines(*iterator, 2));
  make("d");
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"error: data_loss"});
}

TEST_CASE("list_files that matches nothing cannot be built") {
  CHECK(contains(build_error(list_files("nowhere-*", "")), "no file matches"));
  CHECK(contains(build_error("list_files(3)"), "expected a string"));
}

}  // namespace
}  // namespace weir::test
