// Inputs that have become shorter since a position was saved: one error, which names the operator, and the
// end.
#include <catch2/catch_test_macros.hpp>

#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr int kLong = 400;

// Writes a file of this many records.
void put(SimulatedFileSystem& files, int records, Compression compression) {
  auto writer = require_value(RecordWriter::create(files, "f", compression));
  for (int i = 0; i < records; ++i) {
    const std::string record = std::to_string(i);
    require_ok(writer->write({record.data(), record.size()}));
  }
  require_ok(writer->close());
}

// The errors that follow after `count` elements of the long file, read from a file of `left` records;
// "more" for an element.
std::vector<std::string> errors_after(const std::string& text, int64_t count, int left,
                                      Compression compression) {
  SimulatedFileSystem files;
  ThreadsRuntime runtime;
  runtime->files = &files;
  put(files, kLong, compression);
  auto iterator = open_text(*runtime, text);
  REQUIRE(take_lines(*iterator, count).back() != "end");
  const std::string saved = require_value(iterator->save());
  put(files, left, compression);
  auto restored = open_text(*runtime, text, &saved);
  std::vector<std::string> errors;
  Block block;
  while (require_value(restored->next(1, block)) == PullResult::rows) {
    const ErrorPtr* error = block.error_of(0);
    errors.push_back(error ? std::string(code_name((*error)->code)) + " in " + (*error)->path : "more");
  }
  return errors;
}

struct Case {
  const char* text;
  // Elements of the pipeline for each record.
  double elements;
  const char* path;
};

constexpr Case kCases[] = {
    {"FILE", 1, "tfrecord"},
    {"FILE | prefetch(5)", 1, "prefetch"},
    {"FILE | map(r -> r, num_parallel_calls: 2)", 1, "map"},
    {"FILE | map(r -> r)", 1, "map/tfrecord"},
    {"FILE | batch(4)", 0.25, "batch"},
    {"FILE | batch(4) | prefetch(2)", 0.25, "prefetch"},
    {"zip(FILE, range(1000))", 1, "zip"},
    {"FILE | skip(2)", 1, "skip"},
    {"FILE | flat_map(r -> range(3))", 3, "flat_map"},
    {"FILE | interleave(r -> range(3), cycle_length: 2)", 3, "interleave"},
    {"FILE | shuffle(20, seed: 1)", 0.9, "shuffle"},
};

TEST_CASE("An input that ends before a saved position is one error") {
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    const std::string file =
        std::string("tfrecord(\"f\", compression: \"") + std::string(compression_name(compression)) + "\")";
    for (const Case& test : kCases) {
      std::string text = test.text;
      text.replace(text.find("FILE"), 4, file);
      for (const int records : {12, 33, 36, 100, 300}) {
        for (const int left : {0, records / 2}) {
          CAPTURE(text, records, left);
          const auto count = static_cast<int64_t>(records * test.elements);
          const std::vector<std::string> errors = errors_after(text, count, left, compression);
          REQUIRE(errors.size() == 1);
          CHECK(errors[0].find(std::string("data_loss in ") + test.path) == 0);
        }
      }
    }
  }
}

TEST_CASE("An input that ends at a saved position is no error") {
  for (const char* text :
       {"tfrecord(\"f\")", "tfrecord(\"f\") | prefetch(5)", "tfrecord(\"f\") | batch(4)"}) {
    for (const int records : {12, 36, 300}) {
      CAPTURE(text, records);
      const int64_t count = std::string(text).find("batch") == std::string::npos ? records : records / 4;
      CHECK(errors_after(text, count, records, Compression::none).empty());
    }
  }
}

}  // namespace
}  // namespace weir
