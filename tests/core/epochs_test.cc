#include "core/epochs.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

TEST_CASE("An opening is numbered from 0 and counted by node") {
  EpochScope scope;
  CHECK(scope.open(7) == 0);
  CHECK(scope.open(7) == 1);
  CHECK(scope.open(3) == 0);
  CHECK(epoch_count(scope.table().get(), 7) == 2);
  CHECK(epoch_count(scope.table().get(), 4) == 0);
  CHECK(epoch_count(nullptr, 4) == 0);
}

TEST_CASE("A table that was handed on does not change") {
  EpochScope scope;
  scope.open(1);
  EpochTableRef kept = scope.table();
  scope.open(1);
  CHECK(epoch_count(kept.get(), 1) == 1);
  EpochScope copy(kept);
  CHECK(copy.open(1) == 1);
  CHECK(epoch_count(scope.table().get(), 1) == 2);
}

TEST_CASE("advance_to takes over what is further on, and nothing else") {
  EpochScope ahead, behind;
  ahead.set(1, 5);
  ahead.set(2, 1);
  behind.set(2, 4);
  behind.advance_to(ahead.table());
  CHECK(behind.counts(std::vector<uint64_t>{1, 2, 3}) == std::vector<uint64_t>{5, 4, 0});
  behind.advance_to(nullptr);
  CHECK(behind.counts(std::vector<uint64_t>{1}) == std::vector<uint64_t>{5});
}

TEST_CASE("Counts are written down and put back, backwards too") {
  EpochScope scope;
  scope.set(9, 4);
  const std::vector<uint64_t> nodes = {2, 9};
  scope.assign(nodes, std::vector<uint64_t>{1, 3});
  CHECK(scope.counts(nodes) == std::vector<uint64_t>{1, 3});
  // A list that is too short changes what it names.
  scope.assign(nodes, std::vector<uint64_t>{8});
  CHECK(scope.counts(nodes) == std::vector<uint64_t>{8, 3});
}

TEST_CASE("The key of a scope stays with its tables") {
  EpochScope scope(uint64_t{77});
  scope.open(1);
  CHECK(scope.key() == 77);
  CHECK(EpochScope(scope.table()).key() == 77);
  EpochScope behind(scope.table());
  scope.open(1);
  behind.advance_to(scope.table());
  CHECK(behind.key() == 77);
  CHECK(EpochScope().key() == 0);
}

}  // namespace
}  // namespace weir
