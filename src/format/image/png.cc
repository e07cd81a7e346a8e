// PNG by libpng, converted as TensorFlow does it.
#include <bit>

#include "format/image/image.h"
#include "format/image/png_trap.h"

namespace weir {

namespace {

// From 8 to 16 bits: 0xff becomes 0xffff.
constexpr int kWiden = 257;
// The share of red and green in grey, as in JPEG.
constexpr double kRed = 0.299;
constexpr double kGreen = 0.587;

class PngDecoder : public ImageDecoder {
 public:
  ~PngDecoder() override {
    if (png_ != nullptr) png_destroy_read_struct(&png_, info_ == nullptr ? nullptr : &info_, nullptr);
  }

  Status open(std::string_view bytes, const DecodeOptions& options) {
    left_ = bytes;
    options_ = options;
    if (!trap_.run(read_header, *this)) return error();
    const auto height = static_cast<int64_t>(png_get_image_height(png_, info_));
    const auto width = static_cast<int64_t>(png_get_image_width(png_, info_));
    WEIR_TRY(check_image_size(1, height, width));
    const int64_t bits = int64_t{depth_} * png_get_channels(png_, info_);
    WEIR_TRY(check_image_bytes(height, width, static_cast<int64_t>(bytes.size()), kPngBitsPerByte / bits));
    shape_ = {.height = height, .width = width, .channels = options_.channels};
    return trap_.run(set_conversions, *this) ? Status() : error();
  }

  Status decode(uint8_t* out) override {
    // 8-bit samples that become 16 bits wide are decoded into the second half.
    const bool widen = options_.wide && depth_ <= 8;
    out_ = widen ? out + shape_.count() : out;
    if (!trap_.run(decode_pixels, *this)) return error();
    if (widen) widen_samples(out, shape_.count(), kWiden);
    return Status();
  }

 private:
  Status error() const { return trap_.error("cannot decode the PNG"); }

  static void read_bytes(png_structp png, png_bytep out, size_t size) {
    auto* left = static_cast<std::string_view*>(png_get_io_ptr(png));
    if (size > left->size()) png_error(png, "it is cut off");
    std::memcpy(out, left->data(), size);
    left->remove_prefix(size);
  }

  static void read_header(PngDecoder& self) {
    self.png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &self.trap_, PngTrap::fail, PngTrap::ignore);
    if (self.png_ == nullptr) self.trap_.stop("no memory");
    self.info_ = png_create_info_struct(self.png_);
    if (self.info_ == nullptr) self.trap_.stop("no memory");
    png_set_read_fn(self.png_, &self.left_, read_bytes);
    png_read_info(self.png_, self.info_);
    self.color_ = png_get_color_type(self.png_, self.info_);
    self.depth_ = png_get_bit_depth(self.png_, self.info_);
    int& channels = self.options_.channels;
    if (channels != 0) return;
    channels = self.color_ != PNG_COLOR_TYPE_PALETTE ? png_get_channels(self.png_, self.info_)
               : self.has_transparent_colors()       ? 4
                                                     : 3;
  }

  bool has_transparent_colors() const { return png_get_valid(png_, info_, PNG_INFO_tRNS) != 0; }

  static void set_conversions(PngDecoder& self) {
    png_structp png = self.png_;
    const int channels = self.options_.channels;
    const bool has_alpha = (self.color_ & PNG_COLOR_MASK_ALPHA) != 0;
    if (channels % 2 != 0) {
      if (has_alpha || self.has_transparent_colors()) png_set_strip_alpha(png);
    } else if (!has_alpha && self.has_transparent_colors()) {
      png_set_tRNS_to_alpha(png);
    } else if (!has_alpha) {
      // Of pictures with fewer than 8 bits, TensorFlow's opaque is the largest number of so many bits.
      png_set_add_alpha(png, (1U << self.depth_) - 1, PNG_FILLER_AFTER);
    }
    if (self.depth_ > 8 && !self.options_.wide) png_set_strip_16(png);
    png_set_packing(png);
    self.passes_ = png_set_interlace_handling(png);
    if (self.options_.wide && std::endian::native == std::endian::little) png_set_swap(png);
    if (self.color_ == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    const bool gray = (self.color_ & PNG_COLOR_MASK_COLOR) == 0;
    if (gray && self.depth_ < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (gray && channels >= 3) png_set_gray_to_rgb(png);
    if (!gray && channels < 3) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, kRed, kGreen);
    png_read_update_info(png, self.info_);
    // The rows that the library writes must be those that the caller makes room for.
    const size_t sample = self.options_.wide && self.depth_ > 8 ? 2 : 1;
    self.row_size_ = static_cast<size_t>(self.shape_.width * self.shape_.channels) * sample;
    if (png_get_rowbytes(png, self.info_) != self.row_size_)
      self.trap_.stop("its channels cannot be converted");
  }

  static void decode_pixels(PngDecoder& self) {
    for (int pass = 0; pass < self.passes_; ++pass) {
      png_bytep row = self.out_;
      for (int64_t y = 0; y < self.shape_.height; ++y, row += self.row_size_) {
        png_read_row(self.png_, row, nullptr);
      }
    }
    png_read_end(self.png_, nullptr);
  }

  DecodeOptions options_;
  std::string_view left_;
  PngTrap trap_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int color_ = 0;
  int depth_ = 0;
  int passes_ = 1;
  size_t row_size_ = 0;
  uint8_t* out_ = nullptr;
};

}  // namespace

Result<ImageDecoderRef> open_png(std::string_view bytes, const DecodeOptions& options) {
  auto decoder = std::make_unique<PngDecoder>();
  WEIR_TRY(decoder->open(bytes, options));
  return ImageDecoderRef(std::move(decoder));
}

}  // namespace weir
