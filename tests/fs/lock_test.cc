#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "support/simulated_disk.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

void check_locks(FileSystem& files, const std::string& name) {
  auto first = files.try_lock(name);
  REQUIRE(first.ok());
  REQUIRE(*first != nullptr);
  auto second = files.try_lock(name);
  REQUIRE(second.ok());
  CHECK(*second == nullptr);
  *first = nullptr;
  auto third = files.try_lock(name);
  REQUIRE(third.ok());
  CHECK(*third != nullptr);
}

TEST_CASE("a lock has one holder at a time") {
  TemporaryFolder folder;
  check_locks(local_file_system(), folder.at("lock"));
  CHECK(!*local_file_system().exists(folder.at("lock")));
  SimulatedFileSystem simulated;
  check_locks(simulated, "lock");
  SimulatedDisk disk;
  check_locks(disk, "lock");
}

TEST_CASE("a lock needs its folder") {
  TemporaryFolder folder;
  CHECK(local_file_system().try_lock(folder.at("none/lock")).status().code() == Code::not_found);
}

TEST_CASE("a killed process lets go of its lock") {
  TemporaryFolder folder;
  const std::string name = folder.at("lock");
  int locked[2];
  REQUIRE(::pipe(locked) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = local_file_system().try_lock(name);
    const char done = lock.ok() && *lock != nullptr ? 'y' : 'n';
    if (::write(locked[1], &done, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char done = 'n';
  REQUIRE(::read(locked[0], &done, 1) == 1);
  REQUIRE(done == 'y');
  auto held = local_file_system().try_lock(name);
  REQUIRE(held.ok());
  CHECK(*held == nullptr);
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(*local_file_system().exists(name));
  auto taken = local_file_system().try_lock(name);
  REQUIRE(taken.ok());
  CHECK(*taken != nullptr);
  ::close(locked[0]);
  ::close(locked[1]);
}

TEST_CASE("who waits for a lock gets it when its holder is killed") {
  TemporaryFolder folder;
  const std::string name = folder.at("lock");
  int locked[2], waits[2];
  REQUIRE(::pipe(locked) == 0);
  REQUIRE(::pipe(waits) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = local_file_system().lock(name);
    char done = lock.ok() && *lock != nullptr ? 'y' : 'n';
    if (::write(locked[1], &done, 1) != 1 || ::read(waits[0], &done, 1) != 1) ::_exit(1);
    ::raise(SIGKILL);
  }
  char done = 'n';
  REQUIRE(::read(locked[0], &done, 1) == 1);
  REQUIRE(done == 'y');
  REQUIRE(::write(waits[1], &done, 1) == 1);
  auto lock = local_file_system().lock(name);
  REQUIRE(lock.ok());
  CHECK(*lock != nullptr);
  CHECK(*local_file_system().try_lock(name) == nullptr);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  for (const int end : {locked[0], locked[1], waits[0], waits[1]}) ::close(end);
  // A file system that can't wait says so.
  SimulatedFileSystem simulated;
  const auto held = simulated.lock("lock");
  REQUIRE(held.ok());
  CHECK(simulated.lock("lock").status().code() == Code::unavailable);
}

TEST_CASE("a simulated lock ends with the power") {
  SimulatedDisk disk;
  auto lock = disk.try_lock("lock");
  REQUIRE(lock.ok());
  disk.lose_power(SimulatedDisk::Survives::everything);
  auto again = disk.try_lock("lock");
  REQUIRE(again.ok());
  CHECK(*again != nullptr);
}

}  // namespace
}  // namespace weir
