// FeatureSyntax: one feature of parse_example or parse_sequence_example, read from the notation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/types/kernel.h"
#include "format/feature.h"

namespace weir {

struct FeatureSyntax {
  enum class Form : uint8_t {
    fixed,     // int64, float32[3]
    varlen,    // varlen(int64)
    sequence,  // sequence(float32[2])
    ragged,    // ragged(int64)
    sparse,    // sparse(index_key: "i", value_key: "v", dtype: float32, size: 100)
  };

  std::string name;
  Form form = Form::fixed;
  DType dtype = DType::invalid;
  FeatureType type = FeatureType::int64;
  // Fixed: of its values; sequence: of one step. Static.
  Shape shape;
  // What follows `=`, which only fixed features and sequences have: any number of values, or one.
  std::optional<Tensor> fallback;
  // Of a sequence, if written.
  std::optional<bool> allow_missing;
  // Of a sparse one.
  std::string index_key;
  std::string value_key;
  int64_t size = 0;

  // The number of values of `shape`.
  size_t count() const { return static_cast<size_t>(shape.count()); }
};

// The features of a `syntax` parameter, in the order written.
Result<std::vector<FeatureSyntax>> read_features(KernelCall& call, int param);

// The error for one of them.
Status refuse_feature(const KernelCall& call, int param, const std::string& name, std::string_view found,
                      std::string hint = "");

}  // namespace weir
