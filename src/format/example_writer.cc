// Example { Features features = 1 }, SequenceExample { Features context = 1; FeatureLists feature_lists = 2
// }, Features { map<string, Feature> feature = 1 }, FeatureLists { map<string, FeatureList> feature_list = 1
// }, FeatureList { repeated Feature feature = 1 }, Feature { oneof a list of each FeatureType, by its number
// }.
#include "format/example_writer.h"

#include "format/wire_writer.h"

namespace weir {

namespace {

size_t packed_bytes(const FeatureToWrite& feature) {
  if (feature.type == FeatureType::float32) return feature.count * sizeof(float);
  const auto* values = static_cast<const int64_t*>(feature.values);
  size_t bytes = 0;
  for (size_t i = 0; i < feature.count; ++i) bytes += varint_bytes(static_cast<uint64_t>(values[i]));
  return bytes;
}

size_t list_bytes(const FeatureToWrite& feature) {
  if (feature.count == 0) return 0;
  if (feature.type != FeatureType::string) return field_bytes(packed_bytes(feature));
  const Str* values = static_cast<const Str*>(feature.values);
  size_t bytes = 0;
  for (size_t i = 0; i < feature.count; ++i) bytes += field_bytes(values[i].size);
  return bytes;
}

// The bytes of the packed numbers in a list of that many bytes.
size_t packed_in(size_t list_bytes) {
  size_t packed = list_bytes - 2;
  while (field_bytes(packed) > list_bytes) --packed;
  return packed;
}

char* write_list(const FeatureToWrite& feature, char* to) {
  if (feature.count == 0) return to;
  if (feature.type == FeatureType::string) {
    const Str* values = static_cast<const Str*>(feature.values);
    for (size_t i = 0; i < feature.count; ++i) to = write_field(to, 1, values[i].view());
    return to;
  }
  to = write_header(to, 1, packed_in(feature.list_bytes));
  if (feature.type == FeatureType::float32)
    return write_bytes(to, feature.values, feature.count * sizeof(float));
  const auto* values = static_cast<const int64_t*>(feature.values);
  for (size_t i = 0; i < feature.count; ++i) to = write_varint(to, static_cast<uint64_t>(values[i]));
  return to;
}

// A Feature message.
char* write_feature(const FeatureToWrite& feature, char* to) {
  return write_list(feature, write_header(to, static_cast<uint32_t>(feature.type), feature.list_bytes));
}

// An entry of a map: its name, and a message of that many bytes.
size_t entry_bytes(std::string_view name, size_t bytes) {
  return field_bytes(name.size()) + field_bytes(bytes);
}
char* write_entry(std::string_view name, size_t bytes, char* to) {
  to = write_header(to, 1, entry_bytes(name, bytes));
  to = write_field(to, 1, name);
  return write_header(to, 2, bytes);
}

// The bytes of a Features or FeatureLists message.
size_t features_bytes(std::span<const FeatureToWrite> features) {
  size_t bytes = 0;
  for (const FeatureToWrite& each : features)
    bytes += field_bytes(entry_bytes(each.name, field_bytes(each.list_bytes)));
  return bytes;
}
size_t lists_bytes(std::span<const FeatureSteps> lists) {
  size_t bytes = 0;
  for (const FeatureSteps& each : lists) bytes += field_bytes(entry_bytes(each.name, each.bytes));
  return bytes;
}

}  // namespace

size_t measure_features(std::span<FeatureToWrite> features) {
  for (FeatureToWrite& each : features) each.list_bytes = list_bytes(each);
  return field_bytes(features_bytes(features));
}

char* write_features(std::span<const FeatureToWrite> features, char* to) {
  to = write_header(to, 1, features_bytes(features));
  for (const FeatureToWrite& each : features)
    to = write_feature(each, write_entry(each.name, field_bytes(each.list_bytes), to));
  return to;
}

size_t measure_sequence(std::span<FeatureToWrite> context, std::span<FeatureSteps> lists) {
  for (FeatureSteps& each : lists) {
    each.bytes = 0;
    for (FeatureToWrite& step : each.steps) {
      step.list_bytes = list_bytes(step);
      each.bytes += field_bytes(field_bytes(step.list_bytes));
    }
  }
  return measure_features(context) + field_bytes(lists_bytes(lists));
}

char* write_sequence(std::span<const FeatureToWrite> context, std::span<const FeatureSteps> lists, char* to) {
  to = write_header(write_features(context, to), 2, lists_bytes(lists));
  for (const FeatureSteps& each : lists) {
    to = write_entry(each.name, each.bytes, to);
    for (const FeatureToWrite& step : each.steps)
      to = write_feature(step, write_header(to, 1, field_bytes(step.list_bytes)));
  }
  return to;
}

}  // namespace weir
