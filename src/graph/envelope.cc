#include "graph/envelope.h"

#include <bit>
#include <cstring>

#include "core/digest.h"
#include "core/text.h"

namespace weir {

namespace {

static_assert(std::endian::native == std::endian::little, "the header is written as it lies in memory");

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  // The size of the content.
  uint64_t size;
  uint64_t checksum;
};
static_assert(sizeof(Header) == kEnvelopeBytes);

// Covers all of the content and the rest of the header.
uint64_t checksum_of(Header header, std::string_view content) {
  header.checksum = hash_of(content);
  return hash_of({reinterpret_cast<const char*>(&header), sizeof header});
}

}  // namespace

std::string enclose(const EnvelopeKind& kind, std::string_view content) {
  std::string out;
  out.reserve(kEnvelopeBytes + content.size());
  out.resize(kEnvelopeBytes);
  out.append(content);
  seal(kind, out);
  return out;
}

void seal(const EnvelopeKind& kind, std::string& bytes) {
  const std::string_view content = std::string_view(bytes).substr(kEnvelopeBytes);
  Header header{};
  std::memcpy(header.magic, kind.magic.data(), sizeof header.magic);
  header.version = kind.version;
  header.size = content.size();
  header.checksum = checksum_of(header, content);
  std::memcpy(bytes.data(), &header, sizeof header);
}

Status check_envelope(const EnvelopeKind& kind, std::string_view beginning, uint64_t size) {
  const std::string_view magic = beginning.substr(0, kind.magic.size());
  if (magic != kind.magic) {
    return data_loss(expected_found(concat(kind.name, ", which begins with ", quote(kind.magic)),
                                    concat(magic.empty() ? "nothing" : quote(magic)),
                                    concat("give ", kind.origin)));
  }
  if (beginning.size() < kEnvelopeBytes) {
    return data_loss(expected_found(concat(kind.name, " of at least ", kEnvelopeBytes, " bytes"),
                                    concat(size), "it was cut short"));
  }
  Header header;
  std::memcpy(&header, beginning.data(), sizeof header);
  if (size < kEnvelopeBytes || header.size != size - kEnvelopeBytes) {
    return data_loss(expected_found(concat(kind.name, " of ", kEnvelopeBytes, " + ", header.size, " bytes"),
                                    concat(size), "it was cut short, or something was appended"));
  }
  return Status();
}

Result<std::string_view> open_envelope(const EnvelopeKind& kind, std::string_view bytes) {
  WEIR_TRY(check_envelope(kind, bytes.substr(0, kEnvelopeBytes), bytes.size()));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view content = bytes.substr(kEnvelopeBytes);
  if (checksum_of(header, content) != header.checksum) {
    return data_loss(expected_found(concat(kind.name, " whose checksum is right"), "a wrong one",
                                    "it is damaged: use another copy"));
  }
  // Checked last: a damaged version is damage.
  if (header.version != kind.version) {
    return failed_precondition(expected_found(concat(kind.name, " of format version ", kind.version),
                                              concat(header.version),
                                              "it was written by another version of the library"));
  }
  return content;
}

}  // namespace weir
