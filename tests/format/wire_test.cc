#include "format/wire.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "format/example.h"

namespace weir {
namespace {

std::string varint_of(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

constexpr uint64_t kLargestField = (uint64_t{1} << 29) - 1;

// A field of any number, with content that fits its wire type; 3, 4, 6 and 7 have none.
std::string any_field(uint64_t number, uint32_t wire_type) {
  static const std::string kContents[] = {"\x05", "12345678", std::string("\x02hi", 3), "", "", "1234",
                                          "",     ""};
  return varint_of(number << 3 | wire_type) + kContents[wire_type];
}

struct TagRow {
  std::string bytes;
  bool good;
  uint32_t tag;
};

TEST_CASE("wire: tags are field numbers from 1 to 2^29 - 1") {
  std::vector<TagRow> rows;
  for (uint32_t type = 0; type < 8; ++type) {
    rows.push_back({varint_of(type), false, 0});
    rows.push_back({varint_of(1 << 3 | type), true, 1 << 3 | type});
    rows.push_back(
        {varint_of(kLargestField << 3 | type), true, static_cast<uint32_t>(kLargestField << 3 | type)});
    rows.push_back({varint_of((kLargestField + 1) << 3 | type), false, 0});
  }
  rows.push_back({varint_of(UINT64_MAX), false, 0});
  rows.push_back({"", false, 0});
  rows.push_back({"\x80", false, 0});
  for (const TagRow& row : rows) {
    WireCursor cursor(row.bytes.data(), row.bytes.size());
    uint32_t tag = 0;
    INFO("bytes " << row.bytes.size() << ", tag " << row.tag);
    REQUIRE(cursor.read_tag(tag) == row.good);
    CHECK(tag == row.tag);
    if (row.good) CHECK(cursor.done());
  }
}

TEST_CASE("wire: a varint has at most ten bytes") {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, UINT64_MAX}) {
    const std::string bytes = varint_of(value);
    WireCursor cursor(bytes.data(), bytes.size());
    uint64_t read = 1;
    REQUIRE(cursor.read_varint(read));
    CHECK(read == value);
    CHECK(cursor.done());
  }
  // Each length, with bytes behind it and without.
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t value :
         {uint64_t{1} << bits, (uint64_t{1} << bits) - 1, 0xa5c396e178d2b40fu >> (63 - bits)}) {
      for (const char* more : {"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
        const std::string bytes = varint_of(value) + more;
        WireCursor cursor(bytes.data(), bytes.size());
        uint64_t read = 1;
        REQUIRE(cursor.read_varint(read));
        REQUIRE(read == value);
        REQUIRE(cursor.size() == std::strlen(more));
      }
    }
  }
  for (size_t size = 1; size <= 12; ++size) {
    const std::string bytes = std::string(size - 1, '\x80') + std::string(1, '\0');
    WireCursor cursor(bytes.data(), bytes.size());
    uint64_t read;
    CHECK(cursor.read_varint(read) == (size <= 10));
  }
}

TEST_CASE("wire: a length reaches to the end and no further") {
  const std::string text = "abc";
  for (uint64_t size : {uint64_t{0}, uint64_t{3}, uint64_t{4}, uint64_t{1} << 32, UINT64_MAX}) {
    const std::string bytes = varint_of(size) + text;
    WireCursor cursor(bytes.data(), bytes.size());
    WireCursor content;
    REQUIRE(cursor.read_delimited(content) == (size <= 3));
    if (size > 3) continue;
    CHECK(content.size() == size);
    CHECK(cursor.size() == 3 - size);
  }
}

std::string nested_field(int number, const std::string& content) {
  return varint_of(static_cast<uint64_t>(number) << 3 | 2) + varint_of(content.size()) + content;
}

// A record with the features i, f and s, and `extra` as one more field in one of its messages.
std::string record(int level, const std::string& extra) {
  const auto at = [&](int here) { return here == level ? extra : std::string(); };
  const std::string ints = nested_field(3, nested_field(1, "\x05") + at(4)) + at(3);
  const std::string floats = nested_field(2, nested_field(1, std::string("\0\0\x80?", 4)) + at(5)) + at(3);
  const std::string strings = nested_field(1, nested_field(1, "text") + at(6)) + at(3);
  const std::string entries = nested_field(1, nested_field(1, "i") + nested_field(2, ints) + at(2)) +
                              nested_field(1, nested_field(1, "f") + nested_field(2, floats)) +
                              nested_field(1, nested_field(1, "s") + nested_field(2, strings)) + at(1);
  return nested_field(1, entries) + at(0);
}

constexpr int kLevels = 7;

bool parses(const std::string& bytes) {
  std::vector<FeatureConfig> features(3);
  features[0].name = "i";
  features[1].name = "f";
  features[1].type = FeatureType::float32;
  features[2].name = "s";
  features[2].type = FeatureType::string;
  auto plan = ExamplePlan::compile(std::move(features));
  REQUIRE(plan.ok());
  int64_t number = 0;
  float real = 0;
  Str text;
  void* columns[] = {&number, &real, &text};
  if (!(*plan)->parse_row({bytes.data(), bytes.size()}, 0, columns).ok()) return false;
  CHECK(number == 5);
  CHECK(real == 1.0f);
  CHECK(std::string(text.data, text.size) == "text");
  return true;
}

TEST_CASE("example: a field of number 0 or above 2^29 - 1 is damage in every message") {
  for (int level = 0; level < kLevels; ++level) {
    REQUIRE(parses(record(level, "")));
    for (const uint32_t type : {0u, 1u, 2u, 5u}) {
      INFO("level " << level << ", wire type " << type);
      CHECK_FALSE(parses(record(level, any_field(0, type))));
      CHECK(parses(record(level, any_field(15, type))));
      CHECK(parses(record(level, any_field(kLargestField, type))));
      CHECK_FALSE(parses(record(level, any_field(kLargestField + 1, type))));
    }
    for (const uint32_t type : {3u, 4u, 6u, 7u}) {
      INFO("level " << level << ", wire type " << type);
      for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{15}, kLargestField}) {
        CHECK_FALSE(parses(record(level, any_field(number, type))));
      }
    }
  }
}

}  // namespace
}  // namespace weir
