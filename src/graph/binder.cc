#include "graph/binder.h"

#include <algorithm>

#include "core/text.h"
#include "expr/types/generator.h"
#include "expr/types/kernel.h"
#include "graph/call_of_source.h"
#include "graph/computed.h"
#include "graph/terminal.h"
#include "graph/variable.h"
#include "ops/list.h"
#include "syntax/hints.h"

namespace weir {

using syntax::CalleeKind;
using syntax::Item;
using syntax::Kind;
using syntax::Node;

namespace {

// Not a batch of them.
bool is_one_dataset(const Spec& spec) { return spec.is_dataset() && spec.shape == Shape(); }

std::vector<std::string> operator_names(bool sources) {
  std::vector<std::string> out;
  for (const OperatorDef* def : operators()) {
    if ((def->kind == OperatorKind::source) == sources) out.emplace_back(def->name);
  }
  return out;
}

// Describes a node for use in a sentence.
std::string_view described(const Node& node) {
  switch (node.kind) {
    case Kind::integer:
    case Kind::floating:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::list:
      return "a list";
    case Kind::tuple:
      return "a tuple";
    case Kind::dict:
      return "a dict";
    case Kind::lambda:
      return "a lambda";
    case Kind::pipeline:
      return "a pipeline that ends in a value";
    default:
      return "a value";
  }
}

// Draws the seeds that a call leaves open.
void draw_seeds(const OperatorDef& def, const FieldList& fields, RandomSource* random) {
  const bool used = !def.position.uses_seed || def.position.uses_seed(*fields.params);
  for (const Field& field : fields.list) {
    SeedParam* const* const seed = std::get_if<SeedParam*>(&field.slot);
    if (!seed || (*seed)->site || (*seed)->expression) continue;
    SeedSite::Pair pair{0, 0};
    if (used && random) pair = {random->draw(), random->draw()};
    (*seed)->site = make_ref<SeedSite>(pair, used ? SeedSite::Origin::drawn : SeedSite::Origin::given);
  }
}

}  // namespace

Binder::Binder(Runtime& runtime, const Handed& handed, bool has_params,
               std::shared_ptr<const std::string> source)
    : runtime_(runtime),
      handed_(handed),
      context_{.runtime = &runtime, .source = std::move(source), .pipelines = this},
      has_params_(has_params) {}

void Binder::bind_let(const Node& statement, Scope& scope, Status& mistakes) {
  const Node& value = statement.child(0);
  Status status;
  if (is_dataset_here(value, scope)) {
    auto dataset = bind_dataset(value, scope, "");
    status = dataset.status();
    if (dataset.ok()) scope.bind_dataset(statement.text, *std::move(dataset));
  } else {
    // Typed here so that a mistake shows even if nothing uses it; each use types it again, since literals
    // adapt.
    auto typed = compile_expression(context_, scope, value, "let " + statement.text);
    status = typed.status();
    if (typed.ok() && is_worth_keeping(value, **typed)) {
      has_computed_ = true;
      scope.bind_computed(statement.text, make_computed(*typed), (*typed)->spec());
    } else if (typed.ok()) {
      scope.bind_expression(statement.text, statement.items[0].value);
    }
  }
  if (status.ok()) {
    lets_[statement.text] = hash_of_part(statement.items[0].value, scope);
    return;
  }
  scope.bind_mistake(statement.text);
  mistakes = both(mistakes, status);
}

Result<DatasetRef> Binder::bind_document(const Node& document, Scope& scope) {
  Status mistakes;
  for (const Item& item : document.items) {
    if (item.value->kind == Kind::let) bind_let(*item.value, scope, mistakes);
  }
  const Node& last = *document.items.back().value;
  auto root =
      last.kind == Kind::pipeline ? bind_pipeline(last, scope, "", true) : bind_dataset(last, scope, "");
  mistakes = both(mistakes, root.status());
  if (!mistakes.ok()) return mistakes;
  return root;
}

PipelineCompiler::Callee Binder::callee(CalleeKind kind, std::string_view name) const {
  const OperatorDef* def = find_operator(name);
  if (!def && kind == CalleeKind::function && source(name)) return Callee::source;
  if (!def || (def->kind == OperatorKind::source) != (kind == CalleeKind::function)) return Callee::unknown;
  switch (def->kind) {
    case OperatorKind::source:
      return Callee::source;
    case OperatorKind::terminal:
      return Callee::terminal;
    default:
      return Callee::transformation;
  }
}

std::vector<std::string> Binder::names(CalleeKind kind) const {
  return operator_names(kind == CalleeKind::function);
}

Result<DatasetRef> Binder::compile_dataset(const Node& node, Scope& scope, std::string_view path) {
  return bind_dataset(node, scope, concat(path, "/"));
}

Result<PipelineCompiler::Terminal> Binder::compile_terminal(const Node& node, Scope& scope,
                                                            std::string_view path) {
  WEIR_ASSIGN(DatasetRef dataset, bind_pipeline(node, scope, concat(path, "/"), true));
  Spec spec = dataset->spec();
  return Terminal{make_terminal_runner(std::move(dataset), context_.lambdas > 0), std::move(spec)};
}

Result<PipelineCompiler::HandedIn> Binder::handed(const Node& node) {
  auto found = handed_.find(node.text);
  if (found == handed_.end()) {
    std::vector<std::string> words;
    for (const auto& [word, thing] : handed_) words.push_back(word);
    return error_at(node,
                    {concat("nothing was passed as @", node.text), syntax::nearest_hint(node.text, words)});
  }
  const auto* value = std::get_if<HandedValue>(&found->second);
  if (!value) {
    return error_at(node, expected_found("a value", concat("@", node.text, ", a callback"),
                                         "it can stand only where a lambda can"));
  }
  return HandedIn{value->spec, value->values, nullptr};
}

CallbackRef Binder::function(std::string_view name) const {
  const auto found = handed_.find(std::string(name));
  const auto* callback = found == handed_.end() ? nullptr : std::get_if<CallbackRef>(&found->second);
  const bool called = callback != nullptr && (*callback)->signature() != nullptr && !source(name);
  return called ? *callback : nullptr;
}

const Generator* Binder::source(std::string_view name) const {
  const auto found = handed_.find(name);
  const auto* callback = found == handed_.end() ? nullptr : std::get_if<CallbackRef>(&found->second);
  const auto* generator = callback ? dynamic_cast<const Generator*>(callback->get()) : nullptr;
  return generator && generator->signature() ? generator : nullptr;
}

Result<CallbackRef> Binder::callback(const Node& node) {
  auto found = handed_.find(node.text);
  if (found == handed_.end()) return handed(node).status();
  if (const auto* callback = std::get_if<CallbackRef>(&found->second)) return *callback;
  return error_at(node,
                  expected_found("a lambda or a callback", concat("@", node.text, ", which is neither")));
}

bool Binder::is_dataset_here(const Node& node, const Scope& scope) const {
  return is_dataset(context_, scope, node);
}

Result<DatasetRef> Binder::bind_dataset(const Node& node, const Scope& scope, std::string_view path) {
  switch (node.kind) {
    case Kind::pipeline:
      if (callee(CalleeKind::transformation, node.items.back().value->text) != Callee::terminal) {
        return bind_pipeline(node, scope, path, false);
      }
      break;
    case Kind::call:
      if (callee(CalleeKind::function, node.text) == Callee::source) return bind_call(node, {}, scope, path);
      if (!find_kernel(node.text)) return operator_of(node, false).status();
      break;
    case Kind::name:
      return bind_name(node, scope, path);
    default:
      break;
  }
  if (!is_dataset_here(node, scope)) {
    const bool divides = node.kind == Kind::binary && node.op == syntax::Op::floor_divide;
    return error_at(
        node, expected_found("a dataset", concat(described(node)), divides ? "a comment begins with #" : ""));
  }
  WEIR_ASSIGN(ExpressionRef value, compile_expression(context_, scope, node, path));
  if (!is_one_dataset(value->spec())) {
    return error_at(node, expected_found("a dataset", value->spec().to_string()));
  }
  return variable_dataset(std::move(value), site_of(node, scope));
}

Result<DatasetRef> Binder::bind_name(const Node& node, const Scope& scope, std::string_view path) {
  Scope::Found found = scope.find(node.text);
  switch (found.kind) {
    case Scope::Found::Kind::nothing:
      return error_at(node, {concat("nothing is called ", node.text, " here"),
                             syntax::hint_for(node.text, scope.names())});
    case Scope::Found::Kind::mistake:
      return as_consequence(error_at(node, concat(node.text, " was not built")));
    case Scope::Found::Kind::dataset:
      // Without $params the outermost scope has nothing that its nodes could ask for.
      if (found.env_levels == 0 || (found.env_levels == scope.env_depth() && !has_params_))
        return found.dataset;
      return outer_dataset(std::move(found.dataset), found.env_levels, site(scope));
    case Scope::Found::Kind::value:
      break;
  }
  WEIR_ASSIGN(ExpressionRef value, compile_expression(context_, scope, node, path));
  if (!is_one_dataset(value->spec())) {
    return error_at(node,
                    expected_found("a dataset", concat(node.text, ", which is ", value->spec().to_string())));
  }
  return variable_dataset(std::move(value), site_of(node, scope));
}

Result<DatasetRef> Binder::bind_pipeline(const Node& node, const Scope& scope, std::string_view path,
                                         bool may_end_in_terminal) {
  auto first = bind_dataset(node.child(0), scope, path);
  Status mistakes = first.status();
  DatasetRef dataset = first.ok() ? *std::move(first) : nullptr;
  for (size_t i = 1; i < node.items.size(); ++i) {
    const Node& call = node.child(i);
    bool last = i + 1 == node.items.size();
    if (callee(CalleeKind::transformation, call.text) == Callee::terminal && !(last && may_end_in_terminal)) {
      mistakes = both(mistakes, error_at(call, concat(call.text, " gives a value, not a dataset",
                                                      last ? "" : ", so that nothing can follow it")));
      dataset = nullptr;
      continue;
    }
    auto built = bind_call(call, {true, dataset, dataset ? height(*dataset) : 0}, scope, path);
    mistakes = both(mistakes, built.status());
    if (built.ok()) {
      dataset = *std::move(built);
      continue;
    }
    // What follows an operator that keeps its input's structure can still be typed.
    const OperatorDef* def = find_operator(call.text);
    if (!def || def->typing.spec != same_spec) dataset = nullptr;
  }
  if (!mistakes.ok()) return mistakes;
  return dataset;
}

Result<const OperatorDef*> Binder::operator_of(const Node& call, bool piped) const {
  const OperatorDef* def = find_operator(call.text);
  bool source = def && def->kind == OperatorKind::source;
  if (def && source != piped) return def;
  if (def && source) {
    return error_at(call, {concat(call.text, " is a source; nothing can be piped into it"),
                           "a pipeline begins with it; zip and concatenate join two"});
  }
  if (def) {
    return error_at(call, {concat(call.text, " takes the dataset that it applies to from a pipe"),
                           concat("write DATASET | ", call.text, "(…)")});
  }
  if (piped && find_kernel(call.text)) {
    return error_at(call, {concat(call.text, " is a function, not a transformation"),
                           concat("apply it with map(x -> ", call.text, "(x))")});
  }
  std::vector<std::string> known = operator_names(!piped);
  if (!piped) {
    for (const Kernel* kernel : kernels()) known.emplace_back(kernel->name);
  }
  return error_at(
      call, {concat("there is no ", piped ? "transformation" : "source or function", " called ", call.text),
             syntax::hint_for(call.text, known,
                              elsewhere(piped ? CalleeKind::transformation : CalleeKind::function))});
}

Result<DatasetRef> Binder::bind_call(const Node& call, Piped piped, const Scope& scope, std::string_view path,
                                     const syntax::NodePtr& source) {
  if (const Generator* generator = piped.given ? nullptr : this->source(call.text)) {
    auto named = std::make_shared<Node>(call);
    for (size_t i = 0; i < call.items.size() && i < generator->signature()->keys.size(); ++i) {
      if (call.items[i].name.empty()) named->items[i].name = generator->signature()->keys[i];
    }
    WEIR_ASSIGN(const syntax::NodePtr written, call_of_source(*generator, call));
    return bind_call(*written, piped, scope, path, std::move(named));
  }
  WEIR_ASSIGN(const OperatorDef* def, operator_of(call, piped.given));
  FieldList fields(*def);
  MatchedArguments matched = match_arguments(*def, fields, call);
  const bool has_input = !piped.given || piped.dataset;
  std::vector<DatasetRef> inputs;
  if (piped.dataset) inputs.push_back(std::move(piped.dataset));
  if (piped.height >= kMaxChain) {
    return error_at(call, expected_found(concat("at most ", kMaxChain, " operators in a row"), "more"));
  }
  // Counted from the source, so that a call site has one path however its text was built.
  const char* const called = source ? lasting_name(source->text) : nullptr;
  const char* const name = called ? called : def->name;
  CallSite site{*this, *def, name, call, scope, concat(path, piped.height, "/", def->name)};
  Status mistakes = both(matched.status, bind_arguments(site, fields, matched.values, has_input, inputs));
  if (!mistakes.ok()) return mistakes;
  if (!has_input) return as_consequence(error_at(call, "its input was not built"));
  draw_seeds(*def, fields, runtime_.random);
  BuildSite at = this->site(scope);
  at.digest = digest_of(*def, matched.values, source, scope);
  at.called = called;
  auto built = Dataset::build(*def, std::move(fields.params), std::move(inputs), at);
  if (!built.ok()) return with_span(with_operator(built.status(), name), call.span);
  return built;
}

int Binder::height(const Dataset& dataset) {
  auto known = heights_.find(dataset.id());
  if (known != heights_.end()) return known->second;
  int highest = 0;
  for (const DatasetRef& input : dataset.inputs()) highest = std::max(highest, height(*input));
  heights_.emplace(dataset.id(), highest + 1);
  return highest + 1;
}

}  // namespace weir
