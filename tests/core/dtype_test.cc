#include "core/dtype.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

namespace weir {
namespace {

TEST_CASE("Names and sizes of dtypes") {
  for (int i = 1; i <= static_cast<int>(DType::string); ++i) {
    auto dtype = static_cast<DType>(i);
    CHECK(dtype_from_name(dtype_name(dtype)) == dtype);
  }
  CHECK(!dtype_from_name("dataset"));
  CHECK(!dtype_from_name("invalid"));
  CHECK(!dtype_from_name("float"));
  CHECK(dtype_size(DType::complex128) == 16);
  CHECK(dtype_size(DType::string) == sizeof(Str));
  CHECK(dtype_size(DType::boolean) == 1);
}

TEST_CASE("Every half survives the way to float and back") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const BFloat16 brain{static_cast<uint16_t>(bits)};
    const float from_half = to_float(half);
    const float from_brain = to_float(brain);
    if (std::isnan(from_half)) {
      CHECK(std::isnan(to_float(to_float16(from_half))));
    } else if (to_float16(from_half).bits != bits) {
      FAIL("float16 " << bits);
    }
    if (std::isnan(from_brain)) {
      CHECK(std::isnan(to_float(to_bfloat16(from_brain))));
    } else if (to_bfloat16(from_brain).bits != bits) {
      FAIL("bfloat16 " << bits);
    }
  }
}

TEST_CASE("Rounding goes to the nearest, ties to even") {
  CHECK(to_float16(1.0f + 0x1p-11f).bits == 0x3c00);
  CHECK(to_float16(1.0f + 3 * 0x1p-11f).bits == 0x3c02);
  // Rounded once: through float it would be a tie.
  CHECK(to_float16(1.0 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
  CHECK(to_float16(65519.0f).bits == 0x7bff);
  CHECK(to_float16(65520.0f).bits == 0x7c00);
  CHECK(to_float16(-1e30f).bits == 0xfc00);
  CHECK(to_float16(0x1p-25f).bits == 0);
  CHECK(to_float16(0x1.8p-25f).bits == 1);
  CHECK(to_float16(-0.0f).bits == 0x8000);
  CHECK(to_float16(std::nextafter(0x1p-14, 0.0)).bits == 0x0400);
  CHECK(to_bfloat16(1.0f + 0x1p-8f).bits == 0x3f80);
  CHECK(to_bfloat16(1.0f + 3 * 0x1p-8f).bits == 0x3f82);
  CHECK(to_bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
}

}  // namespace
}  // namespace weir
