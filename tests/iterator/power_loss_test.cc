// Power fails at every step of a save: what was saved is still there, whatever the disk kept of the rest.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "iterator/checkpoint_folder.h"
#include "iterator/positions.h"
#include "support/simulated_disk.h"

namespace weir {
namespace {

const std::string kFolder = "a/checkpoints";

// Whether power was cut on the way to generation `before` + 1, whose step `step` finds none. Then it comes
// back, and the newest generation is the last one that was saved, or the one on the way.
bool cut_at(int64_t before, int keep, int64_t step, SimulatedDisk::Survives survives, uint64_t seed) {
  CAPTURE(before, keep, step, seed);
  SimulatedDisk disk;
  Runtime runtime;
  runtime.files = &disk;
  int64_t done = 0;
  // The first save of all needs the folder, too.
  if (before == 0) disk.cut_power_at(step);
  auto folder = CheckpointFolder::open(runtime, kFolder, 0, keep);
  for (int64_t number = 1; folder.ok() && number <= before + 1; ++number) {
    if (number == before + 1 && before > 0) disk.cut_power_at(disk.steps() + step);
    if (folder->save(position_of(concat(number)), concat("extra ", number)).ok()) done = number;
  }
  const bool cut = !disk.list_folder(".").ok();
  disk.lose_power(survives, seed);

  auto again = CheckpointFolder::open(runtime, kFolder, 0, keep);
  REQUIRE(again.ok());
  const auto found = again->load();
  if (!found.ok()) CHECK(found.status().code() == Code::not_found);
  const int64_t newest = found.ok() ? found->name.number : 0;
  REQUIRE((newest == done || newest == before + 1));
  CHECK(done >= before);
  if (found.ok()) {
    CHECK(found->position == position_of(concat(newest)));
    CHECK(found->extra == concat("extra ", newest));
  }
  // And it goes on.
  const auto next = again->save(position_of("next"), "");
  REQUIRE(next.ok());
  CHECK(*next == newest + 1);
  return cut;
}

TEST_CASE("power loss: after any step of a save a valid generation loads") {
  using Survives = SimulatedDisk::Survives;
  constexpr uint64_t kSeeds = 60;
  int64_t steps = 0;
  for (const int keep : {1, 3}) {
    for (const int64_t before : {0, 1, 2, 5}) {
      bool cut = true;
      for (int64_t step = 0; cut; ++step, ++steps) {
        cut = cut_at(before, keep, step, Survives::nothing, 0);
        cut_at(before, keep, step, Survives::everything, 0);
        for (uint64_t seed = 0; seed < kSeeds; ++seed) cut_at(before, keep, step, Survives::drawn, seed);
      }
    }
  }
  CHECK(steps > 40);
}

}  // namespace
}  // namespace weir
