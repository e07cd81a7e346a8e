// ExamplePlan parses serialized tf.Examples from the wire straight into columns; ExampleBuilder writes them.
//
// A plan is immutable and may be used by many threads at once, a builder by one at a time. A scalar feature
// costs 8 to 12 ns if records list their features in one order, else 15 to 30; a call allocates once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/status.h"
#include "core/str.h"
#include "format/feature.h"

namespace weir {

struct FeatureConfig {
  std::string name;
  FeatureType type = FeatureType::int64;
  FeatureKind kind = FeatureKind::fixed;
  // Fixed: the exact number of values that a row must have, the product of the shape.
  size_t count = 1;
  // What a row without the feature gets: `count` values, or one for all of them, in the vector of its type;
  // of a varying feature no values.
  bool has_default = false;
  std::vector<int64_t> int64_default;
  std::vector<float> float_default;
  std::vector<std::string> string_default;
};

struct ExampleError {
  size_t row;
  Status status;
};

class ExamplePlan {
 public:
  // Fails if a name occurs twice, a count is out of bounds, or a default has the wrong type or number of
  // values. `message` is what errors call a record: a SequenceExample's context is read as an Example.
  static Result<std::shared_ptr<const ExamplePlan>> compile(std::vector<FeatureConfig> features,
                                                            std::string_view message = "tf.Example");
  virtual ~ExamplePlan() = default;

  // Parses the records, one per row. columns[f] points to the first value of feature f: int64_t*, float* or
  // Str*, rows × count of them, or FeatureView*, one per row. Strings are views into the records, or into
  // default_bytes(). Appends an invalid_argument
  // for each bad row, in the order of rows, with its first mistake; that row is then zero in all columns.
  virtual void parse(std::span<const Str> records, void* const* columns,
                     std::vector<ExampleError>& errors) const = 0;
  // Parses a single record into row `row`.
  virtual Status parse_row(Str record, size_t row, void* const* columns) const = 0;

  virtual const std::vector<FeatureConfig>& features() const = 0;
  // The bytes of one row of a feature's column.
  virtual size_t row_bytes(size_t feature) const = 0;
  // Keeps the bytes of string defaults alive; null if there are none.
  virtual const BufferRef& default_bytes() const = 0;
};

// Builds one Example. Setting a name again replaces its values.
class ExampleBuilder {
 public:
  void set_int64(std::string_view name, std::span<const int64_t> values);
  void set_float(std::string_view name, std::span<const float> values);
  void set_bytes(std::string_view name, std::span<const Str> values);
  void clear() { features_.clear(); }

  // Appends the message to `out`, with features sorted by name, so that equal features give equal bytes.
  // resource_exhausted at 2 GiB or more, which no reader accepts.
  Status serialize(std::string& out) const;

 private:
  void set(std::string_view name, FeatureType type, std::string_view list);

  // The serialized Feature by name.
  std::map<std::string, std::string, std::less<>> features_;
};

}  // namespace weir
