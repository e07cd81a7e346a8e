#include "format/image/image.h"

#include <zlib.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/test_data.h"

namespace weir {
namespace {

// The files of the conformance cases.
std::string read_image(const std::string& name) {
  std::ifstream in(WEIR_SOURCE_DIR "/tests/conformance/data_expr/" + name, std::ios::binary);
  REQUIRE(in.good());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Result<ImageDecoderRef> open_any(std::string_view bytes) {
  switch (image_format(bytes)) {
    case ImageFormat::jpeg:
      return open_jpeg(bytes, {});
    case ImageFormat::png:
      return open_png(bytes, {});
    case ImageFormat::gif:
      return open_gif(bytes);
    default:
      return open_bmp(bytes, 0);
  }
}

// Shape and pixels, or no pixels and the error.
struct Decoded {
  ImageShape shape;
  std::vector<uint8_t> pixels;
  Status status;
};

Decoded decoded(Result<ImageDecoderRef> decoder, size_t sample = 1) {
  Decoded out;
  out.status = decoder.status();
  if (!decoder.ok()) return out;
  out.shape = (*decoder)->shape();
  out.pixels.assign(static_cast<size_t>(out.shape.count()) * sample, 0xa5);
  out.status = (*decoder)->decode(out.pixels.data());
  return out;
}

// A picture whose channels and places can be told apart.
std::vector<uint8_t> pattern(const ImageShape& shape) {
  std::vector<uint8_t> out;
  for (int64_t y = 0; y < shape.height; ++y) {
    for (int64_t x = 0; x < shape.width; ++x) {
      for (int64_t c = 0; c < shape.channels; ++c)
        out.push_back(static_cast<uint8_t>(5 * y + 3 * x * (c + 1) + 70 * c));
    }
  }
  return out;
}

const char* const kJpegs[] = {"gray.jpg",        "color444.jpg", "color422.jpg", "color420.jpg",
                              "progressive.jpg", "cmyk.jpg",     "photo_cat.jpg"};
const char* const kOthers[] = {"rgb.png",   "gray_alpha.png", "interlaced.png", "palette.png", "bits1.png",
                               "rgb16.png", "one.gif",        "three.gif",      "rgb.bmp",     "gray.bmp"};

TEST_CASE("images: formats by their first bytes") {
  CHECK(image_format("") == ImageFormat::unknown);
  CHECK(image_format("\xff\xd8") == ImageFormat::unknown);
  CHECK(image_format("RIFF....WEBP") == ImageFormat::unknown);
  CHECK(image_format(read_image("gray.jpg")) == ImageFormat::jpeg);
  CHECK(image_format(read_image("rgb.png")) == ImageFormat::png);
  CHECK(image_format(read_image("one.gif")) == ImageFormat::gif);
  CHECK(image_format(read_image("rgb.bmp")) == ImageFormat::bmp);
}

TEST_CASE("images: sizes are limited, those of frames together") {
  CHECK(check_image_size(1, 1 << 15, 1 << 15).ok());
  CHECK_FALSE(check_image_size(1, (1 << 15) + 1, 1 << 15).ok());
  CHECK_FALSE(check_image_size(2, 1 << 15, 1 << 15).ok());
  CHECK_FALSE(check_image_size(INT64_MAX, INT64_MAX, INT64_MAX).ok());
  CHECK_FALSE(check_image_size(1, 0, 5).ok());
  CHECK_FALSE(check_image_size(0, 3, 5).ok());
}

TEST_CASE("JPEG: any window has the pixels that it has in the whole image") {
  for (const char* name : kJpegs) {
    const std::string bytes = read_image(name);
    for (const int channels : {0, 1}) {
      const Decoded whole = decoded(open_jpeg(bytes, {.channels = channels}));
      if (!whole.status.ok()) {
        // Inks have no grey.
        CHECK(std::string(name) == "cmyk.jpg");
        continue;
      }
      const int64_t depth = whole.shape.channels;
      const int64_t step = whole.shape.width > 100 ? 23 : 5;
      int64_t wrong = 0;
      for (int64_t y = 0; y < whole.shape.height; y += step) {
        for (int64_t x = 0; x < whole.shape.width; x += step) {
          for (int64_t height = 1; y + height <= whole.shape.height; height += 2 * step + 1) {
            for (int64_t width = 1; x + width <= whole.shape.width; width += step + 2) {
              const ImageRegion region{y, x, height, width};
              const Decoded part = decoded(open_jpeg(bytes, {.channels = channels, .region = &region}));
              REQUIRE(part.status.ok());
              REQUIRE(part.shape.count() == height * width * depth);
              for (int64_t row = 0; row < height; ++row) {
                wrong += std::memcmp(part.pixels.data() + row * width * depth,
                                     whole.pixels.data() + ((y + row) * whole.shape.width + x) * depth,
                                     static_cast<size_t>(width * depth)) != 0;
              }
            }
          }
        }
      }
      INFO(name << " of " << channels);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("JPEG: a window must lie within the image") {
  const std::string bytes = read_image("color420.jpg");
  const auto opens = [&](const ImageRegion& region) { return open_jpeg(bytes, {.region = &region}).ok(); };
  CHECK(opens({0, 0, 24, 32}));
  CHECK(opens({23, 31, 1, 1}));
  CHECK_FALSE(opens({1, 0, 24, 32}));
  CHECK_FALSE(opens({0, 1, 24, 32}));
  CHECK_FALSE(opens({-1, 0, 2, 2}));
  CHECK_FALSE(opens({0, -1, 2, 2}));
  CHECK_FALSE(opens({0, 0, 0, 2}));
  CHECK_FALSE(opens({0, 0, 2, 0}));
  CHECK_FALSE(opens({24, 0, 1, 1}));
  CHECK_FALSE(opens({INT64_MAX, 0, INT64_MAX, 1}));
  CHECK_FALSE(opens({0, 2, 1, INT64_MAX}));
}

TEST_CASE("JPEG: what lies below a window is not read") {
  std::string bytes = read_image("photo_cat.jpg");
  bytes.resize(bytes.size() * 3 / 4);
  CHECK_FALSE(decoded(open_jpeg(bytes, {})).status.ok());
  const ImageRegion region{0, 0, 8, 120};
  CHECK(decoded(open_jpeg(bytes, {.region = &region})).status.ok());
}

TEST_CASE("JPEG: ratios round up") {
  const std::string bytes = read_image("photo_cat.jpg");
  const Decoded half = decoded(open_jpeg(bytes, {.ratio = 2}));
  const Decoded eighth = decoded(open_jpeg(bytes, {.channels = 1, .ratio = 8}));
  CHECK((half.status.ok() && half.shape.height == 40 && half.shape.width == 60 && half.shape.channels == 3));
  CHECK((eighth.status.ok() && eighth.shape.height == 10 && eighth.shape.width == 15 &&
         eighth.shape.channels == 1));
}

TEST_CASE("images: bytes cut off anywhere fail") {
  const auto check = [](const char* name) {
    const std::string bytes = read_image(name);
    INFO(name);
    REQUIRE(decoded(open_any(bytes)).status.ok());
    size_t accepted = 0;
    // A JPEG ends with a marker of two bytes, a GIF with a byte that may be missing.
    const size_t end = image_format(bytes) == ImageFormat::gif ? bytes.size() - 1 : bytes.size();
    for (size_t size = 0; size<end; size += bytes.size()> 1000 && size > 300 ? 37 : 1) {
      accepted += decoded(open_any(std::string(bytes, 0, size))).status.ok();
    }
    CHECK(accepted == 0);
  };
  for (const char* name : kJpegs) check(name);
  for (const char* name : kOthers) check(name);
}

TEST_CASE("images: damaged bytes give pixels or an error") {
  const auto check = [](const char* name) {
    const std::string bytes = read_image(name);
    for (size_t at = 0; at<bytes.size(); at += bytes.size()> 1000 ? 29 : 1) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        Result<ImageDecoderRef> decoder = open_any(damaged);
        // What a damaged size makes large is not worth the time.
        if (decoder.ok() && (*decoder)->shape().count() > 1 << 20) continue;
        const Decoded out = decoded(std::move(decoder));
        if (!out.status.ok()) CHECK(out.status.code() == Code::invalid_argument);
      }
    }
  };
  for (const char* name : kJpegs) check(name);
  for (const char* name : kOthers) check(name);
}

TEST_CASE("images: bytes around an image don't matter") {
  for (const char* name : {"gray.jpg", "rgb.png", "three.gif"}) {
    INFO(name);
    const std::string bytes = read_image(name);
    CHECK(decoded(open_any(bytes + "more")).pixels == decoded(open_any(bytes)).pixels);
  }
}

TEST_CASE("PNG: what is encoded is decoded again, of 8 and 16 bits") {
  for (const int64_t channels : {1, 2, 3, 4}) {
    const ImageShape shape{.height = 7, .width = 5, .channels = channels};
    const std::vector<uint8_t> pixels = pattern(shape);
    const Result<std::string> narrow = encode_png(pixels.data(), shape, 8);
    REQUIRE(narrow.ok());
    CHECK(decoded(open_png(*narrow, {})).pixels == pixels);
    const Decoded widened = decoded(open_png(*narrow, {.wide = true}), 2);
    std::vector<uint16_t> samples(pixels.size());
    std::memcpy(samples.data(), widened.pixels.data(), widened.pixels.size());
    for (size_t i = 0; i < pixels.size(); ++i) CHECK(samples[i] == pixels[i] * 257);
    if (channels == 2) continue;
    const ImageShape half{.height = 7, .width = 5, .channels = channels};
    std::vector<uint8_t> deep = pixels;
    deep.insert(deep.end(), pixels.rbegin(), pixels.rend());
    const Result<std::string> wide = encode_png(deep.data(), half, 16);
    REQUIRE(wide.ok());
    CHECK(decoded(open_png(*wide, {.wide = true}), 2).pixels == deep);
  }
  const uint8_t pixel[8] = {};
  CHECK_FALSE(encode_png(pixel, {.height = 1, .width = 1, .channels = 5}, 8).ok());
  CHECK_FALSE(encode_png(pixel, {.height = 0, .width = 1, .channels = 1}, 8).ok());
  CHECK_FALSE(encode_png(pixel, {.height = 1, .width = int64_t{1} << 40, .channels = 1}, 8).ok());
}

TEST_CASE("JPEG: what is encoded is decoded again, nearly") {
  for (const int64_t channels : {1, 3}) {
    const ImageShape shape{.height = 33, .width = 17, .channels = channels};
    const std::vector<uint8_t> pixels(static_cast<size_t>(shape.count()), 90);
    const Result<std::string> bytes = encode_jpeg(pixels.data(), shape, 100);
    REQUIRE(bytes.ok());
    const Decoded again = decoded(open_jpeg(*bytes, {}));
    REQUIRE(again.pixels.size() == pixels.size());
    for (uint8_t sample : again.pixels) CHECK((sample >= 88 && sample <= 92));
    const Result<ImageShape> found = jpeg_shape(*bytes);
    REQUIRE(found.ok());
    CHECK((found->height == 33 && found->width == 17 && found->channels == channels));
  }
  const uint8_t pixel[4] = {};
  CHECK_FALSE(encode_jpeg(pixel, {.height = 1, .width = 1, .channels = 4}, 90).ok());
  CHECK_FALSE(encode_jpeg(pixel, {.height = 0, .width = 1, .channels = 1}, 90).ok());
  CHECK_FALSE(encode_jpeg(pixel, {.height = 1, .width = 65501, .channels = 1}, 90).ok());
}

// A GIF of two colours and the frames given, each with its descriptor and one byte of LZW data blocks.
std::string gif_of(const std::string& frames) {
  return std::string("GIF89a\x02\x00\x02\x00\x80\x00\x00", 13) + std::string("\x0a\x14\x1e\xff\xfe\xfd", 6) +
         frames + ";";
}

std::string gif_frame(int left, int top, int width, int height, const std::string& data) {
  std::string out = ",";
  for (const int side : {left, top, width, height}) {
    out.push_back(static_cast<char>(side & 0xff));
    out.push_back(static_cast<char>(side >> 8));
  }
  out.push_back('\0');
  return out + "\x02" + static_cast<char>(data.size()) + data + std::string(1, '\0');
}

// Codes of 3 bits: clear, pixel 1, end.
const std::string kOnePixel = std::string("\x4c\x01", 2);
const std::string kTransparentOne = std::string("!\xf9\x04\x01\x00\x00\x01\x00", 8);

TEST_CASE("GIF: frames cover the one before, on a canvas as large as the largest") {
  const std::string two = gif_of(gif_frame(0, 0, 1, 1, kOnePixel) + gif_frame(1, 0, 1, 1, kOnePixel));
  // The second frame lies outside the canvas of 1 by 1.
  const Decoded outside = decoded(open_gif(two));
  REQUIRE(outside.status.ok());
  CHECK(outside.pixels == std::vector<uint8_t>{255, 254, 253, 255, 254, 253});
  const Decoded clear = decoded(open_gif(gif_of(kTransparentOne + gif_frame(0, 0, 1, 1, kOnePixel))));
  REQUIRE(clear.status.ok());
  CHECK(clear.pixels == std::vector<uint8_t>{0, 0, 0});
}

TEST_CASE("GIF: declared sizes allocate nothing") {
  const std::string huge = gif_of(gif_frame(0, 0, 65535, 65535, kOnePixel));
  CHECK_FALSE(open_gif(huge).ok());
  // Each is cheap alone.
  std::string frames;
  for (int i = 0; i < 60; ++i) frames += gif_frame(0, 0, 4000, 3000, kOnePixel);
  const Result<ImageDecoderRef> many = open_gif(gif_of(frames));
  REQUIRE_FALSE(many.ok());
  CHECK(many.status().error().message.find("expected at least 175781 bytes") != std::string::npos);
  const std::string flat = gif_of(gif_frame(0, 0, 0, 1, kOnePixel));
  CHECK_FALSE(open_gif(flat).ok());
  CHECK_FALSE(open_gif(gif_of("")).ok());
}

TEST_CASE("BMP: the size must be the one that the header gives") {
  const std::string bytes = read_image("rgb.bmp");
  CHECK(decoded(open_bmp(bytes, 3)).status.ok());
  CHECK_FALSE(open_bmp(bytes + "x", 3).ok());
  CHECK_FALSE(open_bmp(bytes, 1).ok());
  const Decoded opaque = decoded(open_bmp(bytes, 4));
  REQUIRE(opaque.status.ok());
  CHECK(opaque.pixels[3] == 255);
  std::string huge = bytes;
  huge.replace(18, 8, "\xff\xff\xff\x7f\x00\x00\x00\x80", 8);
  CHECK_FALSE(open_bmp(huge, 3).ok());
}

// Replaces the two sides that a header has at `at`, `bytes` bytes each.
std::string with_sides(std::string image, size_t at, size_t bytes, uint32_t height, uint32_t width) {
  for (uint32_t side : {height, width}) {
    for (size_t i = bytes; i-- > 0;) image[at++] = static_cast<char>(side >> (8 * i));
  }
  return image;
}

// Where the sides are in progressive.jpg, and where a scan with its table of codes begins and ends.
constexpr size_t kJpegSides = 163;
constexpr size_t kScanBegin = 316;
constexpr size_t kScanEnd = 367;

TEST_CASE("JPEG: a size that the bytes cannot have is refused before anything is made") {
  const std::string image = with_sides(read_image("progressive.jpg"), kJpegSides, 2, 16000, 16000);
  const Result<ImageDecoderRef> opened = open_jpeg(image, {});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.status().error().message.find("expected at least 500000 bytes for 16000 by 16000 pixels") !=
        std::string::npos);
  CHECK(open_jpeg(image + std::string(500'000, 'x'), {}).ok());
  CHECK(jpeg_shape(image).ok());
  const Result<ImageShape> wide =
      jpeg_shape(with_sides(read_image("progressive.jpg"), kJpegSides, 2, 40000, 50000));
  REQUIRE(wide.ok());
  CHECK(wide->width == 50000);
}

TEST_CASE("JPEG: scans are limited by the size of the file") {
  std::string image = with_sides(read_image("progressive.jpg"), kJpegSides, 2, 4096, 4096);
  const std::string scan = image.substr(kScanBegin, kScanEnd - kScanBegin);
  for (int i = 0; i < 100; ++i) image.insert(kScanBegin, scan);
  const Decoded out = decoded(open_jpeg(image, {}));
  REQUIRE_FALSE(out.status.ok());
  CHECK(out.status.error().message.find("more scans") != std::string::npos);
}

TEST_CASE("images: large ones of one colour pass") {
  const ImageShape shape{.height = 4200, .width = 4200, .channels = 1};
  const std::vector<uint8_t> pixels(static_cast<size_t>(shape.count()), 90);
  const Result<std::string> png = encode_png(pixels.data(), shape, 8);
  const Result<std::string> jpeg = encode_jpeg(pixels.data(), shape, 90);
  REQUIRE((png.ok() && jpeg.ok()));
  CHECK(decoded(open_png(*png, {})).status.ok());
  CHECK(decoded(open_jpeg(*jpeg, {})).status.ok());
}

TEST_CASE("PNG and GIF: a size that the bytes cannot have is refused before anything is made") {
  std::string png = with_sides(read_image("rgb.png"), 16, 4, 8000, 8000);
  const auto sum = static_cast<uint32_t>(::crc32(0, reinterpret_cast<const uint8_t*>(png.data()) + 12, 17));
  for (size_t i = 0; i < 4; ++i) png[29 + i] = static_cast<char>(sum >> (24 - 8 * i));
  const Result<ImageDecoderRef> opened = open_png(png, {});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.status().error().message.find("for 8000 by 8000 pixels") != std::string::npos);
  CHECK_FALSE(open_gif(gif_of(gif_frame(0, 0, 8000, 8000, kOnePixel))).ok());
  CHECK(open_gif(gif_of(gif_frame(0, 0, 4000, 4000, kOnePixel))).ok());
}

// A BMP of one row with a header of 40 bytes and these masks behind it, or within a longer one.
std::string bmp_of(uint32_t header, uint32_t compression, uint16_t bits, std::vector<uint32_t> masks,
                   const std::string& pixels, uint32_t width) {
  const uint32_t begin = 14 + std::max(header, 40 + 4 * static_cast<uint32_t>(masks.size()));
  std::string out(begin, '\0');
  const auto put = [&](size_t at, uint32_t value, size_t size = 4) { std::memcpy(&out[at], &value, size); };
  out.replace(0, 2, "BM");
  put(10, begin);
  put(14, header);
  put(18, width);
  put(22, 1);
  put(28, bits, 2);
  put(30, compression);
  for (size_t i = 0; i < masks.size(); ++i) put(54 + 4 * i, masks[i]);
  return out + pixels;
}

TEST_CASE("BMP: masks say which byte is which colour") {
  const std::string pixels("\x01\x02\x03\x04\x05\x06\x07\x08");
  const auto of = [&](uint32_t header, uint32_t compression, std::vector<uint32_t> masks) {
    const Decoded out = decoded(open_bmp(bmp_of(header, compression, 32, masks, pixels, 2), 0));
    return out.status.ok() ? out.pixels : std::vector<uint8_t>();
  };
  using Pixels = std::vector<uint8_t>;
  CHECK(of(40, 0, {}) == Pixels{3, 2, 1, 4, 7, 6, 5, 8});
  CHECK(of(40, 3, {0xff0000, 0xff00, 0xff}) == Pixels{3, 2, 1, 4, 7, 6, 5, 8});
  CHECK(of(40, 3, {0xff0000, 0xff00, 0xff, 0}) == Pixels{3, 2, 1, 4, 7, 6, 5, 8});
  CHECK(of(40, 3, {0xff, 0xff00, 0xff0000, 0}) == Pixels{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(of(108, 3, {0xff00, 0xff0000, 0xff000000, 0xff}) == Pixels{2, 3, 4, 1, 6, 7, 8, 5});
  CHECK(of(124, 3, {0xff000000, 0xff0000, 0xff00, 0}) == Pixels{4, 3, 2, 1, 8, 7, 6, 5});
  CHECK(of(40, 6, {0xff00, 0xff0000, 0xff000000, 0xff}) == Pixels{2, 3, 4, 1, 6, 7, 8, 5});
  // A header of 40 bytes has no mask for alpha: what follows is none.
  CHECK(of(40, 3, {0xff, 0xff00, 0xff0000, 0x1234}) == Pixels{1, 2, 3, 4, 5, 6, 7, 8});
  // No whole bytes, one twice, none.
  CHECK(of(40, 3, {0x3ff00000, 0xffc00, 0x3ff, 0}) == Pixels());
  CHECK(of(40, 3, {0xff, 0xff, 0xff0000, 0}) == Pixels());
  CHECK(of(40, 3, {0, 0xff00, 0xff0000, 0}) == Pixels());
  CHECK(of(124, 3, {0xff, 0xff00, 0xff0000, 0xf0000000}) == Pixels());
}

TEST_CASE("BMP: what is compressed is refused by name") {
  const auto refused = [](uint32_t compression, uint16_t bits) {
    const Result<ImageDecoderRef> out =
        open_bmp(bmp_of(40, compression, bits, {}, std::string(16, 'x'), 16), 0);
    return out.ok() ? "" : out.status().error().message;
  };
  CHECK(refused(0, 8).empty());
  CHECK(refused(1, 8).find("found RLE8 with 8 bits") != std::string::npos);
  CHECK(refused(2, 8).find("found RLE4") != std::string::npos);
  CHECK(refused(3, 8).find("found compression 3 with 8 bits") != std::string::npos);
  CHECK(refused(4, 24).find("found compression 4") != std::string::npos);
  CHECK(refused(3, 24).find("found compression 3 with 24 bits") != std::string::npos);
}

}  // namespace
}  // namespace weir
