// Rows that operators keep, give again or split have the origin of the element that they are from, and errors
// name it.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr int64_t kRecordCount = 60;
// Each record is its own number.
constexpr const char* kNumbers = "tfrecord(\"a\") | map(r -> to_number(r, int64)) | ";

struct NumberedRecords {
  NumberedRecords() {
    runtime->files = &files;
    auto writer = require_value(RecordWriter::create(files, "a", Compression::none));
    for (int64_t i = 0; i < kRecordCount; ++i) {
      const std::string record = std::to_string(i);
      require_ok(writer->write({record.data(), record.size()}));
    }
    require_ok(writer->close());
  }
  // "12 of 12" for the element 12 of record 12, or what an error says.
  std::vector<std::string> elements(const std::string& rest, int rows) {
    OpenIterator iterator = open_text(*runtime, kNumbers + rest);
    std::vector<std::string> out;
    Block block;
    while (require_value(iterator->next(rows, block)) == PullResult::rows) {
      for (int i = 0; i < block.rows; ++i) {
        const ErrorPtr* error = block.error_of(i);
        const Origin origin = block.origins.of(i);
        out.push_back(error ? (*error)->describe()
                            : concat(require_value(format_element(iterator->spec(), block.row(i), nullptr)),
                                     " of ", origin.known() ? concat(origin.record()) : "none"));
      }
    }
    return out;
  }

  SimulatedFileSystem files;
  ThreadsRuntime runtime;
};

TEST_CASE("kept origins: rows have the one of the element that they were") {
  for (
      const char* rest : {
          "map(x -> [x, x, x]) | unbatch()",
          "map(x -> full([x % 4], x)) | unbatch()",
          "map(x -> (x, from_dense([x, 0]))) | map((x, s) -> {x: [x, x], s: from_dense([[x], [x]])}) | unbatch() | map(e -> e.x)",
          "cache() | skip(7) | repeat(2)",
          "cache() | repeat(3) | take(150)",
          "window(7) | flat_map(w -> w)",
          "window(5, shift: 3) | flat_map(w -> w | skip(2))",
          "group_by_window(x -> x % 3, (k, w) -> w, 4)",
          "group_by_window(x -> x % 2, (k, w) -> w | skip(1), 9)",
      }) {
    for (const int rows : {1, 4, 1024}) {
      CAPTURE(rest, rows);
      NumberedRecords records;
      const std::vector<std::string> elements = records.elements(rest, rows);
      CHECK(elements.size() > 40);
      for (const std::string& element : elements) {
        const size_t of = element.find(" of ");
        REQUIRE(of != std::string::npos);
        REQUIRE(element.substr(0, of) == element.substr(of + 4));
      }
    }
  }
}

TEST_CASE("kept origins: an element that cannot be split says which record it is") {
  NumberedRecords records;
  const std::vector<std::string> elements = records.elements(
      "filter(x -> x < 9) | map(x -> (full([2], x), full([if x == 5 then 3 else 2], x))) | unbatch() | map((a, b) -> a)",
      1024);
  REQUIRE(elements.size() == 17);
  CHECK(elements[9] == "4 of 4");
  CHECK(elements[10].find("(a, record 5, in map/unbatch)") != std::string::npos);
  CHECK(elements[11] == "6 of 6");
}

}  // namespace
}  // namespace weir
