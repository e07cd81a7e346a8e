#include "exec/memory_ledger.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "exec/budget.h"
#include "exec/window_memory.h"
#include "support/fakes.h"

namespace weir {
namespace {

// An iterator that takes as much as it may, in pieces of `piece`, and gives them back.
struct Taker {
  explicit Taker(MemoryLedger& ledger, int64_t piece = 10)
      : memory(WindowMemory::kUnlimited, &ledger), piece(piece) {}
  void fill() {
    while (memory.reserve(piece, *waker) > 0) {
    }
  }
  void give(int64_t bytes) {
    memory.add(-std::min(bytes, memory.used()));
    memory.wake_waiters();
  }
  WindowMemory memory;
  const int64_t piece;
  RefPtr<test::CountingWaker> waker = make_ref<test::CountingWaker>();
};

TEST_CASE("memory ledger: no more than the limit is taken, however many want it") {
  const auto ledger = make_ref<MemoryLedger>(1000);
  Taker takers[] = {Taker(*ledger), Taker(*ledger, 37), Taker(*ledger, 400), Taker(*ledger)};
  for (int round = 0; round < 50; ++round) {
    for (Taker& taker : takers) {
      taker.fill();
      CHECK(ledger->used() <= 1000);
    }
    takers[round % 4].give(90);
  }
  int64_t sum = 0;
  for (const Taker& taker : takers) sum += taker.memory.used();
  CHECK(sum == ledger->used());
}

TEST_CASE("memory ledger: one alone has most of it, and a new one finds room at once") {
  const auto ledger = make_ref<MemoryLedger>(9000);
  Taker first(*ledger);
  first.fill();
  CHECK(first.memory.used() >= 7150);
  CHECK(first.memory.used() <= 7200);
  Taker second(*ledger);
  second.fill();
  CHECK(second.memory.used() >= 1400);
}

TEST_CASE("memory ledger: two that want all get the same, whoever came first") {
  const auto ledger = make_ref<MemoryLedger>(9000);
  Taker first(*ledger);
  first.fill();
  Taker second(*ledger);
  // Both give back as much and take what they can, the first one always before the other.
  for (int round = 0; round < 400; ++round) {
    first.give(100);
    second.give(100);
    first.fill();
    second.fill();
  }
  CHECK(std::abs(first.memory.used() - second.memory.used()) <= 500);
  CHECK(first.memory.used() >= 3800);
  // What one leaves the other has.
  second.give(9000);
  first.fill();
  CHECK(first.memory.used() >= 7100);
}

TEST_CASE("memory ledger: who got nothing is woken when another iterator gives bytes back") {
  const auto ledger = make_ref<MemoryLedger>(1000);
  Taker first(*ledger);
  Taker second(*ledger);
  first.fill();
  second.fill();
  CHECK(second.waker->count == 0);
  first.give(10);
  CHECK(second.waker->count == 1);
  first.give(10);
  CHECK(second.waker->count == 1);
  second.fill();
  second.memory.leave(*second.waker);
  first.give(10);
  CHECK(second.waker->count == 1);
}

TEST_CASE("memory ledger: the limit of one iterator holds within that of all") {
  const auto ledger = make_ref<MemoryLedger>(1000);
  const auto waker = make_ref<test::CountingWaker>();
  WindowMemory memory(100, ledger.get());
  CHECK(memory.reserve(300, *waker) == 100);
  CHECK(memory.reserve(1, *waker) == 0);
  CHECK(ledger->used() == 100);
  memory.add(-100);
  CHECK(ledger->used() == 0);
}

TEST_CASE("memory ledger: a window has what it holds, and little more, and leaves nothing behind") {
  const auto ledger = make_ref<MemoryLedger>(int64_t{1} << 26);
  const auto memory = make_ref<WindowMemory>(WindowMemory::kUnlimited, ledger.get());
  const int64_t reserve = memory->reserve_bytes();
  CHECK(reserve == 16384);
  const auto waker = make_ref<test::CountingWaker>();
  {
    Budget budget(1 << 30, memory);
    for (int i = 0; i < 200; ++i) {
      CHECK(budget.reserve(1 << 20, 5000 + i, *waker) == 5000 + i);
      budget.charge(1, 4000);
      CHECK(ledger->used() >= budget.held_bytes());
      CHECK(ledger->used() <= budget.held_bytes() + 2 * reserve + 5200);
    }
    for (int i = 0; i < 150; ++i) {
      budget.refund_bytes(4000);
      CHECK(ledger->used() >= budget.held_bytes());
      CHECK(ledger->used() <= budget.held_bytes() + 2 * reserve);
    }
    // A row that is larger than what was reserved counts, too.
    CHECK(budget.reserve(1 << 20, 100, *waker) == 100);
    budget.charge(1, 1 << 22);
    CHECK(ledger->used() >= budget.held_bytes());
  }
  CHECK(memory->used() == 0);
  CHECK(ledger->used() == 0);
}

}  // namespace
}  // namespace weir
