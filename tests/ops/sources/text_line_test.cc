#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const ContractEntries text_line_contract(
    "text_line",
    {{"text_line(\"FOLDER/tests/conformance/data/crlf.txt\")"},
     {"text_line([\"FOLDER/tests/conformance/data/more.txt\", \"FOLDER/nowhere\", \"FOLDER/tests/conformance/data/lines.txt.gz\"], compression: \"auto\") | batch(2)"},
     {"text_line(list_files(\"FOLDER/tests/conformance/data/many/*.txt\", seed: 3), num_parallel_reads: 2)"},
     {"list_files(\"FOLDER/tests/conformance/data/many/*.txt\", shuffle: false) | flat_map(f -> text_line(f))"}},
    kOpens);

std::string quoted_text(const std::string& file) { return '"' + kConformanceData + file + '"'; }

// A file with these bytes, and the lines that text_line makes of it.
class Written {
 public:
  std::string text(std::string_view bytes, const std::string& more = "") {
    const std::string name = folder_.path() + "/lines.txt";
    std::ofstream(name, std::ios::binary) << bytes;
    return "text_line(\"" + name + "\"" + more + ")";
  }
  Lines lines(std::string_view bytes, const std::string& more = "") { return run(text(bytes, more)); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("text_line gives lines without their ends") {
  Written file;
  CHECK(file.lines("").empty());
  CHECK(file.lines("\n") == Lines{"\"\""});
  CHECK(file.lines("\n\na\n") == Lines{"\"\"", "\"\"", "\"a\""});
  CHECK(file.lines("a\nb") == Lines{"\"a\"", "\"b\""});
  CHECK(file.lines("a\nb\n") == Lines{"\"a\"", "\"b\""});
  CHECK(spec(file.text("a")) == "string");
  CHECK(cardinality(file.text("a")) == -2);
}

TEST_CASE("text_line drops every carriage return and keeps all other bytes") {
  Written file;
  CHECK(file.lines("a\r\nb\r\n") == Lines{"\"a\"", "\"b\""});
  CHECK(file.lines("\r\ra\r\rb\r\nc\rd\n") == Lines{"\"ab\"", "\"cd\""});
  CHECK(file.lines("\r\n\r") == Lines{"\"\""});
  // A byte-order mark is no data at the beginning of a file, and bytes like others behind it.
  CHECK(file.lines("\xef\xbb\xbf"
                   "a\n\xef\xbb\xbf"
                   "b") == Lines{"\"a\"", R"("\xef\xbb\xbfb")"});
  CHECK(file.lines("\xef\xbb\xbf").empty());
  CHECK(file.lines("\xef\xbb\n") == Lines{R"("\xef\xbb")"});
  CHECK(run("text_line(" + quoted_text("utf8.txt") + ") | take(1)").size() == 1);
}

TEST_CASE("lines may be longer than the read buffer and lie over its borders") {
  Written file;
  std::string bytes;
  Lines expected;
  for (size_t size : {0, 1, 2, 3, 5, 8, 13, 100, 1000, 70000, 0, 3}) {
    const std::string line(size, static_cast<char>('a' + size % 26));
    bytes += line + (size % 2 == 0 ? "\n" : "\r\n");
    expected.push_back('"' + line + '"');
  }
  for (const char* size : {"0", "1", "2", "3", "7", "64", "100000"}) {
    INFO("buffer_size " << size);
    CHECK(file.lines(bytes, std::string(", buffer_size: ") + size) == expected);
  }
  CHECK(contains(build_error(file.text("a", ", buffer_size: -1")), "buffer_size"));
}

TEST_CASE("text_line goes on where it was saved, in compressed files too") {
  const std::string text = "text_line([" + quoted_text("lines.txt.gz") + ", " + quoted_text("nowhere") +
                           ", " + quoted_text("twomembers.txt.gz") + ", " + quoted_text("crlf.txt") +
                           "], compression: \"auto\")";
  const Lines whole = run(text);
  CHECK(std::count(whole.begin(), whole.end(), "error: not_found") == 1);
  CHECK(whole.size() > 9);
  for (size_t position = 0; position <= whole.size(); ++position) {
    INFO("saved after " << position);
    const auto count = static_cast<int64_t>(position);
    CHECK(run_restored(text, count) == Lines(whole.begin() + count, whole.end()));
  }
}

TEST_CASE("damaged compressed text is one error, and the next file follows") {
  const Lines lines = run("text_line([" + quoted_text("cutoff.txt.gz") + ", " + quoted_text("one.txt") +
                          "], compression: \"gzip\") | ignore_errors()");
  const Lines all = run("text_line([" + quoted_text("cutoff.txt.gz") + ", " + quoted_text("lines.txt.gz") +
                        "], compression: \"gzip\")");
  CHECK(std::count(all.begin(), all.end(), "error: data_loss") == 1);
  CHECK(all.back() != "error: data_loss");
  CHECK(lines.size() < all.size());
  CHECK(contains(build_error("text_line(\"x\", compression: \"rar\")"), "compression"));
}

}  // namespace
}  // namespace weir::test
