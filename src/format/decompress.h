// Decompressor: whole strings of gzip or zlib data, one after the other, with one set of tables.
//
// gzip data may have several members, as files do, and zeros after the last. Nothing gives nothing. Not
// thread-safe. Memory: 100 KiB, and the largest input and output so far.
#pragma once

#include <memory>
#include <string_view>

#include "core/buffer.h"
#include "core/runtime.h"
#include "format/inflate.h"
#include "format/inflater.h"

namespace weir {

// A huge string costs its writer almost nothing.
inline constexpr size_t kDecompressedBytesLimit = static_cast<size_t>(Limits().record_bytes);

class Decompressor {
 public:
  // REQUIRES: gzip or zlib
  explicit Decompressor(Compression compression, size_t limit_bytes = kDecompressedBytesLimit)
      : compression_(compression), limit_bytes_(limit_bytes) {}

  // The bytes stay valid until the next run(). data_loss if the data are damaged or incomplete,
  // resource_exhausted beyond the limit.
  Result<std::string_view> run(std::string_view data);

 private:
  Status run(Inflater& inflater, Inflater::Io& io);
  Status member(Inflater& inflater, Inflater::Io& io);
  Status make_room(Inflater::Io& io);
  Status damaged(std::string_view what, const Inflater::Io& io) const;
  size_t written(const Inflater::Io& io) const { return out_ ? out_->size() - io.avail_out : 0; }

  const Compression compression_;
  const size_t limit_bytes_;
  // ISA-L, which writes into what it reads, and only finds that something is wrong; and zlib, which says
  // what.
  std::unique_ptr<Inflater> fast_;
  std::unique_ptr<Inflater> exact_;
  bool looked_for_fast_ = false;
  BufferRef in_;
  BufferRef out_;
  size_t in_size_ = 0;
};

}  // namespace weir
