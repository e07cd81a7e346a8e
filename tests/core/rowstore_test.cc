#include "core/rowstore.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <random>
#include <string>

namespace weir {
namespace {

std::vector<int32_t> all(int count) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Block block_of(std::vector<Column> columns, int rows) {
  Block out;
  out.columns = std::move(columns);
  out.rows = rows;
  return out;
}

Column number_column(int64_t first, int rows) {
  Column out;
  int64_t* entries = out.make_dense<int64_t>(Shape(), rows);
  std::iota(entries, entries + rows, first);
  return out;
}

Column strings(const std::vector<std::string>& values) {
  std::vector<std::string_view> views(values.begin(), values.end());
  Column out;
  out.set_dense(Tensor::strings(views, Shape{static_cast<int64_t>(values.size())}));
  return out;
}

std::string text(const Column& column, int row) { return std::string(column.row(row).as<Str>()->view()); }

// Bytes that live as long as the test, lent to the library.
Tensor lent(std::vector<float>& values, const Shape& shape) {
  Tensor out;
  out.dtype = DType::float32;
  out.shape = shape;
  out.buffer = Buffer::wrap(values.data(), values.size() * sizeof(float), nullptr, nullptr);
  out.data = out.buffer->data();
  return out;
}

// Rows of a block to slots from `first` on …
Status put(RowStore& store, int64_t first, const Block& block, const std::vector<int32_t>& rows) {
  store.grow_to(first + static_cast<int64_t>(rows.size()));
  WEIR_TRY(store.stage(block, rows));
  for (size_t i = 0; i < rows.size(); ++i) store.place(static_cast<int>(i), first + static_cast<int64_t>(i));
  return Status();
}

void lift(RowStore& store, const std::vector<int64_t>& slots) {
  store.begin_lift(static_cast<int>(slots.size()));
  for (size_t i = 0; i < slots.size(); ++i) store.lift(slots[i], static_cast<int>(i));
}

// … taken out …
void take(RowStore& store, const std::vector<int64_t>& slots, Block& out) {
  lift(store, slots);
  store.give(static_cast<int>(slots.size()), out);
}

// … or dropped.
void drop(RowStore& store, int64_t slot) {
  lift(store, {slot});
  store.discard(1);
}

TEST_CASE("Small rows of numbers lie in their slots and move with their tags") {
  const Component components[] = {
      {DType::int64, Shape()}, {DType::float32, Shape{3}}, {DType::boolean, Shape()}};
  RowStore store(components);
  CHECK(store.inlined());
  Column floats, flags;
  float* f = floats.make_dense<float>(Shape{3}, 4);
  std::iota(f, f + 12, 0.5f);
  uint8_t* b = flags.make_dense(DType::boolean, Shape(), 4);
  for (int i = 0; i < 4; ++i) b[i] = i % 2;
  Block block = block_of({number_column(10, 4), floats, flags}, 4);
  const int32_t picked[] = {0, 1, 3};
  REQUIRE(store.stage(block, picked).ok());
  store.place(0, 5, 100);
  store.place(1, 0, 101);
  store.place(2, 9000, 103);
  store.move(9000, 7);
  CHECK(store.tag(7) == 103);
  store.begin_lift(3);
  store.lift(7, 0);
  store.lift_nothing(1);
  store.lift(5, 2);
  Block out;
  store.give(3, out);
  REQUIRE(out.rows == 3);
  CHECK(out.columns[0].tensor().as<int64_t>()[0] == 13);
  CHECK(out.columns[0].tensor().as<int64_t>()[1] == 0);
  CHECK(out.columns[0].tensor().as<int64_t>()[2] == 10);
  CHECK(out.columns[1].tensor().as<float>()[0] == 9.5f);
  CHECK(out.columns[1].tensor().as<float>()[8] == 2.5f);
  CHECK(out.columns[2].tensor().as<uint8_t>()[0] == 1);
}

TEST_CASE("Rows go straight to the target that is bound to the column") {
  const Component wide[] = {{DType::float32, Shape{100}}};
  const Component narrow[] = {{DType::int64, Shape()}};
  RowStore images(wide);
  RowStore slots(narrow);
  CHECK(!images.inlined());
  Column floats;
  float* f = floats.make_dense<float>(Shape{100}, 3);
  std::iota(f, f + 300, 0.0f);
  REQUIRE(put(images, 0, block_of({floats}, 3), all(3)).ok());
  REQUIRE(put(slots, 0, block_of({number_column(7, 3)}, 3), all(3)).ok());
  BufferRef target = Buffer::allocate(4096);
  for (RowStore* store : {&images, &slots}) {
    Block out;
    out.columns.resize(1);
    out.columns[0].bind_target(target, target->data() + 64, 2048);
    take(*store, {2, 0, 1}, out);
    CHECK(out.columns[0].tensor().data == target->data() + 64);
  }
  CHECK(*reinterpret_cast<int64_t*>(target->data() + 64) == 9);
}

TEST_CASE("Rows of many shapes come out as a list, and as dense where they agree") {
  const Component components[] = {{DType::int32, Shape::unknown_rank()}, {DType::string, Shape()}};
  RowStore store(components);
  Column ragged;
  auto& list = ragged.make_list();
  for (int i = 0; i < 4; ++i) {
    Tensor tensor = Tensor::allocate(DType::int32, i < 2 ? Shape{2, i + 1} : Shape{3});
    for (int32_t& entry : tensor.entries<int32_t>()) entry = i;
    list.push_back(std::move(tensor));
  }
  const Block block = block_of({ragged, strings({"a", "", "ccc", std::string(20000, 'd')})}, 4);
  for (int64_t first : {0, 4}) REQUIRE(put(store, first, block, all(4)).ok());
  Block out;
  take(store, {7, 4, 5}, out);
  REQUIRE(!out.columns[0].dense());
  CHECK(out.columns[0].list()[0].shape == Shape{3});
  CHECK(out.columns[0].list()[2].shape == Shape{2, 2});
  CHECK(out.columns[0].list()[2].as<int32_t>()[3] == 1);
  CHECK(text(out.columns[1], 0) == std::string(20000, 'd'));
  CHECK(text(out.columns[1], 2).empty());
  take(store, {3, 2}, out);
  REQUIRE(out.columns[0].dense());
  CHECK(out.columns[0].tensor().shape == Shape{2, 3});
  CHECK(text(out.columns[1], 1) == "ccc");
  drop(store, 0);
}

TEST_CASE("Strings of any length come out as they went in") {
  const Component components[] = {{DType::string, Shape()}};
  RowStore store(components);
  std::vector<std::string> values;
  for (const size_t length : {0, 1, 254, 255, 256, 65533, 65534, 65535, 65536, 200000})
    values.emplace_back(length, static_cast<char>('a' + values.size()));
  const int count = static_cast<int>(values.size());
  REQUIRE(put(store, 0, block_of({strings(values)}, count), all(count)).ok());
  for (int i = 0; i < count; ++i) {
    Block out;
    take(store, {i}, out);
    CHECK(text(out.columns[0], 0) == values[static_cast<size_t>(i)]);
  }
}

TEST_CASE("Only failed rows leave empty places") {
  const Component components[] = {{DType::string, Shape()}};
  RowStore store(components);
  store.begin_lift(2);
  store.lift_nothing(0);
  store.lift_nothing(1);
  Block out;
  store.give(2, out);
  REQUIRE(!out.columns[0].dense());
  CHECK(out.columns[0].list().size() == 2);
}

TEST_CASE("Lasting memory is referenced, not copied") {
  std::vector<float> memory(1000 * 784);
  std::iota(memory.begin(), memory.end(), 0.0f);
  const Component components[] = {{DType::float32, Shape{784}}};
  Tensor tensor = lent(memory, Shape{1000, 784});
  {
    RowStore store(components);
    for (int first = 0; first < 1000; first += 100) {
      Column column;
      column.set_dense(tensor.rows(first, 100));
      REQUIRE(put(store, first, block_of({column}, 100), all(100)).ok());
    }
    CHECK(!tensor.buffer->unique());
    CHECK(store.byte_size() < 1000 * 100);
    Block out;
    take(store, {999, 3}, out);
    CHECK(out.columns[0].tensor().as<float>()[0] == 999.0f * 784);
    CHECK(out.columns[0].tensor().as<float>()[784] == 3.0f * 784);
    for (int64_t i = 0; i < 999; ++i) {
      if (i != 3) drop(store, i);
    }
    CHECK(tensor.buffer->unique());
  }
  std::string bytes = "onetwothree";
  Tensor words = Tensor::allocate(DType::string, Shape{3});
  words.buffer->set_lasting();
  words.as<Str>()[0] = Str(std::string_view(bytes).substr(0, 3));
  words.as<Str>()[1] = Str(std::string_view(bytes).substr(3, 3));
  words.as<Str>()[2] = Str(std::string_view(bytes).substr(6));
  const Component string_component[] = {{DType::string, Shape()}};
  RowStore store(string_component);
  Column column;
  column.set_dense(words);
  REQUIRE(put(store, 0, block_of({column}, 3), all(3)).ok());
  Block out;
  take(store, {2, 0}, out);
  CHECK(out.columns[0].tensor().as<Str>()[0].data == bytes.data() + 6);
  CHECK(text(out.columns[0], 1) == "one");
  store.clear();
  out = Block();
  column = Column();
  CHECK(words.buffer->unique());
}

TEST_CASE("Nested datasets are held by reference, each for itself") {
  struct Probe final : RefCounted {};
  auto probe = make_ref<Probe>();
  const Component components[] = {{DType::dataset, Shape()}, {DType::int64, Shape()}};
  RowStore store(components);
  {
    Column datasets;
    auto& list = datasets.make_list();
    for (int i = 0; i < 3; ++i) list.push_back(dataset_tensor(make_ref<NestedDataset>(probe, nullptr)));
    REQUIRE(put(store, 0, block_of({datasets, number_column(0, 3)}, 3), all(3)).ok());
  }
  CHECK(!probe->unique());
  {
    Block out;
    take(store, {1, 2}, out);
    CHECK(dataset_of(out.columns[0].row(0)).node.get() == probe.get());
  }
  CHECK(!probe->unique());
  store.clear();
  CHECK(probe->unique());
}

TEST_CASE("A row that its spec does not fit is an error") {
  const Component components[] = {{DType::int64, Shape{2}}};
  RowStore store(components);
  CHECK(put(store, 0, block_of({number_column(0, 2)}, 2), all(2)).code() == Code::internal);
  CHECK(put(store, 0, block_of(std::vector<Column>{}, 2), all(2)).code() == Code::internal);
}

// A million draws and more from a store that stays full, as shuffle does.
int64_t churn(RowStore& store, int64_t slots, int64_t rounds, const std::vector<Component>& components,
              int64_t largest, int64_t& row_bytes) {
  std::mt19937_64 random(3);
  std::vector<std::string> held(static_cast<size_t>(slots));
  int64_t worst = 0;
  const bool text_rows = components[0].dtype == DType::string;
  for (int64_t i = 0; i < slots + rounds; ++i) {
    const int64_t slot = i < slots ? i : static_cast<int64_t>(random() % static_cast<uint64_t>(slots));
    if (i >= slots) {
      Block out;
      take(store, {slot}, out);
      if (text_rows) REQUIRE(text(out.columns[0], 0) == held[static_cast<size_t>(slot)]);
    }
    std::string value(static_cast<size_t>(random() % static_cast<uint64_t>(largest)),
                      static_cast<char>('a' + i % 26));
    row_bytes +=
        static_cast<int64_t>(value.size()) - static_cast<int64_t>(held[static_cast<size_t>(slot)].size());
    held[static_cast<size_t>(slot)] = value;
    Block in = block_of({strings({value})}, 1);
    REQUIRE(put(store, slot, in, all(1)).ok());
    // Only a full store is compared with its bound.
    if (i >= slots) worst = std::max(worst, store.byte_size() - row_bytes * 11 / 10);
  }
  return worst;
}

TEST_CASE("The store takes at most a tenth more than its rows, 64 bytes a row and a mebibyte") {
  for (int64_t largest : {8, 200, 2000, 20000}) {
    const std::vector<Component> components = {{DType::string, Shape()}};
    const int64_t slots = largest > 2000 ? 500 : 4000;
    RowStore store(components);
    int64_t row_bytes = 0;
    const int64_t worst = churn(store, slots, 6 * slots, components, largest, row_bytes);
    INFO("strings up to " << largest << " bytes: " << row_bytes << " bytes of rows");
    CHECK(worst <= 64 * slots + (1 << 20));
  }
}

TEST_CASE("A string of a kilobyte takes 48 bytes more") {
  const Component components[] = {{DType::string, Shape()}};
  RowStore store(components);
  const Block block = block_of({strings(std::vector<std::string>(1000, std::string(1024, 'x')))}, 1000);
  constexpr int64_t kRows = 100'000;
  for (int64_t row = 0; row < kRows; row += 1000) REQUIRE(put(store, row, block, all(1000)).ok());
  // Places are added by the thousand, and images by the quarter of a mebibyte, of which they leave a little.
  CHECK(store.byte_size() <= kRows * (1024 + 49) + (1 << 19));
  store.clear();
}

TEST_CASE("The bound holds for numbers, and memory goes back when rows do") {
  for (int64_t width : {1, 8, 20, 1000}) {
    const Component components[] = {{DType::int64, Shape{width}}};
    RowStore store(components);
    Column column;
    std::memset(column.make_dense(DType::int64, Shape{width}, 1000), 1, static_cast<size_t>(width) * 8000);
    Block block = block_of({column}, 1000);
    for (int64_t i = 0; i < 20; ++i) REQUIRE(put(store, i * 1000, block, all(1000)).ok());
    const int64_t bytes = 20000 * width * 8;
    CHECK(store.byte_size() <= bytes * 11 / 10 + 64 * 20000 + (1 << 20));
    if (store.inlined()) continue;
    for (int64_t i = 0; i < 19000; ++i) drop(store, i);
    CHECK(store.byte_size() <= bytes / 20 * 11 / 10 + 64 * 20000 + (1 << 20));
  }
}

TEST_CASE("Images of one size reuse their places") {
  Arena arena;
  std::vector<Arena::Id> ids;
  for (int i = 0; i < 20000; ++i) ids.push_back(arena.allocate(400));
  const int64_t before = arena.byte_size();
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {
    Arena::Id& id = ids[random() % ids.size()];
    arena.free(id);
    id = arena.allocate(400);
    CHECK(reinterpret_cast<uintptr_t>(arena.data(id)) % 8 == 0);
  }
  CHECK(arena.byte_size() == before);
}

TEST_CASE("Images whose sizes stay alike reuse their places and keep their bytes") {
  Arena arena;
  std::mt19937_64 random(1);
  std::vector<Arena::Id> ids(20'000);
  std::vector<std::string> bytes(ids.size());
  int64_t live = 0;
  const auto place = [&](size_t i) {
    bytes[i].assign(500 + random() % 1000, static_cast<char>(random()));
    ids[i] = arena.allocate(bytes[i].size());
    std::memcpy(arena.data(ids[i]), bytes[i].data(), bytes[i].size());
    live += static_cast<int64_t>(bytes[i].size());
  };
  for (size_t i = 0; i < ids.size(); ++i) place(i);
  for (int turn = 0; turn < 200'000; ++turn) {
    const size_t i = random() % ids.size();
    live -= static_cast<int64_t>(bytes[i].size());
    arena.free(ids[i]);
    place(i);
  }
  // Beyond the bytes: 24 for each image, sizes that are rounded up, and places that wait.
  CHECK(arena.byte_size() <= live * 110 / 100);
  size_t wrong = 0;
  for (size_t i = 0; i < ids.size(); ++i)
    wrong += std::memcmp(arena.data(ids[i]), bytes[i].data(), bytes[i].size()) != 0;
  CHECK(wrong == 0);
}

TEST_CASE("Places that no image fits into become gaps, which are closed") {
  Arena arena;
  std::vector<Arena::Id> ids;
  for (int i = 0; i < 20'000; ++i) ids.push_back(arena.allocate(1000));
  const int64_t before = arena.byte_size();
  for (Arena::Id& id : ids) {
    arena.free(id);
    id = arena.allocate(500);
  }
  CHECK(arena.byte_size() <= before * 7 / 10);
}

}  // namespace
}  // namespace weir
