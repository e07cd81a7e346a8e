// Decompressor: whole strings of compressed data, one after the other, with one set of tables.
//
// Data may have several frames, as files do, and what may follow the last. Nothing gives nothing. Not
// thread-safe. Memory: 100 KiB or the data's window, and the largest input and output so far.
#pragma once

#include <memory>
#include <string_view>

#include "core/buffer.h"
#include "core/runtime.h"
#include "format/frames.h"

namespace weir {

// A huge string costs its writer almost nothing.
inline constexpr size_t kDecompressedBytesLimit = static_cast<size_t>(Limits().record_bytes);

class Decompressor {
 public:
  explicit Decompressor(const Codec& codec, size_t limit_bytes = kDecompressedBytesLimit)
      : codec_(codec), limit_bytes_(limit_bytes) {}

  // The bytes stay valid until the next run(). data_loss if the data are damaged or incomplete,
  // resource_exhausted beyond the limit.
  Result<std::string_view> run(std::string_view data);

 private:
  Status run(Decoder& decoder, Decoder::Io& io);
  Status make_room(Decoder::Io& io);
  Status failed(const Frames::Fault& fault, const Decoder::Io& io) const;
  size_t written(const Decoder::Io& io) const { return out_ ? out_->size() - io.avail_out : 0; }

  const Codec& codec_;
  const size_t limit_bytes_;
  // The first may write in front of what it reads, and only finds that something is wrong; the other says
  // what.
  std::unique_ptr<Decoder> fast_;
  std::unique_ptr<Decoder> exact_;
  bool looked_for_fast_ = false;
  BufferRef in_;
  BufferRef out_;
  size_t in_size_ = 0;
};

}  // namespace weir
