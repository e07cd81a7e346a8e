// Envelope: the header of bytes that leave the process: magic, format version, size and checksum. It tells
// damage, a foreign version and valid bytes apart before any field is read.
//
// The layout and the checksum are the same for every format version; changing them takes another magic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace weir {

struct EnvelopeKind {
  // Eight bytes.
  std::string_view magic{};
  uint32_t version = 0;
  // "a checkpoint"
  std::string_view name{};
  // "what the iterator's save wrote"
  std::string_view origin{};
};

inline constexpr size_t kEnvelopeBytes = 32;

std::string enclose(const EnvelopeKind& kind, std::string_view content);

// The same in place, for large contents: writes the header over the first kEnvelopeBytes bytes.
// REQUIRES: there are as many.
void seal(const EnvelopeKind& kind, std::string& bytes);

// Returns a view of what was enclosed. data_loss for every flipped bit, cut and appended byte;
// failed_precondition for intact bytes of another version.
Result<std::string_view> open_envelope(const EnvelopeKind& kind, std::string_view bytes);

// Checks whether bytes that begin like this can be complete if there are `size` of them.
// REQUIRES: `beginning` has kEnvelopeBytes bytes, or all if there are fewer.
Status check_envelope(const EnvelopeKind& kind, std::string_view beginning, uint64_t size);

}  // namespace weir
