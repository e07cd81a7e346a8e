#include "iterator/held_rows.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

// Rows 0, 1, an error, 3 of an int64.
Block sample() {
  Block block;
  block.reset(1);
  block.rows = 4;
  auto* values = block.columns[0].make_dense<int64_t>(Shape(), 4);
  for (int64_t i = 0; i < 4; ++i) values[i] = i;
  block.fail_row(2, data_loss("lost").pointer());
  return block;
}

TEST_CASE("held rows: come out in order, a failed one alone") {
  HeldRows held;
  Block out;
  held.hold(sample(), 0);
  held.take(10, out);
  CHECK(out.rows == 2);
  CHECK(out.errors.empty());
  held.take(10, out);
  CHECK(out.rows == 1);
  CHECK(out.errors.size() == 1);
  held.take(10, out);
  REQUIRE(out.rows == 1);
  CHECK(*out.row(0)[0].as<int64_t>() == 3);
  CHECK(held.empty());
}

TEST_CASE("held rows: what is given back comes first") {
  HeldRows held;
  Block out;
  held.hold(sample(), 3);
  held.hold(sample(), 1);
  held.take(10, out);
  CHECK(*out.row(0)[0].as<int64_t>() == 1);
}

TEST_CASE("held rows: survive being written down") {
  std::vector<Component> components = {{DType::int64, Shape()}};
  HeldRows held;
  held.hold(sample(), 1);
  Archive saved;
  held.state(saved, components);
  std::string bytes = saved.take();
  HeldRows loaded;
  Archive archive(bytes);
  loaded.state(archive, components);
  archive.finish();
  REQUIRE(archive.status().ok());
  Block out;
  loaded.take(10, out);
  REQUIRE(out.rows == 1);
  CHECK(*out.row(0)[0].as<int64_t>() == 1);
  loaded.take(10, out);
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].error->message == "lost");
}

TEST_CASE("held rows: of another dataset or damaged are an error") {
  HeldRows held;
  held.hold(sample(), 0);
  Archive saved;
  held.state(saved, {{DType::int64, Shape()}});
  std::string bytes = saved.take();
  for (const Component& other : {Component{DType::int32, Shape()}, Component{DType::int64, Shape{2}},
                                 Component{DType::string, Shape()}}) {
    HeldRows loaded;
    Archive archive(bytes);
    loaded.state(archive, {other});
    archive.finish();
    CHECK_FALSE(archive.status().ok());
  }
}

}  // namespace
}  // namespace weir
