#include "format/image/image.h"

#include <cstring>

#include "core/text.h"

namespace weir {

ImageFormat image_format(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return ImageFormat::jpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  if (bytes.starts_with("GIF8")) return ImageFormat::gif;
  if (bytes.starts_with("BM")) return ImageFormat::bmp;
  return ImageFormat::unknown;
}

std::string_view format_name(ImageFormat format) {
  switch (format) {
    case ImageFormat::jpeg:
      return "JPEG";
    case ImageFormat::png:
      return "PNG";
    case ImageFormat::gif:
      return "GIF";
    case ImageFormat::bmp:
      return "BMP";
    default:
      return "an unknown format";
  }
}

Status check_image_size(int64_t frames, int64_t height, int64_t width) {
  const auto found = [&] {
    return concat(frames == 1 ? "" : concat(frames, " frames of "), height, " by ", width, " pixels");
  };
  if (frames <= 0 || height <= 0 || width <= 0) {
    return invalid_argument(expected_found("an image with pixels", found()));
  }
  if (height <= kMaxImagePixels / width && frames <= kMaxImagePixels / (height * width)) return Status();
  return invalid_argument(expected_found(concat("at most ", kMaxImagePixels, " pixels"), found()));
}

Status check_image_bytes(int64_t height, int64_t width, int64_t bytes, int64_t most) {
  const int64_t pixels = height * width;
  if (pixels <= kCheapPixels || pixels / most <= bytes) return Status();
  return invalid_argument(
      expected_found(concat("at least ", pixels / most, " bytes for ", height, " by ", width, " pixels"),
                     concat(bytes), "it is cut off, or its header is wrong"));
}

void widen_samples(uint8_t* samples, int64_t count, int factor) {
  for (int64_t i = 0; i < count; ++i) {
    const auto sample = static_cast<uint16_t>(samples[count + i] * factor);
    std::memcpy(samples + 2 * i, &sample, sizeof sample);
  }
}

}  // namespace weir
