#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/value.h"
#include "format/tables/arrow_checks.h"
#include "format/tables/arrow_rows.h"

namespace weir::test {
namespace {

// Arrays without an owner.
struct Table {
  // Three rows of {n: int32, s: string, l: list of int64}; the second n is null.
  uint8_t valid = 0b1010;
  int32_t numbers[4] = {0, 7, 8, 9};
  int32_t text_ends[4] = {0, 1, 1, 3};
  char texts[4] = "abc";
  int32_t list_ends[4] = {0, 2, 2, 3};
  int64_t entries[3] = {5, 6, 4};
  const void* number_buffers[2] = {&valid, numbers};
  const void* text_buffers[3] = {nullptr, text_ends, texts};
  const void* list_buffers[2] = {nullptr, list_ends};
  const void* entry_buffers[2] = {nullptr, entries};
  const void* none[1] = {nullptr};
  ArrowArray entry = {3, 0, 0, 2, 0, entry_buffers, nullptr, nullptr, nullptr, nullptr};
  ArrowArray* list_children[1] = {&entry};
  // The numbers begin with one that is passed over, and so does their validity.
  ArrowArray number = {3, 1, 1, 2, 0, number_buffers, nullptr, nullptr, nullptr, nullptr};
  ArrowArray text = {3, 0, 0, 3, 0, text_buffers, nullptr, nullptr, nullptr, nullptr};
  ArrowArray list = {3, 0, 0, 2, 1, list_buffers, list_children, nullptr, nullptr, nullptr};
  ArrowArray* columns[3] = {&number, &text, &list};
  ArrowArray rows = {3, 0, 0, 1, 3, none, columns, nullptr, nullptr, nullptr};

  ArrowSchema item = {"l", "item", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr};
  ArrowSchema* items[1] = {&item};
  ArrowSchema types[3] = {{"i", "n", nullptr, kArrowNullable, 0, nullptr, nullptr, nullptr, nullptr},
                          {"u", "s", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr},
                          {"+l", "l", nullptr, 0, 1, items, nullptr, nullptr, nullptr}};
  ArrowSchema* type_of[3] = {&types[0], &types[1], &types[2]};
  ArrowSchema schema = {"+s", "", nullptr, 0, 3, type_of, nullptr, nullptr, nullptr};

  bool good() const { return has_entries(schema, rows, 0); }
};

TEST_CASE("tables: a batch becomes rows of its fields, and a null is an error of its row") {
  Table table;
  REQUIRE(table.good());
  const auto fields = natural_fields(table.schema, false);
  REQUIRE(fields.ok());
  CHECK(spec_of_fields(*fields).to_string() == "{n: int32, s: string, l: int64[?]}");
  ArrowRows rows(*fields);
  rows.bind(table.schema, table.schema);
  ArrowOwned<ArrowArray> array;
  *array.fill() = table.rows;
  const auto batch = make_ref<TableBatch>(std::move(array));
  const std::vector<int32_t> chosen = {0, 1, 2};
  Block out;
  rows.make(batch, chosen, "a.parquet", 10, out);
  REQUIRE(out.rows == 3);
  CHECK(*out.columns[0].row(0).as<const int32_t>() == 7);
  CHECK(*out.columns[0].row(2).as<const int32_t>() == 9);
  CHECK(out.columns[1].row(2).as<const Str>()->view() == "bc");
  CHECK(out.columns[2].row(0).shape == Shape{2});
  CHECK(*out.columns[2].row(2).as<const int64_t>() == 4);
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].row == 1);
  CHECK(out.errors[0].error->record == 11);
}

TEST_CASE("tables: a column of a dictionary is refused, and told as one") {
  Table table;
  table.types[0].dictionary = &table.types[1];
  const auto fields = natural_fields(table.schema, false);
  REQUIRE_FALSE(fields.ok());
  CHECK(fields.status().error().message.find("\"n\" is a dictionary of string, which is not read") !=
        std::string::npos);
}

TEST_CASE("tables: a batch that has not what its schema says is refused") {
  const auto refused = [](auto damage) {
    Table table;
    damage(table);
    return !table.good();
  };
  CHECK(refused([](Table& t) { t.rows.length = -1; }));
  CHECK(refused([](Table& t) { t.rows.length = 4; }));
  CHECK(refused([](Table& t) { t.rows.offset = 1; }));
  CHECK(refused([](Table& t) { t.rows.n_children = 2; }));
  CHECK(refused([](Table& t) { t.number.offset = -1; }));
  CHECK(refused([](Table& t) { t.number.offset = INT64_MAX; }));
  CHECK(refused([](Table& t) { t.number.n_buffers = 1; }));
  CHECK(refused([](Table& t) { t.number_buffers[1] = nullptr; }));
  CHECK(refused([](Table& t) { t.text.n_buffers = 2; }));
  CHECK(refused([](Table& t) { t.text_ends[0] = -1; }));
  CHECK(refused([](Table& t) { t.text_ends[1] = 2; }));
  CHECK(refused([](Table& t) { t.list_ends[3] = 4; }));
  CHECK(refused([](Table& t) { t.list_ends[1] = 3; }));
  CHECK(refused([](Table& t) { t.list.n_children = 0; }));
  CHECK(refused([](Table& t) { t.entry.length = 2; }));
  CHECK_FALSE(refused([](Table& t) { t.list_ends[3] = 2; }));
}

}  // namespace
}  // namespace weir::test
