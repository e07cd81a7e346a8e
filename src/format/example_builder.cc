#include <cstring>

#include "core/text.h"
#include "format/example.h"
#include "format/wire_writer.h"

namespace weir {

namespace {

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_header(std::string& out, uint32_t field, uint64_t size) {
  append_varint(out, wire_tag(field, WireType::delimited));
  append_varint(out, size);
}

void append_field(std::string& out, uint32_t field, std::string_view bytes) {
  append_header(out, field, bytes.size());
  out.append(bytes);
}

size_t entry_bytes(const std::string& name, const std::string& feature) {
  return field_bytes(name.size()) + field_bytes(feature.size());
}

}  // namespace

void ExampleBuilder::set(std::string_view name, FeatureType type, std::string_view list) {
  std::string feature;
  append_field(feature, static_cast<uint32_t>(type), list);
  features_.insert_or_assign(std::string(name), std::move(feature));
}

void ExampleBuilder::set_int64(std::string_view name, std::span<const int64_t> values) {
  std::string packed;
  for (int64_t value : values) append_varint(packed, static_cast<uint64_t>(value));
  std::string list;
  if (!values.empty()) append_field(list, 1, packed);
  set(name, FeatureType::int64, list);
}

void ExampleBuilder::set_float(std::string_view name, std::span<const float> values) {
  std::string list;
  if (!values.empty())
    append_field(list, 1, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  set(name, FeatureType::float32, list);
}

void ExampleBuilder::set_bytes(std::string_view name, std::span<const Str> values) {
  std::string list;
  for (const Str& value : values) append_field(list, 1, {value.data, value.size});
  set(name, FeatureType::string, list);
}

Status ExampleBuilder::serialize(std::string& out) const {
  size_t features_bytes = 0;
  for (const auto& [name, feature] : features_) features_bytes += field_bytes(entry_bytes(name, feature));
  if (field_bytes(features_bytes) > kMessageBytesLimit) {
    return resource_exhausted(expected_found("an Example below 2 GiB, which is what parsers read",
                                             concat(features_bytes, " bytes"), "split it"));
  }
  out.reserve(out.size() + field_bytes(features_bytes));
  append_header(out, 1, features_bytes);
  for (const auto& [name, feature] : features_) {
    append_header(out, 1, entry_bytes(name, feature));
    append_field(out, 1, name);
    append_field(out, 2, feature);
  }
  return {};
}

}  // namespace weir
