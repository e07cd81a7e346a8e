// JPEG by libjpeg-turbo, with TensorFlow's settings: colours at half the resolution, 300 dots per inch.
#include <cstdlib>

#include "core/text.h"
#include "format/image/image.h"
#include "format/image/jpeg_trap.h"

namespace weir {

namespace {

class JpegEncoder {
 public:
  JpegEncoder(const uint8_t* pixels, const ImageShape& shape, int quality)
      : pixels_(pixels), shape_(shape), quality_(quality) {}
  JpegEncoder(const JpegEncoder&) = delete;
  ~JpegEncoder() {
    jpeg_destroy_compress(&info_);
    std::free(made_);
  }

  Result<std::string> encode() {
    if (!trap_.run(compress, *this)) return trap_.error("cannot encode the image as JPEG");
    return std::string(reinterpret_cast<const char*>(made_), made_size_);
  }

 private:
  static void compress(JpegEncoder& self) {
    jpeg_compress_struct& info = self.info_;
    info.err = self.trap_.manager();
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &self.made_, &self.made_size_);
    info.image_width = static_cast<JDIMENSION>(self.shape_.width);
    info.image_height = static_cast<JDIMENSION>(self.shape_.height);
    info.input_components = static_cast<int>(self.shape_.channels);
    info.in_color_space = self.shape_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    info.density_unit = 1;
    info.X_density = 300;
    info.Y_density = 300;
    jpeg_set_quality(&info, self.quality_, TRUE);
    jpeg_start_compress(&info, TRUE);
    const size_t row_size = static_cast<size_t>(self.shape_.width * self.shape_.channels);
    while (info.next_scanline < info.image_height) {
      auto* row = const_cast<JSAMPROW>(self.pixels_ + info.next_scanline * row_size);
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
  }

  const uint8_t* pixels_;
  ImageShape shape_;
  int quality_;
  JpegTrap trap_;
  jpeg_compress_struct info_ = {};
  unsigned char* made_ = nullptr;
  unsigned long made_size_ = 0;
};

}  // namespace

Result<std::string> encode_jpeg(const uint8_t* pixels, const ImageShape& shape, int quality) {
  if (shape.channels != 1 && shape.channels != 3) {
    return invalid_argument(expected_found("1 or 3 channels", concat(shape.channels)));
  }
  WEIR_TRY(check_image_size(1, shape.height, shape.width));
  return JpegEncoder(pixels, shape, quality).encode();
}

}  // namespace weir
