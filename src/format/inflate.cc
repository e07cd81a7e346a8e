#include "format/inflate.h"

#include <algorithm>

#include "core/text.h"
#include "format/frames.h"

namespace weir {

namespace {

constexpr size_t kCompressedBytes = 64 * 1024;

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(RefPtr<RandomAccessFile> file) : file_(std::move(file)) {}

  Result<size_t> read(std::span<uint8_t> out) override {
    WEIR_ASSIGN(const size_t got, file_->read_at(offset_, out));
    offset_ += got;
    return got;
  }
  Result<SharedBytes> share() override {
    WEIR_ASSIGN(SharedBytes shared, file_->share(offset_));
    offset_ += shared.end - shared.begin;
    return shared;
  }
  Status seek(uint64_t offset) override {
    offset_ = offset;
    return {};
  }
  Result<int64_t> size() override {
    WEIR_ASSIGN(const uint64_t size, file_->size());
    return static_cast<int64_t>(size);
  }
  const std::string& file() const override { return file_->name(); }

 private:
  const RefPtr<RandomAccessFile> file_;
  uint64_t offset_ = 0;
};

class DecodedStream final : public ByteStream {
 public:
  DecodedStream(RefPtr<RandomAccessFile> file, const Codec& codec, size_t read_bytes)
      : file_(std::move(file)),
        codec_(codec),
        read_bytes_(read_bytes),
        input_(Buffer::allocate(kDecoderBack + read_bytes)),
        frames_(codec) {}

  Status start() {
    if (codec_.fast_decoder) decoder_ = codec_.fast_decoder();
    fast_ = decoder_ != nullptr;
    return fast_ ? Status() : use_exact();
  }
  Result<size_t> read(std::span<uint8_t> out) override;
  Status seek(uint64_t offset) override;
  const std::string& file() const override { return file_->name(); }

 private:
  Status use_exact();
  Status begin_again_exactly();
  void rewind();
  Status skip_to(uint64_t offset);
  Status step();
  Status refill();
  Status failed(const Frames::Fault& fault) const;

  const RefPtr<RandomAccessFile> file_;
  const Codec& codec_;
  const size_t read_bytes_;
  // kDecoderBack bytes, and what was read of the file.
  const BufferRef input_;
  std::unique_ptr<Decoder> decoder_;
  // It is one that is only trusted while it finds nothing wrong.
  bool fast_ = false;
  Frames frames_;
  Decoder::Io io_;
  uint64_t file_offset_ = 0;
  // How far the file has been read; it is no shorter.
  uint64_t seen_ = 0;
  uint64_t offset_ = 0;
  bool file_ended_ = false;
  Status failure_;
};

Status DecodedStream::failed(const Frames::Fault& fault) const {
  if (fault.what.empty()) return file_error(fault.code, "not enough memory to decompress", file());
  const bool is_damaged = fault.code == Code::data_loss;
  return file_error(fault.code,
                    concat(is_damaged ? "damaged " : "unreadable ", codec_.marks->name, " data: ", fault.what,
                           "; the file was read up to byte ", file_offset_ - io_.avail_in),
                    file(), static_cast<int64_t>(offset_));
}

Status DecodedStream::use_exact() {
  decoder_ = codec_.decoder();
  fast_ = false;
  return decoder_ ? Status() : failed({Code::resource_exhausted, {}});
}

Status DecodedStream::refill() {
  if (io_.avail_in != 0 || file_ended_) return {};
  uint8_t* const data = input_->data() + kDecoderBack;
  WEIR_ASSIGN(const size_t got, file_->read_at(file_offset_, {data, read_bytes_}));
  file_offset_ += got;
  seen_ = std::max(seen_, file_offset_);
  file_ended_ = got == 0;
  io_.next_in = data;
  io_.avail_in = got;
  return {};
}

Status DecodedStream::step() {
  WEIR_TRY(refill());
  Frames::Fault fault = frames_.step(*decoder_, io_);
  if (frames_.ended() && file_offset_ < seen_) fault = {Code::data_loss, kTooEarly};
  return fault.code == Code::ok ? Status() : failed(fault);
}

Result<size_t> DecodedStream::read(std::span<uint8_t> out) {
  io_.next_out = out.data();
  io_.avail_out = out.size();
  while (failure_.ok() && io_.avail_out != 0 && !frames_.ended()) {
    const Decoder::Io before = io_;
    failure_ = step();
    if (fast_ && failure_.code() == Code::data_loss) {
      failure_ = begin_again_exactly();
      io_.next_out = before.next_out;
      io_.avail_out = before.avail_out;
    }
    offset_ += before.avail_out - io_.avail_out;
  }
  const size_t produced = out.size() - io_.avail_out;
  if (produced == 0 && !failure_.ok()) return failure_;
  return produced;
}

// Goes back to where it is, by the way that gives everything before the damage, and says what it is.
Status DecodedStream::begin_again_exactly() {
  const uint64_t offset = offset_;
  WEIR_TRY(use_exact());
  rewind();
  return skip_to(offset);
}

void DecodedStream::rewind() {
  io_.avail_in = 0;
  frames_ = Frames(codec_);
  file_offset_ = offset_ = 0;
  file_ended_ = false;
  failure_ = {};
}

Status DecodedStream::skip_to(uint64_t offset) {
  constexpr size_t kUnwantedBytes = 64 * 1024;
  const BufferRef unwanted = Buffer::allocate(kUnwantedBytes);
  while (offset_ < offset) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(unwanted->size(), offset - offset_));
    WEIR_ASSIGN(const size_t got, read({unwanted->data(), size}));
    if (got == 0) break;
  }
  return {};
}

Status DecodedStream::seek(uint64_t offset) {
  if (offset < offset_ || !failure_.ok()) rewind();
  return skip_to(offset);
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_stream(RefPtr<RandomAccessFile> file, Compression compression,
                                                size_t read_bytes) {
  if (compression == Compression::automatic) {
    uint8_t first[256];
    size_t size = 0;
    while (size < sizeof(first)) {
      WEIR_ASSIGN(const size_t got, file->read_at(size, std::span(first).subspan(size)));
      if (got == 0) break;
      size += got;
    }
    compression = guess_compression(std::span(first).first(size));
  }
  if (compression == Compression::none) {
    return std::unique_ptr<ByteStream>(std::make_unique<PlainStream>(std::move(file)));
  }
  auto stream = std::make_unique<DecodedStream>(std::move(file), codec_of(compression),
                                                read_bytes == 0 ? kCompressedBytes : read_bytes);
  WEIR_TRY(stream->start());
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> open_stream(FileSystem& file_system, const std::string& name,
                                                Compression compression, size_t read_bytes) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, file_system.open(name));
  return open_stream(std::move(file), compression, read_bytes);
}

}  // namespace weir
