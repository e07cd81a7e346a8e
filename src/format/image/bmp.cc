// BMP as TensorFlow reads it: uncompressed, 8 (without its palette), 24 or 32 bits a pixel.
#include <cstring>

#include "core/text.h"
#include "format/image/image.h"

namespace weir {

namespace {

// Up to the number of bits of a pixel, and what follows it.
constexpr size_t kBmpHeaderBytes = 32;

int64_t little_endian(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return size == 2 ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
}

class BmpDecoder : public ImageDecoder {
 public:
  Status open(std::string_view bytes, int channels) {
    if (!bytes.starts_with("BM") || bytes.size() < kBmpHeaderBytes) {
      return invalid_argument("expected the header of a BMP, which begins with BM and has 32 bytes and more");
    }
    const int64_t offset = little_endian(bytes, 10, 4);
    const int64_t width = little_endian(bytes, 18, 4);
    const int64_t height = little_endian(bytes, 22, 4);
    const int64_t bits = little_endian(bytes, 28, 2);
    stored_channels_ = bits / 8;
    if (stored_channels_ != 1 && stored_channels_ != 3 && stored_channels_ != 4) {
      return invalid_argument(expected_found("a BMP of 8, 24 or 32 bits a pixel", concat(bits)));
    }
    top_down_ = height < 0;
    shape_ = {.height = top_down_ ? -height : height,
              .width = width,
              .channels = channels == 0 ? stored_channels_ : channels};
    WEIR_TRY(check_image_size(1, shape_.height, shape_.width));
    row_size_ = (stored_channels_ * width + 3) / 4 * 4;
    const int64_t size = offset + row_size_ * shape_.height;
    if (offset < 0 || size != static_cast<int64_t>(bytes.size())) {
      return invalid_argument(
          expected_found(concat("a BMP of ", size, " bytes, as its header says"), concat(bytes.size())));
    }
    pixels_ = reinterpret_cast<const uint8_t*>(bytes.data()) + offset;
    return Status();
  }

  Status decode(uint8_t* out) override {
    for (int64_t y = 0; y < shape_.height; ++y) {
      const uint8_t* in = pixels_ + (top_down_ ? y : shape_.height - 1 - y) * row_size_;
      for (int64_t x = 0; x < shape_.width; ++x, in += stored_channels_, out += shape_.channels)
        convert(in, out);
    }
    return Status();
  }

 private:
  // Samples are stored as blue, green, red, alpha.
  void convert(const uint8_t* in, uint8_t* out) const {
    if (stored_channels_ == 1) {
      for (int64_t c = 0; c < shape_.channels; ++c) out[c] = c < 3 ? in[0] : 255;
      return;
    }
    out[0] = in[2];
    out[1] = in[1];
    out[2] = in[0];
    if (shape_.channels == 4) out[3] = stored_channels_ == 4 ? in[3] : 255;
  }

  const uint8_t* pixels_ = nullptr;
  int64_t stored_channels_ = 0;
  int64_t row_size_ = 0;
  bool top_down_ = false;
};

}  // namespace

Result<ImageDecoderRef> open_bmp(std::string_view bytes, int channels) {
  if (channels == 1)
    return invalid_argument("a BMP is decoded to 3 or 4 channels; expected channels of 0, 3 or 4");
  auto decoder = std::make_unique<BmpDecoder>();
  WEIR_TRY(decoder->open(bytes, channels));
  return ImageDecoderRef(std::move(decoder));
}

}  // namespace weir
