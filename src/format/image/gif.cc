// GIF by giflib, as TensorFlow reads it: the canvas is as large as the largest frame, transparent pixels keep
// those of the frame before, disposal is ignored.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/text.h"
#include "format/image/image.h"

namespace weir {

namespace {

int read_bytes(GifFileType* gif, GifByteType* out, int size) {
  auto* left = static_cast<std::string_view*>(gif->UserData);
  const size_t count = std::min(left->size(), static_cast<size_t>(std::max(size, 0)));
  std::memcpy(out, left->data(), count);
  left->remove_prefix(count);
  return static_cast<int>(count);
}

Status gif_error(int code) {
  const char* what = GifErrorString(code);
  return invalid_argument(concat("cannot decode the GIF: ", what == nullptr ? "it is damaged" : what));
}

// Walks over the blocks of a file. giflib's own DGifSlurp would allocate what the frames declare.
class GifReader {
 public:
  explicit GifReader(std::string_view bytes) : left_(bytes) {
    int code = 0;
    gif_ = DGifOpen(&left_, read_bytes, &code);
    if (gif_ == nullptr) opened_ = gif_error(code);
  }
  GifReader(const GifReader&) = delete;
  ~GifReader() {
    int code = 0;
    if (gif_ != nullptr) DGifCloseFile(gif_, &code);
  }

  const Status& opened() const { return opened_; }
  const GifImageDesc& frame() const { return gif_->Image; }
  int transparent() const { return transparent_; }
  int64_t left() const { return static_cast<int64_t>(left_.size()); }
  const ColorMapObject* colors() const {
    return gif_->Image.ColorMap != nullptr ? gif_->Image.ColorMap : gif_->SColorMap;
  }

  // Goes to the next frame and reads its header; false after the last one. A file may end without its
  // trailer.
  Result<bool> next_frame() {
    transparent_ = NO_TRANSPARENT_COLOR;
    bool controlled = false;
    for (;;) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(gif_, &type) != GIF_OK) {
        if (frames_ > 0) return false;
        return failed();
      }
      if (type == TERMINATE_RECORD_TYPE) return false;
      if (type == EXTENSION_RECORD_TYPE) {
        if (!read_extension(controlled)) return failed();
      } else if (type == IMAGE_DESC_RECORD_TYPE) {
        if (DGifGetImageDesc(gif_) != GIF_OK) return failed();
        ++frames_;
        return true;
      }
    }
  }

  Status skip_pixels() {
    int size = 0;
    GifByteType* block = nullptr;
    bool ok = DGifGetCode(gif_, &size, &block) == GIF_OK;
    while (ok && block != nullptr) ok = DGifGetCodeNext(gif_, &block) == GIF_OK;
    return ok ? Status() : failed();
  }

  Status read_line(std::vector<GifByteType>& line) {
    const bool ok = DGifGetLine(gif_, line.data(), static_cast<int>(line.size())) == GIF_OK;
    return ok ? Status() : failed();
  }

 private:
  Status failed() const { return gif_error(gif_->Error); }

  // The first graphics control before a frame counts.
  bool read_extension(bool& controlled) {
    int function = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif_, &function, &block) != GIF_OK) return false;
    if (block != nullptr && function == GRAPHICS_EXT_FUNC_CODE && !controlled) {
      GraphicsControlBlock control;
      controlled = DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK;
      if (controlled) transparent_ = control.TransparentColor;
    }
    while (block != nullptr) {
      if (DGifGetExtensionNext(gif_, &block) != GIF_OK) return false;
    }
    return true;
  }

  std::string_view left_;
  GifFileType* gif_ = nullptr;
  Status opened_;
  int transparent_ = NO_TRANSPARENT_COLOR;
  int64_t frames_ = 0;
};

class GifDecoder : public ImageDecoder {
 public:
  // Counts and measures the frames.
  Status open(std::string_view bytes) {
    bytes_ = bytes;
    GifReader reader(bytes);
    WEIR_TRY(reader.opened());
    shape_ = {.frames = 0, .channels = 3};
    int64_t pixels = 0;
    for (;;) {
      WEIR_ASSIGN(const bool more, reader.next_frame());
      if (!more) break;
      ++shape_.frames;
      shape_.height = std::max<int64_t>(shape_.height, reader.frame().Height);
      shape_.width = std::max<int64_t>(shape_.width, reader.frame().Width);
      const int64_t before = reader.left();
      WEIR_TRY(reader.skip_pixels());
      WEIR_TRY(check_image_bytes(reader.frame().Height, reader.frame().Width, before - reader.left(),
                                 kGifPixelsPerByte));
      pixels += int64_t{reader.frame().Height} * reader.frame().Width;
    }
    // Frames that are cheap alone may be many.
    WEIR_TRY(check_image_bytes(shape_.frames, pixels / std::max<int64_t>(shape_.frames, 1),
                               static_cast<int64_t>(bytes.size()), kGifPixelsPerByte));
    return check_image_size(shape_.frames, shape_.height, shape_.width);
  }

  Status decode(uint8_t* out) override {
    GifReader reader(bytes_);
    WEIR_TRY(reader.opened());
    const int64_t size = shape_.height * shape_.width * shape_.channels;
    for (int64_t i = 0; i < shape_.frames; ++i, out += size) {
      WEIR_ASSIGN(const bool more, reader.next_frame());
      if (!more) return gif_error(D_GIF_ERR_EOF_TOO_SOON);
      if (i == 0) {
        std::memset(out, 0, static_cast<size_t>(size));
      } else {
        std::memcpy(out, out - size, static_cast<size_t>(size));
      }
      WEIR_TRY(draw(reader, i, out));
    }
    return Status();
  }

 private:
  Status draw(GifReader& reader, int64_t index, uint8_t* canvas) {
    const GifImageDesc& frame = reader.frame();
    if (frame.Width <= 0 || frame.Height <= 0) return reader.skip_pixels();
    const ColorMapObject* colors = reader.colors();
    if (colors == nullptr)
      return invalid_argument(concat("cannot decode the GIF: no colours for frame ", index));
    // Interlaced frames have every eighth row first, then those between.
    constexpr int kFirst[] = {0, 4, 2, 1};
    constexpr int kStep[] = {8, 8, 4, 2};
    line_.resize(static_cast<size_t>(frame.Width));
    const bool interlaced = frame.Interlace;
    for (int pass = 0; pass < (interlaced ? 4 : 1); ++pass) {
      for (int y = interlaced ? kFirst[pass] : 0; y < frame.Height; y += interlaced ? kStep[pass] : 1) {
        WEIR_TRY(reader.read_line(line_));
        if (frame.Top + y < shape_.height) {
          WEIR_TRY(draw_line(reader, *colors, canvas + (frame.Top + y) * shape_.width * 3));
        }
      }
    }
    return Status();
  }

  Status draw_line(const GifReader& reader, const ColorMapObject& colors, uint8_t* row) const {
    const int64_t left = reader.frame().Left;
    const int64_t width = std::min<int64_t>(reader.frame().Width, shape_.width - left);
    for (int64_t x = 0; x < width; ++x) {
      const int index = line_[static_cast<size_t>(x)];
      if (index == reader.transparent()) continue;
      if (index >= colors.ColorCount) {
        return invalid_argument(concat("cannot decode the GIF: the colour ", index, " is not one of its ",
                                       colors.ColorCount, " colours"));
      }
      const GifColorType& color = colors.Colors[index];
      uint8_t* pixel = row + (left + x) * 3;
      pixel[0] = color.Red;
      pixel[1] = color.Green;
      pixel[2] = color.Blue;
    }
    return Status();
  }

  std::string_view bytes_;
  std::vector<GifByteType> line_;
};

}  // namespace

Result<ImageDecoderRef> open_gif(std::string_view bytes) {
  auto decoder = std::make_unique<GifDecoder>();
  WEIR_TRY(decoder->open(bytes));
  return ImageDecoderRef(std::move(decoder));
}

}  // namespace weir
