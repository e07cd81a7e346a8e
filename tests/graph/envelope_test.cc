#include "graph/envelope.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "core/digest.h"
#include "support/damage.h"

namespace weir {
namespace {

constexpr EnvelopeKind kKind{
    .magic = "weirtest", .version = 3, .name = "a test", .origin = "what a test wrote"};

// No two parts of it are equal.
std::string content_of(size_t size) {
  std::string out;
  for (uint64_t i = 0; out.size() < size; ++i) {
    const uint64_t word = i * 0x9e3779b97f4a7c15u;
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  out.resize(size);
  return out;
}

bool says(const Status& status, std::string_view part) {
  return status.error().message.find(part) != std::string::npos;
}

TEST_CASE("Envelope: what is enclosed comes out again", "[graph]") {
  for (const size_t size : {0, 1, 31, 32, 4096, 20'001}) {
    const std::string content = content_of(size);
    const std::string bytes = enclose(kKind, content);
    CHECK(bytes.size() == kEnvelopeBytes + size);
    CHECK(bytes.starts_with("weirtest"));
    auto opened = open_envelope(kKind, bytes);
    REQUIRE(opened.ok());
    CHECK(*opened == content);
  }
}

TEST_CASE("Envelope: every flipped bit, cut and appended byte is data_loss", "[graph]") {
  for (const size_t size : {0, 5, 20'001}) {
    const auto open = [](std::string_view given) { return open_envelope(kKind, given).status(); };
    CHECK(damages_not_refused(enclose(kKind, content_of(size)), open) == 0);
  }
}

TEST_CASE("Envelope: another version is refused by its number, a damaged one is damage", "[graph]") {
  EnvelopeKind later = kKind;
  later.version = 4;
  const Status foreign = open_envelope(kKind, enclose(later, "content")).status();
  CHECK(foreign.code() == Code::failed_precondition);
  CHECK(says(foreign, "a test of format version 3, found 4"));
  CHECK(says(foreign, "another version of the library"));
  std::string damaged = enclose(later, "content");
  damaged.back() ^= 1;
  CHECK(open_envelope(kKind, damaged).status().code() == Code::data_loss);
}

TEST_CASE("Envelope: other bytes are told what was expected", "[graph]") {
  CHECK(says(open_envelope(kKind, "").status(), "found nothing; give what a test wrote"));
  CHECK(says(open_envelope(kKind, "range(10) | batch(3)").status(),
             "begins with \"weirtest\", found \"range(10\""));
  EnvelopeKind other = kKind;
  other.magic = "weirelse";
  CHECK(open_envelope(kKind, enclose(other, "content")).status().code() == Code::data_loss);
}

TEST_CASE("Envelope: the beginning alone tells whether so many bytes can be whole", "[graph]") {
  const std::string bytes = enclose(kKind, content_of(1000));
  const std::string_view beginning = std::string_view(bytes).substr(0, kEnvelopeBytes);
  CHECK(check_envelope(kKind, beginning, 1032).ok());
  for (const uint64_t size : {uint64_t{0}, uint64_t{31}, uint64_t{32}, uint64_t{1000}, uint64_t{1031},
                              uint64_t{1033}, uint64_t{1} << 42, UINT64_MAX}) {
    CHECK(check_envelope(kKind, beginning, size).code() == Code::data_loss);
  }
  // Sizes at which a sum would wrap around.
  std::string forged(beginning);
  for (const uint64_t claimed : {UINT64_MAX, UINT64_MAX - 31, UINT64_MAX - 32}) {
    std::memcpy(&forged[16], &claimed, sizeof claimed);
    for (const uint64_t size : {uint64_t{0}, uint64_t{31}, uint64_t{32}}) {
      CHECK(check_envelope(kKind, forged, size).code() == Code::data_loss);
    }
  }
}

}  // namespace
}  // namespace weir
