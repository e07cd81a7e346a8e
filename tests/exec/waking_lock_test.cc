#include "exec/waking_lock.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "exec/line.h"
#include "support/fakes.h"

namespace weir {
namespace {

// Runs `told` when it is woken, and `gone` when the last owner goes.
class Telling final : public Waker {
 public:
  explicit Telling(std::function<void()> told, std::function<void()> gone = nullptr)
      : told_(std::move(told)), gone_(std::move(gone)) {}
  ~Telling() override {
    if (gone_) gone_();
  }
  void wake() override { told_(); }

 private:
  const std::function<void()> told_;
  const std::function<void()> gone_;
};

bool is_free(Mutex& mutex) {
  if (!mutex.try_lock()) return false;
  mutex.unlock();
  return true;
}

TEST_CASE("waking lock: everybody is woken once, in order, after the release") {
  Mutex mutex;
  std::vector<int> woken;
  {
    WakingLock lock(mutex);
    for (int i = 0; i < static_cast<int>(WakingLock::kMost); ++i) {
      lock.wake(nullptr);
      lock.wake(make_ref<Telling>([&, i] {
        CHECK(is_free(mutex));
        woken.push_back(i);
      }));
    }
    CHECK(woken.empty());
    CHECK_FALSE(is_free(mutex));
  }
  CHECK(woken == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("waking lock: what is dropped goes after the release, and is not woken") {
  Mutex mutex;
  int gone = 0;
  {
    WakingLock lock(mutex);
    lock.drop(make_ref<Telling>([] { FAIL("woken"); },
                                [&] {
                                  CHECK(is_free(mutex));
                                  ++gone;
                                }));
    CHECK(gone == 0);
  }
  CHECK(gone == 1);
}

TEST_CASE("waking lock: released early and taken again, it wakes each time") {
  Mutex mutex;
  const auto first = make_ref<test::CountingWaker>();
  const auto second = make_ref<test::CountingWaker>();
  WakingLock lock(mutex);
  lock.wake(first);
  lock.unlock();
  CHECK(first->count == 1);
  CHECK(is_free(mutex));
  lock.lock();
  CHECK_FALSE(is_free(mutex));
  lock.wake(second);
  CHECK(second->count == 0);
  lock.unlock();
  CHECK(first->count == 1);
  CHECK(second->count == 1);
}

TEST_CASE("waking lock: those that wait for memory are woken after the release, if some was given back") {
  Mutex mutex;
  const auto memory = make_ref<WindowMemory>(100);
  Budget budget(1000, memory);
  int told = 0;
  const auto waiter = make_ref<Telling>([&] {
    CHECK(is_free(mutex));
    ++told;
  });
  budget.charge(1, 100);
  REQUIRE(memory->reserve(1, *waiter) == 0);
  { WakingLock lock(mutex, &budget); }
  CHECK(told == 0);
  {
    WakingLock lock(mutex, &budget);
    budget.refund_bytes(100);
    CHECK(told == 0);
  }
  CHECK(told == 1);
}

struct Linked {
  int number = 0;
  Linked* next = nullptr;
};

TEST_CASE("line: first in, first out, and one may go to the front") {
  Linked all[3] = {{0}, {1}, {2}};
  Line<Linked, &Linked::next> line;
  CHECK(line.pop() == nullptr);
  line.push(&all[0]);
  line.push(&all[1]);
  line.push_front(&all[2]);
  CHECK(line.size() == 3);
  CHECK(line.front() == &all[2]);
  CHECK(line.after(all[2]) == &all[0]);
  for (const int expected : {2, 0, 1}) CHECK(line.pop()->number == expected);
  CHECK(line.size() == 0);
  for (Linked& one : all) line.push(&one);
  for (const int number : {2, 0, 1}) {
    CHECK(line.remove(&all[number]));
    CHECK_FALSE(line.remove(&all[number]));
  }
  CHECK(line.size() == 0);
  line.push_front(&all[1]);
  line.push(&all[0]);
  CHECK(line.pop() == &all[1]);
  CHECK(line.pop() == &all[0]);
  CHECK(line.front() == nullptr);
}

}  // namespace
}  // namespace weir
