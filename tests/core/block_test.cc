#include "core/block.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

#include "core/owners.h"
#include "core/text.h"
#include "support/failing_new.h"

namespace weir {
namespace {

Column numbers(int64_t first, int rows) {
  Column out;
  int64_t* entries = out.make_dense<int64_t>(Shape(), rows);
  std::iota(entries, entries + rows, first);
  return out;
}

Column words(const std::string& prefix, int rows) {
  std::vector<std::string> values;
  for (int i = 0; i < rows; ++i) values.push_back(prefix + std::to_string(i));
  std::vector<std::string_view> views(values.begin(), values.end());
  Column out;
  out.set_dense(Tensor::strings(views, Shape{rows}));
  return out;
}

Block block_of(Column column, int rows) {
  Block out;
  out.columns.push_back(std::move(column));
  out.rows = rows;
  return out;
}

int64_t number(const Block& block, int row) { return *block.columns[0].row(row).as<int64_t>(); }
ErrorPtr error(const char* message) { return data_loss(message).pointer(); }

TEST_CASE("make_dense reuses memory that nobody else holds, and no other") {
  Column column = numbers(0, 100);
  const uint8_t* first = column.tensor().data;
  column.clear();
  CHECK(column.make_dense(DType::int32, Shape{2}, 100) == first);
  Tensor shared = column.tensor();
  CHECK(column.make_dense(DType::int64, Shape(), 100) != first);
  CHECK(shared.data == first);
  CHECK(column.make_dense(DType::int64, Shape{1000}, 1000) != nullptr);
}

TEST_CASE("Memory that somebody lent is never written") {
  std::vector<int64_t> memory = {1, 2, 3, 4};
  Tensor lent;
  lent.dtype = DType::int64;
  lent.shape = Shape{2};
  lent.buffer = Buffer::wrap(memory.data(), 32, nullptr, nullptr);
  lent.data = lent.buffer->data();
  Block block;
  Column column;
  column.set_dense(std::move(lent));
  block.append(block_of(std::move(column), 2), 0, 2);
  block.append(block_of(numbers(8, 1), 1), 0, 1);
  CHECK(number(block, 2) == 8);
  CHECK(memory == std::vector<int64_t>{1, 2, 3, 4});
}

TEST_CASE("A bound target is filled once, if it is large enough") {
  BufferRef buffer = Buffer::allocate(256);
  Column column;
  column.bind_target(buffer, buffer->data() + 64, 64);
  CHECK(column.make_dense(DType::int64, Shape(), 8) == buffer->data() + 64);
  CHECK(column.make_dense(DType::int64, Shape(), 8) != buffer->data() + 64);
  column.bind_target(buffer, buffer->data() + 64, 64);
  CHECK(column.make_dense(DType::int64, Shape(), 9) != buffer->data() + 64);
  column.bind_target(buffer, buffer->data() + 64, 64);
  CHECK(column.make_dense(DType::uint8, Shape{8}, 8) == buffer->data() + 64);
  column.bind_target(buffer, buffer->data() + 64, 64);
  column.clear_target();
  CHECK(column.make_dense(DType::uint8, Shape{8}, 8) != buffer->data() + 64);
}

TEST_CASE("Places stay behind where columns are swapped") {
  const auto buffer = Buffer::allocate(256);
  Block offered, other;
  offered.reset(1);
  other.reset(1);
  offered.columns[0].bind_target(buffer, buffer->data() + 64, 64);
  SECTION("alone") { offered.swap_columns(other); }
  SECTION("with their thinned rows") {
    other.columns[0].make_dense<int64_t>(Shape(), 1)[0] = 7;
    other.rows = 1;
    other.thinned = true;
    offered.gather_thinned(other, std::vector<int32_t>{0});
  }
  for (Block* block : {&offered, &other})
    CHECK(block->columns[0].make_dense(DType::int64, Shape(), 2) != buffer->data() + 64);
}

TEST_CASE("Large columns without a place take their memory from a pool, which stays behind when they move") {
  BufferPool pool(1 << 20);
  constexpr int kRows = (64 << 10) / 8;
  Block block;
  block.columns.resize(1);
  Column& column = block.columns[0];
  column.draw_from(&pool);
  column.make_dense<int64_t>({}, kRows - 1);
  CHECK(pool.used_bytes() == 0);
  column.make_dense<int64_t>({}, kRows);
  CHECK(pool.used_bytes() >= 64 << 10);
  // A bound place comes first.
  BufferRef buffer = Buffer::allocate(128 << 10);
  column.bind_target(buffer, buffer->data(), buffer->size());
  CHECK(column.make_dense<int64_t>({}, kRows) == reinterpret_cast<int64_t*>(buffer->data()));
  CHECK(pool.used_bytes() == 0);

  const Block moved = std::move(block);
  Block swapped;
  swapped.columns.resize(1);
  swapped.columns[0].draw_from(&pool);
  Column taken;
  std::swap(taken, swapped.columns[0]);
  taken.make_dense<int64_t>({}, kRows);
  CHECK(pool.used_bytes() == 0);
  Column left;
  left.draw_from(&pool);
  left.draw_from(nullptr);
  left.make_dense<int64_t>({}, kRows);
  CHECK(pool.used_bytes() == 0);
}

TEST_CASE("Appending reads a target that it fills from the source") {
  BufferRef buffer = Buffer::allocate(256);
  Column column;
  column.bind_target(buffer, buffer->data(), 256);
  column.append(0, numbers(5, 4), 1, 2);
  CHECK(column.tensor().data == buffer->data());
  CHECK(column.tensor().as<int64_t>()[1] == 7);
}

TEST_CASE("Blocks are cut, joined and gathered with their errors") {
  Block block = block_of(numbers(0, 6), 6);
  block.fail_row(4, error("late"));
  block.fail_row(1, error("early"));
  block.fail_row(1, error("second"));
  REQUIRE(block.errors.size() == 2);
  CHECK(block.errors[0].error->message == "early");
  CHECK(block.value_rows() == 4);

  Block cut = block.slice(3, 3);
  CHECK(cut.rows == 3);
  CHECK(cut.failed(1));
  CHECK(number(cut, 2) == 5);
  CHECK(cut.columns[0].tensor().buffer == block.columns[0].tensor().buffer);

  Block joined = block.slice(0, 2);
  joined.append(cut, 1, 2);
  CHECK(joined.rows == 4);
  CHECK(number(joined, 0) == 0);
  CHECK(number(joined, 3) == 5);
  CHECK(joined.failed(1));
  CHECK(joined.failed(2));
  // The source is left as it was.
  CHECK(number(block, 2) == 2);

  const int32_t keep[] = {5, 1, 0};
  Block gathered;
  gathered.gather_from(block, keep);
  CHECK(number(gathered, 0) == 5);
  CHECK(gathered.failed(1));
  CHECK(gathered.errors.size() == 1);
}

TEST_CASE("Failed rows take the shape of the rows that follow them") {
  Block block;
  block.set_error(error("first"), 1);
  block.append(block_of(numbers(7, 2), 2), 0, 2);
  REQUIRE(block.columns[0].dense());
  CHECK(number(block, 1) == 7);
  CHECK(block.failed(0));
  Block failed;
  failed.set_error(error("last"), 1);
  block.append(failed, 0, 1);
  REQUIRE(block.columns[0].dense());
  CHECK(block.rows == 4);
  CHECK(block.failed(3));
  CHECK(number(block, 2) == 8);
}

TEST_CASE("One row fails without memory, and its columns may be absent") {
  Block block;
  const ErrorPtr why = error("no memory");
  fail_allocations(1000);
  block.set_error(why, 2);
  fail_allocations(0);
  CHECK(block.rows == 1);
  CHECK(block.errors[0].error == why);
  CHECK(block.columns.empty());

  Block values = block_of(numbers(7, 2), 2);
  values.append(block, 0, 1);
  REQUIRE(values.columns.size() == 1);
  CHECK(values.failed(2));
  CHECK(number(values, 1) == 8);

  block.append(block_of(numbers(7, 2), 2), 0, 2);
  REQUIRE(block.columns.size() == 1);
  CHECK(block.failed(0));
  CHECK(number(block, 2) == 8);
}

TEST_CASE("Errors stay in the order of their rows, however many") {
  Block block = block_of(numbers(0, 9), 9);
  const ErrorPtr why = error("failed");
  for (int row : {5, 2, 8, 2, 0}) block.fail_row(row, why);
  std::vector<int> rows;
  for (const RowError& failed : block.errors) rows.push_back(failed.row);
  CHECK(rows == std::vector<int>{0, 2, 5, 8});
  const Block copy = block;
  RowErrors taken = std::move(block.errors);
  CHECK(block.errors.empty());
  CHECK(taken.size() == 4);
  CHECK(copy.errors.size() == 4);
  // If a copy fails, the old contents are complete.
  RowErrors one;
  one.push_back({3, why});
  bool thrown = false;
  fail_allocations(1);
  try {
    one = taken;
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  fail_allocations(0);
  CHECK(thrown);
  CHECK(one.size() == 1);
}

TEST_CASE("Rows of several shapes become a list, and dense again where they agree") {
  Block block = block_of(numbers(1, 2), 2);
  Column wide;
  std::memset(wide.make_dense(DType::int64, Shape{2}, 1), 0, 16);
  block.append(block_of(wide, 1), 0, 1);
  REQUIRE(!block.columns[0].dense());
  CHECK(number(block, 1) == 2);
  CHECK(block.columns[0].row(2).shape == Shape{2});
  block.columns[0].densify();
  CHECK(!block.columns[0].dense());
  Block same = block.slice(0, 2);
  same.columns[0].densify();
  REQUIRE(same.columns[0].dense());
  CHECK(same.columns[0].tensor().shape == Shape{2});
}

TEST_CASE("String columns keep their bytes alive, whatever the number of owners") {
  Block block;
  for (int i = 0; i < 90; ++i) {
    Block more = block_of(words(concat("w", i, "-"), 3), 3);
    block.append(more, 1, 2);
    if (block.columns[0].tensor().owners) {
      CHECK(block.columns[0].tensor().owners->list.size() <= 64);
    }
  }
  REQUIRE(block.rows == 180);
  for (int i = 0; i < 90; ++i) {
    CHECK(block.columns[0].row(2 * i).as<Str>()->view() == concat("w", i, "-1"));
  }
  const int32_t keep[] = {179, 0};
  Block gathered;
  gathered.gather_from(block, keep);
  block = Block();
  CHECK(gathered.columns[0].row(0).as<Str>()->view() == "w89-2");
  CHECK(gathered.byte_size() == 2 * static_cast<int64_t>(sizeof(Str)) + 5 + 4);
}

TEST_CASE("A long list of owners is shared whole, and not copied by each operator") {
  Tensor tensor = words("w", 3).tensor();
  tensor.owners = make_ref<Owners>();
  for (int i = 0; i < 1000; ++i) tensor.owners->list.push_back(Buffer::allocate(1));
  const Tensor rows[] = {tensor.row(2), tensor.row(0), words("v", 1).tensor()};
  std::vector<RefPtr<RefCounted>> list;
  add_owners(list, rows);
  CHECK(list.size() == 1000 + 2);
  Column column;
  column.set_dense(tensor);
  for (const int32_t row : {2, 0, 1}) {
    const int32_t keep[] = {row, 1, row};
    Column gathered;
    gathered.gather_from(column, keep);
    column = std::move(gathered);
    CHECK(column.tensor().owners->list.size() < 5);
  }
  CHECK(column.row(2).as<Str>()->view() == "w1");
  const RefPtr<RefCounted> owner = tensor.owners->list[999];
  tensor = Tensor();
  CHECK_FALSE(owner->unique());
}

TEST_CASE("Strings that 32 readers have in turns are not copied") {
  std::vector<Block> readers;
  for (int i = 0; i < 32; ++i) readers.push_back(block_of(words(concat("w", i, "-"), 3), 3));
  Block block;
  for (int row = 0; row < 3; ++row) {
    for (const Block& reader : readers) block.append(reader, row, 1);
  }
  bool same = true;
  for (int i = 0; i < 96; ++i) {
    const Tensor there = readers[static_cast<size_t>(i % 32)].columns[0].row(i / 32);
    same = same && block.columns[0].row(i).as<Str>()->data == there.as<Str>()->data;
  }
  CHECK(same);
}

TEST_CASE("One row from components, and back") {
  Block block;
  block.set_row({Tensor::scalar<int64_t>(4), Tensor::string("x")});
  Components row = block.row(0);
  CHECK(bit_equal(row[0], Tensor::scalar<int64_t>(4)));
  CHECK(bit_equal(row[1], Tensor::string("x")));
}

}  // namespace
}  // namespace weir
