#include "core/epochs.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace weir {
namespace {

using Numbers = std::vector<uint64_t>;

TEST_CASE("An opening is numbered from 0 and counted by node") {
  EpochScope scope;
  CHECK(scope.table() == nullptr);
  CHECK(scope.open(7) == 0);
  CHECK(scope.open(7) == 1);
  CHECK(scope.open(3) == 0);
  CHECK(scope.count(7) == 2);
  CHECK(scope.count(4) == 0);
}

TEST_CASE("A table that was handed on does not change") {
  EpochScope scope;
  scope.open(1);
  EpochTableRef kept = scope.table();
  scope.open(1);
  EpochScope copy(kept);
  CHECK(copy.open(1) == 1);
  CHECK(scope.count(1) == 2);
}

TEST_CASE("A node is counted in the scope of its own lambda") {
  EpochScope root;
  root.set(1, 4);
  EpochScope call(root.at(0), 1, 77);
  CHECK(call.open(1, 0) == 4);
  CHECK(call.open(2, 1) == 0);
  // Deeper than the scope itself: a dataset that another lambda made.
  CHECK(call.open(3, 5) == 0);
  CHECK(call.home(0).depth == 0);
  CHECK(call.home(0).key == 0);
  CHECK(call.home(1).key == 77);
  CHECK(call.home(5).depth == 1);
  CHECK(!call.home(0).borrowed);
  root.replace(0, call.outer());
  CHECK(root.count(1) == 5);
  CHECK(root.count(2) == 0);
  // What others have opened meanwhile is seen inside, and the call's own counts stay.
  root.open(1);
  call.enter(root.at(0));
  CHECK(call.open(1, 0) == 6);
  CHECK(call.count(2, 1) == 1);
}

TEST_CASE("A scope two lambdas inside the root replaces the root's counts only") {
  EpochScope root;
  EpochScope outer(root.at(0), 1, 5);
  outer.open(8, 1);
  EpochScope inner(outer.at(1), 2, 6);
  CHECK(inner.open(9, 0) == 0);
  CHECK(inner.open(8, 1) == 1);
  CHECK(inner.open(4, 2) == 0);
  outer.replace(1, inner.outer());
  CHECK(outer.count(9, 0) == 1);
  CHECK(outer.count(8, 1) == 2);
  CHECK(outer.count(4, 2) == 0);
  CHECK(inner.written() == Numbers{2, 4, 1, 1, 8, 2, 0, 9, 1});
  CHECK(inner.written(2) == Numbers{2, 4, 1});
}

TEST_CASE("A closed scope counts the nodes around it itself and says so") {
  EpochScope drain(nullptr, 2, 9, true);
  CHECK(drain.home(0).borrowed);
  CHECK(drain.home(0).key == 9);
  CHECK(!drain.home(2).borrowed);
  CHECK(drain.open(1, 0) == 0);
  CHECK(drain.open(1, 0) == 1);
  EpochScope inside(drain.at(2), 3, 10);
  CHECK(inside.home(0).borrowed);
  CHECK(inside.home(0).key == 9);
  CHECK(inside.open(1, 0) == 2);
}

TEST_CASE("advance_to takes over what is further on, in every scope, and nothing else") {
  EpochScope ahead, behind;
  ahead.set(1, 5);
  ahead.set(2, 1);
  behind.set(2, 4);
  behind.advance_to(ahead.table());
  CHECK(behind.written() == Numbers{0, 1, 5, 0, 2, 4});
  behind.advance_to(nullptr);
  CHECK(behind.count(1) == 5);
  EpochScope far(ahead.at(0), 1, 3), near(behind.at(0), 1, 3);
  far.set(6, 2, 1);
  far.set(1, 8, 0);
  near.advance_to(far.table());
  CHECK(near.count(6, 1) == 2);
  CHECK(near.count(1, 0) == 8);
  CHECK(near.count(2, 0) == 4);
  CHECK(near.key() == 3);
}

TEST_CASE("Counts are written down and put back, backwards too") {
  EpochScope scope;
  scope.set(2, 1);
  scope.set(9, 4);
  CHECK(scope.assign(Numbers{0, 9, 3}));
  CHECK(scope.written() == Numbers{0, 2, 1, 0, 9, 3});
  // What other processes don't know is not saved.
  scope.set(EpochIndex::kUnlisted + 5, 1);
  CHECK(scope.written() == Numbers{0, 2, 1, 0, 9, 3});
}

TEST_CASE("Numbers that are no counts are refused") {
  EpochScope scope(nullptr, 1, 1);
  CHECK(scope.assign(Numbers{1, 5, 2, 0, 3, 4}));
  CHECK(!scope.assign(Numbers{1, 5}));
  CHECK(!scope.assign(Numbers{2, 5, 1}));
  CHECK(!scope.assign(Numbers{0, 5, 1, 1, 5, 1}));
  CHECK(!scope.assign(Numbers{0, 5, 1, 0, 5, 1}));
}

TEST_CASE("An index numbers nodes by their place in the graph") {
  const std::vector<EpochNode> nodes = {{900, 0, false}, {70, 1, true}};
  const EpochIndex index(nodes);
  CHECK(index.number_of(900) == 0);
  CHECK(index.number_of(70) == 1);
  CHECK(index.number_of(71) == EpochIndex::kUnlisted + 71);
  CHECK(index.shared(70));
  CHECK(!index.shared(900));
  CHECK(!index.shared(71));
}

}  // namespace
}  // namespace weir
