// options(cache: …): what whole pipelines fetch from a store, compared with the offline optimum.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/text.h"
#include "fs/read_through.h"
#include "fs/remote_files.h"
#include "fs/routed_files.h"
#include "iterator/iterator_stats.h"
#include "support/counting_store.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
// Of a block's file.
constexpr uint64_t kHeader = 44;

// Far files of records of one size. A record begins with its number, over all files. Memory keeps a few
// blocks.
struct Far {
  Far(int files, uint64_t file_bytes, uint64_t record, uint64_t blocks_in_memory = 2)
      : record_bytes(record), records_per_file(file_bytes / record) {
    for (int file = 0; file < files; ++file) {
      std::string bytes(records_per_file * record, static_cast<char>('a' + file));
      for (uint64_t i = 0; i < records_per_file; ++i) {
        std::string number = concat(static_cast<uint64_t>(file) * records_per_file + i);
        number.insert(0, 6 - number.size(), '0');
        bytes.replace(i * record, 6, number);
      }
      const std::string name = concat("far://", file);
      names += concat(file == 0 ? "" : ", ", quote(name));
      blocks_per_file = (bytes.size() + kMiB - 1) / kMiB;
      all_blocks += blocks_per_file;
      all_bytes += bytes.size();
      store->files[name] = {std::move(bytes), "v1"};
    }
    runtime->files = &routed;
    auto memory = make_ref<BlockCache>(blocks_in_memory * kMiB, 0);
    require_ok(routed.add({"far"}, std::make_shared<RemoteFiles>(store, std::move(memory))));
  }

  std::string source() const { return concat("fixed_length_record([", names, "], ", record_bytes, ")"); }
  std::string with_cache(const std::string& pipeline, uint64_t bytes) const {
    return concat(pipeline, " | options(cache: ", quote(folder.at("cache")), ", cache_bytes: ", bytes, ")");
  }
  uint64_t part_of_blocks(double part) const {
    return static_cast<uint64_t>(static_cast<double>(all_blocks) * part);
  }

  const uint64_t record_bytes;
  const uint64_t records_per_file;
  uint64_t blocks_per_file = 0;
  uint64_t all_blocks = 0;
  uint64_t all_bytes = 0;
  std::string names;
  TemporaryFolder folder;
  RefPtr<test::CountingStore> store = make_ref<test::CountingStore>();
  RoutedFiles routed{local_file_system(), nullptr};
  ThreadsRuntime runtime;
};

// The numbers of the records, in the order in which they came.
std::vector<uint64_t> numbers_in(const std::vector<std::string>& lines) {
  std::vector<uint64_t> out;
  for (const std::string& line : lines) out.push_back(std::stoull(line.substr(1, 6)));
  return out;
}

// The blocks that an order of records reads, one after another.
std::vector<uint64_t> blocks_of(const Far& far, const std::vector<uint64_t>& records, uint64_t before) {
  std::vector<uint64_t> out;
  for (const uint64_t record : records) {
    const uint64_t first = record % far.records_per_file * far.record_bytes;
    // Reading by position begins one byte earlier.
    for (uint64_t block = (first - std::min(first, before)) / kMiB; block * kMiB < first + far.record_bytes;
         ++block) {
      const uint64_t number = record / far.records_per_file * far.blocks_per_file + block;
      if (out.empty() || out.back() != number) out.push_back(number);
    }
  }
  return out;
}

// How many blocks are fetched at least where `room` of them are kept (Belady 1966): the one that is needed
// last gives way, which may be the one that was just read.
uint64_t least_fetched(const std::vector<uint64_t>& blocks, uint64_t room) {
  std::vector<uint64_t> next(blocks.size());
  std::map<uint64_t, uint64_t> seen;
  for (size_t i = blocks.size(); i-- > 0;) {
    const auto later = seen.find(blocks[i]);
    next[i] = later == seen.end() ? UINT64_MAX : later->second;
    seen[blocks[i]] = i;
  }
  std::set<std::pair<uint64_t, uint64_t>> kept;
  std::set<uint64_t> there;
  uint64_t fetched = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (there.contains(blocks[i])) {
      kept.erase({i, blocks[i]});
    } else {
      ++fetched;
    }
    there.insert(blocks[i]);
    kept.emplace(next[i], blocks[i]);
    if (kept.size() <= room) continue;
    there.erase(kept.rbegin()->second);
    kept.erase(std::prev(kept.end()));
  }
  return fetched;
}

uint64_t bytes_in(const std::string& folder) {
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) sum += entry.file_size();
  return sum;
}

// Three epochs with 30 % of the data on disk fetch at most 5 % more than the optimum for that order.
void check_near_optimum(Far& far, const std::string& pipeline, uint64_t before = 0) {
  CAPTURE(pipeline);
  const uint64_t room = far.part_of_blocks(0.3);
  const auto lines = all_lines(*far.runtime, far.with_cache(pipeline, room * (kMiB + kHeader)));
  const std::vector<uint64_t> records = numbers_in(lines);
  REQUIRE(records.size() == 3 * far.records_per_file * far.store->files.size());
  const uint64_t least = least_fetched(blocks_of(far, records, before), room) * kMiB;
  const uint64_t fetched = far.store->fetched_bytes;
  CAPTURE(fetched / kMiB, least / kMiB);
  CHECK(fetched <= least + least / 20);
  CHECK(bytes_in(far.folder.at("cache")) <= room * (kMiB + kHeader) + 100);
}

TEST_CASE("disk cache: epochs in order fetch what the optimum fetches") {
  Far far(4, 12 * kMiB, kMiB / 4);
  check_near_optimum(far, far.source() + " | repeat(3)");
}

TEST_CASE("disk cache: epochs of parts fetch what the optimum fetches") {
  // Parts read at once, so that a few blocks come in another order in each run. Memory has a block for each
  // and two more: with fewer than one, parts put each other's blocks out before all records are read.
  Far far(4, 24 * kMiB, kMiB / 4, 6);
  check_near_optimum(far, concat(far.source(), " | repeat(3) | partition(4, p -> p, by: \"index\")"));
  Far files(4, 12 * kMiB, kMiB / 4, 6);
  check_near_optimum(files, concat(files.source(), " | partition(4, p -> p | repeat(3), by: \"files\")"));
}

TEST_CASE("disk cache: epochs of a global shuffle fetch what the optimum fetches") {
  Far small(2, 20 * kMiB, kMiB / 8);
  check_near_optimum(small, small.source() + " | global_shuffle(seed: 3) | repeat(3)", 1);
  Far large(2, 30 * kMiB, kMiB);
  check_near_optimum(large, large.source() + " | global_shuffle(seed: 4) | repeat(3)", 1);
  Far same(2, 30 * kMiB, kMiB);
  check_near_optimum(
      same, same.source() + " | global_shuffle(seed: 5, reshuffle_each_iteration: false) | repeat(3)", 1);
  Far mapped(2, 20 * kMiB, kMiB / 8);
  check_near_optimum(mapped,
                     mapped.source() + " | map(x -> x) | skip(0) | global_shuffle(seed: 6) | repeat(3)", 1);
}

TEST_CASE("disk cache: another process, and elements that stay what they are") {
  Far far(3, 3 * kMiB + 1000, 1000);
  const std::string pipeline = far.source();
  const auto expected = all_lines(*far.runtime, pipeline);
  CHECK_FALSE(std::filesystem::exists(far.folder.at("cache")));
  const uint64_t before = far.store->fetched_bytes;
  CHECK(all_lines(*far.runtime, far.with_cache(pipeline, 0)) == expected);
  CHECK(far.store->fetched_bytes > before);
  // Another runtime has no blocks in memory.
  Far other(3, 3 * kMiB + 1000, 1000);
  auto iterator = open_text(*other.runtime, far.with_cache(pipeline, 0));
  CHECK(all_lines(*iterator) == expected);
  CHECK(other.store->fetched_bytes == 0);
  const IteratorStats stats = iterator->stats();
  CHECK(stats.reads.store_bytes == 0);
  CHECK(stats.reads.disk_bytes == other.all_bytes);
  CHECK(stats.reads.memory_bytes == other.all_bytes);
  CHECK(stats_table(stats).find("from the cache on disk") != std::string::npos);
  CHECK(stats_json(stats).find(concat("\"disk_bytes\": ", other.all_bytes)) != std::string::npos);
  // Damage is fetched again; so is another version.
  for (const auto& entry : std::filesystem::directory_iterator(far.folder.at("cache")))
    std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  Far third(3, 3 * kMiB + 1000, 1000);
  auto again = open_text(*third.runtime, far.with_cache(pipeline, 0));
  CHECK(all_lines(*again) == expected);
  CHECK(third.store->fetched_bytes == third.all_bytes);
  CHECK(again->stats().reads.damaged_blocks == 12);
  Far fourth(3, 3 * kMiB + 1000, 1000);
  for (auto& [name, stored] : fourth.store->files) stored.version = name == "far://0" ? "v2" : "";
  CHECK(all_lines(*fourth.runtime, far.with_cache(pipeline, 0)) == expected);
  CHECK(fourth.store->fetched_bytes == fourth.all_bytes);
}

TEST_CASE("disk cache: a smaller limit holds also where all that is read is there") {
  Far far(3, 3 * kMiB + 1000, 1000);
  static_cast<void>(all_lines(*far.runtime, far.with_cache(far.source(), 0)));
  Far other(3, 3 * kMiB + 1000, 1000);
  const std::string last = concat("fixed_length_record(\"far://2\", ", other.record_bytes, ")");
  const uint64_t limit = 8 * (kMiB + kHeader);
  CHECK(bytes_in(far.folder.at("cache")) > limit + 100);
  CHECK(all_lines(*other.runtime, far.with_cache(last, limit)).size() == other.records_per_file);
  CHECK(other.store->fetched_bytes == 0);
  CHECK(bytes_in(far.folder.at("cache")) <= limit + 100);
}

TEST_CASE("disk cache: options() nearest to the end says which folder, and lambdas do not") {
  Far far(1, 2 * kMiB, 1000);
  const std::string text = concat(far.source(), " | options(cache: ", quote(far.folder.at("first")),
                                  ") | map(x -> x) | options(cache: ", quote(far.folder.at("last")), ")");
  all_lines(*far.runtime, text);
  CHECK_FALSE(std::filesystem::exists(far.folder.at("first")));
  CHECK(std::filesystem::exists(far.folder.at("last")));
  all_lines(*far.runtime, concat("range(1) | flat_map(i -> ", far.source(),
                                 " | options(cache: ", quote(far.folder.at("inner")), "))"));
  CHECK_FALSE(std::filesystem::exists(far.folder.at("inner")));
}

TEST_CASE("disk cache: positions fit any cache, and local files are left alone") {
  Far far(2, 2 * kMiB, kMiB / 16);
  const std::string plain = far.source() + " | global_shuffle(seed: 1) | repeat(2)";
  const auto expected = all_lines(*far.runtime, plain);
  auto iterator = open_text(*far.runtime, far.with_cache(plain, 2 * kMiB));
  take_lines(*iterator, 40);
  const std::string saved = require_value(iterator->save());
  for (const std::string& text :
       {plain + " | options()", far.with_cache(plain, 3 * kMiB), far.with_cache(plain, 0)}) {
    auto restored = open_text(*far.runtime, text, &saved);
    CHECK(all_lines(*restored) == std::vector<std::string>(expected.begin() + 40, expected.end()));
  }
  Far local(0, kMiB, 1000);
  const std::string text = concat("fixed_length_record(", quote(far.folder.at("local")),
                                  ", 4) | options(cache: ", quote(local.folder.at("cache")), ")");
  const std::string bytes = "AAAABBBB";
  require_ok(local_file_system().write_file_atomically(
      far.folder.at("local"), {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
  CHECK(all_lines(*local.runtime, text).size() == 2);
  CHECK_FALSE(std::filesystem::exists(local.folder.at("cache")));
}

}  // namespace
}  // namespace weir
