#include "format/short_entry.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/example.h"

namespace weir {
namespace {

constexpr FeatureType kTypes[] = {FeatureType::string, FeatureType::float32, FeatureType::int64};

// A field that holds bytes, its length in `size_bytes` bytes or as many as it needs.
std::string field(int number, const std::string& content, size_t size_bytes = 1) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = content.size();
  for (size_t written = 1; size >= 0x80 || written < size_bytes; ++written, size >>= 7)
    out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  return out + content;
}

// Any of its lengths, from the outermost, can take a byte more than it needs.
std::string entry(const std::string& name, FeatureType type, const std::string& value, int longer = -1) {
  const auto bytes = [longer](int length) -> size_t { return length == longer ? 2 : 1; };
  const std::string list = field(static_cast<int>(type), field(1, value, bytes(4)), bytes(3));
  return field(1, field(1, name, bytes(1)) + field(2, list, bytes(2)), bytes(0));
}

// The value that is found at the beginning of the bytes, which end where the memory ends.
std::optional<std::string> found(const ShortEntry& entry, const std::string& bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  WireCursor value;
  if (!entry.find({exact.data(), exact.size()}, value)) return std::nullopt;
  REQUIRE(value.data() + value.size() <= reinterpret_cast<const uint8_t*>(exact.data()) + exact.size());
  return std::string(reinterpret_cast<const char*>(value.data()), value.size());
}

std::string letters(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<char>('a' + i % 26));
  return out;
}

TEST_CASE("short entry: found as long as it takes less than 128 bytes beside its first length") {
  for (const FeatureType type : kTypes) {
    for (size_t named = 0; named <= 130; ++named) {
      const std::string name = letters(named);
      const ShortEntry known(name, type);
      for (const size_t size : {size_t{0}, size_t{1}, size_t{4}, size_t{10},
                                119 - std::min<size_t>(named, 119), 120 - std::min<size_t>(named, 119)}) {
        const std::string value = letters(size);
        const std::string bytes = entry(name, type, value);
        INFO("a name of " << named << " bytes, a value of " << size);
        const bool is_short = named + 8 + size < 128;
        REQUIRE(found(known, bytes + "more") == (is_short ? std::optional(value) : std::nullopt));
        REQUIRE(found(known, bytes) == (is_short ? std::optional(value) : std::nullopt));
        if (is_short) CHECK(!found(known, bytes.substr(0, bytes.size() - 1)));
      }
    }
  }
  CHECK(!found(ShortEntry(), std::string(40, '\x0a')));
}

TEST_CASE("short entry: none if any byte before the value differs, or a length is written longer") {
  for (const size_t named : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 100}) {
    const std::string name = letters(named);
    for (const FeatureType type : kTypes) {
      const ShortEntry known(name, type);
      const std::string bytes = entry(name, type, "1234");
      for (size_t at = 0; at < bytes.size() - 4; ++at) {
        for (int change = 1; change < 256; ++change) {
          std::string other = bytes + std::string(130, 'x');
          other[at] = static_cast<char>(other[at] ^ change);
          if (found(known, other)) FAIL("a name of " << named << ", byte " << at << " by " << change);
        }
      }
      for (int longer = 0; longer < 5; ++longer) CHECK(!found(known, entry(name, type, "1234", longer)));
      for (const FeatureType other : kTypes)
        CHECK((other == type || !found(known, entry(name, other, "1234"))));
    }
  }
}

struct Row {
  int64_t number = -1;
  float real = -1;
  std::string text;
};

std::shared_ptr<const ExamplePlan> plan() {
  std::vector<FeatureConfig> features(3);
  for (size_t f = 0; f < 3; ++f) features[f].name = std::string(1, static_cast<char>('a' + f)) + "_name";
  features[1].type = FeatureType::float32;
  features[2].type = FeatureType::string;
  auto plan = ExamplePlan::compile(std::move(features));
  REQUIRE(plan.ok());
  return *plan;
}

// Parses twice in one call, so that the second record is expected in the order of the first.
std::vector<Row> parse(const std::string& entries, std::vector<ExampleError>& errors) {
  const std::string record = field(1, entries);
  const Str records[] = {{record.data(), record.size()}, {record.data(), record.size()}};
  std::vector<int64_t> numbers(2);
  std::vector<float> reals(2);
  std::vector<Str> texts(2);
  void* columns[] = {numbers.data(), reals.data(), texts.data()};
  plan()->parse(records, columns, errors);
  std::vector<Row> out;
  for (size_t i = 0; i < 2; ++i) out.push_back({numbers[i], reals[i], std::string(texts[i].view())});
  return out;
}

TEST_CASE("short entry: a record is read alike with and without") {
  const std::string number = "\x96\x01", real("\0\0\x80?", 4), text = "text";
  for (int longer = -1; longer < 5; ++longer) {
    for (const bool reversed : {false, true}) {
      const std::string parts[] = {entry("a_name", FeatureType::int64, number, longer),
                                   entry("b_name", FeatureType::float32, real),
                                   entry("c_name", FeatureType::string, text, longer)};
      std::vector<ExampleError> errors;
      const std::vector<Row> rows =
          parse(reversed ? parts[2] + parts[1] + parts[0] : parts[0] + parts[1] + parts[2], errors);
      REQUIRE(errors.empty());
      for (const Row& row : rows) {
        CHECK(row.number == 150);
        CHECK(row.real == 1.0f);
        CHECK(row.text == "text");
      }
    }
  }
}

TEST_CASE("short entry: the last one of a name counts, and one with a wrong value is an error") {
  const std::string rest =
      entry("b_name", FeatureType::float32, std::string(4, '\0')) + entry("c_name", FeatureType::string, "");
  std::vector<ExampleError> errors;
  for (const Row& row :
       parse(entry("a_name", FeatureType::int64, "\x07") + rest + entry("a_name", FeatureType::int64, "\x09"),
             errors)) {
    CHECK(row.number == 9);
    CHECK(row.text.empty());
  }
  CHECK(errors.empty());
  for (const std::string& value :
       {std::string(), std::string("\x07\x08"), std::string("\x87"), std::string(10, '\x80') + '\x01'}) {
    errors.clear();
    for (const Row& row : parse(entry("a_name", FeatureType::int64, value) + rest, errors))
      CHECK(row.number == 0);
    CHECK(errors.size() == 2);
  }
  errors.clear();
  parse(entry("a_name", FeatureType::int64, "\x07") +
            entry("b_name", FeatureType::float32, std::string(8, '\0')) +
            entry("c_name", FeatureType::string, ""),
        errors);
  CHECK(errors.size() == 2);
}

}  // namespace
}  // namespace weir
