#include "format/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/text.h"
#include "format/crc32c.h"
#include "format/inflater.h"

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

class InflateStream final : public ByteStream {
 public:
  InflateStream(RefPtr<RandomAccessFile> file, Compression compression)
      : file_(std::move(file)),
        compression_(compression),
        input_(Buffer::allocate(kInflaterBack + kCompressedBytes)) {}

  Status start() {
    inflater_ = make_isal_inflater(compression_ == Compression::gzip);
    fast_ = inflater_ != nullptr;
    return fast_ ? Status() : use_zlib();
  }
  Result<size_t> read(std::span<uint8_t> out) override;
  Status seek(uint64_t offset) override;
  const std::string& file() const override { return file_->name(); }

 private:
  enum class State : uint8_t {
    between,  // before the first member, or after one: the file may end
    inside,
    padding,  // after the last member: only zeros may follow
    ended,
  };

  Status use_zlib();
  Status begin_again_with_zlib();
  void rewind();
  Status skip_to(uint64_t offset);
  Status step();
  Status inflate_some();
  Status refill();
  Status begin_member();
  Status damaged(std::string_view what) const;
  Status no_memory() const {
    return file_error(Code::resource_exhausted, "not enough memory to decompress", file());
  }

  const RefPtr<RandomAccessFile> file_;
  const Compression compression_;
  // kInflaterBack bytes, and what was read of the file.
  const BufferRef input_;
  std::unique_ptr<Inflater> inflater_;
  // It is one that is only trusted while it finds nothing wrong.
  bool fast_ = false;
  Inflater::Io io_;
  State state_ = State::between;
  uint64_t file_offset_ = 0;
  uint64_t offset_ = 0;
  bool any_member_ = false;
  bool file_ended_ = false;
  Status failure_;
};

Status InflateStream::damaged(std::string_view what) const {
  return file_error(Code::data_loss,
                    concat("damaged ", compression_name(compression_), " data: ", what,
                           "; the file was read up to byte ", file_offset_ - io_.avail_in),
                    file(), static_cast<int64_t>(offset_));
}

Status InflateStream::use_zlib() {
  inflater_ = make_zlib_inflater(compression_ == Compression::gzip);
  fast_ = false;
  return inflater_ ? Status() : no_memory();
}

Status InflateStream::refill() {
  if (io_.avail_in != 0 || file_ended_) return {};
  uint8_t* const data = input_->data() + kInflaterBack;
  WEIR_ASSIGN(const size_t got, file_->read_at(file_offset_, {data, kCompressedBytes}));
  file_offset_ += got;
  file_ended_ = got == 0;
  io_.next_in = data;
  io_.avail_in = got;
  return {};
}

// A member is followed by the end, another member, or padding with zeros, as tape and block devices leave it.
Status InflateStream::begin_member() {
  if (io_.avail_in == 0) {
    state_ = State::ended;
  } else if (any_member_ && *io_.next_in == 0) {
    state_ = State::padding;
  } else if (any_member_ && compression_ == Compression::zlib) {
    return damaged("expected the end of the file, found more bytes");
  } else {
    inflater_->begin();
    any_member_ = true;
    state_ = State::inside;
  }
  return {};
}

// Advances by consuming input, producing output or changing state.
Status InflateStream::step() {
  WEIR_TRY(refill());
  if (state_ == State::between) return begin_member();
  if (state_ == State::inside) return inflate_some();
  while (io_.avail_in != 0 && *io_.next_in == 0) ++io_.next_in, --io_.avail_in;
  if (io_.avail_in != 0) return damaged("expected the end of the file, found more bytes");
  if (file_ended_) state_ = State::ended;
  return {};
}

Status InflateStream::inflate_some() {
  const size_t in = io_.avail_in;
  const size_t room = io_.avail_out;
  switch (inflater_->run(io_)) {
    case Inflater::Answer::more:
      // What was read may be all and yet have something to give.
      if (in == 0 && io_.avail_out == room) return damaged("the file ends too early");
      if (in == io_.avail_in && io_.avail_out == room) return damaged("unknown fault");
      return {};
    case Inflater::Answer::end:
      state_ = State::between;
      return {};
    case Inflater::Answer::no_memory:
      return no_memory();
    default:
      return damaged(inflater_->fault());
  }
}

Result<size_t> InflateStream::read(std::span<uint8_t> out) {
  io_.next_out = out.data();
  io_.avail_out = out.size();
  while (failure_.ok() && io_.avail_out != 0 && state_ != State::ended) {
    const Inflater::Io before = io_;
    failure_ = step();
    if (fast_ && failure_.code() == Code::data_loss) {
      failure_ = begin_again_with_zlib();
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
Status InflateStream::begin_again_with_zlib() {
  const uint64_t offset = offset_;
  WEIR_TRY(use_zlib());
  rewind();
  return skip_to(offset);
}

void InflateStream::rewind() {
  io_.avail_in = 0;
  state_ = State::between;
  file_offset_ = offset_ = 0;
  any_member_ = file_ended_ = false;
  failure_ = {};
}

Status InflateStream::skip_to(uint64_t offset) {
  const BufferRef unwanted = Buffer::allocate(kCompressedBytes);
  while (offset_ < offset) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(unwanted->size(), offset - offset_));
    WEIR_ASSIGN(const size_t got, read({unwanted->data(), size}));
    if (got == 0) break;
  }
  return {};
}

Status InflateStream::seek(uint64_t offset) {
  if (offset < offset_ || !failure_.ok()) rewind();
  return skip_to(offset);
}

// Two bytes can't tell zlib data from text or a record's length, so they must decompress as well. Of fewer
// bytes than its shortest data, that of nothing, that says little.
constexpr size_t kShortestZlib = 8;
bool looks_like_zlib(std::span<const uint8_t> bytes) {
  if (bytes.size() < kShortestZlib || (bytes[0] & 0x0f) != Z_DEFLATED || bytes[0] >> 4 > 7) return false;
  if ((bytes[0] * 256 + bytes[1]) % 31 != 0) return false;
  z_stream zlib = {};
  if (inflateInit(&zlib) != Z_OK) return false;
  uint8_t out[1024];
  zlib.next_in = const_cast<uint8_t*>(bytes.data());
  zlib.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), sizeof(out)));
  zlib.next_out = out;
  zlib.avail_out = sizeof(out);
  const int result = inflate(&zlib, Z_NO_FLUSH);
  inflateEnd(&zlib);
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

// The checksum of a plain TFRecord file's first length identifies it.
bool looks_like_records(std::span<const uint8_t> bytes) {
  uint32_t stored;
  if (bytes.size() < 8 + sizeof(stored)) return false;
  std::memcpy(&stored, bytes.data() + 8, sizeof(stored));
  return mask_crc32c(crc32c(bytes.data(), 8)) == stored;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "";
    case Compression::gzip:
      return "gzip";
    case Compression::zlib:
      return "zlib";
    case Compression::automatic:
      return "auto";
  }
  return "";
}

Result<Compression> parse_compression(std::string_view name) {
  std::vector<std::string> names;
  for (auto each : {Compression::none, Compression::gzip, Compression::zlib, Compression::automatic}) {
    if (name == compression_name(each)) return each;
    if (each != Compression::none) names.emplace_back(compression_name(each));
  }
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  const std::string near = nearest(small, names);
  return invalid_argument(expected_found("a compression of \"\", \"gzip\", \"zlib\" or \"auto\"", quote(name),
                                         near.empty() ? "" : concat("did you mean ", quote(near), "?")));
}

Compression guess_compression(std::span<const uint8_t> first_bytes) {
  if (looks_like_records(first_bytes)) return Compression::none;
  if (first_bytes.size() >= 3 && first_bytes[0] == 0x1f && first_bytes[1] == 0x8b &&
      first_bytes[2] == Z_DEFLATED) {
    return Compression::gzip;
  }
  return looks_like_zlib(first_bytes) ? Compression::zlib : Compression::none;
}

Result<std::unique_ptr<ByteStream>> open_stream(RefPtr<RandomAccessFile> file, Compression compression) {
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
  auto stream = std::make_unique<InflateStream>(std::move(file), compression);
  WEIR_TRY(stream->start());
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> open_stream(FileSystem& file_system, const std::string& name,
                                                Compression compression) {
  WEIR_ASSIGN(RefPtr<RandomAccessFile> file, file_system.open(name));
  return open_stream(std::move(file), compression);
}

}  // namespace weir
