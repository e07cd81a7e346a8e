// Rows that stay in lasting memory.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <numeric>

#include "core/rowstore.h"

namespace weir {
namespace {

// Memory that is lent, with numbers that say where they are. Counts how often it was given back.
struct Lent {
  std::vector<int32_t> numbers;
  int released = 0;
  Tensor tensor;

  Lent(int64_t rows, int64_t width, int32_t first) : numbers(static_cast<size_t>(rows * width)) {
    std::iota(numbers.begin(), numbers.end(), first);
    tensor.dtype = DType::int32;
    tensor.shape = Shape{rows, width};
    tensor.buffer = Buffer::wrap(
        numbers.data(), numbers.size() * sizeof(int32_t),
        [](void* self) { ++static_cast<Lent*>(self)->released; }, this);
    tensor.data = tensor.buffer->data();
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
};

Block block_of(const std::vector<Tensor>& columns) {
  Block out;
  out.rows = static_cast<int>(columns[0].shape[0]);
  for (const Tensor& tensor : columns) {
    Column column;
    column.set_dense(tensor);
    out.columns.push_back(std::move(column));
  }
  return out;
}

void put(RowStore& store, int64_t slot, const Block& block) {
  std::vector<int32_t> rows(static_cast<size_t>(block.rows));
  std::iota(rows.begin(), rows.end(), 0);
  store.choose_layout(block);
  REQUIRE(store.stage(block, rows).ok());
  store.place_run(block.rows, slot, slot);
}

Block take(RowStore& store, const std::vector<int64_t>& slots) {
  store.begin_lift(static_cast<int>(slots.size()));
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] < 0) {
      store.lift_nothing(static_cast<int>(i));
    } else {
      CHECK(store.tag(slots[i]) == slots[i]);
      store.lift(slots[i], static_cast<int>(i));
    }
  }
  Block out;
  store.give(static_cast<int>(slots.size()), out);
  return out;
}

std::vector<int32_t> firsts(const Block& block, size_t column = 0) {
  std::vector<int32_t> out;
  for (int row = 0; row < block.rows; ++row) out.push_back(*block.columns[column].row(row).as<int32_t>());
  return out;
}

TEST_CASE("Rows of lent memory are copied once, when they are given") {
  for (const int64_t width : {3, 4, 5, 8, 16, 100, 2000}) {
    CAPTURE(width);
    Lent lent(50, width, 0);
    const Component components[] = {{DType::int32, Shape{width}}};
    RowStore store(components);
    put(store, 0, block_of({lent.tensor.rows(7, 20)}));
    put(store, 20, block_of({lent.tensor.rows(27, 23)}));
    // A row before the first block's first.
    put(store, 43, block_of({lent.tensor.rows(0, 2)}));
    lent.numbers[static_cast<size_t>(49 * width)] = -49;
    const auto first = [&](int64_t row) { return static_cast<int32_t>(row * width); };
    const Block out = take(store, {42, 0, 19, 43, 20, 44});
    REQUIRE(out.columns[0].dense());
    CHECK(out.columns[0].tensor().shape == Shape{6, width});
    CHECK(firsts(out) == std::vector<int32_t>{-49, first(7), first(26), 0, first(27), first(1)});
    const Tensor last = out.columns[0].row(5);
    CHECK(std::memcmp(last.data, lent.numbers.data() + width, last.byte_size()) == 0);
    CHECK(!store.inlined());
  }
}

TEST_CASE("Columns that go on together form one table; others do not and are right as well") {
  Lent wide(30, 40, 0);
  Lent narrow(30, 2, 5000);
  const Component components[] = {{DType::int32, Shape{40}}, {DType::int32, Shape{2}}};
  RowStore store(components);
  put(store, 0, block_of({wide.tensor.rows(3, 10), narrow.tensor.rows(3, 10)}));
  put(store, 10, block_of({wide.tensor.rows(13, 10), narrow.tensor.rows(13, 10)}));
  // Out of step.
  put(store, 20, block_of({wide.tensor.rows(4, 3), narrow.tensor.rows(9, 3)}));
  const Block out = take(store, {19, 21, 0, -1});
  CHECK(firsts(out) == std::vector<int32_t>{22 * 40, 5 * 40, 3 * 40, 0});
  CHECK(firsts(out, 1) == std::vector<int32_t>{5000 + 44, 5000 + 20, 5000 + 6, 0});
  const Block alone = take(store, {-1, 1, -1});
  CHECK(firsts(alone) == std::vector<int32_t>{0, 4 * 40, 0});
}

TEST_CASE("Rows of several tables, copied rows and failed ones come in one block") {
  const int64_t width = 6;
  const Component components[] = {{DType::int32, Shape{width}}};
  // Outlives the store, which says when it lets go of it.
  std::vector<std::unique_ptr<Lent>> lent;
  RowStore store(components);
  int64_t slot = 0;
  // More than a store refers to.
  for (int i = 0; i < 11; ++i) {
    lent.push_back(std::make_unique<Lent>(4, width, 1000 * i));
    put(store, slot, block_of({lent.back()->tensor.rows(1, 2)}));
    slot += 2;
  }
  Column copied;
  int32_t* entries = copied.make_dense<int32_t>(Shape{width}, 2);
  std::iota(entries, entries + 2 * width, 77);
  put(store, slot, block_of({copied.tensor()}));
  const auto w = static_cast<int32_t>(width);
  const Block out = take(store, {slot + 1, 0, 21, -1, 3, slot, 14});
  CHECK(firsts(out) == std::vector<int32_t>{77 + w, w, 10000 + 2 * w, 0, 1000 + 2 * w, 77, 7000 + w});
  // One table, and another.
  CHECK(firsts(take(store, {1, 2})) == std::vector<int32_t>{2 * w, 1000 + w});
}

TEST_CASE("Lent memory is held as long as one of its rows is") {
  Lent lent(40, 9, 0);
  Lent other(40, 9, 500);
  const Component components[] = {{DType::int32, Shape{9}}};
  RowStore store(components);
  put(store, 0, block_of({lent.tensor.rows(0, 10)}));
  put(store, 10, block_of({other.tensor.rows(0, 10)}));
  lent.tensor = other.tensor = Tensor();
  CHECK(lent.released == 0);
  take(store, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(lent.released == 0);
  store.begin_lift(1);
  store.lift(9, 0);
  store.discard(1);
  CHECK(lent.released == 1);
  CHECK(other.released == 0);
  // Its place is used again.
  Lent third(40, 9, 900);
  put(store, 0, block_of({third.tensor.rows(5, 4)}));
  CHECK(firsts(take(store, {0, 12, 3})) == std::vector<int32_t>{945, 518, 972});
  store.clear();
  CHECK(other.released == 1);
}

TEST_CASE("Small rows that were lent for one block alone are copied") {
  Lent lent(10, 4, 0);
  const Component components[] = {{DType::int32, Shape{4}}};
  RowStore store(components);
  put(store, 0, block_of({lent.tensor}));
  CHECK(store.inlined());
  lent.numbers.assign(lent.numbers.size(), -1);
  CHECK(firsts(take(store, {3, 9})) == std::vector<int32_t>{12, 36});
}

// Slots as a shuffle uses them, beside the same moves one by one.
TEST_CASE("Draws move rows as single steps do") {
  for (const int64_t width : {0, 2, 3, 5, 8, 9, 12, 13, 16, 40}) {
    CAPTURE(width);
    const Component components[] = {{DType::int32, Shape{width}}};
    RowStore many(components);
    RowStore single(components);
    constexpr int64_t kRing = 7;
    const auto rows_from = [&](int32_t first, int rows) {
      Column column;
      int32_t* entries = column.make_dense<int32_t>(Shape{width}, rows);
      std::iota(entries, entries + rows * width, first);
      return block_of({column.tensor()});
    };
    for (RowStore* store : {&many, &single}) {
      store->grow_to(kRing);
      put(*store, 0, rows_from(0, 6));
    }
    const std::vector<int64_t> slots = {3, 1, 1, 6, 4};
    const std::vector<int32_t> all = {0, 1, 2, 3, 4};
    const Block added = rows_from(1000, 5);
    for (RowStore* store : {&many, &single}) {
      store->begin_lift(8);
      REQUIRE(store->stage(added, all).ok());
    }
    RowStore::Ring ring{6, 0, kRing};
    many.exchange(slots, ring, 100, 1);
    int64_t back = 6, front = 0;
    const auto step = [&](int64_t slot, int lifted) {
      single.lift(slot, lifted);
      if (slot != front) single.move(front, slot);
      front = (front + 1) % kRing;
    };
    for (size_t i = 0; i < slots.size(); ++i) {
      single.place(static_cast<int>(i), back, 100 + static_cast<int64_t>(i));
      back = (back + 1) % kRing;
      step(slots[i], 1 + static_cast<int>(i));
    }
    CHECK(ring.back == back);
    CHECK(ring.front == front);
    const std::vector<int64_t> rest = {6, 6};
    many.draw(rest, ring, 6);
    for (size_t i = 0; i < rest.size(); ++i) step(rest[i], 6 + static_cast<int>(i));
    CHECK(ring.front == front);
    for (int i = 1; i < 8; ++i) CHECK(many.lifted_tag(i) == single.lifted_tag(i));
    many.lift_nothing(0);
    single.lift_nothing(0);
    Block a, b;
    many.give(8, a);
    single.give(8, b);
    if (width > 0) CHECK(firsts(a) == firsts(b));
  }
}

}  // namespace
}  // namespace weir
