// standardize and convert_image_dtype.
#include "expr/harness.h"

namespace weir::test {

TEST_CASE("standardize: each image by itself") {
  Lab lab;
  lab.check("x -> standardize(x)[..., 0]", {"[[[1.0], [3.0]]]", "[[[5.0], [5.0]]]", "[[[-8.0], [8.0]]]"},
            {"[[-1.0, 1.0]]", "[[0.0, 0.0]]", "[[-1.0, 1.0]]"}, "float32[1, 2]");
  lab.check("b -> standardize(b)[..., 0]", {"[[[[1.0], [3.0]]], [[[10.0], [30.0]]]]"},
            {"[[[-1.0, 1.0]], [[-1.0, 1.0]]]"});
  for (const char* dtype : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                            "float16", "bfloat16", "float32", "float64"}) {
    INFO(dtype);
    lab.check("x -> standardize(x)", {dtype + std::string("([[[10, 30]]])")}, {"[[[-1.0, 1.0]]]"},
              "float32[1, 1, 2]");
  }
  // A deviation below 1/√N counts as that.
  lab.check("x -> standardize(x)", {"[[[0.0], [0.25], [0.0], [0.25]]]"},
            {"[[[-0.25], [0.25], [-0.25], [0.25]]]"});
  lab.check("x -> standardize(x)", {"zeros([0, 2, 1])", "[[[nan], [1.0]]]"},
            {"zeros([0, 2, 1])", "[[[nan], [nan]]]"});
  lab.refuse("x -> standardize(x)", "[[1.0]]", "expected an image [height, width, channels]");
  lab.refuse("x -> standardize(x)", "[[[true]]]", "found bool");
}

TEST_CASE("standardize: large images keep their precision") {
  Lab lab;
  lab.check("x -> let y = standardize(x) in (abs(mean(y)) < 1e-5, abs(mean(y * y) - 1.0) < 1e-4)",
            {"reshape(float32(arange(90000) * 7 % 251) + 1000.0, [100, 300, 3])",
             "reshape(float32(arange(6)), [1, 2, 3])"},
            {"(true, true)", "(true, true)"});
}

TEST_CASE("convert_image_dtype: to and from floats") {
  Lab lab;
  lab.check("x -> convert_image_dtype(x, float32)", {"uint8([0, 51, 255])"}, {"[0.0, 0.20000002, 1.0]"},
            "float32[3]");
  lab.check("x -> convert_image_dtype(x, float64)", {"uint16([0, 65535])"}, {"float64([0.0, 1.0])"});
  lab.check("x -> convert_image_dtype(x, float16)", {"uint8([0, 255])"}, {"float16([0.0, 1.0])"});
  lab.check(
      "x -> (convert_image_dtype(x, uint8), convert_image_dtype(x, uint16), convert_image_dtype(x, int8))",
      {"[0.0, 0.2, 0.5, 1.0]", "[1.0, 0.999, -0.1, nan]"},
      {"(uint8([0, 51, 127, 255]), uint16([0, 13107, 32767, 65535]), int8([0, 25, 63, 127]))",
       "(uint8([255, 255, 231, 0]), uint16([65535, 65469, 58983, 0]), int8([127, 127, -12, 0]))"},
      "(uint8[4], uint16[4], int8[4])");
  for (const char* half : {"float16", "bfloat16"}) {
    lab.check("x -> convert_image_dtype(x, uint8)", {half + std::string("([0.0, 0.5, 1.0])")},
              {"uint8([0, 127, 255])"});
  }
  lab.check("x -> convert_image_dtype(x, int64)", {"[1.0, inf, -inf]"},
            {"[9223372036854775807, 9223372036854775807, -9223372036854775807 - 1]"});
}

TEST_CASE("convert_image_dtype: between integers, floats, and nothing") {
  Lab lab;
  lab.check(
      "x -> (convert_image_dtype(x, uint16), convert_image_dtype(x, int8), convert_image_dtype(x, int64))",
      {"uint8([0, 127, 255])"},
      {"(uint16([0, 32512, 65280]), int8([0, 63, 127]), [0, 4575657221408423936, 9187343239835811840])"});
  lab.check("x -> (convert_image_dtype(x, uint8), convert_image_dtype(x, int32))",
            {"int16([-32768, -1, 0, 32767])"},
            {"(uint8([0, 255, 0, 255]), int32([-2147483648, -65536, 0, 2147418112]))"});
  lab.check("x -> convert_image_dtype(x, uint64)", {"uint8([255])"}, {"uint64([18374686479671623680])"});
  lab.check("x -> convert_image_dtype(x, float64)", {"[0.5, 1.5]"}, {"float64([0.5, 1.5])"}, "float64[2]");
  lab.check("x -> convert_image_dtype(x, float32)", {"2.5", "-1.0"}, {"2.5", "-1.0"}, "float32");
  lab.refuse("x -> convert_image_dtype(x, bool)", "[1.0]", "expected an integer or float dtype, found bool");
  lab.refuse("x -> convert_image_dtype(x, uint8)", "[true]",
             "expected an image of integers or floats, found bool");
}

}  // namespace weir::test
