// JPEG by libjpeg-turbo, with TensorFlow's settings: the fast integer DCT, smooth upsampling of colours, and
// data that ends early is an error. Other damage that the library only warns of gives what it makes of it.
#include <algorithm>

#include "core/text.h"
#include "format/image/image.h"
#include "format/image/jpeg_trap.h"

namespace weir {

namespace {

// A progressive file may ask for any number of passes over the image; real ones have about ten. A scan that
// changes nothing takes some bytes only, so the pixels that all scans pass over are limited by the file's
// size: by 32 scans of an image that has no more bytes than it must have.
constexpr int kMaxScans = 500;
constexpr int64_t kScannedPixelsPerByte = 32 * kJpegPixelsPerByte;
// Rows for one call of the library.
constexpr JDIMENSION kRowsPerCall = 16;

// The library's source of bytes. There are no more than those given at first.
struct Source : jpeg_source_mgr {
  int64_t size = 0;

  void set(std::string_view bytes) {
    size = static_cast<int64_t>(bytes.size());
    next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    bytes_in_buffer = bytes.size();
    init_source = [](j_decompress_ptr) {};
    term_source = [](j_decompress_ptr) {};
    resync_to_restart = jpeg_resync_to_restart;
    fill_input_buffer = end_early;
    skip_input_data = [](j_decompress_ptr info, long count) {
      if (count <= 0) return;
      jpeg_source_mgr& source = *info->src;
      if (static_cast<unsigned long>(count) > source.bytes_in_buffer) end_early(info);
      source.next_input_byte += count;
      source.bytes_in_buffer -= static_cast<size_t>(count);
    };
  }

  static boolean end_early(j_decompress_ptr info) {
    reinterpret_cast<JpegTrap*>(info->err)->stop("it is cut off");
    return FALSE;
  }
};

class JpegDecoder : public ImageDecoder {
 public:
  ~JpegDecoder() override { jpeg_destroy_decompress(&info_); }

  // Reads the headers; with options.channels < 0 for the shape alone.
  Status open(std::string_view bytes, const DecodeOptions& options) {
    bytes_ = bytes;
    options_ = options;
    if (!trap_.run(read_header, *this)) return error();
    if (info_.jpeg_color_space == JCS_UNKNOWN || info_.num_components == 2) {
      return invalid_argument(expected_found("a JPEG of 1, 3 or 4 channels", concat(info_.num_components)));
    }
    const bool shape_alone = options.channels < 0;
    if (!shape_alone) WEIR_TRY(check_image_size(1, info_.output_height, info_.output_width));
    // Arithmetic coding needs less than a bit for a block. The shape is known from the first bytes.
    if (info_.arith_code == FALSE && !shape_alone) {
      WEIR_TRY(check_image_bytes(info_.image_height, info_.image_width, static_cast<int64_t>(bytes.size()),
                                 kJpegPixelsPerByte));
    }
    shape_ = {.height = info_.output_height, .width = info_.output_width, .channels = options_.channels};
    if (shape_alone) shape_.channels = info_.num_components;
    return options.region == nullptr ? Status() : set_region(*options.region);
  }

  Status decode(uint8_t* out) override {
    out_ = out;
    return trap_.run(decode_pixels, *this) ? Status() : error();
  }

 private:
  Status error() const { return trap_.error("cannot decode the JPEG"); }

  Status set_region(const ImageRegion& region) {
    const auto fits = [](int64_t at, int64_t size, int64_t whole) {
      return at >= 0 && size > 0 && at <= whole && size <= whole - at;
    };
    if (!fits(region.y, region.height, shape_.height) || !fits(region.x, region.width, shape_.width)) {
      return invalid_argument(expected_found(
          concat("a window within the image of ", shape_.height, " by ", shape_.width, " pixels"),
          concat("[", region.y, ", ", region.x, ", ", region.height, ", ", region.width, "]")));
    }
    region_ = region;
    shape_.height = region.height;
    shape_.width = region.width;
    return Status();
  }

  static void read_header(JpegDecoder& self) {
    jpeg_decompress_struct& info = self.info_;
    info.err = self.trap_.manager();
    jpeg_create_decompress(&info);
    self.source_.set(self.bytes_);
    info.src = &self.source_;
    self.progress_.progress_monitor = limit_scans;
    info.progress = &self.progress_;
    if (self.bytes_.empty()) self.trap_.stop("it is empty");
    jpeg_read_header(&info, TRUE);
    int& channels = self.options_.channels;
    if (channels == 0) channels = std::min(info.num_components, 3);
    const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = channels == 1 ? JCS_GRAYSCALE : inks ? JCS_CMYK : JCS_RGB;
    info.do_fancy_upsampling = TRUE;
    info.dct_method = JDCT_IFAST;
    info.scale_num = 1;
    info.scale_denom = static_cast<unsigned>(self.options_.ratio);
    jpeg_calc_output_dimensions(&info);
  }

  static void limit_scans(j_common_ptr common) {
    const auto* info = reinterpret_cast<j_decompress_ptr>(common);
    auto* trap = reinterpret_cast<JpegTrap*>(common->err);
    if (info->input_scan_number > kMaxScans) trap->stop("it has more than 500 scans");
    const int64_t scanned = int64_t{info->image_height} * info->image_width * info->input_scan_number;
    const auto* source = static_cast<const Source*>(info->src);
    if (info->input_scan_number > 1 && scanned > std::max(kCheapPixels, source->size * kScannedPixelsPerByte))
      trap->stop("it has more scans than an image of its size and pixels needs");
  }

  static void decode_pixels(JpegDecoder& self) {
    jpeg_decompress_struct& info = self.info_;
    jpeg_start_decompress(&info);
    const bool whole = self.options_.region == nullptr;
    if (!whole) self.enter_region();
    if (whole && info.out_color_space != JCS_CMYK) {
      self.read_rows();
      jpeg_finish_decompress(&info);
      return;
    }
    self.read_converted_rows();
    // What lies below a region is not read.
    if (whole) jpeg_finish_decompress(&info);
  }

  // Skips the rows above the region, and most of what lies beside it. A block more is decoded on each side,
  // since the colours of pixels at its edge depend on their neighbours.
  void enter_region() {
    const auto block = static_cast<int64_t>(info_.max_h_samp_factor) * DCTSIZE;
    const int64_t left = std::max<int64_t>(0, region_.x - block);
    const int64_t right = std::min<int64_t>(info_.output_width, region_.x + region_.width + block);
    auto first = static_cast<JDIMENSION>(left);
    if (auto width = static_cast<JDIMENSION>(right - left); width < info_.output_width) {
      jpeg_crop_scanline(&info_, &first, &width);
    }
    skipped_pixels_ = static_cast<size_t>(region_.x) - first;
    if (region_.y > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(region_.y));
  }

  void read_rows() {
    const size_t row_size = static_cast<size_t>(shape_.width * shape_.channels);
    JSAMPROW rows[kRowsPerCall];
    while (info_.output_scanline < info_.output_height) {
      const JDIMENSION count = std::min(kRowsPerCall, info_.output_height - info_.output_scanline);
      for (JDIMENSION i = 0; i < count; ++i) rows[i] = out_ + (info_.output_scanline + i) * row_size;
      if (jpeg_read_scanlines(&info_, rows, count) == 0) trap_.stop("it is cut off");
    }
  }

  // Reads row by row through a row of the library's.
  void read_converted_rows() {
    const size_t row_size = static_cast<size_t>(shape_.width * shape_.channels);
    const auto samples = static_cast<size_t>(info_.output_components);
    // Belongs to the image, with which the library frees it.
    auto* row = static_cast<JSAMPROW>((*info_.mem->alloc_large)(reinterpret_cast<j_common_ptr>(&info_),
                                                                JPOOL_IMAGE, info_.output_width * samples));
    for (int64_t y = 0; y < shape_.height; ++y, out_ += row_size) {
      if (jpeg_read_scanlines(&info_, &row, 1) == 0) trap_.stop("it is cut off");
      const JSAMPLE* in = row + skipped_pixels_ * samples;
      if (info_.out_color_space == JCS_CMYK) {
        convert_inks(in);
      } else {
        std::memcpy(out_, in, row_size);
      }
    }
  }

  // Adobe stores inks inverted.
  void convert_inks(const JSAMPLE* in) const {
    const bool inverted = info_.saw_Adobe_marker != 0;
    for (int64_t x = 0; x < shape_.width; ++x, in += 4) {
      const int black = inverted ? in[3] : 255 - in[3];
      for (int c = 0; c < 3; ++c) {
        out_[3 * x + c] = static_cast<uint8_t>(black * (inverted ? in[c] : 255 - in[c]) / 255);
      }
    }
  }

  std::string_view bytes_;
  DecodeOptions options_;
  ImageRegion region_;
  JpegTrap trap_;
  Source source_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
  size_t skipped_pixels_ = 0;
  uint8_t* out_ = nullptr;
};

}  // namespace

bool has_image_codecs() { return true; }

Result<ImageDecoderRef> open_jpeg(std::string_view bytes, const DecodeOptions& options) {
  if (options.channels > 3)
    return invalid_argument("a JPEG is decoded to 1 or 3 channels; expected channels of 0, 1 or 3");
  auto decoder = std::make_unique<JpegDecoder>();
  WEIR_TRY(decoder->open(bytes, options));
  return ImageDecoderRef(std::move(decoder));
}

Result<ImageShape> jpeg_shape(std::string_view bytes) {
  JpegDecoder decoder;
  WEIR_TRY(decoder.open(bytes, {.channels = -1}));
  return decoder.shape();
}

}  // namespace weir
