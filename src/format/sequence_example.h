// FeatureListsPlan finds the steps of the feature lists of a serialized tf.SequenceExample. Its context is
// field 1, as an Example's features are, so an ExamplePlan reads that.
//
// A plan is immutable and may be used by many threads at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/str.h"
#include "format/feature.h"

namespace weir {

struct FeatureListConfig {
  std::string name;
  FeatureType type = FeatureType::int64;
  FeatureKind kind = FeatureKind::varying;
  // Fixed: the exact number of values of each step; one without a kind has none.
  size_t count = 1;
  // Whether records may lack the list; it then has no steps.
  bool may_lack = false;
};

// The steps of one record's lists, those of list i after those of list i - 1. Meant to be reused.
struct FeatureListViews {
  std::vector<FeatureView> steps;
  // Where the steps of each list end.
  std::vector<size_t> ends;
  // The last FeatureList of each name: the bytes of the message.
  struct Found {
    const uint8_t* data = nullptr;
    size_t size = 0;
    bool seen = false;
  };
  std::vector<Found> found;

  std::span<const FeatureView> of(size_t list) const {
    const size_t begin = list == 0 ? 0 : ends[list - 1];
    return {steps.data() + begin, ends[list] - begin};
  }
};

class FeatureListsPlan {
 public:
  // Fails if a name occurs twice.
  static Result<std::shared_ptr<const FeatureListsPlan>> compile(std::vector<FeatureListConfig> lists);
  virtual ~FeatureListsPlan() = default;

  // The steps are views of the record. Returns invalid_argument with the record's first mistake.
  virtual Status parse(Str record, FeatureListViews& out) const = 0;
};

}  // namespace weir
