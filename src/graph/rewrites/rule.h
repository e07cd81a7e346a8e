// Rule: one way to make a run of operators into one (ops/replaced_run.h).
//
// Rules are asked, in the order of their list, whether they take the next operator, from the end of a pipeline to its
// sources; the run grows as long as one of them does. Adding one touches four places: its file, its test, one line in
// list.inc, and the table of docs/seeing.md.
#pragma once

#include <span>
#include <vector>

#include "expr/function.h"
#include "ops/replaced_run.h"

namespace weir {

struct Rule;

// What was taken so far.
struct OperatorRun {
  // The last one given to the consumer first.
  std::vector<ReplacedOperator> operators{};
  // What is applied to the elements of the input; null: nothing yet.
  FunctionRef function{};
  // The rule whose body the run has; null: elements pass unchanged.
  const Rule* body = nullptr;
  // An operator was taken below which keys are others.
  bool keyed = false;
  // It takes no more.
  bool closed = false;
  // One operator alone is worth a run.
  bool worthwhile = false;
  // The rules that took part.
  std::vector<const Rule*> rules{};
};

struct Rule {
  const char* name = "";
  // Adds the operator to the run, or returns false and leaves it as it is.
  // REQUIRES: its parameters are constant, and it replaces no others
  bool (*take)(OperatorRun& run, const DatasetRef& node) = nullptr;
  // Null for rules whose operators pass elements unchanged.
  std::unique_ptr<RunBody> (*make)(const Opening& opening, const RunParams& params) = nullptr;
};

#define WEIR_RULE(name) const Rule& name##_rule();
#include "graph/rewrites/list.inc"
#undef WEIR_RULE

// In the order in which they are asked.
std::span<const Rule* const> rules();

// The body of a run in which elements pass unchanged.
std::unique_ptr<RunBody> make_passing(const Opening& opening, const RunParams& params);

// A parameter's value, or nothing if it is no number, or no truth value.
std::optional<int64_t> number_in(const Dataset& node, std::string_view field);
std::optional<bool> flag_in(const Dataset& node, std::string_view field);
// The function in field "f"; null if there is none.
const Function* function_in(const Dataset& node);
// Whether it is a map that applies its function on the thread that asks for the elements.
bool is_sequential_map(const Dataset& node);

}  // namespace weir
