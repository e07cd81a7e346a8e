#include "iterator/checkpoint_group.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "iterator/checkpoint.h"
#include "support/pipeline.h"
#include "support/simulated_disk.h"

namespace weir {
namespace {

struct GroupFixture {
  GroupFixture() { runtime.files = &disk; }

  CheckpointGroup open(uint32_t rank, uint32_t size) {
    return require_value(CheckpointGroup::open(runtime, "dir", rank, size, 2));
  }
  static std::string position_of(uint32_t rank) {
    Checkpoint checkpoint;
    checkpoint.stage = concat("rank ", rank);
    return checkpoint.to_bytes();
  }
  // All ranks of a job begin and save.
  void run(uint32_t size, const std::string& extra) {
    for (uint32_t rank = 0; rank < size; ++rank) {
      CheckpointGroup group = open(rank, size);
      require_value(group.save(position_of(rank), concat(extra, rank)));
    }
  }
  std::vector<std::string> groups() {
    std::vector<std::string> names = require_value(disk.list_folder("dir"));
    std::sort(names.begin(), names.end());
    return names;
  }

  SimulatedDisk disk;
  Runtime runtime;
};

using Names = std::vector<std::string>;

TEST_CASE("checkpoint group: a job goes on in its group, another number of ranks in a new one") {
  GroupFixture f;
  CHECK(f.open(0, 3).saved_ranks() == 0);
  f.run(3, "first ");
  CheckpointGroup same = f.open(1, 3);
  CHECK(same.saved_ranks() == 3);
  CHECK(same.goes_on());
  CHECK(require_value(same.complete()));
  CHECK(require_value(same.load(1)).extra == "first 1");
  CHECK(require_value(same.load(2)).position == GroupFixture::position_of(2));
  CHECK(f.groups() == Names{"g00001-of-00003"});

  CheckpointGroup two = f.open(0, 2);
  CHECK(two.saved_ranks() == 3);
  CHECK(!two.goes_on());
  CHECK(!require_value(two.complete()));
  CHECK(require_value(two.load(0)).extra == "first 0");
  require_value(two.save(GroupFixture::position_of(0), "second 0"));
  CHECK(!require_value(two.complete()));
  CheckpointGroup other = f.open(1, 2);
  CHECK(other.saved_ranks() == 3);
  require_value(other.save(GroupFixture::position_of(1), "second 1"));
  CHECK(require_value(two.complete()));
  // Nothing goes before rank 0 has saved in the complete group.
  CHECK(f.groups() == Names{"g00001-of-00003", "g00002-of-00002"});
  require_value(other.save(GroupFixture::position_of(1), "second 1"));
  CHECK(f.groups().size() == 2);
  require_value(two.save(GroupFixture::position_of(0), "second 0"));
  CHECK(f.groups() == Names{"g00002-of-00002"});
  CHECK(f.open(1, 2).saved_ranks() == 2);
}

TEST_CASE("checkpoint group: a group that is not complete does not count") {
  GroupFixture f;
  f.run(2, "first ");
  require_value(f.open(0, 3).save(GroupFixture::position_of(0), "lost"));
  // As many ranks again: the same group, from where the complete one stopped.
  CheckpointGroup again = f.open(0, 3);
  CHECK(again.saved_ranks() == 2);
  CHECK(!again.goes_on());
  CHECK(require_value(again.load(0)).extra == "first 0");
  // Another number of ranks: a group of its own.
  CheckpointGroup eight = f.open(5, 8);
  CHECK(eight.saved_ranks() == 2);
  require_value(eight.save(GroupFixture::position_of(5), ""));
  CHECK(f.groups() == Names{"g00001-of-00002", "g00002-of-00003", "g00003-of-00008"});
  // Back to two: not the old group, since the newest is another.
  CheckpointGroup two = f.open(1, 2);
  CHECK(two.saved_ranks() == 2);
  CHECK(!two.goes_on());
  CHECK(require_value(two.load(1)).extra == "first 1");
}

TEST_CASE("checkpoint group: what a killed job left in a group does not make it complete") {
  GroupFixture f;
  f.run(2, "first ");
  require_value(f.open(0, 3).save(GroupFixture::position_of(0), "lost"));
  require_value(f.open(1, 3).save(GroupFixture::position_of(1), "lost"));
  CheckpointGroup one = f.open(1, 3);
  CheckpointGroup two = f.open(2, 3);
  require_value(two.save(GroupFixture::position_of(2), "second 2"));
  CheckpointGroup zero = f.open(0, 3);
  CHECK(zero.saved_ranks() == 2);
  require_value(zero.save(GroupFixture::position_of(0), "second 0"));
  CHECK(!require_value(zero.complete()));
  CHECK(require_value(one.load(1)).extra == "first 1");
}

TEST_CASE("checkpoint group: generations of ranks by themselves are no group") {
  GroupFixture f;
  CheckpointFolder alone = require_value(CheckpointFolder::open(f.runtime, "dir", 0, 3));
  require_value(alone.save(GroupFixture::position_of(0), ""));
  CHECK(CheckpointGroup::open(f.runtime, "dir", 0, 1, 3).status().code() == Code::failed_precondition);
}

TEST_CASE("checkpoint group: damage of one rank is its alone") {
  GroupFixture f;
  f.run(2, "first ");
  f.run(2, "second ");
  REQUIRE(f.disk.write_file_atomically("dir/g00001-of-00002/r00001-000000000002.ckpt", {}).ok());
  CheckpointGroup group = f.open(0, 2);
  CHECK(require_value(group.load(0)).extra == "second 0");
  CHECK(require_value(group.load(1)).extra == "first 1");
}

TEST_CASE("checkpoint group: older groups stay as long as rank 0 could not read one of their ranks") {
  GroupFixture f;
  f.run(3, "first ");
  CheckpointGroup two = f.open(0, 2);
  // Reads fail as well.
  f.disk.cut_power_at(f.disk.steps());
  CHECK(two.load(1).status().code() == Code::unavailable);
  f.disk.lose_power(SimulatedDisk::Survives::everything);
  CheckpointGroup other = f.open(1, 2);
  require_value(two.save(GroupFixture::position_of(0), "second 0"));
  require_value(other.save(GroupFixture::position_of(1), "second 1"));
  require_value(two.save(GroupFixture::position_of(0), "second 0"));
  CHECK(f.groups() == Names{"g00001-of-00003", "g00002-of-00002"});
  CHECK(require_value(two.load(1)).extra == "first 1");
  require_value(two.save(GroupFixture::position_of(0), "second 0"));
  CHECK(f.groups() == Names{"g00002-of-00002"});
}

TEST_CASE("checkpoint group: other files and folders are left alone") {
  GroupFixture f;
  f.run(2, "first ");
  for (const char* name : {"g1-of-2", "g00009-of-2", "g00000-of-00002", "g00009-of-00000", "notes"})
    REQUIRE(f.disk.create_folders(concat("dir/", name)).ok());
  REQUIRE(f.disk.write_file_atomically("dir/g00001-of-00002/notes", {}).ok());
  CHECK(f.open(0, 2).goes_on());
  f.run(1, "second ");
  f.run(1, "third ");
  const Names names = f.groups();
  CHECK(names.size() == 7);
  CHECK(require_value(f.disk.list_folder("dir/g00001-of-00002")) == Names{"notes"});
}

// What the next job finds after the power went at `step`, with what the disk kept; false if there was no such
// step.
bool check_after_power_loss(int64_t step, SimulatedDisk::Survives survives, uint64_t seed) {
  GroupFixture f;
  f.run(2, "first ");
  const int64_t before = f.disk.steps();
  f.disk.cut_power_at(before + step);
  const auto job = [&]() -> Status {
    for (uint32_t turn = 0; turn < 2; ++turn) {
      for (uint32_t rank = 0; rank < 3; ++rank) {
        WEIR_ASSIGN(CheckpointGroup group, CheckpointGroup::open(f.runtime, "dir", rank, 3, 2));
        WEIR_TRY(group.save(GroupFixture::position_of(rank), concat("second ", rank)).status());
      }
    }
    return Status();
  };
  const bool ended = job().ok();
  f.disk.lose_power(survives, seed);
  CheckpointGroup after = f.open(0, 1);
  INFO("power lost at step " << step);
  REQUIRE((after.saved_ranks() == 2 || after.saved_ranks() == 3));
  const std::string wanted = after.saved_ranks() == 2 ? "first " : "second ";
  for (uint32_t rank = 0; rank < after.saved_ranks(); ++rank)
    CHECK(require_value(after.load(rank)).extra == concat(wanted, rank));
  if (ended) CHECK(after.saved_ranks() == 3);
  return !ended;
}

TEST_CASE("checkpoint group: whenever the power goes, one group is whole") {
  for (const auto survives : {SimulatedDisk::Survives::nothing, SimulatedDisk::Survives::everything}) {
    int64_t step = 0;
    while (check_after_power_loss(step, survives, 0)) ++step;
    CHECK(step > 30);
  }
  for (uint64_t seed = 1; seed < 40; ++seed) {
    for (int64_t step = 0; check_after_power_loss(step, SimulatedDisk::Survives::drawn, seed); ++step)
      continue;
  }
}

}  // namespace
}  // namespace weir
