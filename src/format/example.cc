// Example { Features features = 1 }, Features { map<string, Feature> feature = 1 }: one pass over the bytes.
// Feature values go straight to their column; an error in one is only remembered, since a later entry of the
// same name replaces it. Records of one writer mostly name their features in the same order, so each feature
// remembers which one followed last time, and that guess is tried before the index. A single value in the
// bytes that writers give it is found by comparing them (ShortEntry); everything else is read field by field.
#include "format/example.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/spec.h"
#include "core/text.h"
#include "format/feature_names.h"
#include "format/feature_reader.h"
#include "format/feature_view.h"
#include "format/name_index.h"
#include "format/short_entry.h"
#include "format/wire.h"

namespace weir {

namespace {

// Beyond it, rows times values times 16 bytes could overflow.
constexpr size_t kFeatureValuesLimit = size_t{1} << 31;

using Outcome = FeatureOutcome;

// The bytes of a feature's values in one row of its column.
size_t row_bytes_of(const FeatureConfig& feature) {
  if (feature.kind == FeatureKind::varying) return sizeof(FeatureView);
  return feature.count * visit_type(feature.type, []<class T>() { return sizeof(T); });
}

// What is known of a feature while records are read.
struct Progress {
  // The last record that had it, counted from 1.
  size_t seen_in = 0;
  // The feature that followed it last time.
  uint32_t successor = 0;
  Outcome outcome = Outcome::absent;
  FeatureType found_type = FeatureType::int64;
  size_t found = 0;
};

class Plan final : public ExamplePlan {
 public:
  Status prepare(std::vector<FeatureConfig> features, std::string_view message);

  void parse(std::span<const Str> records, void* const* columns,
             std::vector<ExampleError>& errors) const override {
    std::vector<Progress> progress = begin();
    for (size_t row = 0; row < records.size(); ++row) {
      Status status = parse_record(records[row], row, row + 1, columns, progress);
      if (!status.ok()) errors.push_back({row, std::move(status)});
    }
  }

  Status parse_row(Str record, size_t row, void* const* columns) const override {
    std::vector<Progress> progress = begin();
    return parse_record(record, row, 1, columns, progress);
  }

  const std::vector<FeatureConfig>& features() const override { return features_; }
  size_t row_bytes(size_t feature) const override { return row_bytes_[feature]; }
  const BufferRef& default_bytes() const override { return default_bytes_; }

 private:
  // One entry more than there are features: the beginning of a record.
  std::vector<Progress> begin() const {
    std::vector<Progress> progress(features_.size() + 1);
    for (size_t f = 0; f < features_.size(); ++f) progress[f].successor = static_cast<uint32_t>(f + 1);
    if (!features_.empty()) progress[features_.size() - 1].successor = 0;
    return progress;
  }

  char* place(size_t f, size_t row, void* const* columns) const {
    return static_cast<char*>(columns[f]) + row * row_bytes_[f];
  }

  bool read_short_entry(WireCursor& entries, size_t row, size_t number, void* const* columns,
                        std::vector<Progress>& progress, size_t& previous) const;
  bool read_entry(WireCursor entry, size_t row, size_t number, void* const* columns,
                  std::vector<Progress>& progress, size_t& previous, size_t& good) const;
  Outcome read_value(size_t f, WireCursor value, char* out, Progress& progress) const;
  Status parse_record(Str record, size_t row, size_t number, void* const* columns,
                      std::vector<Progress>& progress) const;
  Status complete(Str record, size_t row, size_t number, void* const* columns,
                  const std::vector<Progress>& progress) const;
  Status describe(const FeatureConfig& feature, const Progress& progress) const;
  Status check(const FeatureConfig& feature) const;
  void store_defaults();
  void fill_default(size_t f, char* out) const;

  std::string message_;
  std::vector<FeatureConfig> features_;
  NameIndex index_;
  std::vector<ShortEntry> short_entries_;
  std::vector<size_t> row_bytes_;
  // The values of a feature that one row gets: all of them, or one repeated, so that a shape takes no memory
  // before there are records. Empty without a default.
  std::vector<std::vector<char>> defaults_;
  BufferRef default_bytes_;
};

Status bad_feature(const FeatureConfig& feature, std::string_view what) {
  return invalid_argument(
      concat("the feature ", feature.name, " of ", feature_type_name(feature.type), " ", what));
}

Status Plan::check(const FeatureConfig& feature) const {
  if (feature.count > kFeatureValuesLimit) {
    return bad_feature(
        feature, concat("has a shape of ", feature.count, " values; expected at most ", kFeatureValuesLimit));
  }
  const size_t sizes[] = {feature.string_default.size(), feature.float_default.size(),
                          feature.int64_default.size()};
  const size_t own = static_cast<size_t>(feature.type) - 1;
  for (size_t i = 0; i < 3; ++i) {
    if (sizes[i] != 0 && (i != own || !feature.has_default)) {
      return bad_feature(feature,
                         concat("has a default of ", feature_type_name(static_cast<FeatureType>(i + 1)),
                                "; expected one of the feature's own dtype"));
    }
  }
  if (feature.kind == FeatureKind::fixed && feature.has_default && sizes[own] != feature.count &&
      sizes[own] != 1) {
    return bad_feature(feature,
                       concat("has a default of ", sizes[own], " values; expected 1 or ", feature.count));
  }
  return {};
}

void Plan::store_defaults() {
  size_t bytes = 0;
  for (const FeatureConfig& feature : features_) {
    for (const std::string& value : feature.string_default) bytes += value.size();
  }
  if (bytes != 0) default_bytes_ = Buffer::allocate(bytes);
  char* next = bytes != 0 ? reinterpret_cast<char*>(default_bytes_->data()) : nullptr;
  for (size_t f = 0; f < features_.size(); ++f) {
    const FeatureConfig& feature = features_[f];
    if (!feature.has_default) continue;
    if (feature.kind == FeatureKind::varying) {
      defaults_[f].assign(sizeof(FeatureView), 0);
      continue;
    }
    const auto store = [&](const auto& values) {
      const auto* bytes = reinterpret_cast<const char*>(values.data());
      defaults_[f].assign(bytes, bytes + values.size() * sizeof(values[0]));
    };
    if (feature.type == FeatureType::int64) store(feature.int64_default);
    if (feature.type == FeatureType::float32) store(feature.float_default);
    if (feature.type != FeatureType::string) continue;
    std::vector<Str> views;
    for (const std::string& value : feature.string_default) {
      value.copy(next, value.size());
      views.push_back({value.empty() ? "" : next, value.size()});
      next += value.size();
    }
    store(views);
  }
}

void Plan::fill_default(size_t f, char* out) const {
  const size_t whole = row_bytes_[f];
  size_t filled = std::min(defaults_[f].size(), whole);
  if (filled != 0) std::memcpy(out, defaults_[f].data(), filled);
  // Each step copies as much again as there is.
  for (size_t more; filled < whole; filled += more) {
    more = std::min(filled, whole - filled);
    std::memcpy(out + filled, out, more);
  }
}

Status Plan::prepare(std::vector<FeatureConfig> features, std::string_view message) {
  message_ = message;
  features_ = std::move(features);
  for (const FeatureConfig& feature : features_) {
    WEIR_TRY(check(feature));
    if (!index_.insert(feature.name)) return bad_feature(feature, "is named twice; name each feature once");
    row_bytes_.push_back(row_bytes_of(feature));
    const bool lone = feature.kind == FeatureKind::fixed && feature.count == 1;
    short_entries_.push_back(lone ? ShortEntry(feature.name, feature.type) : ShortEntry());
  }
  defaults_.resize(features_.size());
  store_defaults();
  return {};
}

Outcome Plan::read_value(size_t f, WireCursor value, char* out, Progress& progress) const {
  const FeatureConfig& feature = features_[f];
  if (feature.kind == FeatureKind::varying) {
    return locate_values(value, feature.type, *reinterpret_cast<FeatureView*>(out), progress.found_type);
  }
  return visit_type(feature.type, [&]<class T>() {
    DecodedValues<T> values{reinterpret_cast<T*>(out), feature.count};
    const Outcome outcome = read_feature<T>(value, feature.type, values, progress.found_type);
    progress.found = values.found;
    return outcome == Outcome::ok && values.found != feature.count ? Outcome::wrong_count : outcome;
  });
}

// The value of a short entry.
bool read_lone(WireCursor value, FeatureType type, char* out) {
  return visit_type(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, Str>) {
      *reinterpret_cast<Str*>(out) = {reinterpret_cast<const char*>(value.data()), value.size()};
      return true;
    } else if constexpr (std::is_same_v<T, float>) {
      return value.size() == sizeof(float) && value.read_fixed(*reinterpret_cast<float*>(out));
    } else {
      uint64_t number;
      if (!value.read_varint(number) || !value.done()) return false;
      *reinterpret_cast<int64_t*>(out) = static_cast<int64_t>(number);
      return true;
    }
  });
}

// Passes over the first entry if it is a short one of the feature that is due, and not the record's second of
// it.
bool Plan::read_short_entry(WireCursor& entries, size_t row, size_t number, void* const* columns,
                            std::vector<Progress>& progress, size_t& previous) const {
  const uint32_t f = progress[previous].successor;
  WireCursor value;
  if (f >= features_.size() || !short_entries_[f].find(entries, value)) return false;
  Progress& mine = progress[f];
  if (mine.seen_in == number || !read_lone(value, features_[f].type, place(f, row, columns))) return false;
  mine.seen_in = number;
  mine.outcome = Outcome::ok;
  previous = f;
  const uint8_t* const end = value.data() + value.size();
  entries = WireCursor(end, entries.size() - static_cast<size_t>(end - entries.data()));
  return true;
}

// `number` distinguishes this record from the others of this call; `good` counts the features that are right
// so far.
bool Plan::read_entry(WireCursor entry, size_t row, size_t number, void* const* columns,
                      std::vector<Progress>& progress, size_t& previous, size_t& good) const {
  WireCursor key, value;
  while (!entry.done()) {
    uint32_t tag;
    if (!entry.read_tag(tag)) return false;
    const bool read = tag == kFirstField    ? entry.read_delimited(key)
                      : tag == kSecondField ? entry.read_delimited(value)
                                            : entry.skip(tag);
    if (!read) return false;
  }
  const std::string_view name(reinterpret_cast<const char*>(key.data()), key.size());
  uint32_t f = progress[previous].successor;
  if (!index_.is(f, name)) {
    f = index_.find(name);
    if (f == NameIndex::kNone) return true;
    progress[previous].successor = f;
  }
  previous = f;
  Progress& mine = progress[f];
  const bool seen = mine.seen_in == number;
  const bool was_good = seen && mine.outcome == Outcome::ok;
  Progress attempt = mine;
  const Outcome outcome = read_value(f, value, place(f, row, columns), attempt);
  if (outcome == Outcome::absent) return true;
  mine.found = attempt.found;
  mine.found_type = attempt.found_type;
  mine.outcome = outcome;
  mine.seen_in = number;
  good += (outcome == Outcome::ok ? 1 : 0) - (was_good ? 1 : 0);
  return true;
}

Status Plan::describe(const FeatureConfig& feature, const Progress& progress) const {
  switch (progress.outcome) {
    case Outcome::wrong_kind:
      return bad_feature(feature, concat("holds values of another dtype in this record: found ",
                                         feature_type_name(progress.found_type), "; declare it so"));
    case Outcome::wrong_count:
      return bad_feature(feature, concat("must have ", feature.count, " values by its shape, and has ",
                                         progress.found, " in this record; every record must have so many"));
    default:
      return bad_feature(
          feature,
          "is damaged in this record: expected the encoding of a tf.train.Feature; write the record again");
  }
}

[[gnu::noinline]] Status missing_feature(const std::vector<FeatureConfig>& features, const std::string& name,
                                         Str record) {
  std::vector<std::string> wanted;
  for (const FeatureConfig& feature : features) wanted.push_back(feature.name);
  return invalid_argument(
      not_among(concat("the feature ", key_text(name), " is not in this record, which has"), name,
                feature_names(record), wanted, "give it a default, as in = 0, if records may lack it"));
}

// Fills in defaults; the error names the first feature that is missing or wrong.
Status Plan::complete(Str record, size_t row, size_t number, void* const* columns,
                      const std::vector<Progress>& progress) const {
  for (size_t f = 0; f < features_.size(); ++f) {
    if (progress[f].seen_in == number) {
      if (progress[f].outcome != Outcome::ok) return describe(features_[f], progress[f]);
    } else if (features_[f].has_default) {
      fill_default(f, place(f, row, columns));
    } else {
      return missing_feature(features_, features_[f].name, record);
    }
  }
  return {};
}

Status Plan::parse_record(Str record, size_t row, size_t number, void* const* columns,
                          std::vector<Progress>& progress) const {
  size_t previous = features_.size();
  size_t good = 0;
  const auto read_features = [&](WireCursor features) {
    while (!features.done()) {
      if (read_short_entry(features, row, number, columns, progress, previous)) {
        ++good;
        continue;
      }
      uint32_t tag;
      WireCursor entry;
      if (!features.read_tag(tag)) return false;
      if (tag == kFirstField ? !features.read_delimited(entry) : !features.skip(tag)) return false;
      if (tag == kFirstField && !read_entry(entry, row, number, columns, progress, previous, good))
        return false;
    }
    return true;
  };
  Status status;
  if (!each_content({record.data, record.size}, kFirstField, read_features)) {
    status = invalid_argument(expected_found(concat("a serialized ", message_),
                                             concat(record.size, " bytes that are none"),
                                             "look at what was written there"));
  } else if (good != features_.size()) {
    status = complete(record, row, number, columns, progress);
  }
  if (!status.ok()) {
    for (size_t f = 0; f < features_.size(); ++f) {
      if (row_bytes_[f] != 0) std::memset(place(f, row, columns), 0, row_bytes_[f]);
    }
  }
  return status;
}

}  // namespace

Result<std::shared_ptr<const ExamplePlan>> ExamplePlan::compile(std::vector<FeatureConfig> features,
                                                                std::string_view message) {
  auto plan = std::make_shared<Plan>();
  WEIR_TRY(plan->prepare(std::move(features), message));
  return std::shared_ptr<const ExamplePlan>(std::move(plan));
}

}  // namespace weir
