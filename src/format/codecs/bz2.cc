// bzip2.
#include <bzlib.h>

#include <algorithm>
#include <new>

#include "format/codec.h"

namespace weir {

namespace {

using std::string_view_literals::operator""sv;

constexpr int kDefaultBlocks = 9;

// The library counts in unsigned ints.
unsigned part_of(size_t size) { return static_cast<unsigned>(std::min<size_t>(size, unsigned(-1))); }

class Bz2Decoder final : public Decoder {
 public:
  ~Bz2Decoder() override { BZ2_bzDecompressEnd(&stream_); }
  void begin() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    started_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
  }

  Answer run(Io& io) override {
    if (!started_) return Answer::no_memory;
    const unsigned in = part_of(io.avail_in);
    const unsigned out = part_of(io.avail_out);
    stream_.next_in = reinterpret_cast<char*>(const_cast<uint8_t*>(io.next_in));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<char*>(io.next_out);
    stream_.avail_out = out;
    const int result = BZ2_bzDecompress(&stream_);
    io.next_in += in - stream_.avail_in;
    io.avail_in -= in - stream_.avail_in;
    io.next_out += out - stream_.avail_out;
    io.avail_out -= out - stream_.avail_out;
    switch (result) {
      case BZ_OK:
        return Answer::more;
      case BZ_STREAM_END:
        return Answer::end;
      case BZ_MEM_ERROR:
        return Answer::no_memory;
      case BZ_DATA_ERROR_MAGIC:
        fault_ = "it does not begin like bzip2";
        return Answer::damaged;
      default:
        fault_ = "a checksum or the data of a block is wrong";
        return Answer::damaged;
    }
  }
  std::string_view fault() const override { return fault_; }

 private:
  bz_stream stream_ = {};
  bool started_ = false;
  std::string_view fault_;
};

class Bz2Encoder final : public Encoder {
 public:
  explicit Bz2Encoder(int level) : level_(level) {}
  ~Bz2Encoder() override { BZ2_bzCompressEnd(&stream_); }
  // What can be read ends with a byte, as only streams do: a flush ends one, and the next bytes begin
  // another.
  bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) override {
    constexpr size_t kRoom = 64 * 1024;
    if (bytes.empty() && (flush == Flush::none || (flush == Flush::whole && !begun_))) return true;
    if (!begun_ && BZ2_bzCompressInit(&stream_, level_, 0, 0) != BZ_OK) return false;
    begun_ = true;
    stream_.next_in = reinterpret_cast<char*>(const_cast<uint8_t*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    int result = BZ_OK;
    do {
      stream_.next_out = reinterpret_cast<char*>(grow(out, kRoom));
      stream_.avail_out = kRoom;
      result = BZ2_bzCompress(&stream_, flush == Flush::none ? BZ_RUN : BZ_FINISH);
      out.resize(out.size() - stream_.avail_out);
    } while (flush == Flush::none ? stream_.avail_in != 0 : result == BZ_FINISH_OK);
    if (flush == Flush::none) return true;
    BZ2_bzCompressEnd(&stream_);
    begun_ = false;
    return true;
  }

 private:
  const int level_;
  bool begun_ = false;
  bz_stream stream_ = {};
};

// Three letters and a digit may begin any text: the first block follows them, or the end of no data. A file
// may be cut there; three more letters are no word.
bool begins_like_bz2(std::string_view bytes) {
  constexpr size_t kLeast = 7;
  if (bytes.size() < kLeast || !bytes.starts_with("BZh") || bytes[3] < '1' || bytes[3] > '9') return false;
  constexpr std::string_view kEnd = "\x17\x72\x45\x38\x50\x90"sv;
  const std::string_view next = bytes.substr(4, kEnd.size());
  return bz2_marks.signature.bytes.starts_with(next) || kEnd.starts_with(next);
}

std::unique_ptr<Decoder> bz2_decoder() { return std::unique_ptr<Decoder>(new (std::nothrow) Bz2Decoder()); }

std::unique_ptr<Encoder> bz2_encoder(int level, Codec::Use) {
  return std::unique_ptr<Encoder>(new (std::nothrow)
                                      Bz2Encoder(level == kDefaultLevel ? kDefaultBlocks : level));
}

}  // namespace

extern constinit const Codec bz2_codec{
    .marks = &bz2_marks,
    .begins = begins_like_bz2,
    // 900,000 bytes, each five of which may stand for 255, in a block of some forty.
    .most_expansion = uint64_t{1} << 21,
    .least_level = 1,
    .most_level = 9,
    .decoder = bz2_decoder,
    .encoder = bz2_encoder,
};

}  // namespace weir
