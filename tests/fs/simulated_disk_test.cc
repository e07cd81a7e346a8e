#include "support/simulated_disk.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "fs/bytes_of.h"

namespace weir {
namespace {

using Survives = SimulatedDisk::Survives;

std::string read(SimulatedDisk& disk, const std::string& name) {
  const Result<std::string> text = disk.read_file(name, 1 << 20);
  return text.ok() ? *text : "none";
}

std::unique_ptr<WritableFile> written(SimulatedDisk& disk, const std::string& name, std::string_view text) {
  auto file = disk.create(name);
  REQUIRE(file.ok());
  REQUIRE((*file)->append(bytes_of(text)).ok());
  return *std::move(file);
}

TEST_CASE("simulated disk: written, replaced, listed, removed") {
  SimulatedDisk disk;
  CHECK(disk.create("d/a").status().code() == Code::not_found);
  REQUIRE(disk.create_folders("d/e").ok());
  REQUIRE(disk.create_folders("d").ok());
  written(disk, "d/a", "12345");
  auto open = disk.open("d/a");
  REQUIRE(disk.write_file_atomically("d/a", bytes_of("new")).ok());
  CHECK(read(disk, "d/a") == "new");
  CHECK(*(*open)->size() == 5);
  CHECK(*disk.list_folder("d") == std::vector<std::string>{"a", "e"});
  CHECK(disk.stat("d/e")->is_folder);
  CHECK(disk.create_folders("d/a").code() == Code::already_exists);
  CHECK(disk.open("d").status().code() == Code::invalid_argument);
  CHECK(disk.write_file_atomically("d", bytes_of("x")).code() == Code::invalid_argument);
  CHECK(disk.write_file_atomically("f/a", bytes_of("x")).code() == Code::not_found);
  CHECK(disk.remove("d/a").ok());
  CHECK(disk.remove("d/a").code() == Code::not_found);
}

TEST_CASE("simulated disk: a file has its bytes and its name only once each was synced") {
  for (const bool bytes_synced : {false, true}) {
    for (const bool name_synced : {false, true}) {
      SimulatedDisk disk;
      REQUIRE(disk.create_folders("d").ok());
      auto file = written(disk, "d/a", "12345");
      if (bytes_synced) REQUIRE(file->sync().ok());
      // Syncs the folder, and no other file.
      if (name_synced) REQUIRE(disk.write_file_atomically("d/b", bytes_of("b")).ok());
      disk.lose_power(Survives::nothing);
      CHECK(read(disk, "d/a") == (!name_synced ? "none" : bytes_synced ? "12345" : ""));
      CHECK(read(disk, "d/b") == (name_synced ? "b" : "none"));
    }
  }
}

TEST_CASE("simulated disk: without power nothing works, and what had been done may be there") {
  SimulatedDisk disk;
  REQUIRE(disk.create_folders("d").ok());
  disk.cut_power_at(disk.steps() + 1);
  auto file = disk.create("d/a");
  REQUIRE(file.ok());
  CHECK((*file)->append(bytes_of("1")).code() == Code::unavailable);
  CHECK((*file)->sync().code() == Code::unavailable);
  CHECK(disk.open("d/a").status().code() == Code::unavailable);
  CHECK(disk.list_folder("d").status().code() == Code::unavailable);
  CHECK(disk.stat("d").status().code() == Code::unavailable);
  CHECK(disk.remove("d/a").code() == Code::unavailable);
  CHECK(disk.create_folders("e").code() == Code::unavailable);
  disk.lose_power(Survives::everything);
  CHECK(read(disk, "d/a").empty());
  CHECK(disk.create_folders("e").ok());
}

TEST_CASE(
    "simulated disk: writes are torn, files grow without their bytes, entries survive in any combination") {
  const std::string old(40, 'o'), renewed(40, 'n');
  std::set<std::string> contents, listings;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SimulatedDisk disk;
    REQUIRE(disk.create_folders("d").ok());
    REQUIRE(disk.write_file_atomically("d/old", bytes_of(old)).ok());
    REQUIRE(disk.write_file_atomically("d/torn", bytes_of(old)).ok());
    REQUIRE(written(disk, "d/torn", renewed) != nullptr);
    REQUIRE(disk.remove("d/old").ok());
    REQUIRE(written(disk, "d/new", "")->close().ok());
    disk.lose_power(Survives::drawn, seed);
    contents.insert(read(disk, "d/torn"));
    const auto names = disk.list_folder("d");
    REQUIRE(names.ok());
    std::string listing;
    for (const std::string& name : *names) listing += name + " ";
    listings.insert(listing);
  }
  CHECK(contents.count(old) == 1);
  CHECK(contents.count(renewed) == 1);
  CHECK(contents.count("") == 1);
  CHECK(contents.count(renewed.substr(0, 16) + old.substr(16)) == 1);
  CHECK(contents.count(old.substr(0, 16) + renewed.substr(16, 16) + old.substr(32)) == 1);
  CHECK(contents.count(std::string(16, '\0') + renewed.substr(16)) == 1);
  CHECK(listings == std::set<std::string>{"new torn ", "new old torn ", "old torn ", "torn "});
}

TEST_CASE("simulated disk: a power failure at any step of a replacement leaves the old file or the new") {
  const std::string old(100, 'o'), renewed(150, 'n');
  int olds = 0, news = 0;
  for (int64_t step = 0;; ++step) {
    bool done = false;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      SimulatedDisk disk;
      REQUIRE(disk.create_folders("d").ok());
      REQUIRE(disk.write_file_atomically("d/a", bytes_of(old)).ok());
      disk.cut_power_at(disk.steps() + step);
      done = disk.write_file_atomically("d/a", bytes_of(renewed)).ok();
      disk.lose_power(Survives::drawn, seed);
      const std::string found = read(disk, "d/a");
      olds += found == old;
      news += found == renewed;
      REQUIRE((found == renewed || (!done && found == old)));
    }
    if (done) break;
  }
  CHECK(olds > 1000);
  CHECK(news > 200);
}

TEST_CASE("simulated disk: folders that were created survive, with all above them") {
  for (int64_t step = 0;; ++step) {
    SimulatedDisk disk;
    disk.cut_power_at(step);
    const bool done = disk.create_folders("a/b/c").ok();
    disk.lose_power(Survives::nothing);
    CHECK(disk.stat("a/b/c").ok() == done);
    if (done) break;
  }
}

}  // namespace
}  // namespace weir
