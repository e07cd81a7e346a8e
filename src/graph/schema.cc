#include <string>

#include "core/text.h"
#include "graph/arguments.h"
#include "graph/document.h"
#include "ops/list.h"
#include "syntax/printer.h"

namespace weir {

namespace {

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

const char* type_name(const IntParam*) { return "int"; }
const char* type_name(const FloatParam*) { return "float"; }
const char* type_name(const BoolParam*) { return "bool"; }
const char* type_name(const StringParam*) { return "string"; }
const char* type_name(const SeedParam*) { return "seed"; }
const char* type_name(const DTypeParam*) { return "dtype"; }
const char* type_name(const SpecParam*) { return "spec"; }
const char* type_name(const ValueParam*) { return "value"; }
const char* type_name(const FunctionParam*) { return "function"; }
const char* type_name(const InputParam*) { return "dataset"; }
const char* type_name(const FilesParam*) { return "files"; }
const char* type_name(const InputsParam*) { return "datasets"; }

std::string function_json(const FunctionParam& slot) {
  const char* takes = slot.takes == FunctionParam::Takes::element ? "element" : "state_and_element";
  const char* gives = "anything";
  if (slot.gives == FunctionParam::Gives::boolean) gives = "boolean";
  if (slot.gives == FunctionParam::Gives::dataset) gives = "dataset";
  if (slot.gives == FunctionParam::Gives::state) gives = "state";
  return concat(", \"takes\": ", json_string(takes), ", \"gives\": ", json_string(gives));
}

std::string field_json(const Field& field) {
  std::string out = concat(
      "{\"name\": ", json_string(field.name),
      ", \"type\": ", json_string(std::visit([](const auto* slot) { return type_name(slot); }, field.slot)));
  if (auto* const* function = std::get_if<FunctionParam*>(&field.slot)) out += function_json(**function);
  syntax::NodePtr left_out = default_of(field);
  out += concat(", \"required\": ", left_out ? "false" : "true");
  if (left_out) out += concat(", \"default\": ", json_string(syntax::print(*left_out)));
  if (field.bounds.low != std::numeric_limits<int64_t>::min())
    out += concat(", \"minimum\": ", field.bounds.low);
  if (field.bounds.high != std::numeric_limits<int64_t>::max())
    out += concat(", \"maximum\": ", field.bounds.high);
  if (field.allows.automatic) out += ", \"auto\": true";
  if (field.allows.none) out += ", \"none\": true";
  return out + concat(", \"doc\": ", json_string(field.doc), "}");
}

std::string operator_json(const OperatorDef& def) {
  std::string out =
      concat("  {\"name\": ", json_string(def.name), ", \"kind\": ", json_string(kind_name(def.kind)));
  if (def.single_argument) out += concat(", \"single_argument\": ", json_string(def.single_argument));
  out += concat(",\n   \"doc\": ", json_string(def.doc), ",\n   \"parameters\": [");
  FieldList fields(def);
  for (size_t i = 0; i < fields.list.size(); ++i) {
    out += concat(i == 0 ? "\n    " : ",\n    ", field_json(fields.list[i]));
  }
  return out + "]}";
}

}  // namespace

std::string operator_schemas() {
  std::string out = "{\"operators\": [\n";
  bool first = true;
  for (const OperatorDef* def : operators()) {
    if (!first) out += ",\n";
    first = false;
    out += operator_json(*def);
  }
  return out + "\n]}\n";
}

}  // namespace weir
