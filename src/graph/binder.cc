#include "graph/binder.h"

#include <algorithm>

#include "core/text.h"
#include "expr/kernel.h"
#include "graph/computed.h"
#include "graph/terminal.h"
#include "graph/variable.h"
#include "ops/list.h"
#include "syntax/hints.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::Place;

namespace {

std::vector<std::string> operator_names(bool sources) {
  std::vector<std::string> out;
  for (const OperatorDef* def : operators()) {
    if ((def->kind == OperatorKind::source) == sources) out.emplace_back(def->name);
  }
  return out;
}

// What a node is, in a sentence.
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

}  // namespace

Binder::Binder(Runtime& runtime, std::string_view source, const Handed& handed, bool has_params)
    : runtime_(runtime),
      handed_(handed),
      context_{.runtime = &runtime, .source = source, .pipelines = this},
      has_params_(has_params) {}

Result<DatasetRef> Binder::bind_document(const Node& document, Scope& scope) {
  for (const Item& item : document.items) {
    const Node& statement = *item.value;
    if (statement.kind != Kind::let) continue;
    const Node& value = statement.child(0);
    if (is_dataset_here(value, scope)) {
      WEIR_ASSIGN(DatasetRef dataset, bind_dataset(value, scope, ""));
      scope.bind_dataset(statement.text, std::move(dataset));
    } else {
      // Typed here so that a mistake shows even where nothing uses it; each use types it again, since
      // literals adapt.
      WEIR_ASSIGN(ExpressionRef typed, compile_expression(context_, scope, value, "let " + statement.text));
      if (is_worth_keeping(value, *typed)) {
        scope.bind_computed(statement.text, make_computed(typed), typed->spec());
      } else {
        scope.bind_expression(statement.text, statement.items[0].value);
      }
    }
  }
  const Node& last = *document.items.back().value;
  if (last.kind == Kind::pipeline) return bind_pipeline(last, scope, "", true);
  return bind_dataset(last, scope, "");
}

PipelineCompiler::Callee Binder::callee(Place place, std::string_view name) const {
  const OperatorDef* def = find_operator(name);
  if (!def || (def->kind == OperatorKind::source) != (place == Place::function)) return Callee::unknown;
  switch (def->kind) {
    case OperatorKind::source:
      return Callee::source;
    case OperatorKind::terminal:
      return Callee::terminal;
    default:
      return Callee::transformation;
  }
}

std::vector<std::string> Binder::names(Place place) const { return operator_names(place == Place::function); }

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
    return error_at(context_, node,
                    concat("nothing was handed in as @", node.text, syntax::nearest_hint(node.text, words)));
  }
  const auto* value = std::get_if<HandedValue>(&found->second);
  if (!value) {
    return error_at(context_, node,
                    concat("@", node.text, " is a callback; it can only stand where a lambda can"));
  }
  return HandedIn{value->spec, value->values, nullptr};
}

Result<CallbackRef> Binder::callback(const Node& node) {
  auto found = handed_.find(node.text);
  if (found == handed_.end()) return handed(node).status();
  if (const auto* callback = std::get_if<CallbackRef>(&found->second)) return *callback;
  return error_at(context_, node, concat("@", node.text, " is no callback; expected a lambda or a callback"));
}

bool Binder::is_dataset_here(const Node& node, const Scope& scope) const {
  return is_dataset(context_, scope, node);
}

Result<DatasetRef> Binder::bind_dataset(const Node& node, const Scope& scope, std::string_view path) {
  switch (node.kind) {
    case Kind::pipeline:
      if (callee(Place::transformation, node.items.back().value->text) != Callee::terminal) {
        return bind_pipeline(node, scope, path, false);
      }
      break;
    case Kind::call:
      if (callee(Place::function, node.text) == Callee::source) return bind_call(node, nullptr, scope, path);
      if (!find_kernel(node.text)) return operator_of(node, false).status();
      break;
    case Kind::name:
      return bind_name(node, scope, path);
    default:
      break;
  }
  if (!is_dataset_here(node, scope)) {
    return error_at(context_, node, concat("expected a dataset, found ", described(node)));
  }
  WEIR_ASSIGN(ExpressionRef value, compile_expression(context_, scope, node, path));
  if (!value->spec().is_dataset()) {
    return error_at(context_, node, concat("expected a dataset, found ", value->spec().to_string()));
  }
  return variable_dataset(std::move(value), site(scope));
}

Result<DatasetRef> Binder::bind_name(const Node& node, const Scope& scope, std::string_view path) {
  Scope::Found found = scope.find(node.text);
  switch (found.kind) {
    case Scope::Found::Kind::nothing:
      return error_at(
          context_, node,
          concat("nothing is called ", node.text, " here", syntax::hint_for(node.text, scope.names())));
    case Scope::Found::Kind::dataset:
      // Without $params there is nothing in the outermost scope that its nodes could ask for.
      if (found.env_levels == 0 || (found.env_levels == scope.env_depth() && !has_params_))
        return found.dataset;
      return outer_dataset(std::move(found.dataset), found.env_levels, site(scope));
    case Scope::Found::Kind::value:
      break;
  }
  WEIR_ASSIGN(ExpressionRef value, compile_expression(context_, scope, node, path));
  if (!value->spec().is_dataset()) {
    return error_at(
        context_, node,
        concat("expected a dataset, found ", node.text, ", which is ", value->spec().to_string()));
  }
  return variable_dataset(std::move(value), site(scope));
}

Result<DatasetRef> Binder::bind_pipeline(const Node& node, const Scope& scope, std::string_view path,
                                         bool may_end_in_terminal) {
  WEIR_ASSIGN(DatasetRef dataset, bind_dataset(node.child(0), scope, path));
  for (size_t i = 1; i < node.items.size(); ++i) {
    const Node& call = node.child(i);
    bool last = i + 1 == node.items.size();
    if (callee(Place::transformation, call.text) == Callee::terminal && !(last && may_end_in_terminal)) {
      return error_at(
          context_, call,
          concat(call.text, " gives a value, not a dataset", last ? "" : ", so that nothing can follow it"));
    }
    WEIR_ASSIGN(dataset, bind_call(call, std::move(dataset), scope, path));
  }
  return dataset;
}

Result<const OperatorDef*> Binder::operator_of(const Node& call, bool piped) const {
  const OperatorDef* def = find_operator(call.text);
  bool source = def && def->kind == OperatorKind::source;
  if (def && source != piped) return def;
  if (def && source) {
    return error_at(context_, call, concat(call.text, " is a source; nothing can be piped into it"));
  }
  if (def) {
    return error_at(context_, call,
                    concat(call.text, " takes the dataset it applies to from a pipe: write DATASET | ",
                           call.text, "(…)"));
  }
  if (piped && find_kernel(call.text)) {
    return error_at(context_, call,
                    concat(call.text,
                           " is a function, not a transformation; apply it with "
                           "map(x -> ",
                           call.text, "(x))"));
  }
  std::vector<std::string> known = operator_names(!piped);
  if (!piped) {
    for (const Kernel* kernel : kernels()) known.emplace_back(kernel->name);
  }
  return error_at(context_, call,
                  concat("there is no ", piped ? "transformation" : "source or function", " called ",
                         call.text, syntax::hint_for(call.text, known)));
}

Result<DatasetRef> Binder::bind_call(const Node& call, DatasetRef piped, const Scope& scope,
                                     std::string_view path) {
  WEIR_ASSIGN(const OperatorDef* def, operator_of(call, piped != nullptr));
  FieldList fields(*def);
  MatchedArguments matched = match_arguments(*def, fields, call);
  if (matched.mismatch) {
    return syntax::error_at(context_.source, matched.mismatch->span, matched.mismatch->message);
  }
  std::vector<DatasetRef> inputs;
  int depth = 0;
  if (piped) {
    depth = height(*piped);
    inputs.push_back(std::move(piped));
  }
  if (depth >= kMaxChain) {
    return error_at(context_, call, concat("more than ", kMaxChain, " operators stand one behind the other"));
  }
  // Counted from the source, so that a call site has one path however its text was put together.
  CallSite site{*this, *def, call, scope, concat(path, depth, "/", def->name)};
  WEIR_TRY(bind_arguments(site, fields, matched.values, inputs));
  auto built = Dataset::build(*def, std::move(fields.params), std::move(inputs), this->site(scope));
  if (!built.ok()) {
    const Error& error = built.status().error();
    bool named = error.message.find(def->name) != std::string::npos;
    std::string message = named ? error.message : concat(def->name, ": ", error.message);
    return Status(error.code, syntax::render_with_caret(context_.source, call.span, message));
  }
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
