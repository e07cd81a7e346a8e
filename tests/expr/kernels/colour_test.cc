#include "expr/kernels/shared/colour.h"

#include <cmath>

#include "expr/harness.h"

namespace weir::test {

TEST_CASE("brightness is added, and integer images are held within their dtype") {
  Lab lab;
  lab.check("x -> adjust_brightness(x, 0.25)", {"[1.0, -2.0]", "[0.5, inf]"},
            {"[1.25, -1.75]", "[0.75, inf]"});
  lab.check(
      "(x, d) -> adjust_brightness(x, d)",
      {"(uint8([[[255, 0, 51]]]), 0.1)", "(uint8([[[255, 0, 51]]]), -0.3)", "(uint8([[[7, 8, 9]]]), 9.0)"},
      {"uint8([[[255, 25, 76]]])", "uint8([[[178, 0, 0]]])", "uint8([[[255, 255, 255]]])"});
  lab.check("x -> (adjust_brightness(x, 5.0), adjust_brightness(x, -5.0))", {"int32([5, -5])"},
            {"(int32([2147483520, 2147483520]), int32([-2147483648, -2147483648]))"});
  lab.check("x -> adjust_brightness(x, 0.5)", {"float16([1.0, 2.5])", "float16([0.0, -1.0])"},
            {"float16([1.5, 3.0])", "float16([0.5, -0.5])"}, "float16[2]");
  lab.check("x -> adjust_brightness(x, 0.5)", {"float64([1.0])"}, {"float64([1.5])"}, "float64[1]");
  lab.refuse("x -> adjust_brightness(x, 0.5)", "\"a\"", "integer or float dtype");
  lab.refuse("x -> adjust_brightness(x, [0.5])", "1.0", "to be a scalar");
}

TEST_CASE("contrast keeps the mean of each channel of each image") {
  Lab lab;
  lab.check("x -> adjust_contrast(x, 2.0)", {"[[[1.0, 10.0], [3.0, 20.0]]]", "[[[0.0, 1.0], [0.0, 3.0]]]"},
            {"[[[0.0, 5.0], [4.0, 25.0]]]", "[[[0.0, 0.0], [0.0, 4.0]]]"});
  lab.check("x -> adjust_contrast(x, 0.0)", {"[[[[1.0]], [[3.0]]], [[[5.0]], [[9.0]]]]"},
            {"[[[[2.0]], [[2.0]]], [[[7.0]], [[7.0]]]]"}, "float32[2, 2, 1, 1]");
  // More channels than are summed side by side, and more pixels than one round has.
  lab.check(
      "n -> let x = reshape(float32(arange(n * 201) % 7), [1, n, 201]) in max(abs(adjust_contrast(x, 0.0) - mean(x, axis: [0, 1]))) < 1e-6",
      {"1", "2", "5"}, {"true", "true", "true"});
  lab.check(
      "n -> let x = reshape(float32(arange(n * 3) % 7), [n, 1, 3]) in max(abs(adjust_contrast(x, 0.0) - mean(x, axis: [0, 1]))) < 1e-6",
      {"63", "64", "65", "200"}, {"true", "true", "true", "true"});
  lab.check("x -> adjust_contrast(x, 3.0)", {"uint8([[[0], [200], [100]]])"},
            {"uint8([[[0], [255], [100]]])"});
  lab.check("x -> adjust_contrast(x, 3.0)", {"zeros([0, 2, 3])"}, {"zeros([0, 2, 3])"});
  lab.refuse("x -> adjust_contrast(x, 2.0)", "[[1.0]]", "[height, width, channels], or more dimensions");
}

TEST_CASE("saturation and hue") {
  Lab lab;
  lab.check("x -> adjust_saturation(x, 0.0)",
            {"[[[0.5, 0.25, 0.0], [0.0, 0.0, 0.0]]]", "[[[0.0, 1.0, 0.5], [0.5, 0.5, 0.5]]]"},
            {"[[[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]]]", "[[[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]]]"});
  lab.check("x -> adjust_saturation(x, 100.0)", {"[[[0.5, 0.25, 0.375]]]"}, {"[[[0.5, 0.0, 0.25]]]"});
  lab.check("(x, d) -> adjust_hue(x, d)",
            {"([[[1.0, 0.0, 0.0]]], 0.25)", "([[[0.0, 1.0, 0.0]]], -0.5)", "([[[0.0, 0.5, 1.0]]], 3.0)",
             "([[[0.5, 0.5, 0.5]]], 0.3)", "([[[0.0, 0.0, 1.0]]], 0.5)"},
            {"[[[0.5, 1.0, 0.0]]]", "[[[1.0, 0.0, 1.0]]]", "[[[0.0, 0.5, 1.0]]]", "[[[0.5, 0.5, 0.5]]]",
             "[[[1.0, 1.0, 0.0]]]"});
  lab.check("x -> adjust_hue(x, 0.5)", {"uint8([[[255, 0, 0], [0, 255, 0]]])"},
            {"uint8([[[0, 255, 255], [255, 0, 255]]])"});
  // Nothing to crash on.
  lab.check("x -> shape(adjust_hue(x, inf) + adjust_saturation(x, nan))", {"[[[nan, 1.0, inf]]]"},
            {"[1, 1, 3]"});
  lab.refuse("x -> adjust_hue(x, 0.5)", "[[[1.0]]]", "[height, width, 3]");
  lab.check("n -> shape(adjust_saturation(zeros([1, 2, n]), 0.5))", {"3", "2", "3"},
            {"[1, 2, 3]", "error", "[1, 2, 3]"});
}

TEST_CASE("images of unknown rank are checked at the element") {
  Lab lab;
  lab.check("(v, s) -> adjust_contrast(reshape(v, s), 2)",
            {"([1.0, 3.0, 2.0], [3, 1, 1])", "([1.0, 3.0, 2.0], [3])", "([1.0, 3.0, 2.0], [1, 1, 3, 1])"},
            {"[[[0.0]], [[4.0]], [[2.0]]]", "error", "[[[[0.0], [4.0], [2.0]]]]"}, "float32[...]");
  lab.check("(v, s) -> rgb_to_grayscale(reshape(v, s))",
            {"(uint8([255, 0, 0]), [1, 3])", "(uint8([255, 0, 0]), [3, 1])", "(uint8([0, 0, 0]), [3])"},
            {"uint8([[76]])", "error", "uint8([0])"}, "uint8[...]");
  lab.check("(v, s) -> flip_left_right(reshape(v, s))",
            {"([1, 2], [1, 2, 1])", "([1, 2], [2])", "([1, 2], [1, 1, 2, 1])"},
            {"[[[2], [1]]]", "error", "[[[[2], [1]]]]"}, "int64[...]");
  lab.check("(v, s) -> adjust_brightness(reshape(v, s), 1)",
            {"([1.0], [1, 1])", "([1.0], zeros([0], int64))"}, {"[[2.0]]", "2.0"}, "float32[...]");
  lab.check("(v, s) -> size(random_crop(random_shuffle(reshape(v, s)), [1]))",
            {"([1.0, 2.0], [2])", "([1.0, 2.0], [1, 2])"}, {"1", "error"});
}

TEST_CASE("HSV and grey") {
  Lab lab;
  lab.check("x -> rgb_to_hsv(x)",
            {"[[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]]", "[[0.0, 0.0, 0.0], [0.5, 0.25, 0.5]]"},
            {"[[0.0, 1.0, 1.0], [0.33333334, 0.5, 0.5]]", "[[0.0, 0.0, 0.0], [0.8333333, 0.5, 0.5]]"});
  lab.check("x -> hsv_to_rgb(x)", {"[0.0, 1.0, 0.5]", "[0.5, 0.5, 1.0]", "[1.0, 1.0, 1.0]"},
            {"[0.5, 0.0, 0.0]", "[0.5, 1.0, 1.0]", "[1.0, 0.0, 0.0]"});
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    lab.check("x -> max(abs(hsv_to_rgb(rgb_to_hsv(x)) - x)) < 0.02",
              {dtype + "([0.9, 0.1, 0.4])", dtype + "([0.0, 1.0, 1.0])"}, {"true", "true"});
  }
  lab.check("x -> rgb_to_grayscale(x)",
            {"uint8([[255, 0, 0], [51, 102, 153]])", "uint8([[128, 128, 128], [0, 255, 0]])"},
            {"uint8([[76], [92]])", "uint8([[128], [149]])"}, "uint8[2, 1]");
  lab.check("x -> grayscale_to_rgb(x)", {"[\"a\"]", "[\"b\"]"},
            {"[\"a\", \"a\", \"a\"]", "[\"b\", \"b\", \"b\"]"});
  lab.check("n -> grayscale_to_rgb(arange(n))", {"1", "2"}, {"[0, 0, 0]", "error"});
  lab.refuse("x -> rgb_to_hsv(x)", "uint8([1, 2, 3])", "convert_image_dtype");
  lab.refuse("x -> rgb_to_grayscale(x)", "[1.0]", "a last dimension of 3, found the shape [1]");
  lab.refuse("x -> grayscale_to_rgb(x)", "1.0", "a last dimension of 1, found a scalar");
}

TEST_CASE("flips take images and batches of any dtype") {
  Lab lab;
  lab.check(
      "x -> (flip_left_right(x), flip_up_down(x))",
      {"reshape(arange(12), [2, 2, 3])", "reshape(arange(12) + 5, [2, 2, 3])"},
      {"([[[3, 4, 5], [0, 1, 2]], [[9, 10, 11], [6, 7, 8]]], [[[6, 7, 8], [9, 10, 11]], [[0, 1, 2], [3, 4, 5]]])",
       "([[[8, 9, 10], [5, 6, 7]], [[14, 15, 16], [11, 12, 13]]], [[[11, 12, 13], [14, 15, 16]], [[5, 6, 7], [8, 9, 10]]])"});
  lab.check("x -> flip_left_right(x)", {"uint8([[[1, 2], [3, 4], [5, 6]]])"},
            {"uint8([[[5, 6], [3, 4], [1, 2]]])"});
  lab.check("x -> (flip_up_down(x), flip_left_right(x))", {"reshape([\"a\", \"b\"], [1, 2, 1, 1])"},
            {"(reshape([\"b\", \"a\"], [1, 2, 1, 1]), reshape([\"a\", \"b\"], [1, 2, 1, 1]))"});
  lab.refuse("x -> flip_left_right(x)", "[[1]]", "or a batch of them");
  lab.refuse("x -> flip_left_right(x)", "zeros([1, 1, 1, 1, 1])", "or a batch of them");
}

TEST_CASE("random changes of colour are the change by a number within the bounds") {
  Lab lab;
  lab.check("x -> let y = random_brightness(x, 0.25, seed: 1) - x in (max(y) == min(y), max(abs(y)) <= 0.25)",
            {"[0.0, 0.0]", "[0.0, 0.0, 0.0]"}, {"(true, true)", "(true, true)"});
  lab.check("x -> all(random_brightness(x, 0.0) == x)", {"[0.5]"}, {"true"});
  lab.check(
      "x -> let y = random_contrast(x, 0.5, 1.5, seed: 3) in (y[0, 0, 0] + y[0, 1, 0], y[0, 0, 0] > 0.5 and y[0, 0, 0] < 1.5)",
      {"[[[1.0], [3.0]]]", "[[[1.0], [3.0]]]"}, {"(4.0, true)", "(4.0, true)"});
  lab.check("x -> let y = random_saturation(x, 0.0, 0.5, seed: 3) in (y[0, 0, 0], y[0, 0, 2] >= 0.25)",
            {"[[[0.5, 0.25, 0.0]]]"}, {"(0.5, true)"});
  lab.check("x -> let y = random_hue(x, 0.1, seed: 3) in (max(y), min(y))", {"[[[0.5, 0.25, 0.125]]]"},
            {"(0.5, 0.125)"});
  lab.check("m -> let y = random_brightness([1.0], m, seed: 3) in size(y)", {"0.5", "-1.0", "nan", "0.0"},
            {"1", "error", "error", "1"});
  lab.refuse("x -> random_brightness(x, -0.5)", "1.0", "max_delta of 0 and more");
  lab.refuse("x -> random_contrast(x, 0.5, 0.5)", "[[[1.0]]]", "high above low");
  lab.refuse("x -> random_saturation(x, -0.5, 0.5)", "[[[1.0, 1.0, 1.0]]]", "low of 0 and more");
  lab.refuse("x -> random_hue(x, 0.6)", "[[[1.0, 1.0, 1.0]]]", "from 0 to 0.5");
}

TEST_CASE("every level of the processor gives the same colours") {
  std::vector<uint8_t> in(3 * 1001);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 7919 >> 3);
  const auto compare = [&]<class Effect>(Effect) {
    std::vector<uint8_t> other(in.size()), out(in.size());
    colour::detail::baseline<Effect>(in.data(), out.data(), {1001, 3}, 0.3f);
    colour::adjust<Effect>(in.data(), other.data(), {1001, 3}, 0.3f);
    CHECK(out == other);
  };
  compare(colour::Brightness());
  compare(colour::Contrast());
  compare(colour::Saturation());
  compare(colour::Hue());
  compare(colour::RgbToGrey());
}

}  // namespace weir::test
