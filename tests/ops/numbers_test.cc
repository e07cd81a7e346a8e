#include "ops/numbers.h"

#include <limits>

#include "ops/pipelines.h"
#include "support/host_float_mode.h"

namespace weir::test {
namespace {

TEST_CASE("numbers: below zero, in every dtype that has them") {
  for (const char* dtype : {"int8", "int16", "int32", "int64"}) {
    CAPTURE(dtype);
    CHECK(run(std::string("range(-3, 2, 2, dtype: ") + dtype + ")") == Lines{"-3", "-1", "1"});
  }
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64"}) {
    CAPTURE(dtype);
    CHECK(run(std::string("range(-3, 2, 2, dtype: ") + dtype + ")") == Lines{"-3.0", "-1.0", "1.0"});
  }
}

TEST_CASE("numbers: large ones are rounded to the nearest, however the host's thread rounds") {
  // 2^24 + 1 and 2^24 + 3 lie in the middle between two floats; the even one is next.
  const std::string text = "range(16777217, 16777220, 2, dtype: float32) | map(x -> int64(x))";
  CHECK(run(text) == Lines{"16777216", "16777220"});
  WriteNumbers write_floats = write_numbers(DType::float32);
  WriteNumbers write_halves = write_numbers(DType::float16);
  for (const HostFloatMode& mode : host_float_modes()) {
    CAPTURE(mode.name);
    Column floats;
    Column halves;
    {
      HostFloatScope scope(mode);
      write_floats(floats, 16777217, 2, 2);
      // 2^11 + 1.
      write_halves(halves, 2049, 2, 2);
      CHECK(float_control() == scope.control());
    }
    CHECK(floats.tensor().as<float>()[0] == 16777216.0F);
    CHECK(floats.tensor().as<float>()[1] == 16777220.0F);
    CHECK(to_float(halves.tensor().as<Float16>()[0]) == 2048.0F);
    CHECK(to_float(halves.tensor().as<Float16>()[1]) == 2052.0F);
  }
}

TEST_CASE("numbers: none of dtypes that are no numbers") {
  for (const DType dtype : {DType::boolean, DType::string, DType::dataset, DType::invalid}) {
    CHECK(write_numbers(dtype) == nullptr);
    CHECK_FALSE(check_number_dtype(dtype).ok());
  }
  CHECK(check_number_dtype(DType::uint64).ok());
  CHECK(check_number_dtype(DType::bfloat16).ok());
}

}  // namespace
}  // namespace weir::test
