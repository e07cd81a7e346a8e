#include "syntax/grammar.h"

#include <algorithm>

namespace weir::syntax {

Grammar grammar_of_parameter(std::string_view name) {
  if (name == "dtype" || name == "output_type") return Grammar::dtype;
  if (name == "spec" || name == "output_types") return Grammar::spec;
  if (name == "features" || name == "context" || name == "lists") return Grammar::features;
  if (name == "fields") return Grammar::fields;
  if (name == "columns" || name == "record_defaults") return Grammar::columns;
  return Grammar::value;
}

void SignatureTable::add(CalleeKind kind, std::string_view callee, const std::vector<Grammar>& positions) {
  std::vector<Grammar>& known = positions_[{kind, std::string(callee)}];
  for (size_t i = 0; i < std::min(known.size(), positions.size()); ++i) {
    if (known[i] != positions[i]) known[i] = Grammar::value_or_dtype;
  }
  for (size_t i = known.size(); i < positions.size(); ++i) known.push_back(positions[i]);
}

void SignatureTable::add_names(CalleeKind kind, std::string_view callee,
                               const std::vector<std::string>& names) {
  std::vector<Grammar> positions;
  positions.reserve(names.size());
  for (const std::string& name : names) positions.push_back(grammar_of_parameter(name));
  add(kind, callee, positions);
}

Grammar SignatureTable::of_position(CalleeKind kind, std::string_view callee, size_t position) const {
  auto found = positions_.find(std::pair(kind, std::string(callee)));
  if (found == positions_.end() || position >= found->second.size()) return Grammar::value;
  return found->second[position];
}

Grammar SignatureTable::of_name(CalleeKind, std::string_view, std::string_view name) const {
  return grammar_of_parameter(name);
}

bool SignatureTable::knows(CalleeKind kind, std::string_view callee) const {
  return positions_.find(std::pair(kind, std::string(callee))) != positions_.end();
}

std::vector<std::string> SignatureTable::names(CalleeKind kind) const {
  std::vector<std::string> out;
  for (const auto& [key, grammars] : positions_) {
    if (key.first == kind) out.push_back(key.second);
  }
  return out;
}

}  // namespace weir::syntax
