// Envelope: what stands around bytes that leave the process, so that damage is told from a foreign version,
// and both from bytes that belong here, before a field is read: magic, format version, size and checksum.
//
// The layout and the checksum are the same for every format version; what changes them takes another magic.
// Ownership: what is opened views the caller's bytes. Threads: pure functions. Errors: data_loss for every
// flipped bit, cut and appended byte; failed_precondition for another version's whole bytes.
// Cost: one hash of the bytes.
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

// What was enclosed.
Result<std::string_view> open_envelope(const EnvelopeKind& kind, std::string_view bytes);

// Whether bytes that begin like this can be whole if there are `size` of them. REQUIRES: `beginning` has
// kEnvelopeBytes bytes, or all of fewer.
Status check_envelope(const EnvelopeKind& kind, std::string_view beginning, uint64_t size);

}  // namespace weir
