// Writes tf.Examples and tf.SequenceExamples from columns, for many rows and without allocating: the caller
// measures a row first, and passes room for it. Features that are sorted by name give the bytes of
// ExampleBuilder.
//
//   FeatureToWrite feature{"a", FeatureType::int64, values, count};
//   const size_t size = measure_features({&feature, 1});
//   write_features({&feature, 1}, to);
#pragma once

#include <span>
#include <string_view>

#include "format/example.h"

namespace weir {

// A feature of a row. The values are int64_t, float or Str.
struct FeatureToWrite {
  std::string_view name;
  FeatureType type = FeatureType::int64;
  const void* values = nullptr;
  size_t count = 0;
  // The bytes of the list of values; set by measuring.
  size_t list_bytes = 0;
};

// The features of a sequence under one name, one for each step; their own names mean nothing.
struct FeatureSteps {
  std::string_view name;
  std::span<FeatureToWrite> steps;
  // Set by measuring.
  size_t bytes = 0;
};

// The bytes of an Example, or of a Features message as a field; sets list_bytes.
size_t measure_features(std::span<FeatureToWrite> features);
// Writes that many bytes, and returns their end.
// REQUIRES: measured
char* write_features(std::span<const FeatureToWrite> features, char* to);

// The bytes of a SequenceExample.
size_t measure_sequence(std::span<FeatureToWrite> context, std::span<FeatureSteps> lists);
// REQUIRES: measured
char* write_sequence(std::span<const FeatureToWrite> context, std::span<const FeatureSteps> lists, char* to);

}  // namespace weir
