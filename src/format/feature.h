// The kinds of a Feature, the message that Examples and SequenceExamples are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/str.h"

namespace weir {

// Numbered as the kinds of the Feature message.
enum class FeatureType : uint8_t { string = 1, float32 = 2, int64 = 3 };
constexpr std::string_view feature_type_name(FeatureType type) {
  switch (type) {
    case FeatureType::string:
      return "string";
    case FeatureType::float32:
      return "float32";
    case FeatureType::int64:
      return "int64";
  }
  return "unknown";
}

// Calls f.operator()<T>() with the type of an entry.
template <class F>
decltype(auto) visit_type(FeatureType type, F&& f) {
  switch (type) {
    case FeatureType::string:
      return f.template operator()<Str>();
    case FeatureType::float32:
      return f.template operator()<float>();
    case FeatureType::int64:
      break;
  }
  return f.template operator()<int64_t>();
}

// How many values a feature has per row, and so the form of its column.
enum class FeatureKind : uint8_t {
  fixed,    // so many: a dense column of its type
  varying,  // any number: a column of FeatureView
};

// The values of one feature in a record: checked, counted and not yet decoded. A view of the record.
struct FeatureView {
  const uint8_t* data = nullptr;  // a serialized Feature
  size_t size = 0;
  size_t count = 0;
};

// What reading a feature came to.
enum class FeatureOutcome : uint8_t { ok, absent, wrong_kind, wrong_count, malformed };

}  // namespace weir
