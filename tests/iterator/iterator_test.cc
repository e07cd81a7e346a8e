#include "iterator/iterator.h"

#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

TEST_CASE("iterator: what is saved stays within the limit that restoring has") {
  ThreadsRuntime runtime;
  SimulatedFileSystem files;
  runtime->files = &files;
  auto iterator = open_text(*runtime, "range(9) | batch(2)");
  take_lines(*iterator, 2);
  const std::string bytes = require_value(iterator->save());
  const auto size = static_cast<int64_t>(bytes.size());
  files.put("ckpt", "older");

  runtime->limits.checkpoint_bytes = size - 1;
  CHECK(iterator->save().status().code() == Code::resource_exhausted);
  const Status refused = iterator->save_file("ckpt");
  REQUIRE(refused.code() == Code::resource_exhausted);
  CHECK(refused.error().message.find("use smaller buffers") != std::string::npos);
  CHECK(require_value(files.read_file("ckpt", 100)) == "older");

  runtime->limits.checkpoint_bytes = size;
  CHECK(require_value(iterator->save()) == bytes);
  require_ok(iterator->save_file("ckpt"));
  auto file = require_value(files.open("ckpt"));
  CHECK(require_value(read_checkpoint(*file, size)) == bytes);
  // The refused calls lost nothing.
  CHECK(take_lines(*iterator, 1) == std::vector<std::string>{"[4, 5]"});
}

TEST_CASE("iterator: an epoch by its number has the order of one that is initialised again") {
  for (const std::string text :
       {"range(5) | shuffle_and_repeat(4, count: 2, seed: 5)",
        "range(5) | shuffle_and_repeat(4, count: 3, seed: 5) | take(7) | repeat(2)",
        "range(4) | shuffle(4, seed: 55) | repeat(3) | take(6)",
        "range(4) | shuffle(4, seed: 55) | repeat(3) | take(8) | batch(3)",
        "range(4) | shuffle(4, seed: 55) | repeat(3) | take(12)",
        "range(4) | shuffle(4, seed: 55) | repeat(3) | take(13)",
        "range(4) | shuffle(4, seed: 55) | repeat() | map(x -> x * 3) | take(11)",
        "range(4) | shuffle(4, seed: 7) | repeat(2) | repeat(3) | take(17) | repeat(2)"}) {
    INFO(text);
    ThreadsRuntime runtime;
    const DocumentRef document = parse_text(*runtime, text);
    OpenIterator again(new Iterator(*runtime, nullptr, document->spec()));
    std::vector<std::string> before;
    for (uint64_t epoch = 0; epoch < 4; ++epoch) {
      INFO(epoch);
      require_ok(again->initialize(document, {.params = {}}));
      OpenIterator by_number(new Iterator(*runtime, nullptr, document->spec()));
      require_ok(by_number->initialize(document, {.params = {}, .epoch = epoch}));
      const std::vector<std::string> lines = all_lines(*again);
      CHECK(all_lines(*by_number) == lines);
      CHECK(lines != before);
      before = lines;
    }
  }
}

}  // namespace
}  // namespace weir
