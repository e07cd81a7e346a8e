// SequenceExample { Features context = 1; FeatureLists feature_lists = 2 },
// FeatureLists { map<string, FeatureList> feature_list = 1 }, FeatureList { repeated Feature feature = 1 }:
// one pass over the record finds the last entry of each name, then the steps of those are counted.
#include "format/sequence_example.h"

#include "core/text.h"
#include "format/feature_names.h"
#include "format/feature_view.h"
#include "format/name_index.h"
#include "format/wire.h"

namespace weir {

namespace {

class ListsPlan final : public FeatureListsPlan {
 public:
  Status prepare(std::vector<FeatureListConfig> lists) {
    lists_ = std::move(lists);
    for (const FeatureListConfig& list : lists_) {
      if (!index_.insert(list.name)) {
        return invalid_argument(concat("the list ", quote(list.name), " is named twice"));
      }
    }
    return {};
  }

  Status parse(Str record, FeatureListViews& out) const override {
    out.steps.clear();
    out.ends.assign(lists_.size(), 0);
    out.found.assign(lists_.size(), {});
    const bool good = each_content({record.data, record.size}, kSecondField, [&](WireCursor lists) {
      return each_content(lists, kFirstField, [&](WireCursor entry) { return read_entry(entry, out); });
    });
    if (!good) {
      return invalid_argument(expected_found("a serialized tf.SequenceExample",
                                             concat(record.size, " bytes that are none"),
                                             "look at what was written there"));
    }
    for (size_t i = 0; i < lists_.size(); ++i) {
      if (out.found[i].seen) {
        WEIR_TRY(read_steps(lists_[i], out.found[i], out.steps));
      } else if (!lists_[i].may_lack) {
        const std::string& name = lists_[i].name;
        std::vector<std::string> wanted;
        for (const auto& list : lists_) wanted.push_back(list.name);
        return invalid_argument(not_among(
            concat("the list ", quote(name), " is not in this record, which has"), name,
            feature_names(record, kSecondField), wanted, "write allow_missing: true if records may lack it"));
      }
      out.ends[i] = out.steps.size();
    }
    return {};
  }

 private:
  bool read_entry(WireCursor entry, FeatureListViews& out) const {
    WireCursor key, value;
    while (!entry.done()) {
      uint32_t tag;
      if (!entry.read_tag(tag)) return false;
      const bool read = tag == kFirstField    ? entry.read_delimited(key)
                        : tag == kSecondField ? entry.read_delimited(value)
                                              : entry.skip(tag);
      if (!read) return false;
    }
    const uint32_t i = index_.find({reinterpret_cast<const char*>(key.data()), key.size()});
    if (i != NameIndex::kNone) out.found[i] = {value.data(), value.size(), true};
    return true;
  }

  static Status read_steps(const FeatureListConfig& list, const FeatureListViews::Found& found,
                           std::vector<FeatureView>& steps) {
    Status mistake;
    size_t step = 0;
    const bool good = each_content({found.data, found.size}, kFirstField, [&](WireCursor feature) {
      FeatureView values;
      FeatureType found_type = list.type;
      const FeatureOutcome outcome = locate_values(feature, list.type, values, found_type);
      if (outcome == FeatureOutcome::malformed) return false;
      mistake = check_step(list, step++, outcome, found_type, values.count);
      if (mistake.ok()) steps.push_back(values);
      return mistake.ok();
    });
    if (good || !mistake.ok()) return mistake;
    return invalid_argument(concat(
        "the list ", quote(list.name),
        " is damaged in this record: expected the encoding of a tf.train.FeatureList; write the record again"));
  }

  static Status check_step(const FeatureListConfig& list, size_t step, FeatureOutcome outcome,
                           FeatureType found_type, size_t count) {
    const auto where = [&] {
      return concat("step ", step, " of the list ", quote(list.name), " of ", feature_type_name(list.type));
    };
    if (outcome == FeatureOutcome::wrong_kind) {
      return invalid_argument(concat(where(), " holds values of another dtype in this record: found ",
                                     feature_type_name(found_type), "; declare it so"));
    }
    if (list.kind == FeatureKind::varying) return {};
    if (count != list.count) {
      return invalid_argument(concat(where(), " must have ", list.count, " values by its shape, and has ",
                                     count,
                                     " in this record; declare a list of varying steps as varlen or ragged"));
    }
    return {};
  }

  std::vector<FeatureListConfig> lists_;
  NameIndex index_;
};

}  // namespace

Result<std::shared_ptr<const FeatureListsPlan>> FeatureListsPlan::compile(
    std::vector<FeatureListConfig> lists) {
  auto plan = std::make_shared<ListsPlan>();
  WEIR_TRY(plan->prepare(std::move(lists)));
  return std::shared_ptr<const FeatureListsPlan>(std::move(plan));
}

}  // namespace weir
