#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const ContractEntries fixed_length_record_contract(
    "fixed_length_record",
    {{"fixed_length_record(\"FOLDER/tests/conformance/data/fixed_hf.bin\", 4, header_bytes: 3, footer_bytes: 2)"},
     {"fixed_length_record([\"FOLDER/tests/conformance/data/fixed2.bin\", \"FOLDER/nowhere\", \"FOLDER/tests/conformance/data/fixed_tail.bin\", \"FOLDER/tests/conformance/data/fixed.bin.gz\"], 4, compression: \"auto\") | batch(2)"},
     {"from_tensor_slices([\"FOLDER/tests/conformance/data/fixed.bin\", \"FOLDER/tests/conformance/data/fixed2.bin\"]) | flat_map(f -> fixed_length_record(f, 4))"},
     {"fixed_length_record([\"FOLDER/tests/conformance/data/fixed.bin\", \"FOLDER/tests/conformance/data/fixed2.bin\"], 2, num_parallel_reads: 2)"}},
    kOpens);

std::string quoted(const std::string& file) { return '"' + kConformanceData + file + '"'; }
std::string fixed(const std::string& file, const std::string& more) {
  return "fixed_length_record(" + quoted(file) + ", " + more + ")";
}
const Lines kThree = {"\"AAAA\"", "\"BBBB\"", "\"CCCC\""};

TEST_CASE("fixed_length_record leaves header and footer out, compressed or not") {
  CHECK(run(fixed("fixed.bin", "4")) == kThree);
  CHECK(run(fixed("fixed.bin.gz", "4, compression: \"gzip\"")) == kThree);
  CHECK(run(fixed("fixed.bin.zlib", "4, compression: \"auto\"")) == kThree);
  for (const char* file : {"fixed_hf.bin", "fixed_hf.bin.gz"}) {
    INFO(file);
    const std::string text = fixed(file, "4, header_bytes: 3, footer_bytes: 2, compression: \"auto\"");
    CHECK(run(text) == kThree);
    for (int64_t position = 0; position <= 3; ++position) {
      INFO("saved after " << position);
      CHECK(run_restored(text, position) == Lines(kThree.begin() + position, kThree.end()));
    }
  }
  CHECK(run(fixed("empty.txt", "4")).empty());
  CHECK(run(fixed("fixed.bin", "4, header_bytes: 5, footer_bytes: 7")).empty());
  CHECK(spec(fixed("fixed.bin", "4")) == "string");
  CHECK(cardinality(fixed("fixed.bin", "4")) == -2);
}

TEST_CASE("a plain file whose size does not fit is one error and gives no record") {
  const Lines invalid = {"error: invalid_argument"};
  CHECK(run(fixed("fixed.bin", "5")) == invalid);
  CHECK(run(fixed("fixed.bin", "4, header_bytes: 1")) == invalid);
  CHECK(run(fixed("fixed.bin", "4, header_bytes: 8, footer_bytes: 8")) == invalid);
  const std::string text =
      "fixed_length_record([" + quoted("fixed_tail.bin") + ", " + quoted("fixed.bin") + "], 4)";
  Lines expected = invalid;
  expected.insert(expected.end(), kThree.begin(), kThree.end());
  CHECK(run(text) == expected);
  for (int64_t position = 0; position <= 4; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(expected.begin() + position, expected.end()));
  }
}

TEST_CASE("a compressed file that does not fit gives its whole records and then data_loss") {
  CHECK(run(fixed("fixed.bin.gz", "5, compression: \"gzip\"")) ==
        Lines{"\"AAAAB\"", "\"BBBCC\"", "error: data_loss"});
  CHECK(run(fixed("fixed.bin.gz", "4, footer_bytes: 1, compression: \"gzip\"")) ==
        Lines{"\"AAAA\"", "\"BBBB\"", "error: data_loss"});
  CHECK(run(fixed("fixed.bin.gz", "4, header_bytes: 13, compression: \"gzip\"")) ==
        Lines{"error: data_loss"});
}

TEST_CASE("a plain file has as many records as when it was opened") {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 60'000; ++i) bytes += std::to_string(1'000'000 + i) + ",";
  for (const char* more : {"8", "8, header_bytes: 16, footer_bytes: 24"}) {
    INFO(more);
    std::ofstream(folder.at("a"), std::ios::binary) << bytes;
    const std::string text = "fixed_length_record(\"" + folder.at("a") + "\", " + more + ")";
    const Lines whole = run(text);
    ThreadsRuntime runtime;
    const auto grown = open_text(*runtime, text);
    take_lines(*grown, 1);
    std::ofstream(folder.at("a"), std::ios::binary | std::ios::app) << "more,  more,,,,,";
    CHECK(all_lines(*grown) == Lines(whole.begin() + 1, whole.end()));
    std::filesystem::resize_file(folder.at("a"), bytes.size());
    const auto cut = open_text(*runtime, text);
    take_lines(*cut, 1);
    std::filesystem::resize_file(folder.at("a"), 96);
    const Lines rest = all_lines(*cut);
    REQUIRE(rest.size() < whole.size() - 1);
    CHECK(rest.back() == "error: data_loss");
    CHECK(std::equal(rest.begin(), rest.end() - 1, whole.begin() + 1));
  }
}

TEST_CASE("the numbers of bytes have bounds") {
  for (const char* more : {"0", "-1", "4, header_bytes: -1", "4, footer_bytes: -1"}) {
    INFO(more);
    CHECK(contains(build_error(fixed("fixed.bin", more)), "_bytes"));
  }
}

}  // namespace
}  // namespace weir::test
