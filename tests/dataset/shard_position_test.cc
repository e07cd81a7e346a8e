#include "dataset/shard_position.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

namespace weir {
namespace {

constexpr int64_t kElements = 400;

// One rank reading the numbers from 0 on.
struct Reader {
  ShardPosition position;
  // The next number, which the input's saved position stands for.
  int64_t next = 0;
  bool ended = false;
};

// Delivers the rank's next number into `delivered`, unless there is none.
void deliver(Reader& reader, std::map<int64_t, int>& delivered) {
  while (reader.next < kElements) {
    const int64_t number = reader.next++;
    if (!reader.position.step()) continue;
    ++delivered[number];
    return;
  }
  reader.ended = true;
}

std::vector<Reader> resized(const std::vector<Reader>& before, int64_t size) {
  std::vector<std::optional<ShardPosition>> ranks;
  for (const Reader& reader : before)
    ranks.push_back(reader.ended ? std::nullopt : std::optional(reader.position));
  const size_t first = ShardPosition::least_advanced(ranks);
  std::vector<Reader> out;
  for (int64_t rank = 0; rank < size; ++rank) {
    Reader reader{ShardPosition(rank, size)};
    reader.ended = first == ranks.size();
    if (!reader.ended) {
      auto joined = ShardPosition::joined(ranks);
      REQUIRE(joined.ok());
      // As a checkpoint does it.
      Archive saved;
      joined->state(saved);
      const std::string bytes = saved.take();
      Archive loaded(bytes);
      reader.position.state(loaded);
      loaded.finish();
      REQUIRE(loaded.status().ok());
      reader.next = before[first].next;
    }
    out.push_back(std::move(reader));
  }
  return out;
}

TEST_CASE("shard position: ranks that change in number at any moment deliver each element once") {
  std::mt19937 draw(5);
  const int64_t sizes[] = {1, 2, 3, 8, 5};
  for (int run = 0; run < 300; ++run) {
    std::map<int64_t, int> delivered;
    std::vector<Reader> ranks;
    int64_t size = sizes[draw() % 5];
    for (int64_t rank = 0; rank < size; ++rank) ranks.push_back({ShardPosition(rank, size)});
    // Some runs resize so often that ends of several worlds lie in the way at once.
    const uint32_t pace = run % 3 == 0 ? 12 : 60;
    for (int life = 0; life < 200; ++life) {
      for (Reader& reader : ranks) {
        for (auto steps = draw() % pace; steps > 0 && !reader.ended; --steps) deliver(reader, delivered);
      }
      ranks = resized(ranks, sizes[draw() % 5]);
    }
    for (Reader& reader : ranks) {
      while (!reader.ended) deliver(reader, delivered);
    }
    CHECK(delivered.size() == static_cast<size_t>(kElements));
    for (const auto& [number, count] : delivered) {
      INFO("run " << run << ", number " << number);
      CHECK(count == 1);
    }
  }
}

TEST_CASE("shard position: a rank takes every size-th element, and knows how far the next ones are") {
  const auto wanted = [](const ShardPosition& position, int rows) {
    Demand demand;
    demand.rows = rows;
    return position.wanted(demand);
  };
  ShardPosition position(1, 3);
  CHECK(wanted(position, 1).rows == 2);
  CHECK(wanted(position, 2).rows == 5);
  CHECK(wanted(position, 1024).rows == kMaxBlockRows);
  CHECK(wanted(position, 2).first == 1);
  CHECK(wanted(position, 2).step == 3);
  CHECK(!position.step());
  CHECK(wanted(position, 1).rows == 1);
  CHECK(wanted(position, 1).first == 0);
  CHECK(position.step());
  CHECK(wanted(position, 1).rows == 3);
  CHECK(wanted(position, 1).first == 2);
  CHECK(!position.step());
  CHECK(wanted(position, 1).rows == 2);
  for (const int64_t rank : {int64_t{0}, INT64_MAX - 1}) {
    const ShardPosition large(rank, INT64_MAX);
    CHECK(wanted(large, 1).rows == (rank == 0 ? 1 : kMaxBlockRows));
    CHECK(wanted(large, 1024).rows == kMaxBlockRows);
    CHECK(wanted(large, 1).step == 1);
  }
  CHECK(wanted(ShardPosition(0, 1), 7).rows == 7);
  CHECK(wanted(ShardPosition(1023, 1024), 1).step == 1024);
  CHECK(wanted(ShardPosition(1023, 1025), 1).step == 1);
}

TEST_CASE("shard position: many steps at once are those one by one") {
  std::mt19937 draw(7);
  for (int64_t size : {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{7}, int64_t{1000}, INT64_MAX}) {
    for (int64_t rank : {int64_t{0}, size / 2, size - 1}) {
      // Three ranks that had come to different places went on as `size` ranks.
      std::vector<std::optional<ShardPosition>> before;
      for (int64_t old = 0; old < 3; ++old) {
        before.push_back(ShardPosition(old, 3));
        for (auto steps = draw() % 50; steps > 0; --steps) before.back()->step();
      }
      Archive saved;
      ShardPosition::joined(before)->state(saved);
      const std::string bytes = saved.take();
      ShardPosition one(rank, size);
      ShardPosition many(rank, size);
      for (ShardPosition* position : {&one, &many}) {
        Archive archive(bytes);
        position->state(archive);
        archive.finish();
        REQUIRE(archive.status().ok());
      }
      for (int round = 0; round < 40; ++round) {
        const auto count = static_cast<int>(draw() % 40);
        std::vector<int32_t> expected;
        for (int i = 0; i < count; ++i) {
          if (one.step()) expected.push_back(i);
        }
        std::vector<int32_t> taken(static_cast<size_t>(count));
        taken.resize(static_cast<size_t>(many.step_over(count, taken.data())));
        CHECK(taken == expected);
      }
    }
  }
}

TEST_CASE("shard position: positions of other runs are refused") {
  std::vector<std::optional<ShardPosition>> first = {ShardPosition(0, 2), ShardPosition(1, 2)};
  (*first[0]).step();
  std::vector<std::optional<ShardPosition>> mixed = {*ShardPosition::joined(first), ShardPosition(1, 2)};
  CHECK(ShardPosition::joined(mixed).ok());
  (*first[0]).step();
  (*first[0]).step();
  mixed[1] = *ShardPosition::joined(first);
  CHECK(ShardPosition::joined(mixed).status().code() == Code::data_loss);
}

Status loaded(std::vector<int64_t> next, std::vector<int64_t> sizes, std::vector<int64_t> ends) {
  Archive saved;
  saved("next", next);
  saved("layers", sizes);
  saved("ends", ends);
  const std::string bytes = saved.take();
  Archive archive(bytes);
  ShardPosition position(0, 1);
  position.state(archive);
  archive.finish();
  return archive.status();
}

TEST_CASE("shard position: damaged state is an error") {
  CHECK(loaded({5, 2}, {2}, {6, 7}).ok());
  CHECK(loaded({0}, {}, {}).ok());
  CHECK(!loaded({}, {}, {}).ok());
  CHECK(loaded({int64_t{1} << 62}, {}, {}).ok());
  CHECK(!loaded({(int64_t{1} << 62) + 1}, {}, {}).ok());
  CHECK(!loaded({-1}, {}, {}).ok());
  CHECK(!loaded({5}, {2}, {6, 7}).ok());
  CHECK(!loaded({2, 5}, {2}, {6, 7}).ok());
  CHECK(!loaded({5, 2}, {0}, {}).ok());
  CHECK(!loaded({5, 2}, {-1}, {6}).ok());
  CHECK(!loaded({5, 2}, {3}, {6, 7}).ok());
  CHECK(!loaded({5, 2}, {1}, {6, 7}).ok());
  CHECK(!loaded({5, 2}, {2}, {6, -7}).ok());
  CHECK(!loaded({5, 2}, {INT64_MAX}, {6}).ok());
}

}  // namespace
}  // namespace weir
