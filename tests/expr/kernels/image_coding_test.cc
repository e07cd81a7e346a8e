// The functions that decode and encode images; the decoders themselves are tested in
// tests/format/image_test.cc.
#include "expr/harness.h"

namespace weir::test {

namespace {

// A BMP of one pixel; a GIF of one frame and one of two, of a pixel each.
const std::string kBmp =
    "\"BM:\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x01\\x00\\x00\\x00"
    "\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02\\x03\\x00\"";
const std::string kGifHead = "\"GIF89a\\x02\\x00\\x02\\x00\\x80\\x00\\x00\\x0a\\x14\\x1e\\xff\\xfe\\xfd\" + ";
const std::string kFrame = "\",\\x00\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x00\\x02\\x02\\x4c\\x01\\x00\" + ";
const std::string kGif = kGifHead + kFrame + "\";\"";
const std::string kGifOfTwo = kGifHead + kFrame + kFrame + "\";\"";
const std::string kPng = "encode_png(uint8([[[1, 2, 3], [4, 5, 6]]]))";
const std::string kPngAlpha = "encode_png(uint8([[[9, 8]], [[7, 6]]]))";
const std::string kJpeg = "encode_jpeg(full([16, 24, 3], uint8(120)))";
const std::string kGrey = "encode_jpeg(full([8, 16, 1], uint8(40)))";

}  // namespace

TEST_CASE("decode_png: rows of different shapes, beside some that fail") {
  Lab lab;
  lab.check("s -> decode_png(s)", {kPng, "\"no\"", kPngAlpha, "\"\"", kPng},
            {"uint8([[[1, 2, 3], [4, 5, 6]]])", "error", "uint8([[[9, 8]], [[7, 6]]])", "error",
             "uint8([[[1, 2, 3], [4, 5, 6]]])"},
            "uint8[?, ?, ?]");
  lab.check("s -> decode_png(s, channels: 3)", {kPng, kPngAlpha},
            {"uint8([[[1, 2, 3], [4, 5, 6]]])", "uint8([[[9, 9, 9]], [[7, 7, 7]]])"}, "uint8[?, ?, 3]");
  lab.check("s -> decode_png(s, 4)", {kPng, kPngAlpha},
            {"uint8([[[1, 2, 3, 255], [4, 5, 6, 255]]])", "uint8([[[9, 9, 9, 8]], [[7, 7, 7, 6]]])"},
            "uint8[?, ?, 4]");
  lab.check("s -> decode_png(s, dtype: uint16)", {kPng, "encode_png(uint16([[[256], [65535]]]))"},
            {"uint16([[[257, 514, 771], [1028, 1285, 1542]]])", "uint16([[[256], [65535]]])"},
            "uint16[?, ?, ?]");
  lab.check("s -> decode_png(s)", {"encode_png(uint16([[[256], [65535]]]))"}, {"uint8([[[1], [255]]])"});
}

TEST_CASE("decode functions take the formats that TensorFlow's take") {
  Lab lab;
  const std::string two_pixels = "uint8([[[1, 2, 3], [4, 5, 6]]])";
  lab.check("s -> decode_jpeg(s)[0, 0]", {kPng, kGif, kGifOfTwo, kBmp, kJpeg},
            {"uint8([1, 2, 3])", "uint8([255, 254, 253])", "error", "error", "uint8([120, 120, 120])"},
            "uint8[?]");
  lab.check(
      "s -> decode_gif(s)", {kPng, kGifOfTwo, kBmp},
      {"uint8([[[[1, 2, 3], [4, 5, 6]]]])", "uint8([[[[255, 254, 253]]], [[[255, 254, 253]]]])", "error"},
      "uint8[?, ?, ?, 3]");
  lab.check("s -> decode_bmp(s)", {kBmp, kPng, kGif, kJpeg},
            {"uint8([[[3, 2, 1]]])", "error", "error", "error"}, "uint8[?, ?, ?]");
  lab.check("s -> decode_image(s)", {kBmp, kPng, kGif, "\"RIFF\""},
            {"uint8([[[3, 2, 1]]])", two_pixels, "uint8([[[[255, 254, 253]]]])", "error"}, "uint8[...]");
  lab.check("s -> decode_image(s, channels: 4)", {kBmp, kPngAlpha, kGif, kJpeg},
            {"uint8([[[3, 2, 1, 255]]])", "uint8([[[9, 9, 9, 8]], [[7, 7, 7, 6]]])", "error", "error"});
  lab.check("s -> decode_image(s, channels: 1)", {kBmp, kGrey}, {"error", "decode_jpeg(" + kGrey + ")"});
  lab.check("s -> decode_png(s, dtype: uint16)[0, 0]", {kGrey}, {"uint16([10240])"});
}

TEST_CASE("decode_jpeg: channels and ratios") {
  Lab lab;
  lab.check("s -> (shape(decode_jpeg(s)), shape(decode_jpeg(s, channels: 1)), shape(decode_jpeg(s, 3, 4)))",
            {kJpeg, kGrey, "\"\\xff\\xd8\\xff\""},
            {"([16, 24, 3], [16, 24, 1], [4, 6, 3])", "([8, 16, 1], [8, 16, 1], [2, 4, 3])", "error"});
  lab.check("s -> decode_jpeg(s, channels: 3)", {"\"\""}, {"error"}, "uint8[?, ?, 3]");
  lab.refuse("s -> decode_jpeg(s, channels: 4)", "\"\"", "expected channels of 0, 1 or 3, found 4");
  lab.refuse("s -> decode_jpeg(s, ratio: 3)", "\"\"", "expected a ratio of 1, 2, 4 or 8, found 3");
  lab.refuse("s -> decode_jpeg(s)", "[[\"a\"], [\"b\"]]", "one string or a vector of strings");
  lab.refuse("s -> decode_jpeg(s)", "1", "expected string, found int64");
  lab.refuse("s -> decode_png(s, channels: 2)", "\"\"", "expected channels of 0, 1, 3 or 4, found 2");
  lab.refuse("s -> decode_png(s, dtype: int8)", "\"\"", "expected uint8 or uint16, found int8");
}

TEST_CASE("decode_and_crop_jpeg and jpeg_shape") {
  Lab lab;
  lab.check(
      "(s, w) -> shape(decode_and_crop_jpeg(s, w))",
      {"(" + kJpeg + ", [0, 0, 16, 24])", "(" + kJpeg + ", [1, 0, 16, 24])", "(" + kGrey + ", [7, 15, 1, 1])",
       "(" + kPng + ", [0, 0, 1, 1])", "(" + kGrey + ", [2, 3, -1, 4])"},
      {"[16, 24, 3]", "error", "[1, 1, 1]", "error", "error"});
  lab.check("s -> decode_and_crop_jpeg(s, [1, 2, 3, 4])", {kJpeg}, {"full([3, 4, 3], uint8(120))"},
            "uint8[3, 4, ?]");
  lab.refuse("s -> decode_and_crop_jpeg(s, [1, 2, 3])", "\"\"", "expected a window [y, x, h, w]");
  lab.refuse("s -> decode_and_crop_jpeg(s, [1, 2, 0, 4])", "\"\"", "found 0");
  lab.check("s -> jpeg_shape(s)", {kJpeg, kPng, kGrey}, {"[16, 24, 3]", "error", "[8, 16, 1]"}, "int64[3]");
}

TEST_CASE("encode_png and encode_jpeg") {
  Lab lab;
  lab.check("x -> decode_png(encode_png(x))",
            {"uint8([[[1], [2]]])", "zeros([0, 2, 1], dtype: uint8)", "uint8([[[3]]])"},
            {"uint8([[[1], [2]]])", "error", "uint8([[[3]]])"});
  lab.check("x -> let s = encode_png(x) in (decode_png(s[0]), decode_png(s[1]))",
            {"uint8([[[[1]]], [[[2]]]])"}, {"(uint8([[[1]]]), uint8([[[2]]]))"});
  lab.check("x -> encode_png(x)", {"zeros([0, 2, 2, 1], dtype: uint8)"}, {"full([0], \"\")"}, "string[0]");
  lab.check("x -> shape(decode_jpeg(encode_jpeg(x, quality: 1)))", {"zeros([3, 4, 3], dtype: uint8)"},
            {"[3, 4, 3]"});
  lab.refuse("x -> encode_jpeg(x)", "zeros([2, 2, 4], dtype: uint8)", "expected 1 or 3 channels, found 4");
  lab.refuse("x -> encode_jpeg(x)", "zeros([1, 2, 2, 3], dtype: uint8)", "expected an image");
  lab.refuse("x -> encode_jpeg(x)", "zeros([2, 2, 3])", "expected uint8, found float32");
  lab.refuse("x -> encode_jpeg(x, quality: 101)", "zeros([2, 2, 3], dtype: uint8)",
             "expected a quality from 0 to 100");
  lab.refuse("x -> encode_png(x)", "zeros([2, 2, 3])", "expected uint8 or uint16, found float32");
  lab.refuse("x -> encode_png(x)", "zeros([2, 2, 5], dtype: uint8)", "expected 1 to 4 channels, found 5");
  lab.refuse("x -> encode_png(x)", "zeros([2, 2], dtype: uint8)", "expected an image");
}

}  // namespace weir::test
