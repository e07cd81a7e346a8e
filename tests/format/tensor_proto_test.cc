#include "format/tensor_proto.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "core/text.h"
#include "format/wire_writer.h"

namespace weir {

namespace {

std::string varint(uint64_t value) {
  std::string out(varint_bytes(value), '\0');
  write_varint(out.data(), value);
  return out;
}

std::string number_field(uint32_t bytes_field, uint64_t value) {
  return varint(wire_tag(bytes_field, WireType::varint)) + varint(value);
}

std::string bytes_field(uint32_t number, const std::string& bytes) {
  return varint(wire_tag(number, WireType::delimited)) + varint(bytes.size()) + bytes;
}

template <class T>
std::string fixed(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A message of that dtype number and shape, with these fields after them.
std::string message(uint64_t dtype, const std::vector<int64_t>& dims, const std::string& values) {
  std::string shape;
  for (int64_t dim : dims) shape += bytes_field(2, number_field(1, static_cast<uint64_t>(dim)));
  return number_field(1, dtype) + bytes_field(2, shape) + values;
}

template <class T>
std::vector<T> read(const std::string& bytes, DType dtype) {
  TensorMessage opened;
  Status status = open_tensor(bytes, opened);
  if (!status.ok()) FAIL(status.error().message);
  REQUIRE(opened.dtype == dtype);
  std::vector<T> out(static_cast<size_t>(opened.shape.count()));
  status = read_tensor(opened, out.data());
  if (!status.ok()) FAIL(status.error().message);
  return out;
}

// How opening or reading it fails; "" if it does not.
std::string why_not(const std::string& bytes) {
  TensorMessage opened;
  Status status = open_tensor(bytes, opened);
  std::vector<uint64_t> room(1000);
  if (status.ok()) {
    REQUIRE(opened.shape.count() <= 500);
    status = read_tensor(opened, room.data());
  }
  if (status.ok()) return "";
  CHECK(status.code() == Code::invalid_argument);
  return status.error().message;
}

}  // namespace

TEST_CASE("TensorProto lists of numbers, packed or not") {
  CHECK(read<float>(message(1, {2}, bytes_field(5, fixed(1.5f) + fixed(-2.f))), DType::float32) ==
        std::vector<float>{1.5f, -2.f});
  const std::string single = varint(wire_tag(5, WireType::fixed32)) + fixed(3.f);
  CHECK(read<float>(message(1, {3}, bytes_field(5, fixed(1.5f)) + single + single), DType::float32) ==
        std::vector<float>{1.5f, 3.f, 3.f});
  CHECK(read<double>(message(2, {1, 1}, bytes_field(6, fixed(0.1))), DType::float64) ==
        std::vector<double>{0.1});
  const std::string minus_one = varint(static_cast<uint64_t>(-1));
  CHECK(read<int32_t>(message(3, {2}, bytes_field(7, varint(7) + minus_one)), DType::int32) ==
        std::vector<int32_t>{7, -1});
  CHECK(read<uint8_t>(message(4, {2}, number_field(7, 255) + number_field(7, 1)), DType::uint8) ==
        std::vector<uint8_t>{255, 1});
  CHECK(read<int16_t>(message(5, {1}, bytes_field(7, minus_one)), DType::int16) == std::vector<int16_t>{-1});
  CHECK(read<int8_t>(message(6, {1}, bytes_field(7, minus_one)), DType::int8) == std::vector<int8_t>{-1});
  CHECK(read<int64_t>(message(9, {2}, bytes_field(10, minus_one + varint(300))), DType::int64) ==
        std::vector<int64_t>{-1, 300});
  CHECK(read<uint8_t>(message(10, {3}, bytes_field(11, varint(1) + varint(0) + varint(256))),
                      DType::boolean) == std::vector<uint8_t>{1, 0, 1});
  CHECK(read<uint16_t>(message(14, {1}, bytes_field(13, varint(0x3fc0))), DType::bfloat16) ==
        std::vector<uint16_t>{0x3fc0});
  CHECK(read<uint16_t>(message(17, {1}, bytes_field(7, varint(65535))), DType::uint16) ==
        std::vector<uint16_t>{65535});
  CHECK(read<uint16_t>(message(19, {1}, bytes_field(13, varint(0x3800))), DType::float16) ==
        std::vector<uint16_t>{0x3800});
  CHECK(read<uint32_t>(message(22, {1}, bytes_field(16, varint(4000000000))), DType::uint32) ==
        std::vector<uint32_t>{4000000000});
  CHECK(read<uint64_t>(message(23, {1}, bytes_field(17, minus_one)), DType::uint64) ==
        std::vector<uint64_t>{UINT64_MAX});
}

TEST_CASE("TensorProto lists of complex numbers and of strings") {
  using C = std::complex<float>;
  const std::string parts = bytes_field(9, fixed(1.f) + fixed(2.f) + fixed(3.f) + fixed(4.f));
  CHECK(read<C>(message(8, {2}, parts), DType::complex64) == std::vector<C>{{1, 2}, {3, 4}});
  // The last whole one stands for those that are missing.
  CHECK(read<C>(message(8, {4}, parts + bytes_field(9, fixed(9.f))), DType::complex64) ==
        std::vector<C>{{1, 2}, {3, 4}, {3, 4}, {3, 4}});
  using D = std::complex<double>;
  CHECK(read<D>(message(18, {1}, bytes_field(12, fixed(1.5) + fixed(-2.5))), DType::complex128) ==
        std::vector<D>{{1.5, -2.5}});
  const auto views = [](const std::string& bytes) {
    std::vector<std::string> out;
    for (const Str& each : read<Str>(bytes, DType::string)) out.emplace_back(each.view());
    return out;
  };
  using Strings = std::vector<std::string>;
  CHECK(views(message(7, {2}, bytes_field(8, "a") + bytes_field(8, ""))) == Strings{"a", ""});
  CHECK(views(message(7, {3}, bytes_field(8, "ab"))) == Strings{"ab", "ab", "ab"});
  CHECK(views(message(7, {2}, "")) == Strings{"", ""});
  CHECK(views(message(7, {2}, bytes_field(4, varint(1) + varint(2) + "abc"))) == Strings{"a", "bc"});
}

TEST_CASE("TensorProto lists that are too short or too long") {
  using Numbers = std::vector<int64_t>;
  CHECK(read<int64_t>(message(9, {4}, bytes_field(10, varint(1) + varint(2))), DType::int64) ==
        Numbers{1, 2, 2, 2});
  CHECK(read<int64_t>(message(9, {2, 2}, ""), DType::int64) == Numbers{0, 0, 0, 0});
  CHECK(read<int64_t>(message(9, {1}, bytes_field(10, varint(1) + varint(2))), DType::int64) == Numbers{1});
  CHECK(read<int64_t>(message(9, {0}, bytes_field(10, varint(1))), DType::int64).empty());
  // Lists of other dtypes mean nothing.
  CHECK(read<int64_t>(message(9, {2}, bytes_field(5, fixed(1.f)) + bytes_field(10, varint(7))),
                      DType::int64) == Numbers{7, 7});
}

TEST_CASE("TensorProto fields in any order, joined and unknown") {
  const std::string content = bytes_field(4, fixed(int64_t{5}) + fixed(int64_t{6}));
  const std::string dim = bytes_field(2, bytes_field(2, number_field(1, 2)));
  const std::vector<int64_t> both = {5, 6};
  CHECK(read<int64_t>(content + dim + number_field(1, 9), DType::int64) == both);
  // Dimensions of two shapes are those of one, the last of two dtypes and contents counts.
  CHECK(read<int64_t>(number_field(1, 3) + number_field(1, 9) + dim +
                          bytes_field(2, bytes_field(2, number_field(1, 1))) + bytes_field(4, "x") + content,
                      DType::int64) == both);
  CHECK(read<int64_t>(number_field(3, 42) + bytes_field(99, "other") + message(9, {2}, content),
                      DType::int64) == both);
}

TEST_CASE("TensorProto messages that are damaged or too large") {
  CHECK(why_not("") == "expected a serialized TensorProto, found one without a dtype");
  CHECK(why_not("garbage") != "");
  CHECK(why_not(message(11, {}, "")).find("dtype number 11") != std::string::npos);
  CHECK(why_not(message(9, {-1}, "")).find("the shape") != std::string::npos);
  CHECK(why_not(message(9, {int64_t{1} << 40, int64_t{1} << 40}, "")).find("the shape") != std::string::npos);
  CHECK(why_not(message(9, {INT64_MAX}, "")).find("the shape") != std::string::npos);
  CHECK(why_not(message(9, {int64_t{1} << 25, 2}, bytes_field(10, varint(1)))).find("all entries") !=
        std::string::npos);
  CHECK(why_not(message(9, {1, 1, 1, 1, 1, 1, 1, 1}, "")) == "");
  CHECK(why_not(message(9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "")).find("more than 8 dimensions") !=
        std::string::npos);
  CHECK(why_not(number_field(1, 9) + bytes_field(2, number_field(3, 1))).find("unknown rank") !=
        std::string::npos);
  CHECK(why_not(message(9, {2}, bytes_field(4, "1234567"))) == "expected 16 bytes for int64[2], found 7");
  CHECK(why_not(message(1, {1}, bytes_field(5, "123"))).find("damaged entries") != std::string::npos);
  CHECK(why_not(message(9, {1}, bytes_field(10, "\xff"))).find("damaged entries") != std::string::npos);
  CHECK(why_not(message(7, {2}, bytes_field(4, varint(1) + varint(3) + "abc"))).find("damaged") !=
        std::string::npos);
  CHECK(why_not(message(7, {2}, bytes_field(4, varint(1) + varint(1) + "abc"))).find("damaged") !=
        std::string::npos);
  CHECK(why_not(message(7, {9}, bytes_field(4, "abc"))) != "");
}

TEST_CASE("TensorProto messages cut short or changed never read outside") {
  const std::string messages[] = {
      message(1, {2, 1}, bytes_field(5, fixed(1.5f) + fixed(-2.f))),
      message(9, {3}, bytes_field(10, varint(300)) + number_field(10, 5)),
      message(7, {2}, bytes_field(8, "abc") + bytes_field(8, "de")),
      message(7, {2}, bytes_field(4, varint(1) + varint(2) + "abc")),
      message(18, {1}, bytes_field(12, fixed(1.5) + fixed(-2.5))),
  };
  for (const std::string& whole : messages) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      for (const int change : {0, 1, 0x80, 0xff}) {
        // In memory of its own, where a sanitizer sees its end.
        std::vector<char> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        if (size != 0) bytes[size / 2] = static_cast<char>(bytes[size / 2] ^ change);
        TensorMessage opened;
        if (!open_tensor({bytes.data(), bytes.size()}, opened).ok()) continue;
        if (opened.shape.count() > 100000) continue;
        std::vector<uint8_t> room(static_cast<size_t>(opened.shape.count()) * dtype_size(opened.dtype));
        const Status status = read_tensor(opened, room.data());
        CHECK((status.ok() || status.code() == Code::invalid_argument));
      }
    }
  }
}

}  // namespace weir
