#include <algorithm>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "format/crc32c.h"
#include "format/tfrecord.h"

namespace weir {

namespace {

constexpr size_t kPendingBytes = 64 * 1024;
// Of a long record.
constexpr size_t kEncodedTogether = size_t{1} << 20;

Status check_level(Compression compression, int level) {
  if (level == kDefaultLevel) return {};
  if (compression == Compression::none)
    return invalid_argument(
        expected_found("no compression level, since nothing is compressed", concat(level)));
  const Codec& codec = codec_of(compression);
  if (codec.least_level <= level && level <= codec.most_level) return {};
  return invalid_argument(expected_found(concat("a compression level of ", codec.marks->name, ", from ",
                                                codec.least_level, " to ", codec.most_level),
                                         concat(level)));
}

// Gathers records into chunks, compresses them if asked to, and appends them to the file.
class Writer final : public RecordWriter {
 public:
  // `encoder` is null if nothing is compressed.
  Writer(std::unique_ptr<WritableFile> file, std::string name, std::unique_ptr<Encoder> encoder, bool plain)
      : file_(std::move(file)), name_(std::move(name)), encoder_(std::move(encoder)), plain_(plain) {
    pending_.reserve(kPendingBytes);
  }

  Status write(Str record) override {
    if (plain_) {
      gather(record.data, record.size);
      return failure_;
    }
    uint8_t header[12];
    const uint64_t length = record.size;
    std::memcpy(header, &length, 8);
    const uint32_t length_crc = mask_crc32c(crc32c(header, 8));
    std::memcpy(header + 8, &length_crc, 4);
    const uint32_t data_crc = mask_crc32c(crc32c(record.data, length));
    gather(header, sizeof(header));
    gather(record.data, length);
    gather(&data_crc, sizeof(data_crc));
    return failure_;
  }

  Status flush() override {
    pass_on(Encoder::Flush::whole);
    return failure_;
  }

  Status close() override {
    pass_on(Encoder::Flush::end);
    Status closed = file_->close();
    if (failure_.ok()) failure_ = std::move(closed);
    return failure_;
  }

 private:
  void gather(const void* data, size_t size) {
    if (pending_.size() + size > kPendingBytes) pass_on(Encoder::Flush::none);
    if (size >= kPendingBytes) {
      pass_on(static_cast<const uint8_t*>(data), size, Encoder::Flush::none);
    } else if (size != 0) {
      pending_.append(static_cast<const char*>(data), size);
    }
  }

  void pass_on(Encoder::Flush flush) {
    pass_on(reinterpret_cast<const uint8_t*>(pending_.data()), pending_.size(), flush);
    pending_.clear();
  }

  void pass_on(const uint8_t* data, size_t size, Encoder::Flush flush) {
    if (!encoder_) return append({data, size});
    do {
      const size_t part = std::min(size, kEncodedTogether);
      encode({data, part}, part == size ? flush : Encoder::Flush::none);
      data += part;
      size -= part;
    } while (size != 0 && failure_.ok());
  }

  void encode(std::span<const uint8_t> bytes, Encoder::Flush flush) {
    if (!failure_.ok()) return;
    encoded_.clear();
    if (encoder_->write(bytes, flush, encoded_)) return append(encoded_);
    failure_ = file_error(Code::resource_exhausted, "not enough memory to compress", name_);
  }

  void append(std::span<const uint8_t> bytes) {
    if (failure_.ok() && !bytes.empty()) failure_ = file_->append(bytes);
  }

  const std::unique_ptr<WritableFile> file_;
  const std::string name_;
  const std::unique_ptr<Encoder> encoder_;
  const bool plain_;
  std::string pending_;
  std::vector<uint8_t> encoded_;
  Status failure_;
};

}  // namespace

Result<std::unique_ptr<RecordWriter>> RecordWriter::create(FileSystem& file_system, const std::string& name,
                                                           Compression compression, int level, bool plain) {
  if (compression == Compression::automatic) return parse_written_compression("auto").status();
  WEIR_TRY(check_level(compression, level));
  std::unique_ptr<Encoder> encoder;
  if (compression != Compression::none) {
    encoder = codec_of(compression).encoder(level, Codec::Use::file);
    if (!encoder) return file_error(Code::resource_exhausted, "not enough memory to compress", name);
  }
  WEIR_ASSIGN(std::unique_ptr<WritableFile> file, file_system.create(name));
  return std::unique_ptr<RecordWriter>(
      std::make_unique<Writer>(std::move(file), name, std::move(encoder), plain));
}

}  // namespace weir
