// Images in memory: JPEG, PNG, GIF and BMP. Opening one reads its headers, which tell the shape; the pixels
// are then decoded into memory that the caller makes.
//
//   WEIR_ASSIGN(const auto image, open_jpeg(bytes, {.channels = 3}));
//   uint8_t* out = make(image->shape());
//   WEIR_TRY(image->decode(out));
//
// The work is bounded by the size of the file, not by what its header claims: a file that is too small for
// the pixels that it declares is refused before any are decoded. A decoder reads the bytes that it was opened
// with, so they must outlive it. One thread at a time may use it. Bytes that are no such image, are damaged
// or cut off, or declare more than kMaxImagePixels give invalid_argument.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"

namespace weir {

// The most pixels of an image, those of all frames together.
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 30;

enum class ImageFormat : uint8_t { unknown, jpeg, png, gif, bmp };

// The format that the first bytes tell.
ImageFormat image_format(std::string_view bytes);
// "JPEG"
std::string_view format_name(ImageFormat format);

// False if JPEG, PNG and GIF were left out of the build; opening and encoding them then gives unimplemented.
bool has_image_codecs();

struct ImageShape {
  int64_t frames = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;

  int64_t count() const { return frames * height * width * channels; }
};

// invalid_argument for no pixels or too many.
Status check_image_size(int64_t frames, int64_t height, int64_t width);
// invalid_argument if `bytes` cannot hold so many pixels: no encoder packs more than `most` into a byte.
// Small images pass, cut off or not.
Status check_image_bytes(int64_t height, int64_t width, int64_t bytes, int64_t most);
// A block of a JPEG, 64 pixels, takes a bit or more; a byte of deflate becomes at most 1032 bytes; a code of
// LZW, of 12 bits, becomes at most 4096 pixels.
inline constexpr int64_t kJpegPixelsPerByte = 512;
inline constexpr int64_t kPngBitsPerByte = 1032 * 8;
inline constexpr int64_t kGifPixelsPerByte = 4096;
// Images of up to so many pixels are cheap, whatever they say.
inline constexpr int64_t kCheapPixels = int64_t{1} << 24;

// A part of an image.
struct ImageRegion {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
};

struct DecodeOptions {
  // 1, 3 or 4, or 0 for as many as the image has.
  int channels = 0;
  // JPEG: makes the image smaller by 1, 2, 4 or 8 while it is decoded.
  int ratio = 1;
  // JPEG: only this part, which must lie within the image. May be null.
  const ImageRegion* region = nullptr;
  // PNG: gives uint16; 8-bit samples are multiplied by 257.
  bool wide = false;
};

class ImageDecoder {
 public:
  virtual ~ImageDecoder() = default;
  const ImageShape& shape() const { return shape_; }
  // Writes shape().count() samples, row by row with the channels of a pixel side by side. If it fails, some
  // are unset. Called once.
  virtual Status decode(uint8_t* out) = 0;

 protected:
  ImageShape shape_;
};

using ImageDecoderRef = std::unique_ptr<ImageDecoder>;

// These look at `bytes` no matter how they begin.
Result<ImageDecoderRef> open_jpeg(std::string_view bytes, const DecodeOptions& options);
Result<ImageDecoderRef> open_png(std::string_view bytes, const DecodeOptions& options);
// Always 3 channels. A frame covers what it does not change with the frame before.
Result<ImageDecoderRef> open_gif(std::string_view bytes);
Result<ImageDecoderRef> open_bmp(std::string_view bytes, int channels);

// The size and the number of channels that a JPEG is stored with.
Result<ImageShape> jpeg_shape(std::string_view bytes);

// Pixels as decode() writes them, of 1 or 3 channels.
// REQUIRES: one frame, 0 <= quality <= 100
Result<std::string> encode_jpeg(const uint8_t* pixels, const ImageShape& shape, int quality);
// Of 1 to 4 channels, each of `depth` 8 (uint8) or 16 (uint16) bits.
// REQUIRES: one frame
Result<std::string> encode_png(const uint8_t* pixels, const ImageShape& shape, int depth);

// Turns `count` uint8 in the second half of `samples` into uint16 that fill it, each multiplied by `factor`.
void widen_samples(uint8_t* samples, int64_t count, int factor);

}  // namespace weir
