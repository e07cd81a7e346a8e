#include <algorithm>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/test_data.h"

namespace weir::test {
namespace {

const ContractEntries tfrecord_contract(
    "tfrecord",
    {{"tfrecord(\"FOLDER/tests/conformance/data/three.tfrecord\")"},
     {"tfrecord([\"FOLDER/tests/conformance/data/three.tfrecord\", \"FOLDER/nowhere\", \"FOLDER/tests/conformance/data/five.tfrecord.gz\"], compression: \"auto\") | batch(2)"},
     {"tfrecord([\"FOLDER/tests/data/records/bad_data.tfrecord\", \"FOLDER/tests/data/records/bad_length_crc.tfrecord\"], on_corrupt: \"resync\")"},
     {"tfrecord([\"FOLDER/tests/data/records/bad_data.tfrecord\", \"FOLDER/tests/data/records/cut.tfrecord.gz\", \"FOLDER/tests/data/records/three.tfrecord\"], compression: \"auto\", num_parallel_reads: 2, on_corrupt: \"skip_file\")"},
     {"tfrecord(list_files(\"FOLDER/tests/conformance/data/shards/*\", seed: 3), num_parallel_reads: 2)"}},
    kOpens);

std::string quoted_shard(const std::string& file) { return '"' + kConformanceData + file + '"'; }
std::string tfrecord(const std::string& file, const std::string& more = "") {
  return "tfrecord(" + quoted_shard(file) + more + ")";
}
const std::string kShards = "[" + quoted_shard("shards/part-0-of-3.tfrecord") + ", " +
                            quoted_shard("shards/part-1-of-3.tfrecord") + ", " +
                            quoted_shard("shards/part-2-of-3.tfrecord") + "]";

TEST_CASE("tfrecord gives the records of each file in turn") {
  const Lines three = run(tfrecord("three.tfrecord"));
  REQUIRE(three.size() == 3);
  CHECK(run("tfrecord([" + quoted_shard("three.tfrecord") + ", " + quoted_shard("empty.tfrecord") + ", " +
            quoted_shard("three.tfrecord") + "])")
            .size() == 6);
  CHECK(run(tfrecord("empty.tfrecord")).empty());
  CHECK(spec(tfrecord("three.tfrecord")) == "string");
  CHECK(cardinality(tfrecord("three.tfrecord")) == -2);
}

TEST_CASE("compressed files give the same records") {
  const Lines plain = run(tfrecord("five.tfrecord"));
  CHECK(run(tfrecord("five.tfrecord.gz", ", compression: \"gzip\"")) == plain);
  CHECK(run(tfrecord("five.tfrecord.zlib", ", compression: \"zlib\"")) == plain);
  CHECK(run(tfrecord("five.tfrecord.gz", ", compression: \"auto\"")) == plain);
  CHECK(!build_error(tfrecord("five.tfrecord", ", compression: \"rar\"")).empty());
}

TEST_CASE("a file that is missing or damaged is one error; the next one follows") {
  const Lines three = run(tfrecord("three.tfrecord"));
  Lines expected = three;
  expected.push_back("error: not_found");
  expected.insert(expected.end(), three.begin(), three.end());
  const std::string text = "tfrecord([" + quoted_shard("three.tfrecord") + ", " + quoted_shard("nowhere") +
                           ", " + quoted_shard("three.tfrecord") + "])";
  CHECK(run(text) == expected);
  for (int64_t position = 0; position <= 7; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(expected.begin() + position, expected.end()));
  }
}

TEST_CASE("on_corrupt: the rest of a damaged file is an error, is left out, or goes on after the damage") {
  const std::string bad = '"' + test_data("records/bad_data.tfrecord") + '"';
  const std::string files = "tfrecord([" + bad + ", " + quoted_shard("three.tfrecord") + "], on_corrupt: ";
  const Lines plain = run("tfrecord([" + bad + ", " + quoted_shard("three.tfrecord") + "])");
  REQUIRE(plain.size() == 6);
  CHECK(run(files + "\"error\")") == plain);
  Lines skipped = plain;
  skipped.erase(skipped.begin() + 2);
  CHECK(run(files + "\"skip_file\")") == skipped);
  Lines resynced = plain;
  resynced.insert(resynced.begin() + 3, {"\"record 3\"", "\"record 4\""});
  CHECK(run(files + "\"resync\")") == resynced);
  for (const auto& [value, whole] :
       {std::pair("\"skip_file\")", skipped), std::pair("\"resync\")", resynced)}) {
    for (size_t position = 0; position <= whole.size(); ++position) {
      INFO(value << " saved after " << position);
      CHECK(run_restored(files + value, static_cast<int64_t>(position)) ==
            Lines(whole.begin() + static_cast<int64_t>(position), whole.end()));
    }
  }
  CHECK(run("tfrecord(" + quoted_shard("nowhere") + ", on_corrupt: \"skip_file\")") ==
        Lines{"error: not_found"});
  for (const char* name : {"error", "skip_file", "resync"})
    CHECK(contains(build_error(tfrecord("three.tfrecord", ", on_corrupt: \"ignore\"")), name));
}

TEST_CASE("skip_file logs each file of which it leaves out the rest") {
  struct Collect final : Logger {
    void log(Level level, std::string_view message) override {
      if (level == Level::warning) lines.emplace_back(message);
    }
    Lines lines;
  };
  const std::string bad = test_data("records/bad_data.tfrecord");
  const std::string files =
      "tfrecord([\"" + bad + "\", " + quoted_shard("three.tfrecord") + ", \"" + bad + "\"]";
  ThreadsRuntime runtime;
  Collect collect;
  runtime->logger = &collect;
  CHECK(all_lines(*runtime, files + ", on_corrupt: \"skip_file\")", 4).size() == 7);
  REQUIRE(collect.lines.size() == 2);
  for (const std::string& line : collect.lines) {
    CHECK(contains(line, "rest of file skipped: corrupted record"));
    CHECK(contains(line, bad));
    CHECK(contains(line, "offset 48, record 2"));
    CHECK(contains(line, "is wrong; restore the file ("));
  }
  all_lines(*runtime, files + ", on_corrupt: \"resync\")", 4);
  CHECK(collect.lines.size() == 2);
}

TEST_CASE("names may come from a pipeline, whose errors are errors of their own") {
  const std::string names = "probe(3, errors: \"1\") | map(x -> " + quoted_shard("three.tfrecord") + ")";
  for (const char* n : {"1", "2"}) {
    INFO(n);
    const Lines lines = run("let names = " + names + "\ntfrecord(names, num_parallel_reads: " + n + ")");
    CHECK(lines.size() == 7);
    CHECK(std::count(lines.begin(), lines.end(), "error: data_loss") == 1);
  }
}

TEST_CASE("a compressed file is read again up to the record where it was saved") {
  const std::string text = tfrecord("five.tfrecord.gz", ", compression: \"gzip\"");
  const Lines whole = run(text);
  for (int64_t position = 0; position <= 5; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
  }
}

TEST_CASE("files read in turns come as interleave gives them") {
  for (const char* n : {"2", "3", "5", "auto"}) {
    INFO(n);
    const std::string text = "tfrecord(" + kShards + ", num_parallel_reads: " + n + ")";
    const Lines whole = run(text);
    CHECK(whole ==
          run("from_tensor_slices(" + kShards + ") | interleave(f -> tfrecord(f), cycle_length: " + n + ")"));
    CHECK(run(text, 100) == whole);
    for (size_t position = 0; position <= whole.size(); ++position) {
      INFO("saved after " << position);
      CHECK(run_restored(text, static_cast<int64_t>(position)) ==
            Lines(whole.begin() + static_cast<int64_t>(position), whole.end()));
    }
  }
}

TEST_CASE("a missing file among those read in turns is one error") {
  const Lines lines = run("tfrecord([" + quoted_shard("three.tfrecord") + ", " + quoted_shard("nowhere") +
                          "], num_parallel_reads: 2)");
  REQUIRE(lines.size() == 4);
  CHECK(lines[1] == "error: not_found");
}

TEST_CASE("how many files are read in turns has bounds") {
  CHECK(contains(build_error(tfrecord("three.tfrecord", ", num_parallel_reads: 0")), "num_parallel_reads"));
  CHECK(contains(build_error(tfrecord("three.tfrecord", ", num_parallel_reads: 2000000")),
                 "num_parallel_reads"));
}

}  // namespace
}  // namespace weir::test
