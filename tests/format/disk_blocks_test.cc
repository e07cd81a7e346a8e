#include "format/disk_blocks.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/text.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

constexpr uint64_t kHeader = 44;

class Messages final : public Logger {
 public:
  void log(Level level, std::string_view message) override {
    CHECK(level == Level::warning);
    all.emplace_back(message);
  }
  std::vector<std::string> all;
};

class Draws final : public RandomSource {
 public:
  uint64_t draw() override { return ++drawn_; }

 private:
  static inline std::atomic<uint64_t> drawn_{0};
};

std::string bytes_of(uint64_t block, size_t size) {
  return concat(block, ":") +
         std::string(size, static_cast<char>('a' + block % 26)).substr(concat(block, ":").size());
}

struct Cache {
  explicit Cache(std::string folder, uint64_t limit = 0)
      : blocks(make_ref<DiskBlocks>(runtime(), std::move(folder), limit, counts)) {}

  Runtime& runtime() {
    runtime_.files = &local_file_system();
    runtime_.logger = &messages;
    runtime_.random = &draws;
    return runtime_;
  }
  bool get(uint64_t block, size_t size = 100) {
    std::string out(size, 0);
    if (!blocks->get(key, block, {reinterpret_cast<uint8_t*>(out.data()), out.size()})) return false;
    CHECK(out == bytes_of(block, size));
    return true;
  }
  void put(uint64_t block, size_t size = 100) {
    const std::string bytes = bytes_of(block, size);
    blocks->put(key, block, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }
  // Whether it was there; else it is fetched.
  bool read(uint64_t block) {
    if (get(block)) return true;
    put(block);
    return false;
  }

  Messages messages;
  Draws draws;
  Runtime runtime_;
  RefPtr<ReadCounts> counts = make_ref<ReadCounts>();
  BlockStore::Key key{"s3://bucket/file?token=secret", "v1", 1 << 30};
  RefPtr<DiskBlocks> blocks;
};

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    out.push_back(entry.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

uint64_t bytes_in(const std::string& folder) {
  uint64_t sum = 0;
  for (const std::string& name : names_in(folder)) {
    if (name.ends_with(".block")) sum += std::filesystem::file_size(folder + "/" + name);
  }
  return sum;
}

std::string only_block(const std::string& folder) {
  for (const std::string& name : names_in(folder)) {
    if (name.ends_with(".block")) return folder + "/" + name;
  }
  FAIL("there is no block");
  return {};
}

void write(const std::string& name, const std::string& bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
}

std::string read(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("disk blocks: a block is there for others of the same version, and names nothing") {
  TemporaryFolder folder;
  Cache one(folder.at("deep/er"));
  CHECK_FALSE(one.read(3));
  CHECK(one.get(3));
  Cache other(folder.at("deep/er"));
  CHECK(other.get(3));
  CHECK_FALSE(other.get(4));
  CHECK_FALSE(other.get(3, 99));
  other.key.version = "v2";
  CHECK_FALSE(other.get(3));
  other.key = one.key;
  other.key.file_size = 7;
  CHECK_FALSE(other.get(3));
  for (const std::string& name : names_in(folder.at("deep/er"))) {
    CHECK(name.find("bucket") == std::string::npos);
    CHECK(read(folder.at("deep/er/" + name)).find("secret") == std::string::npos);
  }
  CHECK(one.messages.all.empty());
}

TEST_CASE("disk blocks: any damage is found, counted, and mended by the next read") {
  TemporaryFolder folder;
  Cache cache(folder.path());
  cache.read(0);
  const std::string name = only_block(folder.path());
  const std::string whole = read(name);
  REQUIRE(whole.size() == kHeader + 100);
  uint64_t damaged = 0;
  const auto check = [&](const std::string& bytes) {
    write(name, bytes);
    CHECK_FALSE(cache.get(0));
    CHECK(cache.counts->damaged_blocks == ++damaged);
    CHECK_FALSE(std::filesystem::exists(name));
  };
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    check(bytes);
    check(whole.substr(0, at));
  }
  cache.put(0);
  CHECK(read(name) == whole);
  CHECK(cache.get(0));
  // A whole block under another name is another block.
  std::string other = name;
  other[folder.path().size() + 1] = other[folder.path().size() + 1] == '0' ? '1' : '0';
  cache.read(1);
  for (const std::string& each : names_in(folder.path())) {
    if (each.ends_with(".block")) write(folder.at(each), whole);
  }
  CHECK_FALSE(cache.get(1));
}

TEST_CASE("disk blocks: the limit holds for all who share the folder, also after one was killed") {
  TemporaryFolder folder;
  const uint64_t limit = 10 * (kHeader + 100);
  Cache one(folder.path(), limit);
  Cache other(folder.path(), limit);
  for (uint64_t block = 0; block < 30; ++block) {
    (block % 2 ? one : other).read(block);
    CHECK(bytes_in(folder.path()) <= limit);
  }
  CHECK(bytes_in(folder.path()) == limit);
  // What a killed process leaves: a total that is too large, damaged or missing, and half a block.
  for (const std::string& total :
       {concat(limit + 144), concat(UINT64_MAX), std::string("12x"), std::string()}) {
    write(folder.at("total"), total);
    const std::string abandoned = folder.at(std::string(32, 'a') + "-64.1-2.tmp");
    write(abandoned, std::string(100, 'x'));
    write(folder.at("README"), "not a block");
    Cache next(folder.path(), limit + 2 * 144);
    next.read(100);
    CHECK(next.get(100));
    CHECK(std::filesystem::exists(abandoned));
    std::filesystem::last_write_time(abandoned, std::filesystem::file_time_type::clock::now() -
                                                    std::chrono::nanoseconds(2 * BlockFolder::kAbandonedNs));
    Cache(folder.path(), limit).read(0);
    CHECK_FALSE(std::filesystem::exists(abandoned));
    CHECK(std::filesystem::exists(folder.at("README")));
    CHECK(bytes_in(folder.path()) <= limit + 144);
  }
}

TEST_CASE("disk blocks: an order that repeats keeps what it kept") {
  TemporaryFolder folder;
  Cache cache(folder.path(), 30 * (kHeader + 100));
  int missed = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (uint64_t block = 0; block < 100; ++block) missed += !cache.read(block);
  }
  CHECK(missed == 100 + 2 * 70);
}

TEST_CASE("disk blocks: what nobody uses gives way, the oldest first, but not at once") {
  TemporaryFolder folder;
  const uint64_t limit = 10 * (kHeader + 100);
  {
    Cache old(folder.path(), limit);
    for (uint64_t block = 0; block < 10; ++block) old.read(block);
  }
  const auto past = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const std::string& name : names_in(folder.path()))
    std::filesystem::last_write_time(folder.at(name), past);
  Cache cache(folder.path(), limit);
  // Misses of less than the folder holds say nothing yet.
  for (uint64_t block = 100; block < 110; ++block) CHECK_FALSE(cache.read(block));
  CHECK(cache.get(0));
  CHECK(cache.get(1));
  for (uint64_t block = 110; block < 140; ++block) CHECK_FALSE(cache.read(block));
  CHECK(cache.get(0));
  CHECK(cache.get(1));
  int there = 0;
  for (uint64_t block = 100; block < 140; ++block) there += cache.get(block);
  CHECK(there == 8);
  for (uint64_t block = 2; block < 10; ++block) CHECK_FALSE(cache.get(block));
}

TEST_CASE("disk blocks: a plan says what gives way") {
  TemporaryFolder folder;
  Cache cache(folder.path(), 2 * (kHeader + 100));
  const uint64_t mib = BlockStore::kBlockBytes;
  {
    const RefPtr<ReadPlan> plan = cache.blocks->plan();
    REQUIRE(plan);
    CHECK_FALSE(cache.blocks->plan());
    int64_t time = 0;
    for (uint64_t block : {0, 1, 2, 0, 2, 1}) plan->add(cache.key.file, block * mib, block * mib + 1, time++);
    time = 0;
    std::string hits;
    for (uint64_t block : {0, 1, 2, 0, 2, 1}) {
      plan->reached(++time);
      hits += cache.read(block) ? '+' : '-';
    }
    // 2 takes the place of 1, which is needed last.
    CHECK(hits == "---++-");
  }
  CHECK(cache.blocks->plan());
}

TEST_CASE("disk blocks: a folder that cannot be used is said once, and costs nothing else") {
  TemporaryFolder folder;
  write(folder.at("file"), "");
  Cache cache(folder.at("file/below"));
  for (uint64_t block = 0; block < 5; ++block) CHECK_FALSE(cache.read(block));
  REQUIRE(cache.messages.all.size() == 1);
  CHECK(cache.messages.all[0].find("file/below") != std::string::npos);
  // One that vanishes.
  Cache other(folder.at("gone"));
  CHECK_FALSE(other.read(0));
  std::filesystem::remove_all(folder.at("gone"));
  for (uint64_t block = 0; block < 5; ++block) CHECK_FALSE(other.read(block));
  CHECK(other.messages.all.size() == 1);
}

TEST_CASE("disk blocks: many threads and iterators read and write the same blocks") {
  TemporaryFolder folder;
  const uint64_t limit = 20 * (kHeader + 100);
  Cache one(folder.path(), limit);
  Cache other(folder.path(), limit);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Cache& cache = thread % 2 ? one : other;
      for (uint64_t i = 0; i < 200; ++i) {
        const uint64_t block = (i * 7 + static_cast<uint64_t>(thread)) % 40;
        std::string out(100, 0);
        const std::string expected = bytes_of(block, 100);
        if (cache.blocks->get(cache.key, block, {reinterpret_cast<uint8_t*>(out.data()), out.size()})) {
          if (out != expected) ++wrong;
        } else {
          cache.blocks->put(cache.key, block,
                            {reinterpret_cast<const uint8_t*>(expected.data()), expected.size()});
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(one.counts->damaged_blocks + other.counts->damaged_blocks == 0);
  CHECK(bytes_in(folder.path()) <= limit);
  CHECK(bytes_in(folder.path()) > 0);
}

TEST_CASE("block files: only their own names are theirs") {
  const BlockFile block{std::string(32, 'a'), 0x10002c};
  CHECK(block.name() == std::string(32, 'a') + "-10002c.block");
  REQUIRE(BlockFile::of(block.name()));
  CHECK(BlockFile::of(block.name())->size == 0x10002c);
  CHECK(BlockFile::is_temporary(block.temporary("1-2")));
  CHECK(BlockFile::is_temporary("total.tmp"));
  for (const std::string& name :
       {std::string("README"), std::string("total"), std::string("lock"), std::string(".block"),
        std::string(32, 'a') + ".block", std::string(32, 'a') + "-.block", std::string(32, 'a') + "-1x.block",
        std::string(32, 'g') + "-1.block", std::string(32, 'a') + "-01.block",
        std::string(32, 'a') + "-1.blocks", std::string(32, 'a') + "-11111111111111111.block",
        std::string("notes.tmp")}) {
    CAPTURE(name);
    CHECK_FALSE(BlockFile::of(name));
    CHECK_FALSE(BlockFile::is_temporary(name));
  }
}

}  // namespace
}  // namespace weir
