// What makes a pipeline another one for the files that belong to it, where its text is the same.
#include "ops/files/pipeline_digest.h"

#include "ops/written_folders.h"
#include "support/replace.h"

namespace weir::test {
namespace {

// Whether a pipeline refuses what another one has written. SNAPSHOT stands for a snapshot in one folder.
bool refuses_what_was_written(std::string written, std::string other) {
  TemporaryFolder folder;
  const std::string snapshot = call("snapshot", folder.at("s"));
  replace(written, "SNAPSHOT", snapshot);
  replace(other, "SNAPSHOT", snapshot);
  CHECK(first_error(written).empty());
  CHECK(first_error(written).empty());
  const std::string error = first_error(other);
  CHECK((error.empty() || contains(error, "another pipeline")));
  return !error.empty();
}

TEST_CASE("pipeline digest: which of several equal datasets comes again") {
  const std::string two = "let a = range(3) | skip(1) let b = range(3) | skip(1) ";
  CHECK(refuses_what_was_written(two + "zip(a, b, a) | SNAPSHOT", two + "zip(a, b, b) | SNAPSHOT"));
  CHECK_FALSE(refuses_what_was_written(two + "zip(a, b, a) | SNAPSHOT", two + "zip(b, a, b) | SNAPSHOT"));
}

// The same text inside, for two values of the variable around it.
bool differs_by(const std::string& value, const std::string& other, const std::string& inside) {
  return refuses_what_was_written("from_tensors(" + value + ") | flat_map(v -> " + inside + " | SNAPSHOT)",
                                  "from_tensors(" + other + ") | flat_map(v -> " + inside + " | SNAPSHOT)");
}

TEST_CASE("pipeline digest: the shape and every entry of a variable") {
  const std::string inside = "range(3) | map(x -> x + v[1])";
  CHECK_FALSE(differs_by("[1, 2, 3]", "[1, 2, 3]", inside));
  CHECK(differs_by("[1, 2, 3]", "[1, 2, 4]", inside));
  CHECK(differs_by("[1, 2, 3]", "[1, 2]", inside));
  const std::string counts = "range(3) | map(x -> x + size(v))";
  CHECK(differs_by("[1, 2, 3, 4]", "[[1, 2], [3, 4]]", counts));
  CHECK(differs_by("zeros([0, 2])", "zeros([2, 0])", counts));
}

TEST_CASE("pipeline digest: where one string of a variable ends and the next begins") {
  const std::string inside = "range(3) | map(x -> x + string_length(v[0]))";
  CHECK_FALSE(differs_by("[\"ab\", \"c\"]", "[\"ab\", \"c\"]", inside));
  CHECK(differs_by("[\"ab\", \"c\"]", "[\"a\", \"bc\"]", inside));
  CHECK(differs_by("[\"\", \"abc\"]", "[\"abc\", \"\"]", inside));
}

TEST_CASE("pipeline digest: the variables of every lambda around it") {
  const auto nested = [](int outer, int inner) {
    return "range(" + std::to_string(outer) + ", " + std::to_string(outer + 1) + ") | flat_map(i -> range(" +
           std::to_string(inner) + ", " + std::to_string(inner + 1) +
           ") | flat_map(j -> range(3) | map(x -> x * i + j) | SNAPSHOT))";
  };
  CHECK_FALSE(refuses_what_was_written(nested(4, 7), nested(4, 7)));
  CHECK(refuses_what_was_written(nested(4, 7), nested(5, 7)));
  CHECK(refuses_what_was_written(nested(4, 7), nested(4, 8)));
}

TEST_CASE("pipeline digest: a dataset in a variable has no name to be known by") {
  TemporaryFolder folder;
  const std::string text = "range(4) | window(2) | flat_map(w -> range(3) | concatenate(w) | " +
                           call("snapshot", folder.at("s")) + ")";
  CHECK(contains(first_error(text), "depends on a variable that is a dataset"));
  CHECK(files_in(folder.at("s")).empty());
}

TEST_CASE("pipeline digest: the files that a pattern matched") {
  TemporaryFolder data;
  std::ofstream(data.at("a.txt")) << "a\n";
  TemporaryFolder folder;
  const std::string text =
      "list_files(\"" + data.at("*.txt") + "\", shuffle: false) | " + call("snapshot", folder.at("s"));
  CHECK(first_error(text).empty());
  CHECK(first_error(text).empty());
  std::ofstream(data.at("b.txt")) << "b\n";
  CHECK(contains(first_error(text), "another pipeline"));
}

TEST_CASE("pipeline digest: the rank of the process, where elements depend on it") {
  TemporaryFolder folder;
  ThreadsRuntime runtime;
  const auto lines_of_rank = [&](int64_t rank, const std::string& text) {
    const DocumentRef document = parse_text(*runtime, text);
    const World world{rank, 2, {}};
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    return all_lines(*iterator);
  };
  const std::string sharded = "range(5) | shard(auto, auto) | " + call("snapshot", folder.at("sharded"));
  CHECK(lines_of_rank(0, sharded) == Lines{"0", "2", "4"});
  CHECK(lines_of_rank(0, sharded) == Lines{"0", "2", "4"});
  CHECK(lines_of_rank(1, sharded) == Lines{"error: failed_precondition"});
  // Whoever wrote it, each rank has its part of what all have in common.
  const std::string common = "range(5) | " + call("snapshot", folder.at("common")) + " | shard(auto, auto)";
  CHECK(lines_of_rank(0, common) == Lines{"0", "2", "4"});
  CHECK(lines_of_rank(1, common) == Lines{"1", "3"});
}

}  // namespace
}  // namespace weir::test
