// TensorProto, TensorFlow's message for a tensor: written as by tf.io.serialize_tensor, and read in every
// form that TensorFlow reads: the entries as bytes, or as a list of their type, whose last entry is repeated
// for missing ones.
//
//   TensorMessage message;
//   WEIR_TRY(open_tensor(bytes, message));
//   … room for message.shape entries of message.dtype …
//   WEIR_TRY(read_tensor(message, room));
//
// Nothing in the bytes is trusted. One pass over them to open, one to read.
#pragma once

#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"
#include "format/wire.h"

namespace weir {

// The most bytes that a tensor may have whose message does not list all its entries.
inline constexpr int64_t kFilledBytesLimit = int64_t{1} << 28;

// What a message says of its tensor. Views the message's bytes.
struct TensorMessage {
  DType dtype = DType::invalid;
  // Known dimensions, whose product does not overflow.
  Shape shape;
  WireCursor fields;
  // The entries as bytes; empty if they are listed.
  WireCursor content;
};

// invalid_argument if the bytes are no TensorProto, have a dtype or shape that is not supported, or another
// number of bytes than the shape asks for.
Status open_tensor(std::string_view bytes, TensorMessage& out);
// Writes all entries. Strings are views of the message. invalid_argument if the entries are damaged.
Status read_tensor(const TensorMessage& message, void* entries);

// Writes tensors of one dtype and shape. May be used by many threads at once.
class TensorWriter {
 public:
  TensorWriter(DType dtype, const Shape& shape);

  // The bytes of the message.
  size_t size(const void* entries) const;
  void write(const void* entries, char* to) const;

 private:
  const DType dtype_;
  const size_t count_;
  // The fields before the entries.
  std::string header_;
};

}  // namespace weir
