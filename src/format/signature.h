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
