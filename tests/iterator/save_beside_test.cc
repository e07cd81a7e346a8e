// Positions saved while other threads read: each continues exactly after rows that were given.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/pipeline.h"

namespace weir {
namespace {

constexpr int kReaders = 2;
constexpr int kRows = 3;

// The bytes, and bounds for the number of elements before the position.
struct Saved {
  std::string bytes;
  size_t least = 0;
  size_t most = 0;
};

// Reads everything on several threads, and meanwhile saves on this one.
std::vector<Saved> read_and_save(Iterator& iterator) {
  std::atomic<size_t> given{0};
  std::atomic<int> reading{kReaders};
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      Block block;
      while (*iterator.next(kRows, block) == PullResult::rows) given += static_cast<size_t>(block.rows);
      --reading;
    });
  }
  std::vector<Saved> saved;
  do {
    Saved now;
    now.least = given;
    now.bytes = require_value(iterator.save());
    // The readers may not yet have counted what they have taken.
    now.most = given + kReaders * kRows;
    // Each position once.
    if (saved.empty() || saved.back().bytes != now.bytes) saved.push_back(std::move(now));
  } while (reading > 0);
  for (std::thread& reader : readers) reader.join();
  return saved;
}

TEST_CASE("save: beside threads that read, what is saved continues where they were", "[threads]") {
  for (const char* text :
       {"range(60) | map(x -> [x, x * x]) | batch(2) | shuffle(5, seed: 3) | repeat(3)",
        "range(300) | map(x -> x + 1, num_parallel_calls: 2) | filter(x -> x % 3 > 0) | prefetch(2)",
        "range(40) | flat_map(x -> range(x % 7) | prefetch(1)) | enumerate()"}) {
    INFO(text);
    ThreadsRuntime runtime;
    const std::vector<std::string> expected = all_lines(*runtime, text);
    for (int round = 0; round < 5; ++round) {
      OpenIterator iterator = open_text(*runtime, text);
      const std::vector<Saved> saved = read_and_save(*iterator);
      for (size_t i = 0; i < saved.size(); i += 1 + saved.size() / 8) {
        OpenIterator resumed = open_text(*runtime, text, &saved[i].bytes);
        const std::vector<std::string> rest = all_lines(*resumed);
        REQUIRE(rest.size() <= expected.size());
        const size_t position = expected.size() - rest.size();
        CHECK(position >= saved[i].least);
        CHECK(position <= saved[i].most);
        CHECK(std::vector(expected.begin() + static_cast<ptrdiff_t>(position), expected.end()) == rest);
      }
    }
  }
}

}  // namespace
}  // namespace weir
