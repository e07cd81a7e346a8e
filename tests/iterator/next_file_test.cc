// Lists of remote files: each is opened while the end of the one before it is on its way.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/text.h"
#include "fs/remote_files.h"
#include "fs/routed_files.h"
#include "support/counting_store.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

constexpr uint64_t kPart = uint64_t{1} << 20;

// Files of records of 64 KiB that begin with the number of their file and their own: 3 MiB, 4 MiB and so on.
struct FarList {
  FarList() {
    for (uint64_t file = 0; file < 4; ++file) {
      const std::string name = concat("far://", file);
      std::string bytes;
      for (uint64_t i = 0; i < (3 + file) * 16; ++i) {
        std::string record = concat(file, ".", 1000 + i, ".");
        lines.push_back(record);
        record.resize(64 << 10, 'x');
        bytes += record;
      }
      store->files[name] = {std::move(bytes), "v1"};
    }
    runtime->files = &routed;
    require_ok(routed.add({"far"}, std::make_shared<RemoteFiles>(store, make_ref<BlockCache>())));
  }
  // The beginnings of the elements, or their errors.
  std::vector<std::string> read(Iterator& iterator, int64_t count = 1000) const {
    std::vector<std::string> out;
    for (const std::string& line : take_lines(iterator, count))
      out.push_back(line.starts_with('"') ? line.substr(1, 7) : line);
    if (!out.empty() && out.back() == "end") out.pop_back();
    return out;
  }

  std::vector<std::string> lines;
  RefPtr<test::CountingStore> store = make_ref<test::CountingStore>();
  RoutedFiles routed{local_file_system(), nullptr};
  ThreadsRuntime runtime;
};

const std::string kListOfFour = R"(fixed_length_record(["far://0", "far://1", "far://2", "far://3"], 65536))";

TEST_CASE("next file: it is opened before the last bytes of the one before it are used") {
  for (const char* const after : {"", " | partition(1, p -> p, by: \"files\")"}) {
    FarList far;
    const auto iterator = open_text(*far.runtime, kListOfFour + after);
    CHECK(far.read(*iterator) == far.lines);
    CHECK(far.store->openings == 4);
    CHECK(far.store->fetched_bytes == 18 * kPart);
    uint64_t end = 0;
    for (uint64_t file = 0; file < 3; ++file) {
      end += (3 + file) * kPart;
      const uint64_t used = far.store->used_before[concat("far://", file + 1)];
      CHECK(used < end);
      // Not before there is nothing else to ask for: the last part has 2 MiB, and is used as a whole.
      CHECK(used + 2 * kPart >= end);
    }
  }
}

TEST_CASE("next file: one that cannot be opened says so when it is due, and the others follow") {
  FarList far;
  far.store->files.erase("far://1");
  const auto iterator = open_text(*far.runtime, kListOfFour);
  std::vector<std::string> expected = far.lines;
  expected.erase(expected.begin() + 48, expected.begin() + 48 + 64);
  expected.insert(expected.begin() + 48, "error: not_found");
  CHECK(far.read(*iterator) == expected);
  CHECK(far.store->used_before["far://2"] < 12 * kPart);
}

TEST_CASE("next file: one that could not be opened before a position was saved fails again behind it") {
  const std::string pipeline = kListOfFour + " | shuffle(200, seed: 1)";
  FarList far;
  const test::CountingStore::Stored second = far.store->files["far://1"];
  far.store->files.erase("far://1");
  const std::vector<std::string> expected = far.read(*open_text(*far.runtime, pipeline));
  const auto iterator = open_text(*far.runtime, pipeline);
  std::vector<std::string> got = far.read(*iterator, 20);
  const std::string saved = require_value(iterator->save());
  far.store->files["far://1"] = second;
  const auto restored = open_text(*far.runtime, pipeline, &saved);
  for (const std::string& line : far.read(*restored)) got.push_back(line);
  CHECK(got == expected);
}

TEST_CASE("next file: a position at any element continues, over files that were opened ahead") {
  FarList far;
  for (int64_t taken = 0; taken < 72; taken += 3) {
    const auto iterator = open_text(*far.runtime, kListOfFour);
    std::vector<std::string> got = far.read(*iterator, taken);
    const std::string saved = require_value(iterator->save());
    const auto restored = open_text(*far.runtime, kListOfFour, &saved);
    for (const std::string& line : far.read(*restored)) got.push_back(line);
    const bool same = got == far.lines;
    CHECK(same);
  }
}

TEST_CASE("next file: names that may have to be waited for are taken one at a time") {
  FarList far;
  const TemporaryFolder folder;
  const std::string names = folder.at("names");
  std::ofstream(names) << "far://0\nfar://1\nfar://2\nfar://3\n";
  const auto iterator =
      open_text(*far.runtime, concat("fixed_length_record(text_line(", quote(names), "), 65536)"));
  CHECK(far.read(*iterator) == far.lines);
  CHECK(far.store->used_before["far://1"] == 3 * kPart);
}

}  // namespace
}  // namespace weir
