#include "example_features.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "format/feature_reader.h"

namespace weir::command {

namespace {

constexpr uint32_t kFirst = wire_tag(1, WireType::delimited);
constexpr uint32_t kSecond = wire_tag(2, WireType::delimited);

std::string_view view_of(const WireCursor& cursor) {
  return {reinterpret_cast<const char*>(cursor.data()), cursor.size()};
}

// Calls `field(tag, content)` for each field, all of which must be of length-delimited kinds 1 to `fields`.
template <class Field>
bool each_field(WireCursor cursor, uint32_t fields, Field&& field) {
  while (!cursor.done()) {
    uint32_t tag = 0;
    WireCursor content;
    if (!cursor.read_tag(tag) || (tag & 7u) != 2 || (tag >> 3) > fields || !cursor.read_delimited(content))
      return false;
    if (!field(tag, content)) return false;
  }
  return true;
}

// The values of the feature's kind, by the library's own reader.
template <class T>
bool read_values(const WireCursor& feature, FeatureType type, std::vector<T>& out) {
  CountedValues<T> counted;
  if (weir::read_feature<T>(feature, type, counted, type) != FeatureOutcome::ok) return false;
  out.resize(counted.found);
  DecodedValues<T> decoded{out.data(), out.size()};
  return weir::read_feature<T>(feature, type, decoded, type) == FeatureOutcome::ok;
}

bool read_feature(const WireCursor& feature, Feature& out) {
  // Other protos have other fields there.
  if (!each_field(feature, 3, [](uint32_t, const WireCursor&) { return true; })) return false;
  FeatureType type = FeatureType::string;
  CountedValues<Str> strings;
  const FeatureOutcome found = weir::read_feature<Str>(feature, type, strings, type);
  if (found == FeatureOutcome::absent) return true;
  if (found == FeatureOutcome::malformed) return false;
  if (type == FeatureType::string) {
    out.kind = Feature::Kind::bytes;
    std::vector<Str> values;
    if (!read_values(feature, type, values)) return false;
    for (const Str& value : values) out.bytes.push_back(value.view());
    return true;
  }
  if (type == FeatureType::float32) {
    out.kind = Feature::Kind::floats;
    return read_values(feature, type, out.floats);
  }
  out.kind = Feature::Kind::ints;
  return read_values(feature, type, out.ints);
}

// An entry of a map: a name, which other protos mostly don't have there, and what it stands for.
bool read_entry(const WireCursor& entry, std::string& name, WireCursor& value) {
  int names = 0;
  const bool read = each_field(entry, 2, [&](uint32_t tag, const WireCursor& content) {
    if (tag == kFirst) {
      name = std::string(view_of(content));
      ++names;
    } else {
      value = content;
    }
    return true;
  });
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  // The messages that others have there begin with the number of a field.
  return read && names <= 1 && (name.empty() || !is_control(name[0])) &&
         std::none_of(name.begin(), name.end(),
                      [&](char c) { return is_control(c) && c != '\t' && c != '\n' && c != '\r'; });
}

// The last of several of one name counts.
template <class Named>
Named& named(std::vector<Named>& all, std::string name) {
  auto known = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  if (known == all.end()) {
    all.emplace_back();
    known = all.end() - 1;
  }
  *known = Named();
  known->name = std::move(name);
  return *known;
}

bool read_features(const WireCursor& features, std::vector<Feature>& out) {
  return each_field(features, 1, [&](uint32_t, const WireCursor& entry) {
    std::string name;
    WireCursor value;
    return read_entry(entry, name, value) && read_feature(value, named(out, std::move(name)));
  });
}

bool read_lists(const WireCursor& lists, std::vector<FeatureList>& out) {
  return each_field(lists, 1, [&](uint32_t, const WireCursor& entry) {
    std::string name;
    WireCursor value;
    if (!read_entry(entry, name, value)) return false;
    FeatureList& list = named(out, std::move(name));
    return each_field(value, 1, [&](uint32_t, const WireCursor& step) {
      list.steps.emplace_back();
      return read_feature(step, list.steps.back());
    });
  });
}

template <class T>
std::string joined(const std::vector<T>& values, size_t width, std::string (*text)(const T&, size_t)) {
  if (values.size() == 1) return text(values[0], width);
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (out.size() >= width) {
      out += i == 0 ? "…" : ", …";
      break;
    }
    out += (i == 0 ? "" : ", ") + text(values[i], width);
  }
  return out + "]";
}

}  // namespace

namespace {

bool read_example(const WireCursor& bytes, Record& out) {
  bool has_lists = false;
  const bool whole = each_field(bytes, 2, [&](uint32_t tag, const WireCursor& content) {
    if (tag == kFirst) return read_features(content, out.features);
    has_lists = true;
    return read_lists(content, out.lists);
  });
  out.kind = has_lists ? Record::Kind::sequence_example : Record::Kind::example;
  return whole;
}

// The examples of one question, and what they share.
bool read_example_list(const WireCursor& bytes, Record& out) {
  out.kind = Record::Kind::example_list;
  size_t examples = 0;
  return each_field(bytes, 2, [&](uint32_t tag, const WireCursor& content) {
    Record example;
    if (!read_example(content, example) || example.kind != Record::Kind::example) return false;
    if (tag == kSecond) {
      out.features = std::move(example.features);
      return true;
    }
    for (Feature& feature : example.features) {
      auto known = std::find_if(out.lists.begin(), out.lists.end(),
                                [&](const FeatureList& list) { return list.name == feature.name; });
      FeatureList& list = known == out.lists.end() ? out.lists.emplace_back() : *known;
      list.name = feature.name;
      list.steps.resize(examples);
      list.steps.push_back(std::move(feature));
    }
    ++examples;
    return true;
  });
}

Feature& part(Record& out, const char* name, Feature::Kind kind) {
  Feature& feature = out.features.emplace_back();
  feature.name = name;
  feature.kind = kind;
  return feature;
}

// The tags of a TensorBoard summary, and the values that are single numbers.
bool read_summary(const WireCursor& summary, Record& out) {
  Feature tags;
  Feature values;
  const bool whole = each_field(summary, 1, [&](uint32_t, WireCursor value) {
    while (!value.done()) {
      uint32_t tag = 0;
      WireCursor content;
      if (!value.read_tag(tag)) return false;
      if (tag == kFirst) {
        if (!value.read_delimited(content)) return false;
        tags.bytes.push_back(view_of(content));
      } else if (tag == wire_tag(2, WireType::fixed32)) {
        if (!value.read_fixed(values.floats.emplace_back())) return false;
      } else if (!value.skip(tag)) {
        return false;
      }
    }
    return true;
  });
  part(out, "tags", Feature::Kind::bytes).bytes = std::move(tags.bytes);
  if (!values.floats.empty()) part(out, "values", Feature::Kind::floats).floats = std::move(values.floats);
  return whole;
}

// TensorBoard's: a time first, then a step and one of several parts.
bool read_event(WireCursor bytes, Record& out) {
  constexpr const char* kParts[] = {"file_version", "graph_def",           "summary",       "log_message",
                                    "session_log",  "tagged_run_metadata", "meta_graph_def"};
  out.kind = Record::Kind::event;
  uint32_t tag = 0;
  double time = 0;
  if (!bytes.read_tag(tag) || tag != wire_tag(1, WireType::fixed64) || !bytes.read_fixed(time)) return false;
  if (!(time >= 0 && time < 1e11)) return false;
  part(out, "wall_time", Feature::Kind::ints).ints = {static_cast<int64_t>(time)};
  while (!bytes.done()) {
    if (!bytes.read_tag(tag)) return false;
    const uint32_t field = tag >> 3;
    if (tag == wire_tag(2, WireType::varint)) {
      uint64_t step = 0;
      if (!bytes.read_varint(step)) return false;
      part(out, "step", Feature::Kind::ints).ints = {static_cast<int64_t>(step)};
      continue;
    }
    WireCursor content;
    const bool known = field >= 3 && field < 3 + std::size(kParts) && (tag & 7u) == 2;
    if (!known) {
      if (!bytes.skip(tag)) return false;
      continue;
    }
    if (!bytes.read_delimited(content)) return false;
    if (field == 5) {
      if (!read_summary(content, out)) return false;
    } else {
      part(out, kParts[field - 3], Feature::Kind::bytes).bytes = {view_of(content)};
    }
  }
  return true;
}

}  // namespace

Record read_record(std::string_view bytes) {
  if (bytes.empty()) return Record();
  const WireCursor cursor(bytes.data(), bytes.size());
  for (const auto read : {read_example, read_example_list,
                          +[](const WireCursor&event, Record&out) { return read_event(event, out); }}) {
    Record out;
    if (!read(cursor, out)) continue;
    const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
    if (out.kind != Record::Kind::event) std::sort(out.features.begin(), out.features.end(), by_name);
    std::sort(out.lists.begin(), out.lists.end(), by_name);
    return out;
  }
  return Record();
}

const char* kind_name(Record::Kind kind) {
  switch (kind) {
    case Record::Kind::example:
      return "tf.Example";
    case Record::Kind::sequence_example:
      return "tf.SequenceExample";
    case Record::Kind::example_list:
      return "ExampleListWithContext";
    case Record::Kind::event:
      return "TensorBoard events";
    default:
      return "bytes";
  }
}

const char* kind_name(Feature::Kind kind) {
  switch (kind) {
    case Feature::Kind::bytes:
      return "bytes";
    case Feature::Kind::floats:
      return "float";
    case Feature::Kind::ints:
      return "int64";
    default:
      return "none";
  }
}

const char* dtype_name(Feature::Kind kind) {
  return kind == Feature::Kind::floats ? "float32" : kind == Feature::Kind::ints ? "int64" : "string";
}

std::string quoted(std::string_view bytes, size_t width) {
  std::string out = "\"";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (out.size() >= width) return out + "…\" (" + std::to_string(bytes.size()) + " bytes)";
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += bytes[i];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || c >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", c);
      out += escaped;
    } else {
      out += bytes[i];
    }
  }
  return out + '"';
}

namespace {

template <class T>
std::string shortest(T value) {
  char buffer[32];
  const auto [end, failed] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string out(buffer, end);
  return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
}

}  // namespace

std::string float_text(float value) { return shortest(value); }
std::string float_text(double value) { return shortest(value); }

std::string values_text(const Feature& feature, size_t width) {
  switch (feature.kind) {
    case Feature::Kind::bytes:
      return joined<std::string_view>(feature.bytes, width,
                                      [](const std::string_view& v, size_t w) { return quoted(v, w); });
    case Feature::Kind::floats:
      return joined<float>(feature.floats, width, [](const float& v, size_t) { return float_text(v); });
    case Feature::Kind::ints:
      return joined<int64_t>(feature.ints, width, [](const int64_t& v, size_t) { return std::to_string(v); });
    default:
      return "-";
  }
}

}  // namespace weir::command
