#include "records_info.h"

#include <algorithm>
#include <cctype>

#include "common.h"
#include "core/text.h"
#include "table.h"

namespace weir::command {

namespace {

std::string range_text(const Seen& seen) {
  if (seen.present == 0) return "-";
  if (seen.least == seen.most) return with_commas(seen.most) + " each";
  return with_commas(seen.least) + " to " + with_commas(seen.most);
}

std::string key_text(const std::string& name) {
  const bool word = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                    });
  return word ? name : quoted(name, SIZE_MAX);
}

void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; }

}  // namespace

void Seen::add(const Feature& feature) {
  ++records;
  if (feature.kind == Feature::Kind::none) return;
  several_kinds = several_kinds || (kind != Feature::Kind::none && kind != feature.kind);
  kind = feature.kind;
  ++present;
  least = std::min<uint64_t>(least, feature.count());
  most = std::max<uint64_t>(most, feature.count());
}

void RecordsInfo::add(std::string_view bytes) {
  ++count_;
  if (bytes.empty()) return;
  const Record record = read_record(bytes);
  ++kinds_[record.kind];
  for (const Feature& feature : record.features) features_[feature.name].add(feature);
  for (const FeatureList& list : record.lists) {
    Seen& seen = lists_[list.name];
    ++seen.records;
    ++seen.present;
    for (const Feature& step : list.steps) {
      if (step.kind != Feature::Kind::none) seen.kind = step.kind;
      steps_[list.name].add(step);
    }
    seen.least = std::min<uint64_t>(seen.least, list.steps.size());
    seen.most = std::max<uint64_t>(seen.most, list.steps.size());
  }
}

std::string RecordsInfo::contents() const {
  std::string out;
  for (const auto& [kind, records] : kinds_)
    out += (out.empty() ? "" : ", ") + std::string(command::kind_name(kind));
  if (out.empty() && count_ > 0) return command::kind_name(Record::Kind::bytes);
  return out.empty() ? "nothing" : out;
}

void RecordsInfo::print() const {
  if (features_.empty() && lists_.empty()) return;
  Table table;
  table.add({"feature", "kind", "records", "values"});
  for (const auto& [name, seen] : features_) {
    table.add({escaped(name), seen.several_kinds ? "several" : command::kind_name(seen.kind),
               with_commas(seen.present) + " of " + with_commas(count_), range_text(seen)});
  }
  for (const auto& [name, seen] : lists_) {
    table.add({escaped(name), std::string("list of ") + command::kind_name(seen.kind),
               with_commas(seen.present) + " of " + with_commas(count_), range_text(seen)});
  }
  table.print(2);
}

std::string RecordsInfo::optional_parser(std::string& left_out) const {
  std::string out = parser(left_out, true);
  std::string members;
  for (const auto& [name, seen] : features_) {
    if (seen.several_kinds || !seen.may_lack(count_)) continue;
    const std::string member = key_text(name);
    members += concat(", ", member, ": if dense_shape(e.", member, ")[0] == 0 then nothing(",
                      dtype_name(seen.kind), ") else some(values(e.", member, ")[0])");
  }
  if (out.empty() || members.empty()) return out;
  const bool alone = only(Record::Kind::example);
  return concat(out, " | map(", alone ? "e -> {...e" : "(e, lists) -> ({...e", members,
                alone ? "})" : "}, lists))");
}

std::string RecordsInfo::parser(std::string& left_out, bool optional) const {
  if (only(Record::Kind::example))
    return "map(r -> parse_example(r, {" + features_text(left_out, optional) + "}))";
  if (!only(Record::Kind::sequence_example)) return "";
  const std::string context = features_text(left_out, optional);
  return "map(r -> parse_sequence_example(r, {" + context + "}, {" + lists_text(left_out) + "}))";
}

std::string RecordsInfo::features_text(std::string& left_out, bool optional) const {
  std::string out;
  for (const auto& [name, seen] : features_) {
    if (seen.present == 0) continue;
    if (seen.several_kinds) {
      append(left_out, key_text(name));
    } else {
      const bool lacking = optional && seen.may_lack(count_);
      append(out, key_text(name) + ": " +
                      (lacking ? concat("varlen(", dtype_name(seen.kind), ")") : type_text(seen)));
    }
  }
  return out;
}

std::string RecordsInfo::type_text(const Seen& seen) const {
  std::string dtype = dtype_name(seen.kind);
  const bool fixed = seen.least == seen.most && (seen.most == 1 || seen.present == count_);
  if (!fixed) return "varlen(" + dtype + ")";
  if (seen.most != 1) return dtype + "[" + std::to_string(seen.most) + "]";
  if (seen.present == count_) return dtype;
  return dtype + " = " + (dtype == "string" ? "\"\"" : dtype == "int64" ? "0" : "0.0");
}

std::string RecordsInfo::lists_text(std::string& left_out) const {
  std::string out;
  for (const auto& [name, seen] : lists_) {
    const auto found = steps_.find(name);
    if (found == steps_.end() || found->second.present == 0) continue;
    const Seen& steps = found->second;
    if (steps.several_kinds) {
      append(left_out, key_text(name));
      continue;
    }
    const bool fixed = steps.present == steps.records && steps.least == steps.most;
    std::string type = fixed ? "sequence(" : "varlen(";
    type += dtype_name(steps.kind);
    if (fixed && steps.most != 1) type += "[" + std::to_string(steps.most) + "]";
    if (fixed && seen.present != count_) type += ", allow_missing: true";
    type += ")";
    append(out, key_text(name) + ": " + type);
  }
  return out;
}

std::string parser_of(const Runtime& runtime, const DataFile& file) {
  RecordsInfo info;
  each_row(
      runtime, rows_of(runtime, file), -1,
      [&](const Element& element) {
        info.add(element.get<std::string_view>(0));
        return true;
      },
      [](const Error& error) -> bool { throw error; });
  std::string left_out;
  std::string out = info.optional_parser(left_out);
  if (!left_out.empty())
    fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected features of one dtype in all records of ", file.shown,
                                            ", found several of ", left_out, "; write a .tfrecord instead"));
  return out;
}

}  // namespace weir::command
