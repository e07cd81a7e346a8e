// Parts under the simulated executor: ranks that save, stop at any element and go on as another number of
// ranks, under one schedule after the other.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/pipeline.h"
#include "support/sim_world.h"

namespace weir::sim {
namespace {

using Lines = std::vector<std::string>;

// Lives of a job: each begins with what all ranks of the one before saved.
class Job {
 public:
  explicit Job(const char* text) : text_(text) {}

  // So many ranks, each of which gives as many elements as `take(rank)` says and saves.
  template <class Take>
  void live(uint64_t seed, int64_t ranks, Take take) {
    Lines saved;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      SimWorld world(seed + static_cast<uint64_t>(rank));
      world.client("rank", [&] { saved.push_back(live_as(world.runtime(), {rank, ranks, {}}, take(rank))); });
      REQUIRE(world.run() == "");
    }
    saved_ = std::move(saved);
  }
  Lines given() const {
    Lines out = given_;
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::string live_as(Runtime& runtime, World world, int64_t count) {
    const DocumentRef document = parse_text(runtime, text_);
    const OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
    const std::vector<std::string_view> positions(saved_.begin(), saved_.end());
    require_ok(
        iterator->initialize(document, {.params = {}, .rank_checkpoints = positions, .world = &world}));
    Lines lines = take_lines(*iterator, count, count % 2 == 0 ? 1 : 7);
    std::erase(lines, "end");
    given_.insert(given_.end(), lines.begin(), lines.end());
    return require_value(iterator->save());
  }

  const char* const text_;
  Lines saved_;
  Lines given_;
};

TEST_CASE("parts: killed jobs of any number of ranks give each element once under any schedule") {
  const char* const texts[] = {
      "range(300) | partition(24, p -> p | shuffle(9, seed: 1) | batch(2)) | prefetch(3)",
      "range(150) | partition(12, p -> p | map(x -> x * 3, num_parallel_calls: 2) | prefetch(2)) | map(x -> x + 1, num_parallel_calls: 3) | filter(x -> x % 5 != 1)",
      "range(90) | global_shuffle(seed: 3) | partition(24, p -> p | repeat(2)) | prefetch(auto) | prefetch(1)",
      "range(5) | partition(12, p -> p | interleave(x -> range(x * 9, x * 9 + 9), cycle_length: 2, num_parallel_calls: 2))",
  };
  const int64_t ranks[] = {1, 2, 3, 4, 12};
  for (uint64_t seed = 0; seed < seed_count(20); ++seed) {
    const char* const text = texts[seed % std::size(texts)];
    std::mt19937_64 random(seed);
    INFO(text << ", seed " << seed);
    Job whole(text);
    whole.live(seed, 1, [](int64_t) { return int64_t{1'000'000}; });
    Job job(text);
    for (uint64_t life = 0; life < 3; ++life) {
      job.live(1000 * seed + 100 * life, ranks[random() % std::size(ranks)],
               [&](int64_t) { return static_cast<int64_t>(random() % 4 == 0 ? 0 : random() % 40); });
    }
    job.live(1000 * seed + 500, ranks[random() % std::size(ranks)],
             [](int64_t) { return int64_t{1'000'000}; });
    REQUIRE(job.given() == whole.given());
  }
}

}  // namespace
}  // namespace weir::sim
