// Base64 in the alphabet that is safe in names and addresses ("-" and "_", RFC 4648 §5), as TensorFlow reads
// and writes it: without padding when written, with or without when read, and without any other byte.
//
// Our own, since libraries differ in what they let pass: TensorFlow refuses "+", "/" and line breaks, and
// takes a last group whose unused bits are not 0.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/status.h"

namespace weir {

// The bytes of the text for `size` bytes.
constexpr size_t base64_size(size_t size) { return size / 3 * 4 + (size % 3 == 0 ? 0 : size % 3 + 1); }
// Writes base64_size(bytes.size()) bytes.
void write_base64(std::string_view bytes, char* to);

// The most bytes that read_base64() writes for a text of that size.
constexpr size_t base64_read_bound(size_t size) { return size / 4 * 3 + 3; }
// Decodes the text, and returns the number of bytes. invalid_argument names the byte that is not in the
// alphabet, or the impossible length.
Status read_base64(std::string_view text, char* to, size_t& size);

}  // namespace weir
