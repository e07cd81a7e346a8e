#include <algorithm>
#include <limits>

#include "core/float_mode.h"
#include "core/seed.h"
#include "core/text.h"
#include "expr/features/field_syntax.h"
#include "expr/types/generator.h"
#include "graph/binder.h"
#include "graph/member_nodes.h"
#include "graph/name_finder.h"
#include "graph/names_dataset.h"
#include "graph/reorder.h"
#include "ops/files/columns_source.h"
#include "ops/list.h"
#include "syntax/spec.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

// How often the shape of a state may be relaxed before it must be stable: every dimension and the rank once.
constexpr int kMaxStateRounds = 2 * kMaxRank;

std::string grammar_of(const Field& field) {
  std::string out;
  if (field.allows.automatic) out += " or auto";
  if (field.allows.none) out += " or none";
  return out;
}

// One argument of one call.
class ArgumentBinder {
 public:
  ArgumentBinder(const CallSite& site, FieldList& fields, bool has_input, std::vector<DatasetRef>& inputs)
      : site_(site), binder_(site.binder), fields_(fields), has_input_(has_input), inputs_(inputs) {}

  Status bind(const Field& field, const NodePtr& value) {
    field_ = &field;
    if (!value) return {};
    value_ = value;
    node_ = value.get();
    Status status = std::visit([&](auto* slot) { return take(*slot); }, field.slot);
    if (status.ok()) status = check_bounds(field);
    if (status.ok()) return status;
    failed_ = true;
    return at_node(*node_, status);
  }

 private:
  Status error(const Node& at, const Mistake& mistake) const {
    return at_node(at, invalid_argument(mistake));
  }
  Status at_node(const Node& at, const Status& status) const {
    return with_operator(with_span(status, at.span), site_.name, field_->name);
  }
  std::string path() const { return concat(site_.path, ".", field_->name); }

  Result<ExpressionRef> expression(const Node& node, DType wanted, ResultRank rank = ResultRank::any) const {
    auto compiled = compile_expression(binder_.context(), site_.scope, node, path(), wanted, rank);
    const Status& status = compiled.ok() ? (*compiled)->failure() : compiled.status();
    if (status.ok()) return compiled;
    return at_node(node, status);
  }

  // Accepts none and auto if the field does.
  template <class T>
  bool take_word(Scalar<T>& slot, Status& status) {
    bool automatic = node_->kind == Kind::automatic;
    if (!automatic && node_->kind != Kind::none) return false;
    if (automatic ? field_->allows.automatic : field_->allows.none) {
      slot = automatic ? Scalar<T>::automatic() : Scalar<T>::none();
    } else {
      status = error(*node_, expected_found("another value", automatic ? "auto" : "none",
                                            "this parameter does not take it"));
    }
    return true;
  }

  template <class T>
  Status take_scalar(Scalar<T>& slot, DType wanted, const char* expected) {
    Status status;
    if (take_word(slot, status)) return status;
    WEIR_ASSIGN(ExpressionRef value, expression(*node_, wanted, ResultRank::scalar));
    if (!value->spec().is_scalar(wanted)) {
      return error(*node_, expected_found(concat(expected, grammar_of(*field_)), value->spec().to_string()));
    }
    return keep(slot, value);
  }

  template <class T>
  Status keep(Scalar<T>& slot, const ExpressionRef& value) {
    slot.state = Scalar<T>::State::expression;
    slot.expression = value;
    if (!value->constant()) return {};
    slot.expression = nullptr;
    slot.state = Scalar<T>::State::constant;
    read((*value->constant())[0], slot.value);
    return {};
  }

  static void read(const Tensor& tensor, int64_t& out) { out = *tensor.as<int64_t>(); }
  static void read(const Tensor& tensor, bool& out) { out = *tensor.as<uint8_t>() != 0; }
  static void read(const Tensor& tensor, std::string& out) {
    out.assign(tensor.as<Str>()->data, tensor.as<Str>()->size);
  }
  static void read(const Tensor& tensor, double& out) {
    in_float_mode([&] { out = tensor.dtype == DType::float32 ? *tensor.as<float>() : *tensor.as<double>(); });
  }

  Status take(IntParam& slot) { return take_scalar(slot, DType::int64, "an integer"); }
  Status take(BoolParam& slot) { return take_scalar(slot, DType::boolean, "true or false"); }
  Status take(StringParam& slot) { return take_scalar(slot, DType::string, "a string"); }

  Status take(FloatParam& slot) {
    // A literal is read with all its digits; a computed value may have either dtype.
    auto exact = compile_expression(binder_.context(), site_.scope, *node_, path(), DType::float64);
    if (exact.ok() || node_->kind == Kind::automatic || node_->kind == Kind::none) {
      return take_scalar(slot, DType::float64, "a number");
    }
    WEIR_ASSIGN(ExpressionRef value, expression(*node_, DType::invalid, ResultRank::scalar));
    if (!value->spec().is_scalar(DType::float32)) {
      return error(*node_,
                   expected_found(concat("a number", grammar_of(*field_)), value->spec().to_string()));
    }
    return keep(slot, value);
  }

  Status take(SeedParam& slot) {
    slot.state = SeedParam::State::none;
    if (node_->kind == Kind::none) return {};
    const bool pair = node_->kind == Kind::tuple && node_->items.size() == 2;
    WEIR_ASSIGN(ExpressionRef first, seed_number(pair ? node_->child(0) : *node_));
    ExpressionRef second;
    if (pair) {
      WEIR_ASSIGN(second, seed_number(node_->child(1)));
    }
    slot.state = pair ? SeedParam::State::pair : SeedParam::State::op_seed;
    if (!first->constant() || (second && !second->constant())) {
      WEIR_ASSIGN(slot.expression, expression(*node_, pair ? DType::invalid : DType::int64));
      return {};
    }
    slot.first = *(*first->constant())[0].as<int64_t>();
    SeedSite::Pair seeds = pair_of_op_seed(slot.first);
    if (pair) {
      slot.second = *(*second->constant())[0].as<int64_t>();
      if (slot.first == 0 && slot.second == 0) return {};
      seeds = {static_cast<uint64_t>(slot.first), static_cast<uint64_t>(slot.second)};
    }
    slot.site = make_ref<SeedSite>(seeds);
    return {};
  }

  Result<ExpressionRef> seed_number(const Node& node) {
    WEIR_ASSIGN(ExpressionRef value, expression(node, DType::int64, ResultRank::scalar));
    if (value->spec().is_scalar(DType::int64)) return value;
    return error(node, expected_found("none, an integer or a pair of integers", value->spec().to_string()));
  }

  Status take(DTypeParam& slot) {
    if (node_->kind != Kind::dtype) return error(*node_, "expected the name of a dtype");
    slot.dtype = node_->dtype;
    return {};
  }

  Status take(SpecParam& slot) {
    if (node_->kind == Kind::none && field_->allows.none) return {};
    if (node_->kind < Kind::spec_tensor || node_->kind > Kind::spec_dataset) {
      return error(*node_, "expected an element spec, such as float32[28, 28]");
    }
    slot.set = true;
    slot.spec = syntax::to_spec(*node_);
    return {};
  }

  Status take(ColumnsParam& slot) {
    if (node_->kind == Kind::features) return take_named(slot);
    if (node_->kind != Kind::list || node_->items.empty())
      return error(*node_, "expected a list of columns, such as [int64, 0.5, string]");
    for (const Item& item : node_->items) {
      const Node& node = *item.value;
      ColumnsParam::Column& column = slot.columns.emplace_back();
      column.dtype = node.dtype;
      if (node.kind == Kind::dtype) continue;
      WEIR_ASSIGN(ExpressionRef value, expression(node, DType::invalid));
      column.dtype = value->spec().dtype;
      if (!value->spec().is_scalar(column.dtype) || !value->constant()) {
        return error(node, expected_found("the name of a dtype, or a default for empty fields",
                                          value->constant() ? value->spec().to_string() : "a variable"));
      }
      column.fallback = (*value->constant())[0];
    }
    return {};
  }

  Status take_named(ColumnsParam& slot) {
    FieldsParam named;
    WEIR_TRY(take(named, refuse_no_column));
    slot.by_name = true;
    for (FieldType& field : named.fields)
      slot.columns.push_back({field.dtype, std::move(field.fallback), std::move(field.name)});
    return {};
  }

  Status take(FieldsParam& slot, RefusesField refuses = nullptr) {
    if (node_->kind == Kind::none && field_->allows.none) return {};
    const auto constant = [this](const Node& node, DType dtype) -> Result<Tensor> {
      WEIR_ASSIGN(ExpressionRef value, expression(node, dtype));
      if (value->constant() && value->spec().is_tensor()) return (*value->constant())[0];
      return error(node, expected_found("a constant", "a variable"));
    };
    auto fields = read_fields(*node_, constant);
    const Status fits = fields.ok() && refuses ? check_fields(*fields, refuses) : fields.status();
    if (!fits.ok()) return with_operator(fits, site_.name, field_->name);
    slot = {true, *std::move(fields)};
    return {};
  }

  Status take(ValueParam& slot) {
    if (node_->kind == Kind::lambda) return error(*node_, "expected a value, found a lambda");
    if (node_->kind == Kind::none && field_->allows.none) return {};
    if (slot.list) return take_list(slot);
    const NodePtr known = field_->allows.none ? with_unknown_dims(*node_) : nullptr;
    return take_value(slot, known ? *known : *node_);
  }

  Status take_value(ValueParam& slot, const Node& node) {
    const bool exact = takes_exact_floats(*field_) && syntax::is_literal(node);
    WEIR_ASSIGN(ExpressionRef value, expression(node, exact ? DType::float64 : DType::invalid));
    slot.set = true;
    slot.spec = value->spec();
    if (value->constant()) {
      slot.values = *value->constant();
    } else {
      slot.expression = std::move(value);
    }
    return {};
  }

  // The members of a list are a tuple, since they may be structures or differ in shape.
  Status take_list(ValueParam& slot) {
    if (node_->kind != Kind::list) return error(*node_, "expected a list, [a, b]");
    Node tuple = *node_;
    tuple.kind = Kind::tuple;
    for (Item& member : tuple.items) {
      if (takes_exact_floats(*field_)) member.value = with_exact_second(*member.value);
    }
    return take_value(slot, tuple);
  }

  Status take(ValueOrInputParam& slot) {
    if (!binder_.is_dataset_here(*node_, site_.scope)) return take(static_cast<ValueParam&>(slot));
    WEIR_ASSIGN(slot.index, add_input(*node_, site_.scope));
    return {};
  }

  Result<FunctionRef> compile(const Spec& input, ResultRank rank = ResultRank::any) const {
    if (node_->kind == Kind::lambda) {
      auto compiled = compile_lambda(binder_.context(), site_.scope, *node_, input, path(), rank);
      if (compiled.ok()) return compiled;
      return at_node(*node_, compiled.status());
    }
    if (node_->kind != Kind::callback) {
      const auto is_lambda = [](const Item& item) { return item.value->kind == Kind::lambda; };
      const bool several = std::any_of(site_.call.items.begin(), site_.call.items.end(), is_lambda);
      return error(
          *node_, expected_found("a lambda or a @callback", "something else",
                                 several ? "a lambda of two components takes them in parentheses: (x, y) -> …"
                                         : "a lambda is written x -> value"));
    }
    WEIR_ASSIGN(CallbackRef callback, binder_.callback(*node_));
    auto made = make_callback_function(std::move(callback), input);
    if (made.ok()) return made;
    return at_node(*node_, made.status());
  }

  static ResultRank rank_of(const FunctionParam& slot) {
    const bool scalar =
        slot.gives == FunctionParam::Gives::boolean || slot.gives == FunctionParam::Gives::integer;
    return scalar ? ResultRank::scalar : ResultRank::any;
  }

  Status take_generator(FunctionParam& slot) {
    if (node_->kind != Kind::callback) {
      return error(*node_, expected_found("a @generator", "something else",
                                          "hand in a weir_generator, and write its name after the @"));
    }
    WEIR_ASSIGN(const CallbackRef callback, binder_.callback(*node_));
    auto made = make_generator_function(callback);
    if (!made.ok()) return at_node(*node_, made.status());
    slot.function = *std::move(made);
    return {};
  }

  Status take(FunctionParam& slot) {
    if (slot.takes == FunctionParam::Takes::nothing) return take_generator(slot);
    if (node_->kind == Kind::none && field_->allows.none) return {};
    // Its type depends on something that is wrong itself.
    const bool over_state =
        slot.takes == FunctionParam::Takes::state_and_element || slot.takes == FunctionParam::Takes::state;
    const ColumnsSource* const columns = site_.def.typing.columns_source;
    if (!has_input_ || (failed_ && (over_state || columns))) return {};
    // The node to blame for a mistake in the result.
    const Node& body = node_->kind == Kind::lambda ? node_->child(1) : *node_;
    FunctionRef function;
    switch (slot.takes) {
      case FunctionParam::Takes::state_and_element: {
        WEIR_ASSIGN(function, compile_over_state(slot, body));
        break;
      }
      case FunctionParam::Takes::key_and_window: {
        const Spec window = Spec::dataset(inputs_[0]->spec());
        WEIR_ASSIGN(function, compile(Spec::tuple({Spec::tensor(DType::int64, Shape()), window})));
        break;
      }
      case FunctionParam::Takes::dataset: {
        WEIR_ASSIGN(function, compile(Spec::dataset(inputs_[0]->spec())));
        break;
      }
      case FunctionParam::Takes::key: {
        WEIR_ASSIGN(function, compile_over_key(slot));
        if (slot.gives == FunctionParam::Gives::state) state_ = function->result();
        break;
      }
      case FunctionParam::Takes::state: {
        WEIR_ASSIGN(function, compile(state_));
        break;
      }
      default: {
        Result<Spec> element = inputs_[0]->spec();
        if (columns) element = columns->columns_of(binder_.runtime(), *fields_.params, inputs_, *node_);
        WEIR_TRY(element.status());
        WEIR_ASSIGN(function, compile(*element, rank_of(slot)));
      }
    }
    const Spec& result = function->result();
    if (slot.gives == FunctionParam::Gives::boolean && !result.is_scalar(DType::boolean)) {
      const bool number = result.is_tensor() && result.dtype != DType::boolean;
      return error(body, expected_found("a scalar bool", result.to_string(),
                                        number ? "compare it, as in x % 2 != 0" : ""));
    }
    if (slot.gives == FunctionParam::Gives::integer && !result.is_scalar(DType::int64)) {
      const bool number = result.is_tensor() && result.dtype != DType::string;
      return error(body, expected_found("a scalar int64", result.to_string(),
                                        number ? "convert it, as in cast(x, int64)" : ""));
    }
    const bool dataset = result.is_dataset() && result.shape == Shape();
    if (slot.gives == FunctionParam::Gives::dataset && !dataset) {
      return error(body, expected_found("a dataset", result.to_string(),
                                        result.is_dataset() ? "unbatch() gives one at a time" : ""));
    }
    if (slot.gives == FunctionParam::Gives::state && result.has_dataset()) {
      return error(body, expected_found("a state without datasets", result.to_string()));
    }
    slot.function = std::move(function);
    return {};
  }

  // A number is the same for all keys.
  Result<FunctionRef> compile_over_key(FunctionParam& slot) {
    const Spec key = Spec::tensor(DType::int64, Shape());
    const bool number = slot.gives == FunctionParam::Gives::integer;
    if (!number || node_->kind == Kind::lambda || node_->kind == Kind::callback)
      return compile(key, rank_of(slot));
    WEIR_ASSIGN(ExpressionRef value, expression(*node_, DType::int64, ResultRank::scalar));
    if (!value->spec().is_scalar(DType::int64)) {
      return error(*node_, expected_found("an integer or a function of the key", value->spec().to_string()));
    }
    if (value->constant()) {
      WEIR_TRY(keep(slot.number, value));
      Field field = *field_;
      field.slot = &slot.number;
      WEIR_TRY(check_bounds(field));
    }
    Node lambda{.kind = Kind::lambda, .span = node_->span};
    lambda.depth = static_cast<uint8_t>(node_->depth + 1);
    lambda.add(std::make_shared<const Node>(Node{.kind = Kind::pattern_any, .span = node_->span}));
    lambda.add(value_);
    auto compiled = compile_lambda(binder_.context(), site_.scope, lambda, key, path(), ResultRank::scalar);
    if (compiled.ok()) return compiled;
    return at_node(*node_, compiled.status());
  }

  // Where the structure of the state stands: that of the operator's first value, else of what a function gave
  // for it.
  Spec& state_spec() {
    for (const Field& field : fields_.list) {
      auto* const* value = std::get_if<ValueParam*>(&field.slot);
      if (value) return (*value)->spec;
    }
    return state_;
  }

  // A dimension of the state that changes from call to call becomes unknown.
  Result<FunctionRef> compile_over_state(const FunctionParam& slot, const Node& body) {
    Spec& state = state_spec();
    for (int round = 0;; ++round) {
      WEIR_ASSIGN(FunctionRef function, compile(Spec::tuple({state, inputs_[0]->spec()})));
      Spec wanted = function->result();
      if (slot.gives == FunctionParam::Gives::anything && wanted.children.size() != 2) {
        return error(body, expected_found("a pair of state and element", wanted.to_string()));
      }
      Spec& given = slot.gives == FunctionParam::Gives::anything ? wanted.children[0] : wanted;
      if (!same_structure(given, state)) {
        return error(body, concat("a state keeps its structure and dtypes; expected ", state.to_string(),
                                  ", found ", given.to_string()));
      }
      given = ordered_like(given, state);
      Spec relaxed = Spec::relax(state, given);
      if (relaxed == state || round == kMaxStateRounds) {
        bool in_order = wanted.to_string() == function->result().to_string();
        return in_order ? function : reorder_result(std::move(function), std::move(wanted));
      }
      state = std::move(relaxed);
    }
  }

  // Compares keys in any order.
  static bool same_structure(const Spec& a, const Spec& b) {
    if (a.kind != b.kind || a.dtype != b.dtype || a.children.size() != b.children.size()) return false;
    for (size_t i = 0; i < a.children.size(); ++i) {
      int from = a.kind == Spec::Kind::dict ? a.find(b.keys[i]) : static_cast<int>(i);
      if (from < 0 || !same_structure(a.children[static_cast<size_t>(from)], b.children[i])) return false;
    }
    return true;
  }

  Result<int> add_input(const Node& node, const Scope& scope) {
    std::string place = concat(path(), "[", inputs_.size(), "]/");
    auto dataset = binder_.bind_dataset(node, scope, place);
    if (!dataset.ok()) return at_node(node, dataset.status());
    inputs_.push_back(*std::move(dataset));
    return static_cast<int>(inputs_.size()) - 1;
  }

  Status take(InputParam& slot) {
    WEIR_ASSIGN(slot.index, add_input(*node_, site_.scope));
    return {};
  }

  Status take(FilesParam& slot) {
    if (binder_.is_dataset_here(*node_, site_.scope)) {
      WEIR_ASSIGN(slot.index, add_input(*node_, site_.scope));
      const Spec& spec = inputs_.back()->spec();
      if (spec.is_scalar(DType::string)) return {};
      return error(*node_, expected_found("a dataset of strings", concat("one of ", spec.to_string())));
    }
    WEIR_ASSIGN(ExpressionRef names, expression(*node_, DType::string));
    const Spec& spec = names->spec();
    if (!spec.is_tensor() || spec.dtype != DType::string || !spec.shape.rank_known() ||
        spec.shape.rank() > 1) {
      return error(*node_,
                   expected_found("a file name, a list of names or a dataset of names", spec.to_string()));
    }
    auto dataset = names_dataset(std::move(names), binder_.site(site_.scope));
    if (!dataset.ok()) return at_node(*node_, dataset.status());
    slot.index = static_cast<int>(inputs_.size());
    inputs_.push_back(*std::move(dataset));
    return {};
  }

  Status take(InputsParam& slot) {
    slot.set = true;
    if (!slot.list) return take_datasets(slot);
    if (node_->kind != Kind::list) return error(*node_, "expected a list of datasets, [a, b]");
    slot.structure = Spec::tuple({});
    for (const Item& item : node_->items) {
      WEIR_ASSIGN(const int index, add_input(*item.value, site_.scope));
      slot.indices.push_back(index);
      slot.structure.children.push_back(Spec::dataset(inputs_.back()->spec()));
    }
    if (!node_->items.empty()) return {};
    return error(*node_, "expected at least one dataset, found none");
  }

  // `zip(w)` of a value that is itself a structure of datasets is that structure, not a tuple of one.
  Status take_datasets(InputsParam& slot) {
    WEIR_TRY(take_structure(*node_, site_.scope, slot.structure, slot.indices));
    if (node_->kind != Kind::tuple || node_->items.size() != 1 || is_written_structure(node_->child(0)))
      return {};
    Spec only = slot.structure.children[0];
    if (only.is_dataset()) return {};
    if (site_.call.items.size() != 1 || site_.call.child(0).kind == Kind::tuple) {
      return error(node_->child(0), expected_found("a dataset as the one member of a tuple", only.to_string(),
                                                   "leave the tuple out"));
    }
    slot.structure = std::move(only);
    return {};
  }

  Status take_structure(const Node& node, const Scope& scope, Spec& structure, std::vector<int>& indices) {
    if (node.kind == Kind::list) {
      return error(node, "expected datasets, or a tuple or dict of them, found a list; write (a, b)");
    }
    if (!is_written_structure(node)) return take_member(node, scope, structure, indices);
    MemberNodes members(binder_.context(), path());
    if (const Status status = members.add(node, scope); !status.ok()) return at_node(node, status);
    return take_members(node, members, structure, indices);
  }

  Status take_members(const Node& node, const MemberNodes& members, Spec& structure,
                      std::vector<int>& indices) {
    if (members.list().empty()) return error(node, "expected at least one dataset, found none");
    structure = members.empty_spec();
    for (const MemberNodes::Member& member : members.list()) {
      if (structure.kind == Spec::Kind::dict) structure.keys.push_back(member.key);
      structure.children.emplace_back();
      WEIR_TRY(take_structure(*member.node, *member.scope, structure.children.back(), indices));
    }
    return {};
  }

  // A dataset, or a value that holds some: a window of dicts, or a `let` of a structure.
  Status take_member(const Node& node, const Scope& scope, Spec& structure, std::vector<int>& indices) {
    if (node.kind == Kind::name) {
      // Read as it was written, so that what is known of each dataset stays known.
      const Scope::Let let = scope.find_let(node.text);
      if (let.value && is_written_structure(*let.value))
        return take_structure(*let.value, Scope(scope, let), structure, indices);
    }
    if (!binder_.is_dataset_here(node, scope)) {
      auto value = compile_expression(binder_.context(), scope, node, path(), DType::invalid);
      const Spec spec = value.ok() ? (*value)->spec() : Spec();
      if (spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict) {
        MemberNodes members(binder_.context(), path());
        members.add_value(node, spec, scope);
        return take_members(node, members, structure, indices);
      }
    }
    WEIR_ASSIGN(int index, add_input(node, scope));
    indices.push_back(index);
    structure = Spec::dataset(inputs_.back()->spec());
    parts_ += structure.part_count();
    // Checked before the remaining inputs make it much larger.
    if (parts_ > kMaxParts) return error(node, too_many_parts());
    return {};
  }

  const CallSite& site_;
  Binder& binder_;
  FieldList& fields_;
  const bool has_input_;
  std::vector<DatasetRef>& inputs_;
  // Some parameter so far was wrong.
  bool failed_ = false;
  // What a function gives as the first state; relaxed by the one that gives the next.
  Spec state_;
  const Field* field_ = nullptr;
  NodePtr value_;
  const Node* node_ = nullptr;
  // Parts of the structures of a list or tuple of datasets so far.
  int parts_ = 0;
};

// Of a source whose files have columns.
Status find_format(const CallSite& site, const ColumnsSource& source, const ParamsBase& params) {
  NameFinder* const names = site.binder.runtime().names;
  Result<RefPtr<const TableFormat>> format =
      failed_precondition(concat(site.def.name, " was bound without extensions"));
  if (source.own || names) format = source.own ? source.own() : names->table_format(site.def.name);
  if (!format.ok()) return with_operator(with_span(format.status(), site.call.span), site.def.name);
  source.use(params, *std::move(format));
  return {};
}

}  // namespace

Status bind_arguments(const CallSite& site, FieldList& fields, const std::vector<NodePtr>& values,
                      bool has_input, std::vector<DatasetRef>& inputs) {
  ArgumentBinder binder(site, fields, has_input, inputs);
  Status mistakes;
  const ColumnsSource* const columns = site.def.typing.columns_source;
  if (columns) WEIR_TRY(find_format(site, *columns, *fields.params));
  // A function of columns comes after what says which there are.
  for (size_t at = 0; at < 2 * fields.list.size(); ++at) {
    const size_t i = at % fields.list.size();
    const bool waits = columns && std::holds_alternative<FunctionParam*>(fields.list[i].slot);
    if (waits == (at >= fields.list.size()))
      mistakes = both(mistakes, binder.bind(fields.list[i], values[i]));
  }
  return mistakes;
}

}  // namespace weir
