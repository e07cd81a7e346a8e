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

Status Decompressor::failed(const Frames::Fault& fault, const Decoder::Io& io) const {
  if (fault.what.empty()) return resource_exhausted("not enough memory to decompress");
  std::string text =
      concat(fault.code == Code::data_loss ? "damaged " : "unreadable ", codec_.marks->name,
             " data: ", fault.what, "; it was read up to byte ", in_size_ - io.avail_in, " of ", in_size_);
  return Status(fault.code, std::move(text));
}

// Makes room for more output, beyond the limit for one byte that shows that it is exceeded.
Status Decompressor::make_room(Decoder::Io& io) {
  const size_t size = written(io);
  if (size > limit_bytes_) {
    return resource_exhausted(
        expected_found(concat("at most ", limit_bytes_, " bytes from ", codec_.marks->name, " data"), "more",
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

Status Decompressor::run(Decoder& decoder, Decoder::Io& io) {
  io.next_out = out_ ? out_->data() : nullptr;
  io.avail_out = out_ ? out_->size() : 0;
  Frames frames(codec_);
  while (!frames.ended()) {
    if (io.avail_out == 0) WEIR_TRY(make_room(io));
    const Frames::Fault fault = frames.step(decoder, io);
    if (fault.code != Code::ok) return failed(fault, io);
  }
  return written(io) > limit_bytes_ ? make_room(io) : Status();
}

Result<std::string_view> Decompressor::run(std::string_view data) {
  in_size_ = data.size();
  Decoder::Io io;
  const auto answer = [&] { return std::string_view(reinterpret_cast<char*>(out_->data()), written(io)); };
  if (data.empty()) return std::string_view();
  if (codec_.fast_decoder && !std::exchange(looked_for_fast_, true)) fast_ = codec_.fast_decoder();
  if (fast_) {
    if (!in_ || in_->size() < kDecoderBack + data.size()) in_ = Buffer::allocate(kDecoderBack + data.size());
    io.next_in = in_->data() + kDecoderBack;
    io.avail_in = data.size();
    std::memcpy(in_->data() + kDecoderBack, data.data(), data.size());
    const Status status = run(*fast_, io);
    if (status.ok()) return answer();
    if (status.code() != Code::data_loss) return status;
  }
  if (!exact_) exact_ = codec_.decoder();
  if (!exact_) return failed({Code::resource_exhausted, {}}, io);
  io.next_in = reinterpret_cast<const uint8_t*>(data.data());
  io.avail_in = data.size();
  WEIR_TRY(run(*exact_, io));
  return answer();
}

}  // namespace weir
