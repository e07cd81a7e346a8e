#include <zlib.h>

#include <bit>
#include <cstring>

#include "core/text.h"
#include "format/crc32c.h"
#include "format/tfrecord.h"

namespace weir {

namespace {

constexpr size_t kPendingBytes = 64 * 1024;

// Gathers records into chunks, compresses them if asked to, and appends them to the file.
class Writer final : public RecordWriter {
 public:
  Writer(std::unique_ptr<WritableFile> file, std::string name, Compression compression)
      : file_(std::move(file)), name_(std::move(name)), compressed_(compression != Compression::none) {
    pending_.reserve(kPendingBytes);
  }
  ~Writer() override {
    if (started_) deflateEnd(&zlib_);
  }

  Status start(Compression compression, int level) {
    if (!compressed_) return {};
    const int window_bits = MAX_WBITS + (compression == Compression::gzip ? 16 : 0);
    if (deflateInit2(&zlib_, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      return file_error(Code::resource_exhausted, "not enough memory to compress", name_);
    }
    started_ = true;
    return {};
  }

  Status write(Str record) override {
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
    pass_on(Z_SYNC_FLUSH);
    return failure_;
  }

  Status close() override {
    pass_on(Z_FINISH);
    Status closed = file_->close();
    if (failure_.ok()) failure_ = std::move(closed);
    return failure_;
  }

 private:
  void gather(const void* data, size_t size) {
    if (pending_.size() + size > kPendingBytes) pass_on(Z_NO_FLUSH);
    if (size >= kPendingBytes) {
      pass_on(static_cast<const uint8_t*>(data), size, Z_NO_FLUSH);
    } else if (size != 0) {
      pending_.append(static_cast<const char*>(data), size);
    }
  }

  void pass_on(int flush) {
    pass_on(reinterpret_cast<const uint8_t*>(pending_.data()), pending_.size(), flush);
    pending_.clear();
  }

  void pass_on(const uint8_t* data, size_t size, int flush) {
    if (!compressed_) return append({data, size});
    do {
      const size_t part = std::min(size, size_t{1} << 30);
      deflate_part(data, part, part == size ? flush : Z_NO_FLUSH);
      data += part;
      size -= part;
    } while (size != 0 && failure_.ok());
  }

  void deflate_part(const uint8_t* data, size_t size, int flush) {
    uint8_t out[16 * 1024];
    zlib_.next_in = const_cast<uint8_t*>(data);
    zlib_.avail_in = static_cast<uInt>(size);
    do {
      zlib_.next_out = out;
      zlib_.avail_out = sizeof(out);
      deflate(&zlib_, flush);
      append({out, sizeof(out) - zlib_.avail_out});
    } while (zlib_.avail_out == 0 && failure_.ok());
  }

  void append(std::span<const uint8_t> bytes) {
    if (failure_.ok() && !bytes.empty()) failure_ = file_->append(bytes);
  }

  const std::unique_ptr<WritableFile> file_;
  const std::string name_;
  const bool compressed_;
  bool started_ = false;
  z_stream zlib_ = {};
  std::string pending_;
  Status failure_;
};

}  // namespace

Result<std::unique_ptr<RecordWriter>> RecordWriter::create(FileSystem& file_system, const std::string& name,
                                                           Compression compression, int level) {
  if (compression == Compression::automatic) {
    return invalid_argument(
        "expected a compression of \"\", \"gzip\" or \"zlib\" for writing, found \"auto\"");
  }
  if (level < -1 || level > 9) {
    return invalid_argument(expected_found("a compression level from 0 to 9, or -1", concat(level)));
  }
  WEIR_ASSIGN(std::unique_ptr<WritableFile> file, file_system.create(name));
  auto writer = std::make_unique<Writer>(std::move(file), name, compression);
  WEIR_TRY(writer->start(compression, level));
  return std::unique_ptr<RecordWriter>(std::move(writer));
}

}  // namespace weir
