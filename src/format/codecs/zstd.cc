// zstd. What is written to a file is cut into frames that can be decoded alone, with a table of them at the
// end (zstd_frames.h), which every other reader passes over.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>

#include "format/codecs/zstd_frames.h"

namespace weir {

namespace {

constexpr int kMaxWindowLog = 27;
static_assert(uint64_t{1} << kMaxWindowLog == kMaxWindowBytes);

class ZstdDecoder final : public Decoder {
 public:
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  bool start() {
    context_ = ZSTD_createDCtx();
    return context_ && !ZSTD_isError(ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxWindowLog));
  }
  void begin() override { ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

  Answer run(Io& io) override {
    ZSTD_inBuffer in{io.next_in, io.avail_in, 0};
    ZSTD_outBuffer out{io.next_out, io.avail_out, 0};
    const size_t result = ZSTD_decompressStream(context_, &out, &in);
    io.next_in += in.pos;
    io.avail_in -= in.pos;
    io.next_out += out.pos;
    io.avail_out -= out.pos;
    if (!ZSTD_isError(result)) return result == 0 ? Answer::end : Answer::more;
    fault_ = ZSTD_getErrorName(result);
    switch (ZSTD_getErrorCode(result)) {
      case ZSTD_error_memory_allocation:
        return Answer::no_memory;
      case ZSTD_error_frameParameter_windowTooLarge:
        fault_ = "it needs a window of more than 128 MiB; write it again with a smaller --long";
        return Answer::too_large;
      default:
        return Answer::damaged;
    }
  }
  std::string_view fault() const override { return fault_; }

 private:
  ZSTD_DCtx* context_ = nullptr;
  std::string_view fault_;
};

class ZstdEncoder final : public Encoder {
 public:
  explicit ZstdEncoder(bool in_frames) : in_frames_(in_frames) {}
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  bool start(int level) {
    context_ = ZSTD_createCCtx();
    if (!context_) return false;
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
    return true;
  }

  bool write(std::span<const uint8_t> bytes, Flush flush, std::vector<uint8_t>& out) override {
    if (!in_frames_ && pending_.empty() && flush != Flush::none) return frame(bytes, out);
    const size_t most = in_frames_ ? kZstdFrameBytes : SIZE_MAX;
    while (!bytes.empty()) {
      const size_t part = std::min(bytes.size(), most - pending_.size());
      pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(part));
      bytes = bytes.subspan(part);
      if (pending_.size() == most && !finish_frame(out)) return false;
    }
    if (flush == Flush::none) return true;
    // The data of nothing is one frame too, so that it can be told from no data.
    const bool empty = flush == Flush::end && table_.empty();
    if ((empty || !pending_.empty()) && !finish_frame(out)) return false;
    if (flush == Flush::end && in_frames_) {
      table_.write(out);
      table_ = {};
    }
    return true;
  }

 private:
  bool finish_frame(std::vector<uint8_t>& out) {
    const bool good = frame(pending_, out);
    pending_.clear();
    return good;
  }
  bool frame(std::span<const uint8_t> bytes, std::vector<uint8_t>& out) {
    const size_t before = out.size();
    const size_t room = ZSTD_compressBound(bytes.size());
    uint8_t* const to = grow(out, room);
    const size_t size = ZSTD_compress2(context_, to, room, bytes.data(), bytes.size());
    const bool good = !ZSTD_isError(size);
    out.resize(before + (good ? size : 0));
    if (good && in_frames_) table_.add(size, bytes.size());
    return good;
  }

  const bool in_frames_;
  ZSTD_CCtx* context_ = nullptr;
  std::vector<uint8_t> pending_;
  ZstdTable table_;
};

bool begins_like_zstd(std::string_view bytes) {
  const std::string_view rest = after_skippable_frames(bytes);
  return has_signature(rest, zstd_marks.signature) ||
         (rest.size() < bytes.size() && !has_signature(rest, lz4_marks.signature));
}

std::unique_ptr<Decoder> zstd_decoder() {
  std::unique_ptr<ZstdDecoder> out(new (std::nothrow) ZstdDecoder());
  return out && out->start() ? std::move(out) : nullptr;
}

std::unique_ptr<Encoder> zstd_encoder(int level, Codec::Use use) {
  std::unique_ptr<ZstdEncoder> out(new (std::nothrow) ZstdEncoder(use == Codec::Use::file));
  return out && out->start(level == kDefaultLevel ? ZSTD_CLEVEL_DEFAULT : level) ? std::move(out) : nullptr;
}

}  // namespace

extern constinit const Codec zstd_codec{
    .marks = &zstd_marks,
    .begins = begins_like_zstd,
    // A block of 128 KiB may be one byte with a header of three.
    .most_expansion = uint64_t{1} << 15,
    .least_level = 1,
    .most_level = 22,
    .decoder = zstd_decoder,
    .encoder = zstd_encoder,
    .open_decoded = open_zstd_frames,
};

}  // namespace weir
