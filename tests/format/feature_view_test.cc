#include "format/feature_view.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "format/feature_reader.h"
#include "support/random_records.h"

namespace weir {
namespace {

using test::RandomRecords;

WireCursor cursor(const std::string& bytes) { return {bytes.data(), bytes.size()}; }

TEST_CASE("feature values: varints are counted as they are read") {
  RandomRecords writer(1);
  int good = 0, bad = 0;
  for (int round = 0; round < 200'000; ++round) {
    // Mostly bytes that go on, so that varints of nine, ten and eleven bytes occur at every place of a word.
    const uint64_t ends = 2 + writer.draw(9);
    std::string packed(writer.draw(40), '\x81');
    for (char& byte : packed) {
      if (writer.chance(ends)) byte = 1;
    }
    if (!packed.empty() && !writer.chance(4)) packed.back() = 1;
    std::vector<int64_t> values(packed.size());
    DecodedValues<int64_t> decoded{values.data(), values.size()};
    CountedValues<int64_t> counted;
    const bool readable = decoded.add_delimited(cursor(packed));
    REQUIRE(counted.add_delimited(cursor(packed)) == readable);
    if (readable) REQUIRE(counted.found == decoded.found);
    (readable ? good : bad) += 1;
  }
  CHECK(good > 10'000);
  CHECK(bad > 10'000);
}

TEST_CASE("feature values: an outcome that isn't ok leaves the values as they are") {
  const std::string ints = RandomRecords::field(3, RandomRecords::field(1, "\x01\x02"));
  FeatureView values;
  FeatureType found = FeatureType::string;
  CHECK(locate_values(cursor(ints), FeatureType::int64, values, found) == FeatureOutcome::ok);
  CHECK(values.count == 2);
  CHECK(locate_values(cursor(ints), FeatureType::float32, values, found) == FeatureOutcome::wrong_kind);
  CHECK(found == FeatureType::int64);
  CHECK(locate_values({}, FeatureType::int64, values, found) == FeatureOutcome::absent);
  const std::string cut = ints.substr(0, ints.size() - 1);
  CHECK(locate_values(cursor(cut), FeatureType::int64, values, found) == FeatureOutcome::malformed);
  int64_t decoded[2] = {};
  REQUIRE(values.count == 2);
  decode_values(values, FeatureType::int64, decoded);
  CHECK(decoded[0] == 1);
  CHECK(decoded[1] == 2);
}

}  // namespace
}  // namespace weir
