#include "format/range_checksums.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "format/crc32c.h"

namespace weir {
namespace {

TEST_CASE("range checksums: those of crc32c, whatever ranges come in whatever order") {
  std::mt19937 random(7);
  std::string text(20'000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  RangeChecksums ranges;
  uint64_t begin = 0;
  uint64_t asked = 0;
  for (; begin < text.size(); begin += random() % 40, ++asked) {
    const uint64_t from = begin + random() % std::min<uint64_t>(text.size() - begin, 3000);
    const size_t size = random() % (text.size() - from + 1);
    INFO(begin << " " << from << " " << size);
    REQUIRE(ranges.of(bytes.subspan(begin), begin, from, size) == crc32c(text.data() + from, size));
  }
  CHECK(ranges.hashed_bytes() <= text.size() + 2 * 256 * asked);
  CHECK(ranges.end() > text.size() - 256);
  // The reader went back, and then beyond all that was hashed.
  CHECK(ranges.of(bytes, 0, 5, 3000) == crc32c(text.data() + 5, 3000));
  CHECK(ranges.of(bytes.subspan(9000), 9000, 9100, 9000) == crc32c(text.data() + 9100, 9000));
}

TEST_CASE("crc32c: joined, and taken apart again") {
  const std::string text = "the front, and what follows it";
  for (size_t at = 0; at <= text.size(); ++at) {
    const uint32_t whole = crc32c(text.data(), text.size());
    const uint32_t front = crc32c(text.data(), at);
    const uint32_t back = crc32c(text.data() + at, text.size() - at);
    CHECK(crc32c_joined(front, back, text.size() - at) == whole);
    CHECK(crc32c_without(whole, front, text.size() - at) == back);
  }
}

}  // namespace
}  // namespace weir
