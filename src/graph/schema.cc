#include "graph/schema.h"

#include <algorithm>

#include "core/text.h"
#include "expr/types/generator.h"
#include "expr/types/kernel.h"
#include "graph/arguments.h"
#include "graph/signatures.h"
#include "ops/list.h"
#include "syntax/grammar.h"
#include "syntax/hints.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace weir {

namespace {

const char* type_name(const IntParam*) { return "int"; }
const char* type_name(const FloatParam*) { return "float"; }
const char* type_name(const BoolParam*) { return "bool"; }
const char* type_name(const StringParam*) { return "string"; }
const char* type_name(const SeedParam*) { return "seed"; }
const char* type_name(const DTypeParam*) { return "dtype"; }
const char* type_name(const SpecParam*) { return "spec"; }
const char* type_name(const FieldsParam*) { return "fields"; }
const char* type_name(const ColumnsParam*) { return "list of values and dtypes"; }
const char* type_name(const ValueParam* slot) { return slot->list ? "list of values" : "value"; }
const char* type_name(const FunctionParam*) { return "function"; }
const char* type_name(const InputParam*) { return "dataset"; }
const char* type_name(const FilesParam*) { return "files"; }
const char* type_name(const InputsParam* slot) { return slot->list ? "list of datasets" : "datasets"; }
const char* type_name(const ValueOrInputParam*) { return "value or dataset"; }

const char* kind_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::source:
      return "source";
    case OperatorKind::transformation:
      return "transformation";
    default:
      return "terminal";
  }
}

// As the parser takes it.
const char* syntax_name(std::string_view parameter) {
  switch (syntax::grammar_of_parameter(parameter)) {
    case syntax::Grammar::spec:
      return "spec";
    case syntax::Grammar::columns:
      return "list of values and dtypes";
    case syntax::Grammar::fields:
      return "fields";
    default:
      return "features";
  }
}

const char* type_name(const KernelParam& param) {
  switch (param.kind) {
    case ParamKind::list:
      return "list";
    case ParamKind::any:
      return "value";
    case ParamKind::sparse:
      return "sparse tensor";
    case ParamKind::ragged:
      return "ragged tensor";
    case ParamKind::optional:
      return "optional";
    case ParamKind::constant:
      return "constant";
    case ParamKind::dtype:
      return "dtype";
    case ParamKind::seed:
      return "seed";
    case ParamKind::function:
      return "function";
    case ParamKind::syntax:
      return syntax_name(param.name);
    default:
      return "tensor";
  }
}

const char* taken_by(const FunctionParam& slot) {
  switch (slot.takes) {
    case FunctionParam::Takes::element:
      return "element";
    case FunctionParam::Takes::state_and_element:
      return "state and element";
    case FunctionParam::Takes::key_and_window:
      return "key and window";
    case FunctionParam::Takes::dataset:
      return "dataset";
    case FunctionParam::Takes::key:
      return "key";
    case FunctionParam::Takes::state:
      return "state";
    case FunctionParam::Takes::nothing:
      return "nothing";
  }
  return "";
}

void describe_function(const FunctionParam& slot, SchemaParameter& out) {
  out.takes = taken_by(slot);
  switch (slot.gives) {
    case FunctionParam::Gives::integer:
      out.gives = "int64";
      break;
    case FunctionParam::Gives::boolean:
      out.gives = "bool";
      break;
    case FunctionParam::Gives::dataset:
      out.gives = "dataset";
      break;
    case FunctionParam::Gives::state:
      out.gives = "state";
      break;
    case FunctionParam::Gives::elements:
      out.gives = "elements";
      break;
    default:
      out.gives = "any value";
  }
}

SchemaParameter parameter(const Field& field) {
  SchemaParameter out;
  out.name = field.name;
  out.type = std::visit([](const auto* slot) { return type_name(slot); }, field.slot);
  if (auto* const* function = std::get_if<FunctionParam*>(&field.slot)) describe_function(**function, out);
  if (syntax::NodePtr left_out = default_of(field)) out.fallback = syntax::print(*left_out);
  if (field.bounds.low != std::numeric_limits<int64_t>::min()) out.minimum = field.bounds.low;
  if (field.bounds.high != std::numeric_limits<int64_t>::max()) out.maximum = field.bounds.high;
  out.also = field.bounds.also;
  out.automatic = field.allows.automatic;
  out.none = field.allows.none;
  out.doc = field.doc;
  return out;
}

SchemaParameter parameter(const KernelParam& param) {
  SchemaParameter out;
  out.name = param.name;
  out.type = type_name(param);
  if (param.kind == ParamKind::function) {
    out.takes = "row";
    out.gives = "tensors";
  }
  out.dtype = std::string_view(param.type) == "dtype?" ? "" : param.type;
  if (param.fallback) out.fallback = param.fallback;
  out.none = param.fallback && std::string_view(param.fallback) == "none";
  out.doc = param.doc;
  return out;
}

// NAME(a, b: default). Parameters before `single`, the one that a single positional argument sets, have
// no default either.
std::string call_form(const SchemaEntry& entry, const char* single) {
  std::string out = entry.name + "(";
  bool by_position = single != nullptr;
  for (const SchemaParameter& parameter : entry.parameters) {
    if (&parameter != entry.parameters.data()) out += ", ";
    out += parameter.name;
    if (parameter.fallback && !by_position) out += concat(": ", *parameter.fallback);
    if (single && parameter.name == single) by_position = false;
  }
  return out + ")";
}

void add_signatures(SchemaEntry& entry, const char* single) {
  if (single) entry.signatures.push_back(concat(entry.name, "(", single, ")"));
  entry.signatures.push_back(call_form(entry, single));
}

// When its elements can be read by position.
const char* position_condition(const OperatorDef& def, const FieldList& fields) {
  const auto has = [&](std::string_view name) { return fields.find(name) >= 0; };
  if (def.kind != OperatorKind::source || has("datasets")) return "if every input can";
  if (has("where")) return "without `where`";
  if (has("on_corrupt"))
    return "with `on_corrupt: \"error\"`, `num_parallel_reads: 1`, and `compression: \"\"` or \"zstd\" as weir writes it";
  if (has("compression"))
    return has("num_parallel_reads") ? "with `compression: \"\"` and `num_parallel_reads: 1`"
                                     : "with `compression: \"\"`";
  if (has("shuffle")) return "with `shuffle: false`";
  if (has("generator")) return "if the generator has a count";
  return "";
}

SchemaEntry entry_of(const OperatorDef& def) {
  SchemaEntry out;
  out.name = def.name;
  out.kind = kind_name(def.kind);
  const FieldList fields(def);
  for (const Field& field : fields.list) {
    out.parameters.push_back(parameter(field));
    out.parameters.back().aliases = aliases_of(fields, field.name);
  }
  add_signatures(out, def.page.single_argument);
  out.doc = def.page.doc;
  out.cost = def.page.cost;
  out.by_position = can_be_read_by_position(def);
  if (out.by_position) out.by_position_if = position_condition(def, fields);
  out.example = def.page.example;
  out.output = def.page.output;
  return out;
}

// Functions that are written between or before their operands.
std::string operator_form(const Kernel& kernel) {
  if (kernel.param(0).kind == ParamKind::list) return "[a, b]";
  if (kernel.params.size() == 1) return concat(kernel.name, " ", kernel.param(0).name);
  return concat(kernel.param(0).name, " ", kernel.name, " ", kernel.param(1).name);
}

SchemaEntry entry_of(const Kernel& kernel) {
  SchemaEntry out;
  out.name = kernel.name;
  for (const KernelParam& param : kernel.params) out.parameters.push_back(parameter(param));
  const bool called = is_identifier(kernel.name) && !syntax::is_reserved(kernel.name);
  out.kind = called ? "function" : "operator";
  if (called) {
    add_signatures(out, kernel.single_argument);
  } else {
    out.signatures.push_back(operator_form(kernel));
  }
  out.doc = kernel.doc;
  out.result = kernel.result;
  out.cost = kernel.cost;
  out.example = kernel.example;
  out.output = kernel.output;
  return out;
}

// What it is if it is left out, in the notation.
std::optional<std::string> default_in(const syntax::Tree& defaults, const std::string& name) {
  if (!defaults.root) return std::nullopt;
  for (const syntax::Item& item : defaults.root->items) {
    if (item.name == name) return syntax::print(*item.value);
  }
  return std::nullopt;
}

}  // namespace

SchemaEntry schema_of(const std::string& name, const Callback& callback) {
  const auto* generator = dynamic_cast<const Generator*>(&callback);
  SchemaEntry out;
  out.name = name;
  out.kind = generator ? "source" : "function";
  out.doc = callback.doc();
  out.by_position = generator && generator->counts();
  syntax::Tree defaults;
  if (generator && !generator->defaults().empty()) {
    if (auto read = syntax::parse_value(std::string(generator->defaults())); read.ok())
      defaults = *std::move(read);
  }
  const Spec& signature = *callback.signature();
  for (size_t i = 0; i < signature.keys.size(); ++i) {
    const Spec& child = signature.children[i];
    out.parameters.push_back({.name = signature.keys[i],
                              .type = "value",
                              .dtype = {},
                              .takes = {},
                              .gives = {},
                              .fallback = default_in(defaults, signature.keys[i]),
                              .minimum = {},
                              .maximum = {},
                              .also = {},
                              .aliases = {},
                              .doc = concat("a ", child.to_string())});
  }
  add_signatures(out, nullptr);
  return out;
}

std::vector<SchemaEntry> schema() {
  std::vector<SchemaEntry> out;
  for (OperatorKind kind : {OperatorKind::source, OperatorKind::transformation, OperatorKind::terminal}) {
    for (const OperatorDef* def : operators()) {
      if (def->kind == kind) out.push_back(entry_of(*def));
    }
  }
  for (const Kernel* kernel : kernels()) out.push_back(entry_of(*kernel));
  return out;
}

Result<std::vector<SchemaEntry>> schema(std::string_view name) {
  const std::string_view wanted = dtype_from_name(name) ? "cast" : name;
  std::vector<SchemaEntry> all = schema();
  std::vector<std::string> names;
  for (const SchemaEntry& entry : all) {
    if (is_identifier(entry.name)) names.push_back(entry.name);
  }
  std::erase_if(all, [&](const SchemaEntry& entry) { return entry.name != wanted; });
  if (!all.empty()) return all;
  return Status(Code::not_found, expected_found("the name of an operator or function", quote(name),
                                                syntax::hint_for(name, names, names_elsewhere())));
}

}  // namespace weir
