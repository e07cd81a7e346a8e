#include "ops/shuffling/shuffle_order.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <utility>
#include <vector>

namespace weir {
namespace {

using Slots = std::vector<std::pair<int64_t, int64_t>>;

// What the slots hold (element, slot), oldest first, after `draws` draws and `values` elements, by doing all
// the steps. Element e comes as soon as there is room for it, and draws need a full buffer until the input
// ends.
Slots played(int64_t capacity, int64_t draws, int64_t values, ShuffleDraws order) {
  std::vector<int64_t> slots(static_cast<size_t>(std::min(capacity, values)), -1);
  int64_t put = 0;
  for (int64_t draw = 0; draw <= draws; ++draw) {
    for (; put < values && put - draw < capacity; ++put) slots[static_cast<size_t>(put % capacity)] = put;
    if (draw == draws) break;
    const int64_t front = draw % capacity;
    const int64_t hole = (front + order.offset(draw, put - draw)) % capacity;
    slots[static_cast<size_t>(hole)] = slots[static_cast<size_t>(front)];
    slots[static_cast<size_t>(front)] = -1;
  }
  Slots held;
  for (int64_t element = 0; element < values; ++element) {
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      if (slots[slot] == element) held.emplace_back(element, slot);
    }
  }
  return held;
}

Slots rewound(int64_t capacity, int64_t draws, int64_t values, ShuffleDraws order, int64_t steps) {
  ShuffleRewind rewind(capacity, draws, values, order);
  int64_t runs = 1;
  for (; !rewind.run(steps); ++runs) REQUIRE(runs <= draws);
  Slots held;
  for (int64_t i = 0; i < rewind.size(); ++i) held.emplace_back(rewind[i].element, rewind[i].slot);
  return held;
}

TEST_CASE("A rewind finds what the slots hold") {
  const ShuffleDraws order(3, 14);
  for (const int64_t capacity : {1, 2, 5, 16}) {
    for (int64_t values = 0; values <= 50; ++values) {
      // While the input goes on every draw finds a full buffer, then the buffer runs empty.
      for (int64_t draws = std::max<int64_t>(0, values - capacity); draws <= values; ++draws) {
        CAPTURE(capacity, values, draws);
        const Slots expected = played(capacity, draws, values, order);
        REQUIRE(static_cast<int64_t>(expected.size()) == values - draws);
        for (const int64_t steps : {1, 7, 1000}) {
          REQUIRE(rewound(capacity, draws, values, order, steps) == expected);
        }
      }
    }
  }
}

TEST_CASE("A buffer that was never drawn from costs a rewind nothing, whatever its size") {
  ShuffleRewind rewind(INT64_MAX / 2, 0, INT64_MAX / 4, ShuffleDraws(1, 2));
  CHECK(rewind.run(1));
  CHECK(rewind.size() == INT64_MAX / 4);
  CHECK(rewind[12345].element == 12345);
  CHECK(rewind[12345].slot == 12345);
}

TEST_CASE("Draws are the same in any order, and lie among what there is") {
  ShuffleDraws forwards(5, 6);
  ShuffleDraws backwards(5, 6);
  ShuffleDraws others(6, 5);
  std::vector<int64_t> there;
  std::vector<int64_t> back(100);
  int same = 0;
  for (int64_t i = 0; i < 100; ++i) {
    there.push_back(forwards.offset(i, i + 1));
    CHECK((there.back() >= 0 && there.back() <= i));
    same += others.offset(i, i + 1) == there.back() ? 1 : 0;
  }
  for (int64_t i = 100; i-- > 0;) back[static_cast<size_t>(i)] = backwards.offset(i, i + 1);
  CHECK(back == there);
  CHECK(same < 50);
}

TEST_CASE("A pick among so many elements is the remainder of its sample") {
  const int64_t most = INT64_C(1) << 32;
  const uint32_t samples[] = {0, 1, 2, 6, 7, 8, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x9e3779b9};
  for (const int64_t count :
       {INT64_C(1), INT64_C(2), INT64_C(3), INT64_C(7), INT64_C(10'000), INT64_C(0x7fffffff),
        INT64_C(0x80000001), most - 1, most, most + 1, INT64_C(1) << 50}) {
    const ShuffleDraws::Among among(count);
    CHECK(among.count() == count);
    for (const uint32_t sample : samples) CHECK(among.pick(sample) == static_cast<int64_t>(sample) % count);
  }
}

TEST_CASE("How many rows a restored shuffle reads again grows as its documentation says") {
  CHECK(shuffle_reread_rows(0) == 0);
  CHECK(shuffle_reread_rows(1) == 1);
  CHECK(shuffle_reread_rows(1000) / 1000 > 7.4);
  CHECK(shuffle_reread_rows(1000) / 1000 < 8);
  CHECK(shuffle_reread_rows(1e6) / 1e6 > 14);
  CHECK(shuffle_reread_rows(1e6) / 1e6 < 15);
}

}  // namespace
}  // namespace weir
