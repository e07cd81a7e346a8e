// resize, crop, central_crop, pad_to and rot90.
#include "core/cpu.h"
#include "expr/harness.h"

namespace weir::test {

namespace {

// 2 by 3 pixels of one channel.
const std::string kSmall = "[[[1.0], [2.0], [4.0]], [[8.0], [16.0], [32.0]]]";

}  // namespace

TEST_CASE("resize: bilinear") {
  Lab lab;
  lab.check("x -> resize(x, [2, 2])", {"reshape(float32(arange(12)), [3, 4, 1])"},
            {"[[[1.5], [3.5]], [[7.5], [9.5]]]"}, "float32[2, 2, 1]");
  // The same size changes nothing but the dtype.
  lab.check("x -> resize(x, [2, 3])", {"uint8(" + kSmall + ")"}, {kSmall}, "float32[2, 3, 1]");
  // One pixel is all there is to choose from.
  lab.check("x -> resize(x, [2, 3])", {"[[[7.0, 8.0]]]"},
            {"[[[7.0, 8.0], [7.0, 8.0], [7.0, 8.0]], [[7.0, 8.0], [7.0, 8.0], [7.0, 8.0]]]"});
  lab.check("x -> resize(x, [1, 1])", {kSmall, "[[[3.0], [5.0]]]"}, {"[[[9.0]]]", "[[[4.0]]]"},
            "float32[1, 1, 1]");
  lab.check("x -> resize(x, [4, 1])[:, 0, 0]", {kSmall}, {"[2.0, 5.5, 12.5, 16.0]"});
}

TEST_CASE("resize: every number of channels gives what each channel alone gives") {
  Lab lab;
  for (const int channels : {2, 3, 4, 5}) {
    for (const char* method : {"bilinear", "area", "bicubic"}) {
      for (const char* antialias : {"false", "true"}) {
        for (const char* size : {"[5, 9]", "[2, 3]", "[1, 1]", "[4, 7]"}) {
          const std::string c = std::to_string(channels);
          const std::string call =
              std::string(", ") + size + ", method: \"" + method + "\", antialias: " + antialias + ")";
          lab.check("x -> all(resize(x" + call + "[..., 1:2] == resize(x[..., 1:2]" + call + ")",
                    {"float32(reshape(arange(28 * " + c + ") * 7 % 31, [4, 7, " + c + "]))"}, {"true"});
        }
      }
    }
  }
}

TEST_CASE("resize: every dtype") {
  Lab lab;
  const std::string image = "([[[0], [10]], [[20], [30]]])";
  for (const char* dtype : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                            "float16", "bfloat16", "float32", "float64"}) {
    INFO(dtype);
    lab.check(
        "x -> (resize(x, [1, 1]), resize(x, [1, 1], \"area\"), resize(x, [1, 2], \"bicubic\")[0, :, 0] - 15.0 < 9.0)",
        {dtype + image}, {"([[[15.0]]], [[[15.0]]], [true, true])"});
    lab.check("x -> resize(x, [1, 1], method: \"nearest\")", {dtype + image},
              {std::string(dtype) + "([[[30]]])"});
  }
  lab.check("x -> resize(x, [1, 3], method: \"nearest\")", {"[[[\"a\"], [\"b\"]]]"},
            {"[[[\"a\"], [\"b\"], [\"b\"]]]"}, "string[1, 3, 1]");
  lab.check("x -> resize(x, [1, 1], method: \"nearest\")", {"[[[true], [false]]]"}, {"[[[false]]]"},
            "bool[1, 1, 1]");
  lab.refuse("x -> resize(x, [1, 1])", "[[[true]]]", "expected an image of integers or floats, found bool");
}

TEST_CASE("resize: bytes give what floats give, at every level of the processor") {
  Lab lab;
  const CpuLevel best = cpu_level();
  for (const CpuLevel level : {CpuLevel::baseline, best}) {
    limit_cpu_level(level);
    for (const char* size : {"[5, 9]", "[3, 4]", "[2, 1]", "[1, 1]", "[11, 2]", "[4, 7]"}) {
      for (const char* channels : {"1", "3", "4"}) {
        const std::string call = std::string(", ") + size + ")";
        lab.check(
            "x -> all(resize(x" + call + " == resize(float32(x)" + call + ")",
            {"uint8(reshape(arange(28 * " + std::string(channels) + ") * 37 % 256, [4, 7, " + channels +
                 "]))",
             "uint8(reshape(arange(3 * " + std::string(channels) + ") * 91 % 256, [3, 1, " + channels + "]))",
             "uint8(reshape(arange(6 * " + std::string(channels) + ") * 53 % 256, [3, 2, " + channels +
                 "]))"},
            {"true", "true", "true"});
      }
    }
  }
  limit_cpu_level(best);
}

TEST_CASE("resize: nearest, up and down") {
  Lab lab;
  lab.check("x -> resize(x, [4, 2], method: \"nearest\")[..., 0]", {"reshape(arange(6), [2, 3, 1])"},
            {"[[0, 2], [0, 2], [3, 5], [3, 5]]"}, "int64[4, 2]");
  lab.check("x -> resize(x, [1, 6], method: \"nearest\")[0]", {"reshape(arange(8), [2, 2, 2])"},
            {"[[4, 5], [4, 5], [4, 5], [6, 7], [6, 7], [6, 7]]"});
}

TEST_CASE("resize: area covers each pixel once") {
  Lab lab;
  lab.check("x -> (resize(x, [1, 2], method: \"area\")[..., 0], resize(x, [1, 1], method: \"area\"))",
            {"reshape(float32(arange(12)), [3, 4, 1])"}, {"([[4.5, 6.5]], [[[5.5]]])"});
  lab.check("x -> resize(x, [4, 4], method: \"area\")[..., 0]", {"[[[1.0], [2.0]], [[3.0], [4.0]]]"},
            {"[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0], [3.0, 3.0, 4.0, 4.0]]"});
  lab.check("x -> abs(mean(resize(x, [3, 5], method: \"area\")) - mean(x)) < 1e-4",
            {"reshape(float32(arange(77) * 5 % 13), [7, 11, 1])"}, {"true"});
}

TEST_CASE("resize: antialiasing averages, and interpolates as usual where it enlarges") {
  Lab lab;
  // Weights of 3, 3 and 1 parts in 7.
  lab.check("x -> max(abs(resize(x, [1, 2], antialias: true)[0, :, 0] - [8.0 / 7.0, 48.0 / 7.0])) < 1e-6",
            {"[[[0.0], [0.0], [8.0], [8.0]]]"}, {"true"});
  for (const char* method : {"bilinear", "bicubic"}) {
    const std::string call = std::string(", [7, 9], method: \"") + method + "\"";
    lab.check("x -> max(abs(resize(x" + call + ", antialias: true) - resize(x" + call + "))) < 0.05",
              {"reshape(float32(arange(12) * 5 % 13), [3, 4, 1])"}, {"true"});
    lab.check("x -> max(abs(resize(x, [3, 2], method: \"" + std::string(method) +
                  "\", antialias: true) - 5.0)) < 1e-5",
              {"full([16, 17, 3], 5.0)"}, {"true"});
  }
}

TEST_CASE("resize: sizes and images that differ between rows, beside some that fail") {
  Lab lab;
  lab.check("(x, n) -> resize(x, [n, 2 * n])[:, :, 0]",
            {"([[[1.0], [2.0]], [[3.0], [4.0]]], 1)", "([[[1.0], [2.0]], [[3.0], [4.0]]], 2)",
             "([[[1.0], [2.0]], [[3.0], [4.0]]], 0)", "([[[5.0], [6.0]], [[7.0], [8.0]]], 1)",
             "([[[6.0]]], 1)", "(zeros([0, 2, 1]), 1)", "(zeros([2, 2, 0]), 1)"},
            {"[[2.0, 3.0]]", "[[1.0, 1.25, 1.75, 2.0], [3.0, 3.25, 3.75, 4.0]]", "error", "[[6.0, 7.0]]",
             "[[6.0, 6.0]]", "error", "error"},
            "float32[?, ?]");
  lab.check("(x, s) -> resize(x, s)[0]",
            {"([[[1.0]]], [1, 1])", "([[[1.0]]], [1])", "([[[1.0]]], [1, 1, 1])"},
            {"[[1.0]]", "error", "error"});
  lab.check("b -> resize(b, [1, 1])", {"reshape(float32(arange(8)), [2, 2, 2, 1])", "zeros([0, 2, 2, 1])"},
            {"[[[[1.5]]], [[[5.5]]]]", "zeros([0, 1, 1, 1])"}, "float32[?, 1, 1, 1]");
  lab.refuse("x -> resize(x, [2, 2])", "[1.0, 2.0]",
             "expected an image [height, width, channels] or a batch");
  lab.refuse("x -> resize(x, [2, 0])", kSmall, "found 0");
  lab.refuse("x -> resize(x, [2])", kSmall, "expected a size [h, w]");
  lab.refuse("x -> resize(x, [2, 2], method: \"lanczos\")", kSmall, "found \"lanczos\"");
}

TEST_CASE("crop") {
  Lab lab;
  const std::string nine = "reshape(arange(9), [3, 3, 1])";
  lab.check("(x, y) -> crop(x, y, 1, 2, 2)[..., 0]",
            {"(" + nine + ", 0)", "(" + nine + ", 1)", "(" + nine + ", 2)", "(" + nine + ", -1)"},
            {"[[1, 2], [4, 5]]", "[[4, 5], [7, 8]]", "error", "error"}, "int64[2, 2]");
  lab.check("(x, h, w) -> crop(x, 0, 0, h, w)[..., 0]",
            {"(" + nine + ", 1, 3)", "(" + nine + ", 3, 1)", "(" + nine + ", 0, 1)", "(" + nine + ", 1, 4)",
             "(" + nine + ", 1, 9223372036854775807)"},
            {"[[0, 1, 2]]", "[[0], [3], [6]]", "error", "error", "error"}, "int64[?, ?]");
  lab.check("x -> crop(x, 1, 0, 1, 2)",
            {"[[[\"a\", \"b\"], [\"c\", \"d\"]], [[\"e\", \"f\"], [\"g\", \"h\"]]]"},
            {"[[[\"e\", \"f\"], [\"g\", \"h\"]]]"}, "string[1, 2, 2]");
  lab.check("b -> crop(b, 0, 1, 2, 1)", {"reshape(int16(arange(8)), [2, 2, 2, 1])"},
            {"int16([[[[1]], [[3]]], [[[5]], [[7]]]])"});
  // An image that all rows share.
  lab.check("i -> crop(reshape(arange(9), [3, 3, 1]), i, 0, 1, 2)[0, :, 0]", {"0", "1", "2", "3"},
            {"[0, 1]", "[3, 4]", "[6, 7]", "error"});
  lab.refuse("x -> crop(x, 1, 1, 2, 2)", "zeros([2, 2, 1])",
             "within the image of 2 by 2 pixels, found y: 1, x: 1, h: 2, w: 2");
  lab.refuse("x -> crop(x, 0, 0, 0, 2)", "zeros([2, 2, 1])", "found y: 0, x: 0, h: 0, w: 2");
  lab.refuse("x -> crop(x, 0, 0, 1, 1)", "zeros([2, 2])", "expected an image");
  lab.refuse("(x, y) -> crop(x, y, 3, 1, 1)", "(zeros([2, 2, 1]), 0)", "found y: ?, x: 3, h: 1, w: 1");
}

TEST_CASE("central_crop") {
  Lab lab;
  const std::string image = "reshape(arange(35), [5, 7, 1])";
  lab.check(
      "x -> (central_crop(x, 0.5)[..., 0], central_crop(x, 0.3)[..., 0])", {image},
      {"([[8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]], [[9, 10, 11], [16, 17, 18], [23, 24, 25]])"},
      "(int64[3, 5], int64[3, 3])");
  lab.check(
      "(x, f) -> shape(central_crop(x, f))",
      {"(" + image + ", float64(1.0))", "(" + image + ", float64(0.5))", "(" + image + ", float64(0.0))",
       "(" + image + ", float64(1.1))", "(" + image + ", float64(nan))", "(" + image + ", float64(0.001))",
       "(zeros([0, 2, 1], dtype: int64), float64(0.5))"},
      {"[5, 7, 1]", "[3, 5, 1]", "error", "error", "error", "[1, 1, 1]", "[0, 2, 1]"});
  lab.check("b -> central_crop(b, 0.5)[..., 0]", {"reshape(uint8(arange(18)), [2, 3, 3, 1])"},
            {"uint8(reshape(arange(18), [2, 3, 3]))"});
  lab.refuse("x -> central_crop(x, 0.0)", image, "expected a fraction above 0 and at most 1");
  lab.refuse("x -> central_crop(x, 1.5)", image, "expected a fraction above 0 and at most 1");
}

TEST_CASE("pad_to") {
  Lab lab;
  lab.check(
      "(x, y) -> pad_to(x, y, 1, 3, 3)[..., 0]",
      {"([[[1], [2]]], 0)", "([[[1], [2]]], 2)", "([[[1], [2]]], 3)", "([[[3], [4], [5]]], 0)",
       "([[[3], [4]]], -1)"},
      {"[[0, 1, 2], [0, 0, 0], [0, 0, 0]]", "[[0, 0, 0], [0, 0, 0], [0, 1, 2]]", "error", "error", "error"},
      "int64[3, 3]");
  lab.check("(x, h) -> pad_to(x, 0, 0, h, 2)", {"([[[\"a\"]]], 1)", "([[[\"b\"]]], 2)", "([[[\"c\"]]], 0)"},
            {"[[[\"a\"], [\"\"]]]", "[[[\"b\"], [\"\"]], [[\"\"], [\"\"]]]", "error"}, "string[?, 2, 1]");
  lab.check("b -> pad_to(b, 1, 0, 2, 1)", {"[[[[1.5, 2.0]]], [[[3.0, 4.0]]]]"},
            {"[[[[0.0, 0.0]], [[1.5, 2.0]]], [[[0.0, 0.0]], [[3.0, 4.0]]]]"});
  lab.check("x -> pad_to(x, 1, 1, 2, 2)[..., 0]", {"zeros([0, 1, 1])"}, {"zeros([2, 2])"});
  lab.refuse("x -> pad_to(x, 0, 0, 1, 1)", "zeros([1, 2, 1])", "holds the image of 1 by 2 pixels");
  lab.refuse("(x, y) -> pad_to(x, y, 0, 1, 1)", "(zeros([1, 2, 1]), 0)", "found y: ?, x: 0, h: 1, w: 1");
}

TEST_CASE("rot90") {
  Lab lab;
  const std::string image = "reshape(arange(6), [2, 3, 1])";
  lab.check("(x, k) -> rot90(x, k)[..., 0]",
            {"(" + image + ", 0)", "(" + image + ", 1)", "(" + image + ", 2)", "(" + image + ", 3)",
             "(" + image + ", 4)", "(" + image + ", -1)"},
            {"[[0, 1, 2], [3, 4, 5]]", "[[2, 5], [1, 4], [0, 3]]", "[[5, 4, 3], [2, 1, 0]]",
             "[[3, 0], [4, 1], [5, 2]]", "[[0, 1, 2], [3, 4, 5]]", "[[3, 0], [4, 1], [5, 2]]"},
            "int64[?, ?]");
  lab.check("x -> rot90(x)", {"[[[\"a\", \"b\"], [\"c\", \"d\"]]]", "[[[\"e\", \"f\"], [\"g\", \"h\"]]]"},
            {"[[[\"c\", \"d\"]], [[\"a\", \"b\"]]]", "[[[\"g\", \"h\"]], [[\"e\", \"f\"]]]"},
            "string[2, 1, 2]");
  lab.check("b -> rot90(b, k: 2)[..., 0]", {"reshape(uint8(arange(8)), [2, 2, 2, 1])"},
            {"uint8([[[3, 2], [1, 0]], [[7, 6], [5, 4]]])"}, "uint8[2, 2, 2]");
  lab.check("x -> rot90(x)", {"zeros([0, 3, 2])"}, {"zeros([3, 0, 2])"}, "float32[3, 0, 2]");
  lab.refuse("x -> rot90(x)", "zeros([2, 2])", "expected an image");
}

TEST_CASE("images whose rank only the element tells") {
  Lab lab;
  const std::string wide = "encode_png(uint8([[[1], [2], [3], [4]]]))";
  const std::string high = "encode_png(uint8([[[5]], [[6]]]))";
  lab.check("s -> resize(decode_image(s), [1, 1])", {wide, high}, {"[[[2.5]]]", "[[[5.5]]]"}, "float32[...]");
  lab.check("s -> crop(decode_image(s), 0, 1, 1, 1)", {wide, high}, {"uint8([[[2]]])", "error"},
            "uint8[...]");
  lab.check("s -> pad_to(decode_image(s), 0, 0, 1, 4)", {wide, high},
            {"uint8([[[1], [2], [3], [4]]])", "error"});
  lab.check("s -> central_crop(decode_image(s), 0.5)", {wide, high},
            {"uint8([[[2], [3]]])", "uint8([[[5]], [[6]]])"}, "uint8[...]");
  lab.check("s -> rot90(decode_image(s))", {high}, {"uint8([[[5], [6]]])"}, "uint8[...]");
  lab.check("s -> decode_png(encode_png(decode_image(s)))", {high}, {"uint8([[[5]], [[6]]])"});
  lab.check("s -> standardize(decode_image(s))", {high}, {"standardize([[[5.0]], [[6.0]]])"}, "float32[...]");
}

}  // namespace weir::test
