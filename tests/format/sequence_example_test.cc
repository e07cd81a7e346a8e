#include "format/sequence_example.h"

#include <catch2/catch_test_macros.hpp>

#include "support/random_records.h"

namespace weir {
namespace {

using test::RandomRecords;

std::string record_field(uint32_t number, const std::string& content) {
  return RandomRecords::field(number, content);
}
std::string list_entry(const std::string& name, const std::string& value) {
  return record_field(1, record_field(1, name) + record_field(2, value));
}
std::string list_of_ints(const std::string& varints) { return record_field(3, record_field(1, varints)); }

FeatureListConfig list(std::string name, FeatureKind kind, bool may_lack = false) {
  FeatureListConfig config;
  config.name = std::move(name);
  config.kind = kind;
  config.may_lack = may_lack;
  return config;
}

// The message of the error, "" if there is none.
std::string error_of(const FeatureListConfig& config, const std::string& lists, FeatureListViews& steps) {
  auto plan = FeatureListsPlan::compile({config});
  REQUIRE(plan.ok());
  const std::string record = record_field(2, lists);
  const Status status = (*plan)->parse({record.data(), record.size()}, steps);
  return status.ok() ? "" : status.error().message;
}

TEST_CASE("sequence example: the steps of each list, in the order of the plan") {
  auto plan =
      FeatureListsPlan::compile({list("b", FeatureKind::varying), list("none", FeatureKind::varying, true),
                                 list("a", FeatureKind::fixed)});
  REQUIRE(plan.ok());
  const std::string record = record_field(
      2, list_entry("a", record_field(1, list_of_ints("\x01")) + record_field(1, list_of_ints("\x02"))) +
             list_entry("b", record_field(1, list_of_ints("\x03\x04")) + record_field(1, "")));
  FeatureListViews steps;
  // Steps are used again.
  for (int times = 0; times < 2; ++times) {
    REQUIRE((*plan)->parse({record.data(), record.size()}, steps).ok());
    REQUIRE(steps.of(0).size() == 2);
    CHECK(steps.of(0)[0].count == 2);
    CHECK(steps.of(0)[1].count == 0);
    CHECK(steps.of(1).empty());
    CHECK(steps.of(2).size() == 2);
  }
}

TEST_CASE("sequence example: what is wrong with a record, in words") {
  FeatureListViews steps;
  const FeatureListConfig fixed = list("tok", FeatureKind::fixed);
  CHECK(error_of(fixed, list_entry("tok", record_field(1, list_of_ints("\x01"))), steps).empty());
  CHECK(error_of(fixed, list_entry("tox", "") + list_entry("w", ""), steps) ==
        "the list \"tok\" is not in this record, which has tox, w; did you mean tox?");
  CHECK(
      error_of(fixed, "", steps) ==
      "the list \"tok\" is not in this record, which has none; write allow_missing: true if records may lack it");
  CHECK(
      error_of(fixed,
               list_entry("tok",
                          record_field(1, list_of_ints("\x01")) + record_field(1, list_of_ints("\x01\x02"))),
               steps) ==
      "step 1 of the list \"tok\" of int64 must have 1 values by its shape, and has 2 in this record; declare a "
      "list of varying steps as varlen or ragged");
  CHECK(
      error_of(fixed, list_entry("tok", record_field(1, record_field(1, record_field(1, "x")))), steps) ==
      "step 0 of the list \"tok\" of int64 holds values of another dtype in this record: found string; declare it so");
  CHECK(error_of(fixed, list_entry("tok", "\x0a\x7f"), steps)
            .find("the list \"tok\" is damaged in this record") == 0);
  CHECK(error_of(fixed, "\x0a\x7f", steps).find("expected a serialized tf.SequenceExample, found 4 bytes") ==
        0);
}

TEST_CASE("sequence example: a list is named once") {
  CHECK_FALSE(
      FeatureListsPlan::compile({list("a", FeatureKind::fixed), list("a", FeatureKind::varying)}).ok());
}

}  // namespace
}  // namespace weir
