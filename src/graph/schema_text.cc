// The schema as JSON and as text for a terminal.
#include <algorithm>

#include "core/text.h"
#include "graph/schema.h"
#include "weir/weir.h"

namespace weir {

namespace {

std::string json_list(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : words) out += concat(out.size() > 1 ? ", " : "", json_string(word));
  return out + "]";
}

std::string json_parameter(const SchemaParameter& parameter) {
  std::string out =
      concat("{\"name\": ", json_string(parameter.name), ", \"type\": ", json_string(parameter.type));
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += concat(", \"", key, "\": ", json_string(value));
  };
  add("dtype", parameter.dtype);
  add("takes", parameter.takes);
  add("gives", parameter.gives);
  out += concat(", \"required\": ", parameter.fallback ? "false" : "true");
  if (parameter.fallback) out += concat(", \"default\": ", json_string(*parameter.fallback));
  if (parameter.minimum) out += concat(", \"minimum\": ", *parameter.minimum);
  if (parameter.maximum) out += concat(", \"maximum\": ", *parameter.maximum);
  if (parameter.also) out += concat(", \"also\": ", *parameter.also);
  if (parameter.automatic) out += ", \"auto\": true";
  if (parameter.none) out += ", \"none\": true";
  if (!parameter.aliases.empty()) out += concat(", \"aliases\": ", json_list(parameter.aliases));
  add("doc", parameter.doc);
  return out + "}";
}

std::string json_entry(const SchemaEntry& entry) {
  std::string out = concat("  {\"name\": ", json_string(entry.name), ", \"kind\": ", json_string(entry.kind));
  out += concat(",\n   \"signatures\": ", json_list(entry.signatures));
  out += ",\n   \"parameters\": [";
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    out += concat(i == 0 ? "\n    " : ",\n    ", json_parameter(entry.parameters[i]));
  }
  out += concat("],\n   \"doc\": ", json_string(entry.doc));
  if (!entry.result.empty()) out += concat(",\n   \"result\": ", json_string(entry.result));
  out += concat(",\n   \"cost\": ", json_string(entry.cost));
  if (entry.by_position) out += ",\n   \"by_position\": true";
  if (!entry.by_position_if.empty())
    out += concat(",\n   \"by_position_if\": ", json_string(entry.by_position_if));
  out += concat(",\n   \"example\": ", json_string(entry.example));
  return out + concat(",\n   \"output\": ", json_string(entry.output), "}");
}

bool is_of_expressions(const SchemaEntry& entry) {
  return entry.kind == "function" || entry.kind == "operator";
}

std::string json_entries(const std::vector<SchemaEntry>& entries, bool of_expressions) {
  std::string out;
  for (const SchemaEntry& entry : entries) {
    if (is_of_expressions(entry) == of_expressions)
      out += concat(out.empty() ? "\n" : ",\n", json_entry(entry));
  }
  return out;
}

// Up to the first full stop that ends a sentence.
std::string first_sentence(const std::string& text) {
  const size_t stop = text.find(". ");
  return stop == std::string::npos ? text : text.substr(0, stop + 1);
}

// `text` in lines of at most `width`, each after `indent` spaces.
std::string wrapped(std::string_view text, size_t indent, size_t width = 100) {
  std::string out;
  std::string line;
  const auto flush = [&] {
    out += concat(std::string(indent, ' '), line, "\n");
    line.clear();
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (!line.empty() && indent + line.size() + 1 + end > width) flush();
    if (!line.empty()) line += ' ';
    line += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return out;
}

std::string type_text(const SchemaParameter& parameter) {
  std::string out = parameter.type;
  if (!parameter.dtype.empty()) {
    // A capital letter or the name of a parameter stands for a shared dtype.
    const bool shared = parameter.dtype.size() == 1 || parameter.dtype == "dtype";
    out += shared ? concat(" of dtype ", parameter.dtype) : concat(" of ", parameter.dtype);
  }
  if (!parameter.gives.empty()) out += concat(" of ", parameter.takes, ", gives ", parameter.gives);
  if (parameter.fallback) {
    out += concat(", default ", *parameter.fallback);
  } else {
    out += ", required";
  }
  if (parameter.minimum) out += concat(", at least ", *parameter.minimum);
  if (parameter.maximum) out += concat(", at most ", *parameter.maximum);
  if (parameter.also) out += concat(", or ", *parameter.also);
  if (parameter.automatic && parameter.fallback != "auto") out += ", or auto";
  if (parameter.none && parameter.fallback != "none") out += ", or none";
  return out;
}

const char* heading(const std::string& kind) {
  if (kind == "source") return "sources, which begin a pipeline:";
  if (kind == "transformation") return "transformations, after a `|`:";
  if (kind == "terminal") return "terminals, which end a pipeline with one value:";
  return "functions and operators of expressions:";
}

std::string block(std::string_view text, size_t indent) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += concat(std::string(indent, ' '), text.substr(0, end), "\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string schema_json(const std::vector<SchemaEntry>& entries) {
  return concat("{\"version\": \"", WEIR_VERSION_MAJOR, ".", WEIR_VERSION_MINOR, ".", WEIR_VERSION_PATCH,
                "\",\n \"operators\": [", json_entries(entries, false), "],\n \"functions\": [",
                json_entries(entries, true), "]}\n");
}

std::string schema_list(const std::vector<SchemaEntry>& entries) {
  constexpr size_t kNameWidth = 27;
  std::string out;
  std::string_view above;
  for (const SchemaEntry& entry : entries) {
    if (heading(entry.kind) != above) {
      above = heading(entry.kind);
      out += concat(out.empty() ? "" : "\n", above, "\n");
    }
    const size_t padding = kNameWidth > entry.name.size() ? kNameWidth - entry.name.size() : 1;
    out += concat("  ", entry.name, std::string(padding, ' '), first_sentence(entry.doc), "\n");
  }
  return out;
}

std::string schema_page(const SchemaEntry& entry) {
  std::string out = concat(entry.name, " - ", entry.kind, "\n\n");
  for (const std::string& signature : entry.signatures) out += concat("  ", signature, "\n");
  out += "\n" + wrapped(entry.doc, 0);
  if (!entry.parameters.empty()) out += "\nparameters:\n";
  for (const SchemaParameter& parameter : entry.parameters) {
    out += concat("  ", parameter.name, ": ", type_text(parameter), "\n");
    if (!parameter.doc.empty()) out += wrapped(parameter.doc, 6);
  }
  if (!entry.result.empty()) out += "\n" + wrapped("result: " + entry.result, 0);
  if (!entry.cost.empty()) out += "\n" + wrapped("cost: " + entry.cost, 0);
  if (entry.by_position) {
    const char* const space = entry.by_position_if.empty() ? "" : " ";
    out +=
        "\n" + wrapped(concat("Its elements can be read by position", space, entry.by_position_if, "."), 0);
  }
  if (entry.example.empty()) return out;
  // Where a program must hand something in, there is nothing to run.
  if (entry.output.empty()) return out + concat("\nexamples:\n  ", entry.example, "\n");
  return out + concat("\nexamples:\n  weir run -e '", entry.example, "'\n", block(entry.output, 6));
}

}  // namespace weir
