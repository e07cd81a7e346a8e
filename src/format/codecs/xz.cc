// xz.
#include <lzma.h>

#include <new>

#include "format/codec.h"

namespace weir {

namespace {

// A dictionary of kMaxWindowBytes, and what is needed beside it.
constexpr uint64_t kMostMemory = kMaxWindowBytes + (uint64_t{1} << 20);

class XzDecoder final : public Decoder {
 public:
  ~XzDecoder() override { lzma_end(&stream_); }
  void begin() override { started_ = lzma_stream_decoder(&stream_, kMostMemory, 0) == LZMA_OK; }

  Answer run(Io& io) override {
    if (!started_) return Answer::no_memory;
    stream_.next_in = io.next_in;
    stream_.avail_in = io.avail_in;
    stream_.next_out = io.next_out;
    stream_.avail_out = io.avail_out;
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    io = {stream_.next_in, stream_.avail_in, stream_.next_out, stream_.avail_out};
    switch (result) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        return Answer::more;
      case LZMA_STREAM_END:
        return Answer::end;
      case LZMA_MEM_ERROR:
        return Answer::no_memory;
      case LZMA_MEMLIMIT_ERROR:
        fault_ = "it needs a dictionary of more than 128 MiB; write it again with a smaller one";
        return Answer::too_large;
      case LZMA_FORMAT_ERROR:
        fault_ = "it does not begin like xz";
        return Answer::damaged;
      case LZMA_OPTIONS_ERROR:
        fault_ = "it has options that liblzma does not know";
        return Answer::damaged;
      default:
        fault_ = "a checksum or the data of a block is wrong";
        return Answer::damaged;
    }
  }
  std::string_view fault() const override { return fault_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool started_ = false;
  std::string_view fault_;
};

class XzEncoder final : public Encoder {
 public:
  explicit XzEncoder(uint32_t level) : level_(level) {}
  ~XzEncoder() override { lzma_end(&stream_); }

  bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) override {
    constexpr size_t kRoom = 64 * 1024;
    const lzma_action how = flush == Flush::none    ? LZMA_RUN
                            : flush == Flush::whole ? LZMA_SYNC_FLUSH
                                                    : LZMA_FINISH;
    if (!begun_ && lzma_easy_encoder(&stream_, level_, LZMA_CHECK_CRC64) != LZMA_OK) return false;
    begun_ = flush != Flush::end;
    stream_.next_in = bytes.data();
    stream_.avail_in = bytes.size();
    for (;;) {
      stream_.next_out = grow(out, kRoom);
      stream_.avail_out = kRoom;
      const lzma_ret result = lzma_code(&stream_, how);
      out.resize(out.size() - stream_.avail_out);
      if (result == LZMA_STREAM_END) break;
      if (result != LZMA_OK && result != LZMA_BUF_ERROR) return false;
      if (how == LZMA_RUN && stream_.avail_out != 0) break;
    }
    return true;
  }

 private:
  const uint32_t level_;
  bool begun_ = false;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

std::unique_ptr<Decoder> xz_decoder() { return std::unique_ptr<Decoder>(new (std::nothrow) XzDecoder()); }

std::unique_ptr<Encoder> xz_encoder(int level, Codec::Use) {
  const auto preset = level == kDefaultLevel ? LZMA_PRESET_DEFAULT : static_cast<uint32_t>(level);
  return std::unique_ptr<Encoder>(new (std::nothrow) XzEncoder(preset));
}

}  // namespace

extern constinit const Codec xz_codec{
    .marks = &xz_marks,
    .padding = 4,
    // A match of up to 273 bytes takes a fraction of a bit.
    .most_expansion = uint64_t{1} << 15,
    .least_level = 0,
    .most_level = 9,
    .decoder = xz_decoder,
    .encoder = xz_encoder,
};

}  // namespace weir
