// Fuzzes the decoders of images: any bytes give an error or all pixels, whatever sizes they declare.
#include "format/image/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace {

// More would only cost time.
constexpr int64_t kMaxSamples = 1 << 18;

void decode(weir::Result<weir::ImageDecoderRef> decoder, size_t sample_size) {
  if (!decoder.ok() || (*decoder)->shape().count() > kMaxSamples) return;
  // No longer than the samples, so that a sanitizer sees what is written past them.
  std::vector<uint8_t> out(static_cast<size_t>((*decoder)->shape().count()) * sample_size);
  (void)(*decoder)->decode(out.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  switch (weir::image_format(bytes)) {
    case weir::ImageFormat::jpeg: {
      decode(weir::open_jpeg(bytes, {}), 1);
      decode(weir::open_jpeg(bytes, {.channels = 1, .ratio = 4}), 1);
      const weir::ImageRegion region{.y = 3, .x = 9, .height = 4, .width = 5};
      decode(weir::open_jpeg(bytes, {.region = &region}), 1);
      break;
    }
    case weir::ImageFormat::png:
      for (const int channels : {0, 1, 3, 4}) decode(weir::open_png(bytes, {.channels = channels}), 1);
      decode(weir::open_png(bytes, {.wide = true}), 2);
      break;
    case weir::ImageFormat::gif:
      decode(weir::open_gif(bytes), 1);
      break;
    default:
      for (const int channels : {0, 3, 4}) decode(weir::open_bmp(bytes, channels), 1);
  }
  return 0;
}
