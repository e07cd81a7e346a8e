#include "format/frames.h"

namespace weir {

namespace {

constexpr std::string_view kMoreBytes = "more bytes follow its end";

}  // namespace

Frames::Fault Frames::step(Decoder& decoder, Decoder::Io& io) {
  if (state_ == State::between) return begin(decoder, io);
  if (state_ == State::inside) return decode(decoder, io);
  return pass_padding(decoder, io);
}

Frames::Fault Frames::begin(Decoder& decoder, const Decoder::Io& io) {
  if (io.avail_in == 0) {
    state_ = State::ended;
  } else if (any_ && *io.next_in == 0 && codec_->padding > 0) {
    state_ = State::padding;
    zeros_ = 0;
  } else if (any_ && !codec_->several) {
    return {Code::data_loss, kMoreBytes};
  } else {
    decoder.begin();
    any_ = true;
    state_ = State::inside;
  }
  return {};
}

Frames::Fault Frames::decode(Decoder& decoder, Decoder::Io& io) {
  const size_t in = io.avail_in;
  const size_t room = io.avail_out;
  switch (decoder.run(io)) {
    case Decoder::Answer::more:
      if (in != io.avail_in || room != io.avail_out) return {};
      // What was read may be all and yet have something to give.
      return {Code::data_loss, in == 0 ? kTooEarly : "unknown fault"};
    case Decoder::Answer::end:
      state_ = State::between;
      return {};
    case Decoder::Answer::no_memory:
      return {Code::resource_exhausted, {}};
    case Decoder::Answer::too_large:
      return {Code::resource_exhausted, decoder.fault()};
    default:
      return {Code::data_loss, decoder.fault()};
  }
}

Frames::Fault Frames::pass_padding(Decoder& decoder, Decoder::Io& io) {
  const bool whole = zeros_ % codec_->padding == 0;
  if (io.avail_in == 0) {
    if (!whole) return {Code::data_loss, kMoreBytes};
    state_ = State::ended;
    return {};
  }
  if (*io.next_in != 0) {
    if (codec_->padding == 1 || !whole) return {Code::data_loss, kMoreBytes};
    return begin(decoder, io);
  }
  for (; io.avail_in != 0 && *io.next_in == 0; ++io.next_in, --io.avail_in) ++zeros_;
  return {};
}

}  // namespace weir
