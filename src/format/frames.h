// Frames: decodes one frame of a compression after the other, with what may come between and after them.
// Used for files and for strings.
#pragma once

#include "format/codec.h"

namespace weir {

inline constexpr std::string_view kTooEarly = "it ends too early";

class Frames {
 public:
  // ok, or data_loss and what is damaged; resource_exhausted and what is too large, or nothing if there is no
  // memory.
  struct Fault {
    Code code = Code::ok;
    std::string_view what;
  };

  explicit Frames(const Codec& codec) : codec_(&codec) {}

  // Advances by consuming input, producing output or changing state.
  // REQUIRES: there is room for output, and input unless nothing is left
  Fault step(Decoder& decoder, Decoder::Io& io);
  // The input has ended where it may.
  bool ended() const { return state_ == State::ended; }

 private:
  enum class State : uint8_t {
    between,  // before the first frame, or after one: the input may end
    inside,
    padding,  // in the zeros after a frame
    ended,
  };

  Fault begin(Decoder& decoder, const Decoder::Io& io);
  Fault decode(Decoder& decoder, Decoder::Io& io);
  Fault pass_padding(Decoder& decoder, Decoder::Io& io);

  const Codec* codec_;
  State state_ = State::between;
  bool any_ = false;
  uint64_t zeros_ = 0;
};

}  // namespace weir
