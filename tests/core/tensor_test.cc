#include "core/tensor.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

TEST_CASE("Rows of a tensor share its buffer") {
  Tensor tensor = Tensor::allocate(DType::int32, Shape{3, 2});
  for (int i = 0; i < 6; ++i) tensor.as<int32_t>()[i] = i;
  CHECK(reinterpret_cast<uintptr_t>(tensor.data) % kAlignment == 0);
  Tensor row = tensor.row(2);
  CHECK(row.shape == Shape{2});
  CHECK(row.as<int32_t>()[1] == 5);
  CHECK(row.buffer == tensor.buffer);
  Tensor rows = tensor.rows(1, 2);
  CHECK(rows.shape == Shape{2, 2});
  CHECK(rows.as<int32_t>()[0] == 2);
  CHECK(tensor.rows(3, 0).count() == 0);
  CHECK(tensor.reshaped(Shape{6}).entries<int32_t>()[5] == 5);
}

TEST_CASE("Strings lie in one buffer") {
  const std::string_view values[] = {"one", "", std::string_view("t\0o", 3)};
  Tensor tensor = Tensor::strings(values, Shape{3});
  for (int i = 0; i < 3; ++i) CHECK(tensor.as<Str>()[i].view() == values[i]);
  CHECK(tensor.byte_size() == 3 * sizeof(Str));
  CHECK(Tensor::string("x").shape == Shape());
  Tensor copy = deep_copy(tensor.row(2));
  CHECK(copy.buffer->unique());
  tensor = Tensor();
  CHECK(copy.as<Str>()->view() == values[2]);
}

TEST_CASE("A tensor's memory can be marked as lasting, that of its strings as well") {
  Tensor tensor = Tensor::string("x");
  tensor.owners = make_ref<Owners>();
  BufferRef bytes = Buffer::allocate(1);
  tensor.owners->list = {bytes, make_ref<Owners>()};
  tensor.set_lasting();
  CHECK(tensor.buffer->lasting());
  CHECK(bytes->lasting());
  Tensor().set_lasting();
}

TEST_CASE("bit_equal compares dtype, shape and bits") {
  CHECK(bit_equal(Tensor::string("ab"), Tensor::string("ab")));
  CHECK(!bit_equal(Tensor::string("ab"), Tensor::string("ac")));
  CHECK(!bit_equal(Tensor::scalar<int32_t>(1), Tensor::scalar<uint32_t>(1)));
  CHECK(!bit_equal(Tensor::scalar(0.0), Tensor::scalar(-0.0)));
  Tensor nan = Tensor::scalar(0.0 / 0.0 * 1.0);
  CHECK(bit_equal(nan, deep_copy(nan)));
  Tensor one = Tensor::scalar<int64_t>(1);
  CHECK(!bit_equal(one, one.reshaped(Shape{1})));
  Tensor none = Tensor::allocate(DType::int8, Shape{0});
  CHECK(bit_equal(none, deep_copy(none)));
}

}  // namespace
}  // namespace weir
