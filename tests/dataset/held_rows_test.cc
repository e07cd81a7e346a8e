#include "dataset/held_rows.h"

#include <catch2/catch_test_macros.hpp>

#include "support/failing_new.h"

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
  const Spec spec = Spec::tensor(DType::int64);
  HeldRows held;
  held.hold(sample(), 1);
  Archive saved;
  held.state(saved, spec);
  std::string bytes = saved.take();
  HeldRows loaded;
  Archive archive(bytes);
  loaded.state(archive, spec);
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

// The rows after saving and loading.
HeldRows written_and_read(HeldRows& held, const Spec& spec) {
  Archive saved;
  held.state(saved, spec);
  const std::string bytes = saved.take();
  HeldRows loaded;
  Archive archive(bytes);
  loaded.state(archive, spec);
  archive.finish();
  REQUIRE(archive.status().ok());
  return loaded;
}

TEST_CASE("held rows: every field of an error survives") {
  Error all;
  all.code = Code::unavailable;
  all.message = std::string("two\nlines and a zero: \0", 24);
  all.path = "batch/map[1]/tfrecord";
  all.file = "folder/file";
  all.offset = INT64_MAX - 1;
  all.record = 77;
  all.position_lost = true;
  all.read_failed = true;
  all.read = 7;
  all.lacks_memory = true;
  Error none;
  none.code = Code::cancelled;
  Error last;
  last.code = Code::data_loss;
  last.record = 0;
  for (const Error& error : {all, none, last}) {
    Block block;
    block.set_error(std::make_shared<Error>(error), 1);
    HeldRows held;
    held.hold(block, 0);
    HeldRows loaded = written_and_read(held, Spec::tensor(DType::int64));
    Block out;
    loaded.take(1, out);
    REQUIRE(out.errors.size() == 1);
    // All fields: a new one does not compile until it is compared as well.
    const auto& [code, message, path, file, offset, record, position_lost, read_failed, read, lacks_memory,
                 parts] = *out.errors[0].error;
    CHECK(code == error.code);
    CHECK(message == error.message);
    CHECK(path == error.path);
    CHECK(file == error.file);
    CHECK(offset == error.offset);
    CHECK(record == error.record);
    CHECK(position_lost == error.position_lost);
    CHECK(read_failed == error.read_failed);
    CHECK(read == error.read);
    CHECK(lacks_memory == error.lacks_memory);
    CHECK(!parts.span);
  }
}

TEST_CASE("held rows: values of every shape and dtype survive, and as many rows as may be held") {
  const Spec spec =
      Spec::tuple({Spec::tensor(DType::string, Shape{kUnknownDim}), Spec::tensor(DType::boolean)});
  Block block;
  for (const std::vector<std::string_view>& texts :
       std::vector<std::vector<std::string_view>>{{"a", "", "bc"}, {}}) {
    Block one;
    one.set_row(
        {Tensor::strings(texts, Shape{static_cast<int64_t>(texts.size())}), Tensor::scalar(texts.empty())});
    block.append(one, 0, 1);
  }
  HeldRows held;
  held.hold(block, 0);
  HeldRows loaded = written_and_read(held, spec);
  Block out;
  loaded.take(1, out);
  const Components first = out.row(0);
  REQUIRE(first[0].shape == Shape{3});
  CHECK(first[0].entries<const Str>()[1].view().empty());
  CHECK(first[0].entries<const Str>()[2].view() == "bc");
  CHECK_FALSE(*first[1].as<bool>());
  loaded.take(1, out);
  CHECK(out.row(0)[0].shape == Shape{0});
  CHECK(*out.row(0)[1].as<bool>());
}

TEST_CASE("held rows: more rows than a block has, and more than were written") {
  Block many;
  many.reset(1);
  many.rows = 70'000;
  auto* values = many.columns[0].make_dense<int64_t>(Shape(), many.rows);
  for (int64_t i = 0; i < many.rows; ++i) values[i] = i * i;
  const Spec spec = Spec::tensor(DType::int64);
  HeldRows all;
  all.add(many);
  HeldRows loaded = written_and_read(all, spec);
  CHECK(loaded.rows() == 70'000);
  Block out;
  for (int64_t next = 0; next < 70'000; next += out.rows) {
    loaded.take(1'000'000, out);
    REQUIRE(*out.row(0)[0].as<int64_t>() == next * next);
  }
  CHECK(loaded.empty());

  Archive saved;
  int64_t claimed = INT64_MAX;
  saved("rows", claimed);
  const std::string bytes = saved.take();
  Archive archive(bytes);
  HeldRows().state(archive, spec);
  CHECK_FALSE(archive.status().ok());
}

TEST_CASE("held rows: rows are added, dropped and counted across blocks") {
  HeldRows held;
  held.add(sample());
  held.add(sample());
  HeldRows more;
  more.add(sample());
  more.drop(1);
  held.add(more);
  CHECK(held.rows() == 11);
  CHECK(held.values() == 8);
  held.drop(3);
  CHECK(held.rows() == 8);
  CHECK(held.values() == 6);
  held.drop(2);
  Block out;
  held.take(10, out);
  CHECK(out.rows == 1);
  CHECK(*out.row(0)[0].as<int64_t>() == 1);
  held.drop(5);
  CHECK(held.empty());
  CHECK(held.values() == 0);
}

// One row as it would be saved, whatever its components claim.
struct ForgedComponent {
  std::vector<int64_t> dims;
  std::string bytes;
};
Status load_row(const Spec& spec, std::vector<ForgedComponent> components) {
  Archive saved;
  int64_t rows = 1;
  bool failed = false;
  saved("rows", rows);
  saved("failed", failed);
  for (ForgedComponent& component : components) {
    saved("dims", component.dims);
    saved("bytes", component.bytes);
  }
  const std::string forged = saved.take();
  Archive archive(forged);
  HeldRows().state(archive, spec);
  return archive.status();
}

template <class T>
std::string raw(std::vector<T> entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(T)};
}

TEST_CASE("held rows: forged values that lead outside of themselves are refused") {
  using Numbers = std::vector<int64_t>;
  Spec ragged = Spec::tensor(DType::int64, Shape{kUnknownDim, kUnknownDim});
  ragged.kind = Spec::Kind::ragged;
  const ForgedComponent values{{3}, raw(Numbers{7, 8, 9})};
  auto splits = [&](const Numbers& entries) {
    return load_row(ragged, {values, {{static_cast<int64_t>(entries.size())}, raw(entries)}}).code();
  };
  CHECK(splits({0, 1, 3}) == Code::ok);
  for (const Numbers& bad : {Numbers{0, 4}, Numbers{0, 5, 3}, Numbers{1, 3}, Numbers{0, 2}, Numbers{0, -1, 3},
                             Numbers{INT64_MIN, 3}, Numbers{}}) {
    CHECK(splits(bad) == Code::data_loss);
  }
  Spec sparse = Spec::tensor(DType::int64, Shape{kUnknownDim});
  sparse.kind = Spec::Kind::sparse;
  auto index = [&](int64_t at) {
    return load_row(sparse, {{{1, 1}, raw(Numbers{at})}, {{1}, raw(Numbers{5})}, {{1}, raw(Numbers{10})}})
        .code();
  };
  CHECK(index(0) == Code::ok);
  CHECK(index(9) == Code::ok);
  for (const int64_t bad : {int64_t{10}, int64_t{-1}, INT64_MAX, INT64_MIN})
    CHECK(index(bad) == Code::data_loss);
  // The bytes of a nested dataset would be an address.
  CHECK(load_row(Spec::dataset(Spec::tensor(DType::int64)), {{{}, raw(Numbers{1})}}).code() ==
        Code::data_loss);
}

TEST_CASE("held rows: a claim of strings that are not there takes no memory") {
  const Spec spec = Spec::tensor(DType::string, Shape{kUnknownDim});
  auto load = [&](int64_t claimed, const std::string& bytes) { return load_row(spec, {{{claimed}, bytes}}); };
  Archive strings;
  for (std::string text : {"", "x"}) strings("s", text);
  const std::string two = strings.take();
  const LargestAllocation largest(1 << 16);
  CHECK(load(2, two).ok());
  for (const int64_t claimed : {int64_t{-1}, int64_t{1}, int64_t{3}, int64_t{1} << 40, INT64_MAX}) {
    CHECK(load(claimed, two).code() == Code::data_loss);
  }
  CHECK(load(0, "").ok());
  CHECK(load(1, "").code() == Code::data_loss);
}

TEST_CASE("held rows: of another dataset or damaged are an error") {
  HeldRows held;
  held.hold(sample(), 0);
  Archive saved;
  held.state(saved, Spec::tensor(DType::int64));
  std::string bytes = saved.take();
  for (const Spec& other :
       {Spec::tensor(DType::int32), Spec::tensor(DType::int64, Shape{2}), Spec::tensor(DType::string)}) {
    HeldRows loaded;
    Archive archive(bytes);
    loaded.state(archive, other);
    archive.finish();
    CHECK_FALSE(archive.status().ok());
  }
}

}  // namespace
}  // namespace weir
