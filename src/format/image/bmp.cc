// BMP as TensorFlow reads it: uncompressed, 8 (without its palette), 24 or 32 bits a pixel. Unlike
// TensorFlow, what is compressed is refused, and the masks of 32 bits say which byte is which colour.
#include <bit>
#include <cstring>

#include "core/text.h"
#include "format/image/image.h"

namespace weir {

namespace {

// Up to the kind of compression.
constexpr size_t kBmpHeaderBytes = 34;
// Where the masks are, whether the header counts them or not; that of alpha counts only where it does.
constexpr size_t kMasksAt = 54;
constexpr int64_t kInfoHeaderBytes = 40;
constexpr int64_t kAlphaHeaderBytes = 56;

enum BmpCompression : uint8_t { kNone = 0, kMasks = 3, kAlphaMasks = 6 };

int64_t little_endian(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return size == 2 ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
}

class BmpDecoder : public ImageDecoder {
 public:
  Status open(std::string_view bytes, int channels) {
    if (!bytes.starts_with("BM") || bytes.size() < kBmpHeaderBytes) {
      return invalid_argument("expected the header of a BMP, which begins with BM and has 34 bytes and more");
    }
    const int64_t offset = little_endian(bytes, 10, 4);
    const int64_t width = little_endian(bytes, 18, 4);
    const int64_t height = little_endian(bytes, 22, 4);
    const int64_t bits = little_endian(bytes, 28, 2);
    stored_channels_ = bits / 8;
    if (stored_channels_ != 1 && stored_channels_ != 3 && stored_channels_ != 4) {
      return invalid_argument(expected_found("a BMP of 8, 24 or 32 bits a pixel", concat(bits)));
    }
    WEIR_TRY(find_samples(bytes, bits));
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
  // Says where in a pixel its red, green, blue and alpha are.
  Status find_samples(std::string_view bytes, int64_t bits) {
    const int64_t header = little_endian(bytes, 14, 4);
    const int64_t compression = little_endian(bytes, 30, 4);
    if (compression == kNone) return Status();
    const bool masks = compression == kMasks || compression == kAlphaMasks;
    if (!masks || bits != 32) {
      return invalid_argument(expected_found("a BMP that is not compressed",
                                             concat(compression == 1   ? "RLE8"
                                                    : compression == 2 ? "RLE4"
                                                                       : concat("compression ", compression),
                                                    " with ", bits, " bits a pixel"),
                                             "save it uncompressed"));
    }
    const bool alpha = compression == kAlphaMasks || header >= kAlphaHeaderBytes;
    if (header < kInfoHeaderBytes || bytes.size() < kMasksAt + 16)
      return invalid_argument("expected a BMP with masks after its header of 40 bytes and more");
    uint32_t left = 0xffffffff;
    for (size_t c = 0; c < 4; ++c) {
      auto mask = static_cast<uint32_t>(little_endian(bytes, kMasksAt + 4 * c, 4));
      // Without a mask, the byte that is left is alpha, as it is without masks.
      if (c == 3 && (!alpha || mask == 0)) mask = left;
      samples_[c] = std::countr_zero(mask) / 8;
      if (samples_[c] == 4 || mask != 0xffU << (8 * samples_[c]) || (left & mask) != mask) {
        return invalid_argument(expected_found("a BMP with a byte for each colour, as its masks say",
                                               concat("the mask ", mask), "save it without masks"));
      }
      left &= ~mask;
    }
    return Status();
  }

  void convert(const uint8_t* in, uint8_t* out) const {
    if (stored_channels_ == 1) {
      for (int64_t c = 0; c < shape_.channels; ++c) out[c] = c < 3 ? in[0] : 255;
      return;
    }
    for (int c = 0; c < 3; ++c) out[c] = in[samples_[c]];
    if (shape_.channels == 4) out[3] = stored_channels_ == 4 ? in[samples_[3]] : 255;
  }

  const uint8_t* pixels_ = nullptr;
  int64_t stored_channels_ = 0;
  int64_t row_size_ = 0;
  int samples_[4] = {2, 1, 0, 3};
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
