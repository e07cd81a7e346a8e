// LZ4 frames.
#include <lz4frame.h>

#include <new>

#include "format/codec.h"

namespace weir {

namespace {

class Lz4Decoder final : public Decoder {
 public:
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }
  bool start() { return !LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)); }
  void begin() override { LZ4F_resetDecompressionContext(context_); }

  Answer run(Io& io) override {
    size_t in = io.avail_in;
    size_t out = io.avail_out;
    const size_t result = LZ4F_decompress(context_, io.next_out, &out, io.next_in, &in, nullptr);
    if (LZ4F_isError(result)) {
      fault_ = LZ4F_getErrorName(result);
      return fault_ == "ERROR_allocation_failed" ? Answer::no_memory : Answer::damaged;
    }
    io.next_in += in;
    io.avail_in -= in;
    io.next_out += out;
    io.avail_out -= out;
    return result == 0 ? Answer::end : Answer::more;
  }
  std::string_view fault() const override { return fault_; }

 private:
  LZ4F_dctx* context_ = nullptr;
  std::string_view fault_;
};

class Lz4Encoder final : public Encoder {
 public:
  ~Lz4Encoder() override { LZ4F_freeCompressionContext(context_); }
  bool start(int level) {
    preferences_.compressionLevel = level;
    preferences_.frameInfo.blockSizeID = LZ4F_max256KB;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    return !LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION));
  }

  bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) override {
    const auto append = [&](size_t room, auto&& call) {
      const size_t before = out.size();
      uint8_t* const to = grow(out, room);
      const size_t size = call(to);
      out.resize(before + (LZ4F_isError(size) ? 0 : size));
      return !LZ4F_isError(size);
    };
    if (!inside_) {
      const bool begun = append(LZ4F_HEADER_SIZE_MAX, [&](uint8_t* to) {
        return LZ4F_compressBegin(context_, to, LZ4F_HEADER_SIZE_MAX, &preferences_);
      });
      if (!begun) return false;
      inside_ = true;
    }
    const size_t room = LZ4F_compressBound(bytes.size(), &preferences_);
    const bool updated = append(room, [&](uint8_t* to) {
      return LZ4F_compressUpdate(context_, to, room, bytes.data(), bytes.size(), nullptr);
    });
    if (!updated || flush == Flush::none) return updated;
    const size_t rest = LZ4F_compressBound(0, &preferences_);
    inside_ = flush != Flush::end;
    return append(rest, [&](uint8_t* to) {
      return inside_ ? LZ4F_flush(context_, to, rest, nullptr)
                     : LZ4F_compressEnd(context_, to, rest, nullptr);
    });
  }

 private:
  LZ4F_cctx* context_ = nullptr;
  LZ4F_preferences_t preferences_ = {};
  bool inside_ = false;
};

bool begins_like_lz4(std::string_view bytes) {
  return has_signature(after_skippable_frames(bytes), lz4_marks.signature);
}

std::unique_ptr<Decoder> lz4_decoder() {
  std::unique_ptr<Lz4Decoder> out(new (std::nothrow) Lz4Decoder());
  return out && out->start() ? std::move(out) : nullptr;
}

std::unique_ptr<Encoder> lz4_encoder(int level, Codec::Use) {
  std::unique_ptr<Lz4Encoder> out(new (std::nothrow) Lz4Encoder());
  return out && out->start(level == kDefaultLevel ? 0 : level) ? std::move(out) : nullptr;
}

}  // namespace

extern constinit const Codec lz4_codec{
    .marks = &lz4_marks,
    .begins = begins_like_lz4,
    .most_expansion = 256,
    .least_level = 1,
    .most_level = 12,
    .decoder = lz4_decoder,
    .encoder = lz4_encoder,
};

}  // namespace weir
