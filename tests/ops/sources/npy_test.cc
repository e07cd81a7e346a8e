#include <algorithm>
#include <fstream>

#include "ops/contract.h"
#include "ops/written_folders.h"
#include "support/npy_files.h"
#include "support/simulated_files.h"

namespace weir::test {
namespace {

const std::string kOf = "FOLDER/tests/conformance/data/new/npy/";

const ContractEntries npy_contract(
    "npy",
    {{"npy([\"" + kOf + "several-files-0.npy\", \"" + kOf + "several-files-1.npy\", \"" + kOf +
      "several-files-2.npy\"])"},
     {"npy([\"" + kOf + "unicode.npy\", \"FOLDER/nowhere\", \"" + kOf + "bytes.npy\"]) | batch(2)"},
     {"npy(\"" + kOf + "big-endian-f4.npy\")"},
     {"npy(list_files(\"" + kOf + "both-byte-orders-*.npy\", shuffle: false))"}},
    kOpens);

void write(const std::string& name, const std::string& bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
}

std::string int32_file(const TemporaryFolder& folder, const std::string& name, int first, int count) {
  std::vector<int32_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(first + i);
  write(folder.at(name), npy_bytes("<i4", "(" + std::to_string(count) + ",)", bytes_of(numbers)));
  return folder.at(name);
}

std::string npy_of(const std::vector<std::string>& files) {
  std::string out = "npy([";
  for (const std::string& file : files) out += (out == "npy([" ? "\"" : ", \"") + file + "\"";
  return out + "])";
}

TEST_CASE("npy: blocks of any width, positions and restores give the same rows") {
  TemporaryFolder folder;
  const std::string text = npy_of({int32_file(folder, "a", 0, 70000), int32_file(folder, "b", 70000, 1),
                                   int32_file(folder, "c", 70001, 999)});
  CHECK(cardinality(text) == 71000);
  const Lines all = run("range(71000, dtype: int32)", 1000);
  CHECK(run(text, 1000) == all);
  CHECK(run(text + " | batch(7) | unbatch()", 1000) == all);
  for (int64_t position : {0, 1, 69999, 70000, 70001, 70999, 71000})
    CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
  for (int first : {0, 69999, 70000, 70001, 71000})
    CHECK(run(text + " | skip(" + std::to_string(first) + ")", 1000) ==
          Lines(all.begin() + first, all.end()));
  CHECK(run(text + " | global_shuffle(seed: 1) | reduce(0, (s, x) -> s + int64(x))") == Lines{"2520464500"});
  Lines parts = run(text + " | partition(4, p -> p)", 1000);
  CHECK(parts[1] == "17750");
  std::sort(parts.begin(), parts.end());
  Lines sorted = all;
  std::sort(sorted.begin(), sorted.end());
  CHECK(parts == sorted);
}

TEST_CASE("npy: a later file that is missing or damaged is one error in its place") {
  TemporaryFolder folder;
  const std::string a = int32_file(folder, "a", 0, 2), c = int32_file(folder, "c", 2, 2);
  write(folder.at("cut"), npy_bytes("<i4", "(9,)", "1234"));
  write(folder.at("none"), "nothing of that kind");
  const std::string text = npy_of({a, folder.at("gone"), folder.at("cut"), folder.at("none"), c});
  const Lines all = {"0", "1", "error: not_found", "error: data_loss", "error: data_loss", "2", "3"};
  CHECK(cardinality(text) == -2);
  CHECK(run(text) == all);
  for (int64_t position = 0; position <= 7; ++position)
    CHECK(run_restored(text, position) == Lines(all.begin() + position, all.end()));
  Lines sorted = all;
  std::sort(sorted.begin(), sorted.end());
  Lines shuffled = run(text + " | global_shuffle(seed: 1)");
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == sorted);
  CHECK(run(text + " | skip(2)") ==
        Lines{"error: not_found", "error: data_loss", "error: data_loss", "2", "3"});
  CHECK(run(text + " | partition(2, p -> p, by: \"files\")") ==
        Lines{"0", "error: not_found", "1", "error: data_loss", "error: data_loss", "2", "3"});
  CHECK_THAT(first_error(text), Catch::Contains(folder.at("gone")));
}

TEST_CASE("npy: a first file that cannot be read, and one of other rows, do not build") {
  TemporaryFolder folder;
  const std::string a = int32_file(folder, "a", 0, 2);
  ThreadsRuntime runtime;
  const auto code = [&](const std::string& text) { return parse_document(*runtime, text).status().code(); };
  CHECK(code(npy_of({folder.at("gone"), a})) == Code::not_found);
  write(folder.at("cut"), npy_bytes("<i4", "(9,)", "1234"));
  CHECK(code(npy_of({folder.at("cut"), a})) == Code::data_loss);
  write(folder.at("other"), npy_bytes("<i4", "(1, 1)", "1234"));
  CHECK(code(npy_of({a, folder.at("other")})) == Code::invalid_argument);
  CHECK_THAT(build_error(npy_of({a, folder.at("other")})),
             Catch::Contains("rows of int32, as in the first file") && Catch::Contains("other"));
  CHECK(code("npy([])") == Code::invalid_argument);
}

TEST_CASE("npy: the names must be known when the dataset is built") {
  TemporaryFolder folder;
  const std::string a = int32_file(folder, "a.npy", 0, 2);
  for (const char* text :
       {"from_tensor_slices([\"x\"]) | flat_map(f -> npy(f))", "param f: string npy($f)",
        "param f: string npy(from_tensor_slices([\"x\"]) | map(n -> $f + n))",
        "range(2) | flat_map(i -> npy(from_tensors(\"x\") | map(n -> n + as_string(i))))"}) {
    INFO(text);
    CHECK_THAT(build_error(text), Catch::Contains("known when the dataset is built"));
  }
  CHECK_THAT(build_error("npy(from_tensors(\"x\") | repeat())"), Catch::Contains("without end"));
  // Of functions without variables they are.
  CHECK(run("npy(from_tensor_slices([\"a\", \"a\"]) | map(n -> \"" + folder.at("") + "\" + n + \".npy\"))") ==
        Lines{"0", "1", "0", "1"});
  CHECK(run("range(2) | flat_map(i -> npy(\"" + a + "\") | map(x -> x + int32(10 * i)))") ==
        Lines{"0", "1", "10", "11"});
  // In an order that is drawn anew each epoch, too.
  CHECK(run("npy(list_files(\"" + folder.at("*.npy") + "\")) | repeat(2)").size() == 4);
}

TEST_CASE("npy: a file that changes after the dataset was built") {
  TemporaryFolder folder;
  const std::string a = int32_file(folder, "a", 0, 2);
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, npy_of({a, a}));
  write(a, npy_bytes("<f4", "(1,)", "1234"));
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {{}, nullptr}));
  CHECK(all_lines(*iterator) == Lines{"error: invalid_argument", "error: invalid_argument"});
}

TEST_CASE("npy: a string that is no text is an error in its place") {
  TemporaryFolder folder;
  const std::vector<uint32_t> points = {0x61, 0xd800, 0x62, 0x110000, 0x63};
  write(folder.at("u"), npy_bytes("<U1", "(5,)", bytes_of(points)));
  const Lines all = {"\"a\"", "error: invalid_argument", "\"b\"", "error: data_loss", "\"c\""};
  CHECK(run(call("npy", folder.at("u"))) == all);
  CHECK(run(call("npy", folder.at("u")) + " | partition(1, p -> p)") == all);
  for (int64_t position = 0; position <= 5; ++position)
    CHECK(run_restored(call("npy", folder.at("u")), position) == Lines(all.begin() + position, all.end()));
  CHECK_THAT(first_error(call("npy", folder.at("u"))),
             Catch::Contains("record 1") && Catch::Contains("offset"));
  // Entries of other widths in one list.
  write(folder.at("s"), npy_bytes("|S3", "(2,)", std::string_view("abcde\0", 6)));
  write(folder.at("w"), npy_bytes("|S1", "(2,)", "xy"));
  const std::string both = npy_of({folder.at("s"), folder.at("w"), folder.at("s")});
  CHECK(run(both) == Lines{"\"abc\"", "\"de\"", "\"x\"", "\"y\"", "\"abc\"", "\"de\""});
  CHECK(run(both + " | partition(1, p -> p)") == run(both));
}

TEST_CASE("npy: truth values of other bytes than 0 and 1") {
  TemporaryFolder folder;
  write(folder.at("b"), npy_bytes("|b1", "(2, 2)", std::string("\0\x01\x02\xff", 4)));
  CHECK(run(call("npy", folder.at("b"))) == Lines{"[false, true]", "[true, true]"});
  CHECK(run(call("npy", folder.at("b")) + " | map(x -> count_nonzero(x))") == Lines{"1", "2"});
}

TEST_CASE("npy passes on why a read failed, after the rows before it") {
  SimulatedFileSystem files;
  const std::string bytes = npy_bytes("<i2", "(50000,)", std::string(100'000, 'x'));
  files.put("a.npy", bytes);
  files.set_faults("a.npy", {.read_error_offset = bytes.size() - 7});
  for (const char* more : {"", ", buffer_size: 1000"}) {
    ThreadsRuntime runtime;
    runtime->files = &files;
    auto iterator = open_text(*runtime, std::string("npy(\"a.npy\"") + more + ")");
    Block block;
    int rows = 0;
    std::string message;
    while (require_value(iterator->next(64, block)) == PullResult::rows) {
      rows += block.rows - static_cast<int>(block.errors.size());
      for (const RowError& error : block.errors) message = error.error->describe();
      block.errors.clear();
    }
    CHECK(rows == 49996);
    CHECK_THAT(message, Catch::Contains("planted fault"));
  }
}

}  // namespace
}  // namespace weir::test
