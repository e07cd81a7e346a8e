// The grammar of each argument of a call, which the parser must ask for, since it knows no operators or
// functions. Unknown callees take values. Const members may be called on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::syntax {

enum class Grammar : uint8_t {
  value,           // a lambda or a pipeline
  dtype,           // the name of a dtype
  value_or_dtype,  // a dtype's name where one stands alone, else a value
  spec,            // an element spec
  features,        // {key: feature}
  fields,          // {key: field}, as of `jsonl`
  columns,         // a list of value_or_dtype, as of `csv`
};

// Which names a callee's name is looked up among.
enum class CalleeKind : uint8_t {
  function,        // NAME( : sources and functions
  transformation,  // | NAME( : transformations and terminals
};

class Grammars {
 public:
  virtual ~Grammars() = default;
  // `position` counts from 0.
  virtual Grammar of_position(CalleeKind kind, std::string_view callee, size_t position) const = 0;
  virtual Grammar of_name(CalleeKind kind, std::string_view callee, std::string_view name) const = 0;
  virtual bool knows(CalleeKind kind, std::string_view callee) const = 0;
  // The callees of a kind, for suggestions.
  virtual std::vector<std::string> names(CalleeKind kind) const = 0;
  // What they are called elsewhere, as in hint_for().
  virtual std::string elsewhere(CalleeKind) const { return {}; }
};

// The rule for parameter names: `dtype`; `spec`; `features`, `context`, `lists`; `fields`; `columns`, which
// operators use for a list of values and dtypes; others take values.
Grammar grammar_of_parameter(std::string_view name);

// Grammars read from the parameters that operators and functions declare.
class SignatureTable : public Grammars {
 public:
  // The grammar of each positional argument. A callee with several signatures is added once for each; if one
  // has a value and another a dtype, both are allowed.
  void add(CalleeKind kind, std::string_view callee, const std::vector<Grammar>& positions);
  // The same, with parameter names for grammar_of_parameter().
  void add_names(CalleeKind kind, std::string_view callee, const std::vector<std::string>& names);

  Grammar of_position(CalleeKind kind, std::string_view callee, size_t position) const override;
  Grammar of_name(CalleeKind kind, std::string_view callee, std::string_view name) const override;
  bool knows(CalleeKind kind, std::string_view callee) const override;
  std::vector<std::string> names(CalleeKind kind) const override;

 private:
  std::map<std::pair<CalleeKind, std::string>, std::vector<Grammar>, std::less<>> positions_;
};

}  // namespace weir::syntax
