// Matches the arguments of an operator's call with the fields that the operator declares, and writes those of
// operators and functions in one form.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/operator.h"
#include "expr/types/kernel.h"
#include "syntax/tree.h"

namespace weir {

// A fresh Params and its fields, which point into it.
struct FieldList {
  explicit FieldList(const OperatorDef& def);
  FieldList(const FieldList&) = delete;
  FieldList& operator=(const FieldList&) = delete;

  const std::string_view tf_names;
  std::unique_ptr<ParamsBase> params;
  FieldSequence list;
  // The last field that must be given, or -1.
  int last_required() const;
  int find(std::string_view name) const;
};

// The node with -1 for each `none` in a list, a dimension that is not known, and () for each `none` in a
// structure, a part about which nothing is said.
syntax::NodePtr with_unknown_dims(const syntax::Node& node, bool in_list = false);

// Whether floats count with all the digits that are written, where no dtype is asked for: weights.
bool takes_exact_floats(const Field& field);
// A pair with its second member cast to float64; what is no pair as it is.
syntax::NodePtr with_exact_second(const syntax::Node& node);

// True if a call must give the field.
bool is_required(const Field& field);

// The literal for the value of a field that is left out; null if there is no such default.
syntax::NodePtr default_of(const Field& field);

// The value of each field, null if not given, and all mistakes of the call, each at its place.
struct MatchedArguments {
  std::vector<syntax::NodePtr> values;
  Status status;
};

// The parameter for tf.data's name (`batch_size` of batch is n), or the name itself.
std::string_view parameter_name(const FieldList& fields, std::string_view name);
// tf.data's names for the parameter.
std::vector<std::string> aliases_of(const FieldList& fields, std::string_view parameter);

// Borrows the fields and shares the nodes. An operator whose one field is a structure of datasets (zip) takes
// any number of positional arguments as a tuple.
MatchedArguments match_arguments(const OperatorDef& def, const FieldList& fields, const syntax::Node& call);

// The arguments in canonical form: those without a default and the first by position, the others by name, in
// the declared order, without those equal to their default.
// REQUIRES: they match.
std::vector<syntax::Item> canonical_arguments(const OperatorDef& def, const FieldList& fields,
                                              const std::vector<syntax::NodePtr>& values);
// The same for a function.
std::vector<syntax::Item> canonical_arguments(const Kernel& kernel,
                                              const std::vector<syntax::NodePtr>& values);

// The place of a call: after a `|`, or anywhere else.
enum class CalledAs : uint8_t { step, expression };
// The call with its arguments in canonical form; the call itself if nothing has its name or the arguments
// don't match.
syntax::NodePtr canonical_call(const syntax::NodePtr& call, CalledAs place);
// The operator that is called there, or null.
const OperatorDef* called_operator(const syntax::Node& call, CalledAs place);

}  // namespace weir
