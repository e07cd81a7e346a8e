#include "format/decompress.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

constexpr size_t kFirstOutBytes = 4096;
// Text shrinks to about a quarter.
constexpr size_t kExpectedRatio = 4;

}  // namespace

Status Decompressor::damaged(std::string_view what, const Inflater::Io& io) const {
  return data_loss(concat("damaged ", compression_name(compression_), " data: ", what,
                          "; it was read up to byte ", in_size_ - io.avail_in, " of ", in_size_));
}

// Makes room for more output, beyond the limit for one byte that shows that it is exceeded.
Status Decompressor::make_room(Inflater::Io& io) {
  const size_t size = written(io);
  if (size > limit_bytes_) {
    return resource_exhausted(expected_found(
        concat("at most ", limit_bytes_, " bytes from ", compression_name(compression_), " data"), "more",
        "read it as a file"));
  }
  const size_t wanted = std::max({kFirstOutBytes, kExpectedRatio * in_size_, 2 * size});
  BufferRef larger = Buffer::allocate(std::min(wanted, limit_bytes_ + 1));
  if (size != 0) std::memcpy(larger->data(), out_->data(), size);
  out_ = std::move(larger);
  io.next_out = out_->data() + size;
  io.avail_out = out_->size() - size;
  return Status();
}

Status Decompressor::member(Inflater& inflater, Inflater::Io& io) {
  inflater.begin();
  for (;;) {
    if (io.avail_out == 0) WEIR_TRY(make_room(io));
    const size_t in = io.avail_in;
    const size_t room = io.avail_out;
    switch (inflater.run(io)) {
      case Inflater::Answer::end:
        return written(io) > limit_bytes_ ? make_room(io) : Status();
      case Inflater::Answer::more:
        if (in != io.avail_in || room != io.avail_out) continue;
        return damaged(in == 0 ? "it ends too early" : "unknown fault", io);
      case Inflater::Answer::no_memory:
        return resource_exhausted("not enough memory to decompress");
      default:
        return damaged(inflater.fault(), io);
    }
  }
}

Status Decompressor::run(Inflater& inflater, Inflater::Io& io) {
  io.next_out = out_ ? out_->data() : nullptr;
  io.avail_out = out_ ? out_->size() : 0;
  while (io.avail_in != 0) {
    WEIR_TRY(member(inflater, io));
    if (io.avail_in == 0) break;
    const bool padded =
        std::all_of(io.next_in, io.next_in + io.avail_in, [](uint8_t byte) { return byte == 0; });
    if (padded) break;
    if (compression_ == Compression::zlib || *io.next_in == 0)
      return damaged("more bytes follow its end", io);
  }
  return Status();
}

Result<std::string_view> Decompressor::run(std::string_view data) {
  const bool gzip = compression_ == Compression::gzip;
  in_size_ = data.size();
  Inflater::Io io;
  const auto answer = [&] { return std::string_view(reinterpret_cast<char*>(out_->data()), written(io)); };
  if (data.empty()) return std::string_view();
  if (!std::exchange(looked_for_fast_, true)) fast_ = make_isal_inflater(gzip);
  if (fast_) {
    if (!in_ || in_->size() < kInflaterBack + data.size())
      in_ = Buffer::allocate(kInflaterBack + data.size());
    io.next_in = in_->data() + kInflaterBack;
    io.avail_in = data.size();
    std::memcpy(in_->data() + kInflaterBack, data.data(), data.size());
    const Status status = run(*fast_, io);
    if (status.ok()) return answer();
    if (status.code() != Code::data_loss) return status;
  }
  if (!exact_) exact_ = make_zlib_inflater(gzip);
  if (!exact_) return resource_exhausted("not enough memory to decompress");
  io.next_in = reinterpret_cast<const uint8_t*>(data.data());
  io.avail_in = data.size();
  WEIR_TRY(run(*exact_, io));
  return answer();
}

}  // namespace weir
