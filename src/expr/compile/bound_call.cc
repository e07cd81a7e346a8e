#include "expr/compile/bound_call.h"

#include <algorithm>

#include "core/text.h"
#include "expr/compile/call_key.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

namespace {

bool is_group(std::string_view type) { return type.size() == 1 && type[0] >= 'A' && type[0] <= 'Z'; }

bool takes(ParamKind kind, const Spec& spec) {
  switch (kind) {
    case ParamKind::any:
      return true;
    case ParamKind::sparse:
      return spec.kind == Spec::Kind::sparse;
    case ParamKind::ragged:
      return spec.kind == Spec::Kind::ragged;
    case ParamKind::optional:
      return spec.kind == Spec::Kind::optional;
    default:
      return spec.is_tensor();
  }
}

std::string_view name_of(ParamKind kind) {
  switch (kind) {
    case ParamKind::sparse:
      return "a sparse tensor";
    case ParamKind::ragged:
      return "a ragged tensor";
    case ParamKind::optional:
      return "an optional";
    default:
      return "a tensor";
  }
}

// What makes the value at hand one that is taken.
std::string_view hint_for(ParamKind wanted, const Spec& found) {
  switch (found.kind) {
    case Spec::Kind::tuple:
      return "take the element apart: (a, b) -> …";
    case Spec::Kind::sparse:
      return wanted == ParamKind::tensor ? "to_dense(x) makes a dense tensor" : "";
    case Spec::Kind::ragged:
      return wanted == ParamKind::tensor ? "to_tensor(x) makes a dense tensor" : "";
    case Spec::Kind::optional:
      return "get_value(x) takes the value out";
    case Spec::Kind::tensor:
      return wanted == ParamKind::sparse     ? "from_dense(x) makes a sparse tensor"
             : wanted == ParamKind::optional ? "some(x) makes an optional"
                                             : "";
    default:
      return "";
  }
}

}  // namespace

Status BoundCall::bind(const std::vector<const Node*>& arguments) {
  values_.resize(kernel_.params.size());
  Status mistakes;
  // The dtype first, since some defaults depend on it.
  for (const bool dtypes : {true, false}) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const KernelParam& param = kernel_.param(i);
      if ((param.kind == ParamKind::dtype) != dtypes) continue;
      mistakes = both(mistakes, bind_param(param, arguments[i], values_[i]));
    }
  }
  WEIR_TRY(std::move(mistakes));
  WEIR_TRY(resolve_types());
  number_arguments();
  return infer();
}

// 0 and 1 are false and true where the result is of bools.
const char* BoundCall::default_of(const KernelParam& param) const {
  const std::string_view fallback = param.fallback;
  if (param.type != std::string_view("dtype") || dtype_param() != DType::boolean) return param.fallback;
  return fallback == "1" ? "true" : fallback == "0" ? "false" : param.fallback;
}

Status BoundCall::bind_param(const KernelParam& param, const Node* node, Value& value) {
  if (node == nullptr) {
    Result<syntax::Tree> tree = syntax::parse_value(default_of(param));
    if (!tree.ok())
      return internal_error(concat("the default of ", kernel_.name, "'s ", param.name, " is damaged"));
    defaults_.push_back(*std::move(tree));
    node = defaults_.back().root.get();
  }
  value.node = node;
  if (param.kind == ParamKind::dtype) return bind_dtype(param, value);
  if (param.kind == ParamKind::seed) {
    WEIR_ASSIGN(seed_, compiler_.seed(*node, scope_));
    return Status();
  }
  if (node->kind == Kind::none) {
    if (param.fallback == nullptr || std::string_view(param.fallback) != "none") {
      return error(static_cast<int>(&value - values_.data()),
                   concat("the argument '", param.name, "' of ", kernel_.name, " cannot be none"));
    }
    return Status();
  }
  value.given = true;
  if (param.kind == ParamKind::syntax) return Status();
  if (param.kind == ParamKind::list) return bind_list(param, value);
  const size_t failed_before = compiler_.failed_calls_.size();
  WEIR_ASSIGN(Typed typed, compiler_.expression(*node, scope_));
  if (!takes(param.kind, typed.spec)) {
    return compiler_.error(*node, expected_found(concat(name_of(param.kind), " for ", kernel_.name),
                                                 typed.spec.to_string(), hint_for(param.kind, typed.spec)));
  }
  if (param.kind == ParamKind::constant && !typed.leaves[0].known()) {
    if (compiler_.failed_calls_.size() > failed_before) {
      const Compiler::FailedCall& failed = compiler_.failed_calls_.back();
      return compiler_.error(*failed.node, failed.status.error().what());
    }
    return compiler_.error(*node, concat("the argument '", param.name, "' of ", kernel_.name,
                                         " must be known when the dataset is built"));
  }
  value.values.push_back(std::move(typed));
  return Status();
}

Status BoundCall::bind_dtype(const KernelParam& param, Value& value) {
  value.given = true;
  value.dtype = value.node->dtype;
  if (value.node->kind == Kind::name || value.node->kind == Kind::string) {
    value.dtype = dtype_from_name(value.node->text).value_or(DType::invalid);
  }
  if (value.dtype != DType::invalid) return Status();
  return error(static_cast<int>(&value - values_.data()),
               concat("the argument '", param.name, "' of ", kernel_.name, " must be the name of a dtype"));
}

// [a, b], (a, b), or a tuple.
Status BoundCall::bind_list(const KernelParam& param, Value& value) {
  if (value.node->kind == Kind::list || value.node->kind == Kind::tuple) {
    Status mistakes;
    for (const syntax::Item& item : value.node->items) {
      Result<Typed> member = compiler_.expression(*item.value, scope_);
      mistakes = both(mistakes, member.status());
      if (member.ok()) value.values.push_back(*std::move(member));
    }
    WEIR_TRY(std::move(mistakes));
  } else {
    WEIR_ASSIGN(Typed typed, compiler_.expression(*value.node, scope_));
    if (typed.spec.kind != Spec::Kind::tuple) {
      return compiler_.error(*value.node, concat("the argument '", param.name, "' of ", kernel_.name,
                                                 " must be a list, found ", typed.spec.to_string()));
    }
    for (size_t i = 0; i < typed.spec.children.size(); ++i)
      value.values.push_back(typed.child(static_cast<int>(i)));
  }
  for (size_t i = 0; i < value.values.size(); ++i) {
    if (value.values[i].is_tensor()) continue;
    return compiler_.error(node_of(value, i), expected_found("a tensor", value.values[i].spec.to_string()));
  }
  return Status();
}

const Node& BoundCall::node_of(const Value& value, size_t member) const {
  const bool written = value.node->kind == Kind::list || value.node->kind == Kind::tuple;
  if (written && member < value.node->items.size() && value.values.size() > 1)
    return value.node->child(member);
  for (const syntax::Tree& tree : defaults_) {
    if (tree.root.get() == value.node) return node_;
  }
  return *value.node;
}

// The dtype of the typed members of a group; the natural one if all are literals.
Result<DType> BoundCall::group_dtype(std::string_view type) {
  DType found = DType::invalid;
  bool floating = false;
  bool integer = false;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (type != kernel_.param(i).type) continue;
    for (size_t k = 0; k < values_[i].values.size(); ++k) {
      const Typed& typed = values_[i].values[k];
      if (!typed.is_tensor()) {
        found = typed.spec.dtype;
        continue;
      }
      const Leaf& leaf = typed.leaves[0];
      if (leaf.literal) {
        floating = floating || (leaf.literal->floating && !leaf.literal->empty());
        integer = integer || !leaf.literal->floating;
        continue;
      }
      if (found == DType::invalid) found = leaf.type.dtype;
      if (found == leaf.type.dtype) continue;
      const bool castable = found != DType::string && leaf.type.dtype != DType::string;
      // An integer becomes the float, whichever comes first: the other way cuts off fractions.
      const bool other = is_float(leaf.type.dtype) && !is_float(found) && !is_complex(found);
      return compiler_.error(
          node_of(values_[i], k),
          expected_found(
              concat("one dtype for '", kernel_.name, "'"),
              concat(dtype_name(found), " and ", dtype_name(leaf.type.dtype)),
              !castable ? std::string("as_string(x) makes text")
              : other   ? concat("write ", dtype_name(leaf.type.dtype), "(…) around the other one")
                        : concat("write ", dtype_name(found), "(…) around this one, or cast the other")));
    }
  }
  if (found != DType::invalid) return found;
  return integer && !floating ? DType::int64 : DType::float32;
}

DType BoundCall::dtype_param() const {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (std::string_view(kernel_.param(i).name) == "dtype") return values_[i].dtype;
  }
  return DType::invalid;
}

// The dtype that a literal takes at once because a cast follows: the cast's dtype, within its class.
DType BoundCall::adapted_dtype(const Leaf& leaf) const {
  const DType dtype = dtype_param();
  if (!leaf.literal) return DType::invalid;
  const bool whole = !leaf.literal->floating || leaf.literal->empty();
  return is_float(dtype) || is_complex(dtype) || (is_integer(dtype) && whole) ? dtype : DType::invalid;
}

// Describes what stands beside one argument of a group.
std::string_view BoundCall::others() const {
  if (is_identifier(kernel_.name)) return "the other arguments";
  return kernel_.param(0).kind == ParamKind::list ? "the other members" : "the other operand";
}

Status BoundCall::resolve_types() {
  for (size_t i = 0; i < values_.size(); ++i) {
    const std::string_view type = kernel_.param(i).type;
    Value& value = values_[i];
    if (value.values.empty()) continue;
    DType dtype = DType::invalid;
    std::string_view beside;
    if (is_group(type)) {
      WEIR_ASSIGN(dtype, group_dtype(type));
      beside = others();
    } else if (type == "dtype") {
      dtype = dtype_param();
    } else if (!type.empty() && type != "dtype?") {
      dtype = *dtype_from_name(type);
    }
    for (size_t k = 0; k < value.values.size(); ++k) {
      Typed& typed = value.values[k];
      if (type == "dtype?") dtype = adapted_dtype(typed.leaves[0]);
      if (dtype == DType::invalid || !typed.is_tensor()) {
        WEIR_TRY(compiler_.resolve_literals(typed, node_of(value, k)));
        continue;
      }
      WEIR_TRY(compiler_.resolve_as(typed.leaves[0], dtype, node_of(value, k), beside));
      typed.spec.dtype = dtype;
    }
  }
  return Status();
}

void BoundCall::number_arguments() {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (kernel_.param(i).kind == ParamKind::constant) continue;
    values_[i].first_argument = static_cast<int>(arguments_.size());
    for (const Typed& typed : values_[i].values) {
      arguments_.insert(arguments_.end(), typed.leaves.begin(), typed.leaves.end());
    }
  }
}

const Tensor* BoundCall::constant(int param) const {
  const Value& value = at(param);
  return value.values.size() == 1 && value.values[0].is_tensor() ? value.values[0].leaves[0].constant.get()
                                                                 : nullptr;
}

std::optional<std::vector<int64_t>> BoundCall::integers(int param) const {
  std::vector<int64_t> out;
  for (const Typed& typed : at(param).values) {
    const Leaf& leaf = typed.leaves[0];
    if (leaf.type.dtype != DType::int64 || !leaf.type.shape.rank_known() || leaf.type.shape.rank() > 1)
      return {};
    if (leaf.integers) {
      out.insert(out.end(), leaf.integers->begin(), leaf.integers->end());
      continue;
    }
    const int64_t count = leaf.type.shape.rank() == 0 ? 1 : leaf.type.shape[0];
    if (count < 0 || count > kMaxRank * 2) return {};
    out.insert(out.end(), static_cast<size_t>(count), kUnknownEntry);
  }
  return out;
}

Result<Tensor> BoundCall::constant_of(const Node& node, DType dtype) {
  WEIR_ASSIGN(Typed value, compiler_.expression(node, scope_));
  if (!value.is_tensor() || !value.leaves[0].known()) {
    return compiler_.error(node, "expected a value that is known when the dataset is built");
  }
  WEIR_TRY(dtype == DType::invalid ? compiler_.resolve_literals(value, node)
                                   : compiler_.resolve_as(value.leaves[0], dtype, node));
  found_constants_.push_back(*value.leaves[0].constant);
  return found_constants_.back();
}

Status BoundCall::error(int param, const Mistake& mistake) const {
  if (param < 0) return compiler_.error(node_, mistake);
  const Value& value = at(param);
  for (const syntax::Tree& tree : defaults_) {
    if (tree.root.get() == value.node) return compiler_.error(node_, mistake);
  }
  return compiler_.error(*value.node, mistake);
}

std::string BoundCall::key(Builder& builder) const {
  CallKey key(&kernel_);
  if (kernel_.draws || kernel_.blocks) key.spoil();
  for (size_t i = 0; i < values_.size() && key.comparable(); ++i) {
    const Value& value = values_[i];
    key.add(value.given ? 1 : 0);
    key.add(static_cast<int64_t>(value.dtype));
    key.add(static_cast<int64_t>(value.values.size()));
    if (kernel_.param(i).kind == ParamKind::syntax && value.given) key.add(syntax::print(*value.node));
    for (const Typed& typed : value.values) {
      key.add(typed.spec.to_string());
      for (const Leaf& leaf : typed.leaves) key.add(leaf, builder);
    }
  }
  // Names in syntax may have another value elsewhere.
  for (const Tensor& value : found_constants_) key.add(value);
  return key.bytes();
}

std::vector<Leaf> BoundCall::emit(Builder& builder, uint64_t site, const std::vector<Component>& types) {
  const std::string same = key(builder);
  if (const std::vector<Leaf>* made = builder.find(same)) return *made;
  Instruction instruction;
  instruction.can_fail = can_fail_;
  instruction.per_row = kernel_.draws;
  instruction.body = body_;
  instruction.by_entries = by_entries_;
  if (by_entries_) instruction.step = kernel_.step;
  instruction.state = std::move(state_);
  instruction.site = site;
  if (can_fail_ && !kernel_.quotes_user) instruction.place = compiler_.place_of(node_, kernel_.name);
  instruction.seed = seed_.site;
  instruction.seed_args = static_cast<int>(seed_.numbers.size());
  for (const Leaf& leaf : arguments_) instruction.args.push_back(builder.register_of(leaf));
  for (const Leaf& leaf : seed_.numbers) instruction.args.push_back(builder.register_of(leaf));
  return builder.emit(std::move(instruction), types, same);
}

Result<Typed> BoundCall::finish(Builder& builder, uint64_t site) {
  std::vector<Component> types;
  for (size_t i = 0; i < result_.leaves.size(); ++i) {
    auto alias = aliases_.find(static_cast<int>(i));
    if (alias != aliases_.end()) {
      const Component type = result_.leaves[i].type;
      result_.leaves[i] = arguments_[static_cast<size_t>(alias->second)];
      result_.leaves[i].type.shape = type.shape;
    } else if (!result_.leaves[i].known()) {
      types.push_back(result_.leaves[i].type);
    }
  }
  const auto finished = [this] {
    if (integers_ && result_.leaves.size() == 1) result_.leaves[0].integers = std::move(integers_);
    return std::move(result_);
  };
  if (body_ == nullptr) return finished();

  const bool known =
      std::all_of(arguments_.begin(), arguments_.end(), [](const Leaf& leaf) { return leaf.known(); });
  if (known && !kernel_.draws && !kernel_.blocks) {
    auto folded = fold(body_, state_, arguments_, types);
    if (folded.ok()) {
      size_t next = 0;
      for (size_t i = 0; i < result_.leaves.size(); ++i) {
        if (aliases_.count(static_cast<int>(i)) != 0) continue;
        result_.leaves[i] = typed_constant(std::move((*folded)[next++])).leaves[0];
      }
      return std::move(result_);
    }
    if (folded.status().code() != Code::resource_exhausted) {
      compiler_.failed_calls_.push_back({&node_, folded.status()});
    }
  }
  std::vector<Leaf> made = emit(builder, site, types);
  size_t next = 0;
  for (size_t i = 0; i < result_.leaves.size(); ++i) {
    if (aliases_.count(static_cast<int>(i)) == 0) result_.leaves[i] = std::move(made[next++]);
  }
  return finished();
}

}  // namespace weir
