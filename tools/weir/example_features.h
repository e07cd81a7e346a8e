// What a record holds: the features of a serialized tf.Example or another of the protos that TFRecords mostly
// hold, whatever they are called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::command {

struct Feature {
  enum class Kind { none, bytes, floats, ints };
  std::string name;
  Kind kind = Kind::none;
  // Those of its kind; the others are empty. Bytes are views of the record.
  std::vector<std::string_view> bytes;
  std::vector<float> floats;
  std::vector<int64_t> ints;

  size_t count() const { return bytes.size() + floats.size() + ints.size(); }
};

// A list of features of one name.
struct FeatureList {
  std::string name;
  std::vector<Feature> steps;
};

struct Record {
  enum class Kind { example, sequence_example, example_list, event, bytes };
  Kind kind = Kind::bytes;
  // Of an Example, or the context of a SequenceExample or an ExampleListWithContext, sorted by name; the
  // parts of an Event.
  std::vector<Feature> features;
  // Of a SequenceExample; of an ExampleListWithContext one step an example.
  std::vector<FeatureList> lists;
};

// Bytes that are none of these are Kind::bytes, as are those that are empty.
Record read_record(std::string_view bytes);

// "tf.Example" and so on.
const char* kind_name(Record::Kind kind);
// "bytes", "float", "int64", or "none".
const char* kind_name(Feature::Kind kind);
// The dtype that parse_example has for it: string, float32 or int64.
const char* dtype_name(Feature::Kind kind);

// Its values as a document writes them, [] around several, cut after about `width` characters.
std::string values_text(const Feature& feature, size_t width);
// A string as a document writes it, cut after about `width` characters.
std::string quoted(std::string_view bytes, size_t width);
// A float in the fewest digits that give it again.
std::string float_text(float value);
std::string float_text(double value);

}  // namespace weir::command
