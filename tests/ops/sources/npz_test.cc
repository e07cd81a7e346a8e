#include <algorithm>
#include <fstream>

#include "ops/contract.h"
#include "ops/written_folders.h"
#include "support/npy_files.h"

namespace weir::test {
namespace {

const ContractEntries npz_contract(
    "npz",
    {{"npz(\"FOLDER/tests/conformance/data/new/npz/stored.npz\")", anything},
     {"npz(\"FOLDER/tests/conformance/data/new/npz/deflated.npz\", names: [\"y\"]) | batch(2)", anything}},
    kOpens);

// An archive of the numbers from 0, stored and deflated, and of strings.
std::string archive(const TemporaryFolder& folder, const std::string& name, int count, bool large = false) {
  std::vector<int64_t> numbers;
  std::string texts;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(i);
    texts += std::to_string(10000000 + i);
  }
  const std::string shape = "(" + std::to_string(count) + ",)";
  std::ofstream(folder.at(name), std::ios::binary)
      << zip_bytes({{"i.npy", npy_bytes("<i8", shape, bytes_of(numbers)), false},
                    {"readme.txt", "no array", true},
                    {"j.npy", npy_bytes("<i8", shape, bytes_of(numbers)), true},
                    {"s.npy", npy_bytes("|S8", shape, texts), true}},
                   large);
  return folder.at(name);
}

TEST_CASE("npz: rows come together in order, by position and after a restore") {
  TemporaryFolder folder;
  for (bool large : {false, true}) {
    const std::string text = call("npz", archive(folder, "a", 3000, large));
    CHECK(spec(text) == "{i: int64, j: int64, s: string}");
    CHECK(cardinality(text) == 3000);
    Lines all;
    for (int i = 0; i < 3000; ++i) {
      const std::string number = std::to_string(i);
      all.push_back("{i: " + number + ", j: " + number + ", s: \"" + std::to_string(10000000 + i) + "\"}");
    }
    CHECK(run(text, 100) == all);
    CHECK(run(text + " | partition(1, p -> p)", 100) == all);
    CHECK(run(text + " | skip(2990)") == Lines(all.begin() + 2990, all.end()));
    CHECK(run(text + " | global_shuffle(seed: 2) | filter(x -> x.i == x.j) | map(x -> x.s)").size() == 3000);
    for (int64_t position : {0, 1, 1024, 2999, 3000})
      CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
  }
}

TEST_CASE("npz: names that are not there, or twice, and arrays of unequal length") {
  TemporaryFolder folder;
  const std::string file = archive(folder, "a", 3);
  CHECK_THAT(build_error(call("npz", file, ", names: [\"k\", \"i\"]")),
             Catch::Contains("\"i\", \"j\", \"s\""));
  CHECK_THAT(build_error(call("npz", file, ", names: [\"i\", \"i\"]")), Catch::Contains("each name once"));
  CHECK_THAT(build_error(call("npz", file, ", names: [1]")), Catch::Contains("a list of names of arrays"));
  CHECK(contains(build_error(call("npz", file, ", names: []")), "an empty list; without one all are read"));
  CHECK(run(call("npz", file, ", names: [\"s\", \"i\"]") + " | take(1)") == Lines{"{s: \"10000000\", i: 0}"});
  std::ofstream(folder.at("u"), std::ios::binary) << zip_bytes(
      {{"x.npy", npy_bytes("|u1", "(2,)", "ab"), false}, {"y.npy", npy_bytes("|u1", "(3,)", "abc"), false}});
  CHECK_THAT(build_error(call("npz", folder.at("u"))), Catch::Contains("\"x\" of 2 rows and \"y\" of 3"));
  CHECK(run(call("npz", folder.at("u"), ", names: [\"y\"]")).size() == 3);
  std::ofstream(folder.at("n"), std::ios::binary) << zip_bytes({{"x.txt", "", false}});
  CHECK_THAT(build_error(call("npz", folder.at("n"))), Catch::Contains("at least one array"));
  CHECK_THAT(build_error("from_tensors(\"x\") | flat_map(f -> npz(f))"),
             Catch::Contains("known when the dataset is built"));
}

TEST_CASE("npz: bytes that do not fit their checksum are one error in place of all elements") {
  TemporaryFolder folder;
  for (size_t back : {0u, 1u}) {
    const std::string file = archive(folder, "a", 50);
    std::string bytes;
    {
      std::stringstream read;
      read << std::ifstream(file, std::ios::binary).rdbuf();
      bytes = read.str();
    }
    // In the last number of "i", stored, or the checksum of "j", deflated, in the directory.
    const size_t directory = bytes.find("PK\x01\x02");
    const size_t at = back == 0 ? bytes.find("readme.txt") - 31 : bytes.find("j.npy", directory) - 30;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
    const std::string text = call("npz", file);
    CHECK(run(text) == Lines{"error: data_loss"});
    CHECK(run_restored(text, 1).empty());
    CHECK_THAT(first_error(text), Catch::Contains(file));
    const Lines shuffled = run(text + " | global_shuffle(seed: 1)");
    CHECK(std::count(shuffled.begin(), shuffled.end(), "error: data_loss") == 50);
  }
}

TEST_CASE("npz: a file that changes after the dataset was built") {
  TemporaryFolder folder;
  const std::string file = archive(folder, "a", 3);
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, call("npz", file));
  archive(folder, "a", 4);
  for (const char* code : {"failed_precondition", "not_found"}) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {{}, nullptr}));
    CHECK(all_lines(*iterator) == Lines{std::string("error: ") + code});
    std::filesystem::remove(file);
  }
}

}  // namespace
}  // namespace weir::test
