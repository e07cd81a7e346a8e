// find_signature: the format of a file that is none of weir's, by its first bytes, so that an error can call
// it what it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

struct Signature {
  // Where `bytes` lie in the file.
  size_t offset;
  std::string_view bytes;
  // With its article: "a Parquet file".
  std::string_view name;
  // What to do about it.
  std::string_view hint;
  // Text, which has lines like any other.
  bool text = false;
};

// By what the files of a compression are known.
struct CodecMarks {
  // In the notation.
  std::string_view name;
  // Of no bytes where they tell too little by themselves.
  Signature signature;
  // In lower case; the first is the usual one.
  std::string_view suffixes[2];
};

#define WEIR_CODEC(name, title, offset, bytes, ...) \
  inline constexpr CodecMarks name##_marks{         \
      #name, {offset, {bytes, sizeof bytes - 1}, title, "add compression: \"auto\""}, {__VA_ARGS__}};
#include "format/codecs/list.inc"
#undef WEIR_CODEC

inline constexpr const CodecMarks* kCodecMarks[] = {
#define WEIR_CODEC(name, ...) &name##_marks,
#include "format/codecs/list.inc"
#undef WEIR_CODEC
};

// The compression of a file whose name ends so; null if it has no such suffix.
const CodecMarks* marks_of_file(std::string_view name);
bool has_signature(std::string_view first_bytes, const Signature& signature);
// What follows the frames that LZ4 and zstd pass over, which have a common form.
std::string_view after_skippable_frames(std::string_view bytes);

// How many of the first bytes are needed.
inline constexpr size_t kSignatureBytes = 512;

// nullptr: the format isn't known.
const Signature* find_signature(std::string_view first_bytes);

// Whether there is a byte among them that no text has: a line of text may begin with the letters "PAR1".
bool holds_controls(std::string_view first_bytes);

// The hint of an error about a file that begins so: "the file begins like gzip: add …"; empty if the format
// isn't known.
std::string signature_hint(std::string_view first_bytes);

}  // namespace weir
