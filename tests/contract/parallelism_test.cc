// A checkpoint fits a pipeline that differs only in how its elements are made: calls in parallel, elements
// ahead.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/pipeline.h"
#include "support/replace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// The text with these values in place of CALLS and AHEAD.
std::string with(std::string text, const char* calls, const char* ahead) {
  replace(text, "CALLS", calls);
  replace(text, "AHEAD", ahead);
  return text;
}

std::string saved_after(Runtime& runtime, const std::string& text, const std::string* from, size_t rows,
                        int width) {
  const OpenIterator iterator = open_text(runtime, text, from);
  take_lines(*iterator, static_cast<int64_t>(rows), width);
  return require_value(iterator->save());
}

Lines rest_of(const Lines& all, size_t begin) {
  return {all.begin() + static_cast<ptrdiff_t>(begin), all.end()};
}

const std::vector<std::string> kParallelTexts = {
    "range(40) | map(x -> x * 3, num_parallel_calls: CALLS) | prefetch(AHEAD)",
    "range(9) | shuffle(4, seed: 2) | map(x -> x + 1, num_parallel_calls: CALLS) | prefetch(AHEAD) | repeat(4)",
    "range(7) | shuffle(3, seed: 5) | map(x -> x, num_parallel_calls: CALLS) | repeat(3) | shuffle(4, seed: 1) | repeat(2)",
    "range(30) | map(x -> assert(x % 4 != 1, \"no\", x), num_parallel_calls: CALLS) | batch(3) | prefetch(AHEAD)",
    "range(30) | map(x -> (x, random_uniform([], seed: 3)), num_parallel_calls: CALLS) | filter((x, r) -> x % 3 != 0)",
    "range(5) | flat_map(x -> range(x + 2) | shuffle(3, seed: 4) | map(y -> x * 10 + y, num_parallel_calls: CALLS) | prefetch(AHEAD))",
    "range(6) | interleave(x -> range(5) | map(y -> x * 10 + y, num_parallel_calls: CALLS) | prefetch(AHEAD), cycle_length: 3)",
    "let d = range(5) | shuffle(5, seed: 3) | map(x -> x, num_parallel_calls: CALLS)\nzip(d, d | prefetch(AHEAD)) | repeat(3)",
};

TEST_CASE("parallelism: a checkpoint fits any", "[contract]") {
  ThreadsRuntime runtime;
  const std::vector<std::pair<const char*, const char*>> settings = {
      {"1", "0"}, {"2", "3"}, {"auto", "auto"}, {"1", "5"}, {"4", "0"}};
  for (const std::string& text : kParallelTexts) {
    CAPTURE(text);
    const Lines expected = all_lines(*runtime, with(text, "1", "0"));
    REQUIRE(expected.size() > 8);
    for (size_t i = 0; i < settings.size(); ++i) {
      for (size_t j = 0; j < settings.size(); ++j) {
        if (i == j) continue;
        const std::string first = with(text, settings[i].first, settings[i].second);
        const std::string second = with(text, settings[j].first, settings[j].second);
        for (size_t at = 0; at <= expected.size(); at += (1 + (i + j) % 3) * sanitized_step(2)) {
          CAPTURE(first, second, at);
          const std::string saved =
              saved_after(*runtime, first, nullptr, at, 1 + static_cast<int>(at % 3 == 0));
          // Restored under the other setting, and from there, perhaps without an element in between, under
          // the first.
          CHECK(all_lines(*open_text(*runtime, second, &saved)) == rest_of(expected, at));
          const size_t more = std::min<size_t>(at % 4, expected.size() - at);
          const std::string again = saved_after(*runtime, second, &saved, more, 1);
          CHECK(all_lines(*open_text(*runtime, first, &again)) == rest_of(expected, at + more));
        }
      }
    }
  }
}

TEST_CASE("parallelism: over a shuffle that opens again, one by one is not ahead", "[contract]") {
  ThreadsRuntime runtime;
  const std::string text =
      "range(7) | shuffle(3, seed: 5) | repeat(3) | map(x -> x, num_parallel_calls: CALLS) | batch(2) | prefetch(4)";
  const Lines expected = all_lines(*runtime, with(text, "1", ""));
  for (size_t at = 0; at <= expected.size(); ++at) {
    CAPTURE(at);
    const std::string ahead = saved_after(*runtime, with(text, "2", ""), nullptr, at, 1);
    CHECK(all_lines(*open_text(*runtime, with(text, "auto", ""), &ahead)) == rest_of(expected, at));
    const std::string alone = saved_after(*runtime, with(text, "1", ""), nullptr, at, 1);
    CHECK(all_lines(*open_text(*runtime, with(text, "1", ""), &alone)) == rest_of(expected, at));
    const auto refused = [&](const char* calls, const std::string& saved) {
      const DocumentRef document = parse_text(*runtime, with(text, calls, ""));
      Iterator iterator(*runtime, nullptr, document->spec(), document);
      return iterator.initialize(nullptr, {{}, &saved});
    };
    const Status to_one = refused("1", ahead);
    const Status from_one = refused("2", alone);
    if (at == 0) continue;
    CHECK(to_one.code() == Code::failed_precondition);
    CHECK(from_one.code() == Code::failed_precondition);
  }
}

TEST_CASE("parallelism: written elements may lie in another folder", "[contract]") {
  ThreadsRuntime runtime;
  const TemporaryFolder folder;
  const auto in = [&](std::string text, const std::string& name) {
    replace(text, "FOLDER", "\"" + folder.path() + "/" + name + "\"");
    return text;
  };
  for (const std::string text : {"range(20) | cache(FOLDER) | map(x -> x * 2) | repeat(2)",
                                 "range(20) | snapshot(FOLDER, compression: \"zlib\") | batch(3) | repeat(2)",
                                 "range(3) | flat_map(n -> range(n + 4) | cache(FOLDER))"}) {
    CAPTURE(text);
    const Lines expected = all_lines(*runtime, in(text, "first"));
    for (size_t at = 0; at <= expected.size(); at += 2) {
      CAPTURE(at);
      const std::string saved = saved_after(*runtime, in(text, "first"), nullptr, at, 1);
      // Positions among written elements want them there.
      std::filesystem::remove_all(folder.path() + "/second");
      std::filesystem::copy(folder.path() + "/first", folder.path() + "/second");
      CHECK(all_lines(*open_text(*runtime, in(text, "second"), &saved)) == rest_of(expected, at));
    }
    std::filesystem::remove_all(folder.path() + "/first");
  }
  const std::string in_memory = saved_after(*runtime, "range(9) | cache()", nullptr, 2, 1);
  const std::string in_files = saved_after(*runtime, in("range(9) | cache(FOLDER)", "third"), nullptr, 2, 1);
  const auto restored = [&](const std::string& text, const std::string& saved) {
    const DocumentRef document = parse_text(*runtime, text);
    Iterator iterator(*runtime, nullptr, document->spec(), document);
    return iterator.initialize(nullptr, {{}, &saved});
  };
  CHECK(restored("range(9) | cache(\"\")", in_memory).ok());
  CHECK(restored(in("range(9) | cache(FOLDER)", "third"), in_memory).code() == Code::failed_precondition);
  CHECK(restored("range(9) | cache()", in_files).code() == Code::failed_precondition);
}

TEST_CASE("parallelism: what changes the sequence still tells pipelines apart", "[contract]") {
  ThreadsRuntime runtime;
  const std::string saved = saved_after(
      *runtime, "range(9) | map(x -> x, num_parallel_calls: 2) | batch(2) | prefetch(3)", nullptr, 2, 1);
  const auto restored = [&](const std::string& text) {
    const DocumentRef document = parse_text(*runtime, text);
    Iterator iterator(*runtime, nullptr, document->spec(), document);
    return iterator.initialize(nullptr, {{}, &saved});
  };
  CHECK(restored("range(9) | map(x -> x) | batch(2, num_parallel_calls: 4) | prefetch(auto)").ok());
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"range(9) | map(x -> x) | batch(3) | prefetch(auto)", "batch: parameter n differs"},
           {"range(8) | map(x -> x, num_parallel_calls: 4) | batch(2) | prefetch(3)",
            "range: parameter stop differs"},
           {"range(9) | map(x -> x + 0) | batch(2) | prefetch(3)", "map: parameter f differs"},
           {"range(9) | map(x -> x) | batch(2)", "prefetch, is there only"}}) {
    CAPTURE(text);
    const Status status = restored(text);
    REQUIRE(status.code() == Code::failed_precondition);
    CAPTURE(status.error().message);
    CHECK(status.error().message.find(said) != std::string::npos);
  }
}

}  // namespace
}  // namespace weir
