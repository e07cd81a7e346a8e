#include "format/crc32c.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "support/vector_state.h"

namespace weir {
namespace {

std::vector<uint8_t> noise(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint64_t state = 1;
  for (uint8_t& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<uint8_t>(state >> 56);
  }
  return bytes;
}

TEST_CASE("crc32c: the vectors of RFC 3720") {
  std::vector<uint8_t> ascending(32);
  std::iota(ascending.begin(), ascending.end(), uint8_t{0});
  const std::vector<uint8_t> descending(ascending.rbegin(), ascending.rend());
  const std::vector<uint8_t> zeros(32, 0x00), ones(32, 0xff);
  const uint8_t command[48] = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                               0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                               0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
  for (const Crc32cLevel& level : crc32c_levels()) {
    INFO(level.name);
    CHECK(level.function(zeros.data(), 32, 0) == 0x8a9136aau);
    CHECK(level.function(ones.data(), 32, 0) == 0x62a8ab43u);
    CHECK(level.function(ascending.data(), 32, 0) == 0x46dd794eu);
    CHECK(level.function(descending.data(), 32, 0) == 0x113fdb5cu);
    CHECK(level.function(command, 48, 0) == 0xd9963a56u);
    CHECK(level.function("123456789", 9, 0) == 0xe3069283u);
    CHECK(level.function(nullptr, 0, 0) == 0);
  }
}

TEST_CASE("crc32c: every level agrees with the portable one, at all lengths and alignments") {
  const std::vector<uint8_t> bytes = noise(9000);
  for (const Crc32cLevel& level : crc32c_levels()) {
    size_t wrong = 0;
    for (size_t size = 0; size < 8000; size += size < 1300 ? 1 : 61) {
      for (size_t offset = 0; offset < (size < 200 ? 16 : 3); ++offset) {
        const uint32_t start = static_cast<uint32_t>(size * 0x9e3779b9u);
        const uint8_t* data = bytes.data() + offset;
        wrong += level.function(data, size, start) != crc32c_portable(data, size, start);
      }
    }
    INFO(level.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("crc32c: no level leaves anything in the upper halves of registers") {
  const std::vector<uint8_t> bytes = noise(3000);
  for (const Crc32cLevel& level : crc32c_levels()) {
    INFO(level.name);
    for (const size_t size : {100, 600, 3000}) {
      test::clear_upper_halves();
      CHECK(level.function(bytes.data(), size, 0) != 0);
      CHECK(!test::upper_halves_in_use());
    }
  }
}

TEST_CASE("crc32c: a checksum can be taken in pieces") {
  const std::vector<uint8_t> bytes = noise(5000);
  const uint32_t whole = crc32c(bytes.data(), bytes.size());
  for (size_t cut = 0; cut <= bytes.size(); cut += 97) {
    CHECK(crc32c(bytes.data() + cut, bytes.size() - cut, crc32c(bytes.data(), cut)) == whole);
  }
}

TEST_CASE("crc32c: masking can be undone and is TFRecord's") {
  for (uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu}) CHECK(unmask_crc32c(mask_crc32c(crc)) == crc);
  // The length 8 and its checksum in a file that TensorFlow wrote.
  const uint8_t length[8] = {8};
  CHECK(mask_crc32c(crc32c(length, 8)) == 0x0f2486ffu);
}

}  // namespace
}  // namespace weir
