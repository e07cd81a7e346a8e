// Stands in for the codecs where WEIR_IMAGES is off.
#include "format/image/image.h"

namespace weir {

namespace {

Status missing() {
  return unimplemented(
      Mistake("JPEG, PNG and GIF are not built into this library", "build it with -DWEIR_IMAGES=ON"));
}

}  // namespace

bool has_image_codecs() { return false; }

Result<ImageDecoderRef> open_jpeg(std::string_view, const DecodeOptions&) { return missing(); }
Result<ImageDecoderRef> open_png(std::string_view, const DecodeOptions&) { return missing(); }
Result<ImageDecoderRef> open_gif(std::string_view) { return missing(); }
Result<ImageShape> jpeg_shape(std::string_view) { return missing(); }
Result<std::string> encode_jpeg(const uint8_t*, const ImageShape&, int) { return missing(); }
Result<std::string> encode_png(const uint8_t*, const ImageShape&, int) { return missing(); }

}  // namespace weir
