// The values of literals as written: integers, floats, strings. Private to this floor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::syntax {

// Beyond this exponent only 0 and infinity fit any dtype.
inline constexpr int kMaxExponent = 9999;

// Reads "42" or "0xff"; nothing if it exceeds uint64.
std::optional<uint64_t> read_integer(std::string_view text);

// The exact value of a float in canonical form: "1.0", "0.0001", "1e-05", "1.25e+20". Drops only
// insignificant zeros. Nothing if the exponent exceeds kMaxExponent.
// REQUIRES: a token of kind floating.
std::optional<std::string> canonical_float(std::string_view text);

struct StringValue {
  std::string bytes;
  size_t bad_at = 0;    // offset of the escape that is wrong
  std::string message;  // empty if all is well
};

// Reads the escapes.
// REQUIRES: a token of kind string, quotes included.
StringValue read_string(std::string_view text);

}  // namespace weir::syntax
