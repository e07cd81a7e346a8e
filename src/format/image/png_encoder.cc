// PNG by libpng, with zlib's usual level.
#include <bit>
#include <new>

#include "format/image/image.h"
#include "format/image/png_trap.h"

namespace weir {

namespace {

// The most that deflate may take to look for repetitions.
constexpr int kMemoryLevel = 9;

class PngEncoder {
 public:
  PngEncoder(const uint8_t* pixels, const ImageShape& shape, int depth)
      : pixels_(pixels), shape_(shape), depth_(depth) {}
  PngEncoder(const PngEncoder&) = delete;
  ~PngEncoder() {
    if (png_ != nullptr) png_destroy_write_struct(&png_, info_ == nullptr ? nullptr : &info_);
  }

  Result<std::string> encode() {
    if (!trap_.run(compress, *this)) return trap_.error("cannot encode the image as PNG");
    return std::move(made_);
  }

 private:
  static void write_bytes(png_structp png, png_bytep bytes, size_t size) {
    auto* made = static_cast<std::string*>(png_get_io_ptr(png));
    bool stored = true;
    try {
      made->append(reinterpret_cast<const char*>(bytes), size);
    } catch (const std::bad_alloc&) {
      // An exception must not pass through the library.
      stored = false;
    }
    if (!stored) png_error(png, "no memory");
  }

  static int color_type(int64_t channels) {
    switch (channels) {
      case 1:
        return PNG_COLOR_TYPE_GRAY;
      case 2:
        return PNG_COLOR_TYPE_GRAY_ALPHA;
      case 3:
        return PNG_COLOR_TYPE_RGB;
      default:
        return PNG_COLOR_TYPE_RGB_ALPHA;
    }
  }

  static void compress(PngEncoder& self) {
    self.png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &self.trap_, PngTrap::fail, PngTrap::ignore);
    if (self.png_ == nullptr) self.trap_.stop("no memory");
    self.info_ = png_create_info_struct(self.png_);
    if (self.info_ == nullptr) self.trap_.stop("no memory");
    png_set_write_fn(self.png_, &self.made_, write_bytes, [](png_structp) {});
    png_set_compression_mem_level(self.png_, kMemoryLevel);
    png_set_IHDR(self.png_, self.info_, static_cast<png_uint_32>(self.shape_.width),
                 static_cast<png_uint_32>(self.shape_.height), self.depth_, color_type(self.shape_.channels),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(self.png_, self.info_);
    if (self.depth_ > 8 && std::endian::native == std::endian::little) png_set_swap(self.png_);
    const size_t row_size = static_cast<size_t>(self.shape_.width * self.shape_.channels * self.depth_ / 8);
    const uint8_t* row = self.pixels_;
    for (int64_t y = 0; y < self.shape_.height; ++y, row += row_size) png_write_row(self.png_, row);
    png_write_end(self.png_, nullptr);
  }

  const uint8_t* pixels_;
  ImageShape shape_;
  int depth_;
  PngTrap trap_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string made_;
};

}  // namespace

Result<std::string> encode_png(const uint8_t* pixels, const ImageShape& shape, int depth) {
  if (shape.channels < 1 || shape.channels > 4) {
    return invalid_argument(expected_found("1 to 4 channels", concat(shape.channels)));
  }
  WEIR_TRY(check_image_size(1, shape.height, shape.width));
  return PngEncoder(pixels, shape, depth).encode();
}

}  // namespace weir
