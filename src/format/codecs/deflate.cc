// gzip and zlib: the same data with another header and checksum.
#include "format/codecs/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace weir {

namespace {

class ZlibInflater final : public Decoder {
 public:
  ~ZlibInflater() override { inflateEnd(&zlib_); }

  bool start(bool gzip) { return inflateInit2(&zlib_, MAX_WBITS + (gzip ? 16 : 0)) == Z_OK; }
  void begin() override { inflateReset(&zlib_); }

  Answer run(Io& io) override {
    const auto in = static_cast<uInt>(std::min<size_t>(io.avail_in, uInt(-1)));
    const auto out = static_cast<uInt>(std::min<size_t>(io.avail_out, uInt(-1)));
    zlib_.next_in = const_cast<uint8_t*>(io.next_in);
    zlib_.avail_in = in;
    zlib_.next_out = io.next_out;
    zlib_.avail_out = out;
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    io.next_in += in - zlib_.avail_in;
    io.avail_in -= in - zlib_.avail_in;
    io.next_out += out - zlib_.avail_out;
    io.avail_out -= out - zlib_.avail_out;
    switch (result) {
      case Z_OK:
      case Z_BUF_ERROR:
        return Answer::more;
      case Z_STREAM_END:
        return Answer::end;
      case Z_MEM_ERROR:
        return Answer::no_memory;
      case Z_NEED_DICT:
        fault_ = "it needs a preset dictionary";
        return Answer::damaged;
      default:
        fault_ = zlib_.msg ? zlib_.msg : "unknown fault";
        return Answer::damaged;
    }
  }
  std::string_view fault() const override { return fault_; }

 private:
  z_stream zlib_ = {};
  std::string_view fault_;
};

class Deflater final : public Encoder {
 public:
  ~Deflater() override {
    if (started_) deflateEnd(&zlib_);
  }
  bool start(bool gzip, int level) {
    const int window_bits = MAX_WBITS + (gzip ? 16 : 0);
    started_ = deflateInit2(&zlib_, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return started_;
  }

  bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) override {
    constexpr size_t kRoom = 16 * 1024;
    const int how = flush == Flush::none ? Z_NO_FLUSH : flush == Flush::whole ? Z_SYNC_FLUSH : Z_FINISH;
    zlib_.next_in = const_cast<uint8_t*>(bytes.data());
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    do {
      zlib_.next_out = grow(out, kRoom);
      zlib_.avail_out = kRoom;
      deflate(&zlib_, how);
      out.resize(out.size() - zlib_.avail_out);
    } while (zlib_.avail_out == 0);
    if (flush == Flush::end) deflateReset(&zlib_);
    return true;
  }

 private:
  bool started_ = false;
  z_stream zlib_ = {};
};

template <bool gzip>
std::unique_ptr<Decoder> zlib_decoder() {
  return make_zlib_inflater(gzip);
}
template <bool gzip>
std::unique_ptr<Decoder> isal_decoder() {
  return make_isal_inflater(gzip);
}
template <bool gzip>
std::unique_ptr<Encoder> deflater(int level, Codec::Use) {
  std::unique_ptr<Deflater> out(new (std::nothrow) Deflater());
  return out && out->start(gzip, level) ? std::move(out) : nullptr;
}

// Two bytes can't tell zlib data from text or a record's length, so they must decompress as well. Of fewer
// bytes than its shortest data, that of nothing, that says little.
constexpr size_t kShortestZlib = 8;
bool begins_like_zlib(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < kShortestZlib || (byte(0) & 0x0f) != Z_DEFLATED || byte(0) >> 4 > 7) return false;
  if ((byte(0) * 256 + byte(1)) % 31 != 0) return false;
  ZlibInflater zlib;
  if (!zlib.start(false)) return false;
  uint8_t out[1024];
  Decoder::Io io{reinterpret_cast<const uint8_t*>(bytes.data()), std::min(bytes.size(), sizeof(out)), out,
                 sizeof(out)};
  const Decoder::Answer answer = zlib.run(io);
  return answer == Decoder::Answer::more || answer == Decoder::Answer::end;
}

// No data of zlib's is more than 1032 times as large when it is decompressed.
constexpr uint64_t kMostExpansion = 1032;

}  // namespace

extern constinit const Codec gzip_codec{
    .marks = &gzip_marks,
    .padding = 1,
    .most_expansion = kMostExpansion,
    .least_level = 1,
    .most_level = 9,
    .decoder = zlib_decoder<true>,
    .fast_decoder = isal_decoder<true>,
    .encoder = deflater<true>,
};

extern constinit const Codec zlib_codec{
    .marks = &zlib_marks,
    .begins = begins_like_zlib,
    .several = false,
    .most_expansion = kMostExpansion,
    .least_level = 1,
    .most_level = 9,
    .decoder = zlib_decoder<false>,
    .fast_decoder = isal_decoder<false>,
    .encoder = deflater<false>,
};

std::unique_ptr<Decoder> make_zlib_inflater(bool gzip) {
  std::unique_ptr<ZlibInflater> out(new (std::nothrow) ZlibInflater());
  return out && out->start(gzip) ? std::move(out) : nullptr;
}

}  // namespace weir
