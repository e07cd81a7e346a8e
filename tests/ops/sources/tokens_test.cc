#include <algorithm>
#include <fstream>

#include "ops/contract.h"
#include "ops/written_folders.h"
#include "support/npy_files.h"

namespace weir::test {
namespace {

const ContractEntries tokens_contract(
    "tokens",
    {{"tokens(\"FOLDER/tests/conformance/data/new/tokens/uint16.bin\", 3, uint16)"},
     {"tokens([\"FOLDER/tests/conformance/data/new/tokens/stride-smaller.bin\", \"FOLDER/nowhere\", \"FOLDER/tests/conformance/data/new/tokens/two.bin\"], 4, uint16, stride: 1) | batch(2)"},
     {"tokens([\"FOLDER/tests/conformance/data/new/tokens/stride-larger.bin\"], 3, int32, stride: 5, header_bytes: 1)"},
     {"from_tensor_slices([\"FOLDER/tests/conformance/data/new/tokens/two.bin\"]) | flat_map(f -> tokens(f, 2, uint16))"}},
    kOpens);

// A file of the numbers 0, 1, 2 … as uint16.
std::string counting(const TemporaryFolder& folder, const std::string& name, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(i);
    bytes += static_cast<char>(i >> 8);
  }
  std::ofstream(folder.at(name), std::ios::binary) << bytes;
  return folder.at(name);
}

// The elements as they should be.
Lines expected(size_t count, size_t length, size_t stride) {
  Lines out;
  for (size_t first = 0; first + length <= count; first += stride) {
    std::string line;
    for (size_t i = 0; i < length; ++i) line += (i == 0 ? "[" : ", ") + std::to_string(first + i);
    out.push_back(line + "]");
  }
  return out;
}

TEST_CASE("tokens gives runs of numbers that overlap, touch or leave gaps, by position too") {
  TemporaryFolder folder;
  constexpr size_t kCount = 6000;
  const std::string file = counting(folder, "t", kCount);
  for (const auto& [length, stride] : {std::pair<size_t, size_t>{1, 1},
                                       {5, 5},
                                       {5, 4},
                                       {5, 1},
                                       {700, 1},
                                       {3, 7},
                                       {3, 2500},
                                       {6000, 1},
                                       {6001, 1}}) {
    INFO(length << " " << stride);
    const Lines all = expected(kCount, length, stride);
    const std::string text =
        call("tokens", file, ", " + std::to_string(length) + ", uint16, stride: " + std::to_string(stride));
    CHECK(run(text, 100) == all);
    CHECK(run(text + " | skip(3)", 100) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(std::min<size_t>(3, all.size())), all.end()));
    Lines shuffled = run(text + " | global_shuffle(seed: 3) | map(x -> (x[0], x))", 100);
    CHECK(shuffled.size() == all.size());
    const size_t half = all.size() / 2;
    CHECK(run_restored(text, static_cast<int64_t>(half)) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(half), all.end()));
  }
}

TEST_CASE("tokens: a file that fails is one error, in order and by position") {
  TemporaryFolder folder;
  const std::string good = counting(folder, "t", 4);
  const std::string text =
      "tokens([\"" + good + "\", \"" + folder.at("none") + "\", \"" + good + "\"], 2, uint16)";
  const Lines all = {"[0, 1]", "[2, 3]", "error: not_found", "[0, 1]", "[2, 3]"};
  CHECK(run(text) == all);
  for (int64_t position = 0; position <= 5; ++position)
    CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
  Lines shuffled = run(text + " | global_shuffle(seed: 1)");
  std::sort(shuffled.begin(), shuffled.end());
  Lines sorted = all;
  std::sort(sorted.begin(), sorted.end());
  CHECK(shuffled == sorted);
  // An error is no element, so those before it are counted one after the other.
  CHECK(run(text + " | skip(3)") == Lines{"error: not_found", "[2, 3]"});
}

TEST_CASE("tokens: a file that has become shorter since it was opened") {
  TemporaryFolder folder;
  const std::string file = counting(folder, "t", 200000);
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, call("tokens", file, ", 2, uint16") + " | global_shuffle(seed: 1)");
  take_lines(*iterator, 1);
  std::filesystem::resize_file(file, 200000);
  const Lines rest = all_lines(*iterator);
  CHECK(rest.size() == 99999);
  const auto failed = std::count(rest.begin(), rest.end(), "error: data_loss");
  CHECK(failed > 40000);
  CHECK(failed <= 50000);
}

TEST_CASE("tokens: a file of NumPy is none of numbers alone") {
  TemporaryFolder folder;
  std::ofstream(folder.at("t.npy"), std::ios::binary) << npy_bytes("<u2", "(2,)", "abcd");
  const std::string file = folder.at("t.npy");
  CHECK(run(call("tokens", file, ", 2, uint16")) == Lines{"error: invalid_argument"});
  CHECK(run(call("tokens", file, ", 2, uint16") + " | global_shuffle()") == Lines{"error: invalid_argument"});
  CHECK(run(call("tokens", file, ", 1, uint8, stride: 1000, header_bytes: 1")).size() == 1);
  CHECK(run(call("tokens", counting(folder, "raw.npy", 4), ", 2, uint16")) == Lines{"[0, 1]", "[2, 3]"});
}

TEST_CASE("tokens says what it expects") {
  CHECK(contains(build_error("tokens(\"f\", 4, bool)"), "a dtype of numbers"));
  CHECK(contains(build_error("tokens(\"f\", 0, int32)"), "length"));
  CHECK(contains(build_error("tokens(\"f\", 4, int32, stride: -1)"), "stride"));
  CHECK(contains(build_error("tokens(\"f\", 4, int32, header_bytes: -1)"), "header_bytes"));
  CHECK(spec("param n: int64 tokens(\"f\", $n, int32)") == "int32[?]");
  CHECK(cardinality("tokens(\"f\", 4, int32)") == -2);
}

// The rows of a large batch are made in their place, piece by piece.
TEST_CASE("tokens: every row of large batches is the one that is due") {
  TemporaryFolder folder;
  const std::string text = call("tokens", counting(folder, "t", 640'000), ", 32, uint16");
  const Lines all = run(text + " | map(x -> x[0])", 100);
  REQUIRE(all.size() == 20'000);
  for (const char* size : {"1500", "2048", "8192", "20000"})
    CHECK(run(text + " | batch(" + size + ") | map(x -> x[:, 0]) | unbatch()", 100) == all);
}

}  // namespace
}  // namespace weir::test
