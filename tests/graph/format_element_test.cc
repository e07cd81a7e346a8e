#include "graph/format_element.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "graph/format_block.h"

namespace weir {
namespace {

template <class T>
Tensor tensor_of(std::initializer_list<T> values, const Shape& shape) {
  Tensor out = Tensor::allocate(dtype_of<T>, shape);
  std::copy(values.begin(), values.end(), out.as<T>());
  return out;
}

std::string printed(const Spec& spec, const Components& row) {
  auto text = format_element(spec, row);
  REQUIRE(text.ok());
  return *text;
}

TEST_CASE("Floats print with the fewest digits that read back", "[format]") {
  struct Row {
    double value;
    const char* text;
  };
  for (const Row& row :
       {Row{0.1, "0.1"}, Row{0.0, "0.0"}, Row{-0.0, "-0.0"}, Row{1, "1.0"}, Row{1e-4, "0.0001"},
        Row{1e-5, "1e-05"}, Row{1.5e-5, "1.5e-05"}, Row{1e15, "1000000000000000.0"}, Row{1e16, "1e+16"},
        Row{123456.789, "123456.789"}, Row{1e100, "1e+100"}, Row{1.0 / 3, "0.3333333333333333"},
        Row{std::numeric_limits<double>::infinity(), "inf"},
        Row{-std::numeric_limits<double>::infinity(), "-inf"},
        Row{std::numeric_limits<double>::quiet_NaN(), "nan"}, Row{5e-324, "5e-324"}}) {
    REQUIRE(format_float(row.value) == row.text);
  }
  REQUIRE(format_float(16777216.0F) == "16777216.0");
  REQUIRE(format_float(0.1F) == "0.1");
  REQUIRE(format_float(1e20F) == "1e+20");
  REQUIRE(format_float(to_float16(65504.0)) == "65500.0");
  REQUIRE(format_float(to_float16(0.1)) == "0.1");
  REQUIRE(format_float(to_float16(1.0 / 3)) == "0.3333");
  REQUIRE(format_float(to_float16(5.9604645e-8)) == "6e-08");
  REQUIRE(format_float(to_bfloat16(3.14159F)) == "3.14");
  REQUIRE(format_float(to_bfloat16(-1.0F)) == "-1.0");
}

TEST_CASE("Every float16 reads back from its text", "[format]") {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    Float16 value{static_cast<uint16_t>(bits)};
    REQUIRE(to_float16(std::stod(format_float(value))).bits == bits);
  }
}

TEST_CASE("Tensors print as nested lists, empty ones with a shape that brackets would lose", "[format]") {
  struct Row {
    Shape shape;
    const char* text;
  };
  for (const Row& row :
       {Row{{0}, "[]"}, Row{{2, 0}, "[[], []]"}, Row{{0, 3}, "zeros([0, 3])"},
        Row{{2, 0, 3}, "zeros([2, 0, 3])"}, Row{{1, 2, 0}, "[[[], []]]"}, Row{{0, 0}, "zeros([0, 0])"}}) {
    REQUIRE(printed(Spec::tensor(DType::float32, row.shape), {Tensor::allocate(DType::float32, row.shape)}) ==
            row.text);
  }
  REQUIRE(printed(Spec::tensor(DType::int64, {2, 2}), {tensor_of<int64_t>({1, 2, -3, 4}, {2, 2})}) ==
          "[[1, 2], [-3, 4]]");
  REQUIRE(printed(Spec::tensor(DType::boolean, {2}), {tensor_of<bool>({true, false}, {2})}) ==
          "[true, false]");
  REQUIRE(printed(Spec::tensor(DType::uint8, {1}), {tensor_of<uint8_t>({200}, {1})}) == "[200]");
  REQUIRE(printed(Spec::tensor(DType::complex64), {Tensor::scalar(std::complex<float>(1, -2))}) ==
          "(1.0-2.0j)");
  REQUIRE(printed(Spec::tensor(DType::complex128), {Tensor::scalar(std::complex<double>(1, 2))}) ==
          "(1.0+2.0j)");
  REQUIRE(printed(Spec::tensor(DType::string), {Tensor::string("a\"\n\xc3\xa9")}) == R"("a\"\n\xc3\xa9")");
}

TEST_CASE("Structures print as they are written", "[format]") {
  Spec number = Spec::tensor(DType::int64);
  Tensor one = Tensor::scalar<int64_t>(1);
  Tensor two = Tensor::scalar<int64_t>(2);
  REQUIRE(printed(Spec::tuple({number, number}), {one, two}) == "(1, 2)");
  REQUIRE(printed(Spec::tuple({number}), {one}) == "(1,)");
  REQUIRE(printed(Spec::tuple({}), {}) == "()");
  REQUIRE(printed(Spec::dict({"b", "user/id"}, {number, Spec::tuple({number})}), {one, two}) ==
          "{b: 1, \"user/id\": (2,)}");

  Spec sparse = number;
  sparse.kind = Spec::Kind::sparse;
  sparse.shape = {2, 3};
  REQUIRE(printed(sparse, {tensor_of<int64_t>({0, 1}, {1, 2}), tensor_of<int64_t>({5}, {1}),
                           tensor_of<int64_t>({2, 3}, {2})}) ==
          "sparse(indices: [[0, 1]], values: [5], shape: [2, 3])");
  Spec ragged = number;
  ragged.kind = Spec::Kind::ragged;
  REQUIRE(printed(ragged, {tensor_of<int64_t>({1, 2, 3}, {3}), tensor_of<int64_t>({0, 1, 1, 3}, {4})}) ==
          "ragged([[1], [], [2, 3]])");
}

TEST_CASE("Optionals show their value, and what follows one without is not lost", "[format]") {
  Spec optional;
  optional.kind = Spec::Kind::optional;
  optional.children = {Spec::tensor(DType::int64)};
  Spec pair = Spec::tuple({optional, Spec::tensor(DType::int64)});
  Tensor one = Tensor::scalar<int64_t>(1);
  Tensor two = Tensor::scalar<int64_t>(2);
  REQUIRE(printed(pair, {Tensor::scalar(true), one, two}) == "(some(1), 2)");
  REQUIRE(printed(pair, {Tensor::scalar(false), one, two}) == "(none, 2)");
}

class TwoElements : public NestedPrinter {
 public:
  Status drain(const NestedDataset&, const Spec& element, std::vector<std::string>& out) override {
    if (fails) return data_loss("torn");
    out = {element.to_string(), "7"};
    return {};
  }
  bool fails = false;
};

TEST_CASE("Nested datasets are drained, and their failure is the element's", "[format]") {
  Spec nested = Spec::dataset(Spec::tensor(DType::int64));
  Components row = {dataset_tensor(make_ref<NestedDataset>(nullptr, nullptr))};
  TwoElements printer;
  REQUIRE(*format_element(nested, row, &printer) == "dataset([int64, 7])");
  printer.fails = true;
  REQUIRE(format_element(nested, row, &printer).status().code() == Code::data_loss);
}

TEST_CASE("An element whose text would be too long is refused before it is written", "[format]") {
  constexpr int64_t kRows = int64_t{1} << 40;
  const Spec endless = Spec::tensor(DType::float32, Shape{kRows, kRows, 0});
  const Tensor empty = Tensor::allocate(DType::float32, Shape{kRows, 0});
  CHECK(format_element(Spec::tensor(DType::float32, empty.shape), {empty}).status().code() ==
        Code::resource_exhausted);
  CHECK(text_exceeds(endless.shape, kMaxElementText));
  CHECK_FALSE(text_exceeds(Shape{0, kRows}, kMaxElementText));

  const Spec spec = Spec::tensor(DType::int64, Shape{3});
  const Tensor long_entries = tensor_of<int64_t>({1000, 1000, 1000}, {3});
  CHECK(format_element(spec, {long_entries}, nullptr, 18).ok());
  CHECK(format_element(spec, {long_entries}, nullptr, 17).status().code() == Code::resource_exhausted);
}

TEST_CASE("Parts of blocks that are no dense tensors print row by row", "[format]") {
  const Spec ragged = Spec::ragged(DType::int64, {kUnknownDim, kUnknownDim});
  const Spec sparse = Spec::sparse(DType::int64, {4});
  const Spec optional = Spec::optional(Spec::tuple({Spec::tensor(DType::int64), ragged}));
  const Spec all = Spec::dict({"x", "r", "s", "o"}, {Spec::tensor(DType::int64), ragged, sparse, optional});
  const Tensor values = tensor_of<int64_t>({1, 2, 3, 4}, {2, 2});
  const Tensor splits = tensor_of<int64_t>({0, 0, 2, 0, 1, 2}, {2, 3});
  const Components block = {tensor_of<int64_t>({8, 9}, {2}),
                            values,
                            splits,
                            tensor_of<int64_t>({3, 0}, {2, 1, 1}),
                            tensor_of<int64_t>({5, 6}, {2, 1}),
                            tensor_of<int64_t>({4, 4}, {2, 1}),
                            tensor_of<bool>({true, false}, {2}),
                            tensor_of<int64_t>({7, 0}, {2}),
                            values,
                            splits};
  CHECK(
      *format_block(all, block, 2) ==
      "{x: [8, 9], r: [ragged([[], [1, 2]]), ragged([[3], [4]])], "
      "s: [sparse(indices: [[3]], values: [5], shape: [4]), sparse(indices: [[0]], values: [6], shape: [4])], "
      "o: [some((7, ragged([[], [1, 2]]))), none]}");
  const Components bad = {values, tensor_of<int64_t>({0, 2, 2, 0, 1, 1}, {2, 3})};
  CHECK(format_block(ragged, bad, 2).status().code() == Code::invalid_argument);
}

}  // namespace
}  // namespace weir
