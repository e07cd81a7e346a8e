#include "graph/explain.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/credentials.h"
#include "core/text.h"
#include "dataset/part_facts.h"
#include "graph/arguments.h"
#include "graph/checkpoint_needs.h"
#include "graph/written_call.h"
#include "ops/functions/fused_maps.h"
#include "syntax/printer.h"

namespace weir {

namespace {

using syntax::Item;
using syntax::Node;
using syntax::NodePtr;

constexpr const char* kLaneNames[kLanes] = {"compute", "blocking", "caller"};

const char* name_of(Lane lane) { return kLaneNames[static_cast<size_t>(lane)]; }

std::optional<RunsAhead> ahead_of(const Dataset& node) {
  if (node.op().ahead.limits == nullptr) return std::nullopt;
  return node.op().ahead.limits(node.params(), node.inputs());
}

// The inputs as written: not what the node stands for.
std::vector<DatasetRef> written_inputs(const Dataset& node) {
  std::vector<DatasetRef> inputs = node.inputs();
  if (node.op().typing.expand != nullptr && !node.dynamic() && !inputs.empty()) inputs.pop_back();
  return inputs;
}

// An argument that is a dataset: it stands among the inputs.
bool is_input(const Field& field, const Node& value) {
  if (std::holds_alternative<InputParam*>(field.slot) || std::holds_alternative<InputsParam*>(field.slot))
    return true;
  const bool literal = value.kind == syntax::Kind::string || value.kind == syntax::Kind::list;
  return std::holds_alternative<FilesParam*>(field.slot) && !literal;
}

std::string shown_text(const Node& value) { return without_credentials(syntax::print(value)); }

// "batch(4, drop_remainder: true)", in canonical form, with "..." for datasets and without credentials.
std::string call_of(const Dataset& node) {
  if (const NodePtr source = written_source(node)) return shown_text(*source);
  std::string out = concat(node.op().name, "(");
  std::vector<NodePtr> values = written_values(node);
  if (values.empty()) return out + ")";
  const FieldList fields(node.op());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !is_input(fields.list[i], *values[i])) continue;
    auto dots = std::make_shared<Node>();
    dots->kind = syntax::Kind::name;
    dots->text = "...";
    values[i] = std::move(dots);
  }
  const char* separator = "";
  for (const Item& item : canonical_arguments(node.op(), fields, values)) {
    out += concat(separator, item.name, item.name.empty() ? "" : ": ", shown_text(*item.value));
    separator = ", ";
  }
  return out + ")";
}

// The same for all maps that a node stands for, in the order in which an element comes to them.
std::string calls_of(const Dataset& node) {
  const std::vector<DatasetRef>* const maps = maps_of(node);
  if (!maps) return call_of(node);
  std::string out;
  for (const DatasetRef& map : *maps) out = concat(call_of(*map), out.empty() ? "" : " | ", out);
  return out;
}

// What differs from its default.
std::string parameters_json(const Dataset& node) {
  std::string out;
  const auto add = [&](std::string_view name, const Node& value) {
    out += concat(out.empty() ? "" : ", ", json_string(name), ": ", json_string(shown_text(value)));
  };
  if (const NodePtr source = written_source(node)) {
    for (const Item& item : source->items) add(item.name, *item.value);
    return concat("{", out, "}");
  }
  const FieldList fields(node.op());
  const std::vector<NodePtr> values = written_values(node);
  for (size_t i = 0; i < values.size(); ++i) {
    const NodePtr& value = values[i];
    if (!value || is_input(fields.list[i], *value)) continue;
    const NodePtr fallback = default_of(fields.list[i]);
    if (fallback && syntax::equal(*fallback, *value)) continue;
    add(fields.list[i].name, *value);
  }
  return concat("{", out, "}");
}

std::string count_text(int64_t cardinality) {
  if (cardinality == kInfinite) return "infinite";
  return cardinality < 0 ? "unknown" : concat(cardinality);
}
std::string count_json(int64_t cardinality) {
  return cardinality < 0 ? json_string(count_text(cardinality)) : concat(cardinality);
}

bool limited(int64_t limit) { return limit >= 0 && limit != RunsAhead::kNoLimit; }
std::string limit_json(int64_t limit) { return limited(limit) ? concat(limit) : "null"; }

// All that its windows may hold, or null.
int64_t bytes_of(const RunsAhead& ahead) {
  if (!limited(ahead.bytes) || ahead.windows < 1 || ahead.bytes > INT64_MAX / ahead.windows) return kUnknown;
  return ahead.bytes * ahead.windows;
}

std::string at_once_json(int64_t at_once) {
  return at_once == RunsAhead::kEachThread ? R"("auto")" : concat(at_once);
}

// What the pipeline takes for running ahead.
struct Totals {
  int windows = 0;
  // Whether some of the work is done by threads of the lane.
  bool lanes[kLanes] = {};
  // kUnknown if some window has no limit in bytes.
  int64_t bytes = 0;

  void add(const RunsAhead& ahead) {
    ++windows;
    lanes[static_cast<size_t>(ahead.lane)] = true;
    const int64_t more = bytes_of(ahead);
    bytes = bytes < 0 || more < 0 || more > INT64_MAX - bytes ? int64_t{kUnknown} : bytes + more;
  }
};

class Explainer {
 public:
  Explainer(const Dataset& root, bool json) : json_(json) { visit(root, "", -1, 0); }

  std::string take_nodes() { return std::move(out_); }
  const Totals& totals() const { return totals_; }

 private:
  void visit(const Dataset& node, const std::string& above, int input, int indent) {
    std::string path = above;
    const bool shown = !node.op().internal || above.empty();
    const std::optional<RunsAhead> ahead = ahead_of(node);
    if (shown) {
      if (!above.empty()) path += concat(input < 0 ? "" : concat("[", input, "]"), "/");
      path += node.name();
      if (ahead) totals_.add(*ahead);
      json_ ? begin_json(node, path, ahead) : add_line(node, input, indent, ahead);
    }
    if (const std::vector<DatasetRef>* const maps = maps_of(node)) {
      for (size_t i = 1; i < maps->size(); ++i) path += concat("/", (*maps)[i]->op().name);
    }
    const std::vector<DatasetRef> inputs = written_inputs(node);
    if (json_ && shown) out_ += R"(, "inputs": [)";
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (json_ && i > 0) out_ += ", ";
      const int number = !shown ? input : inputs.size() > 1 ? static_cast<int>(i) : -1;
      visit(*inputs[i], path, number, indent + (shown ? 1 : 0));
    }
    if (json_ && shown) out_ += "]}";
  }

  void begin_json(const Dataset& node, const std::string& path, const std::optional<RunsAhead>& ahead) {
    out_ +=
        concat(R"({"operator": )", json_string(node.name()), R"(, "path": )", json_string(path),
               R"(, "text": )", json_string(calls_of(node)), R"(, "parameters": )", parameters_json(node),
               R"(, "spec": )", json_string(node.spec().to_string()), R"(, "cardinality": )",
               count_json(node.cardinality()), R"(, "lane": ")", name_of(node.lane()), R"(", "window": )");
    if (!ahead) {
      out_ += "null";
      return;
    }
    out_ += concat(R"({"lane": ")", name_of(ahead->lane), R"(", "windows": )", limit_json(ahead->windows),
                   R"(, "at_once": )", at_once_json(ahead->at_once), R"(, "max_rows": )",
                   limit_json(ahead->rows), R"(, "max_bytes": )", limit_json(ahead->bytes), "}");
  }

  void add_line(const Dataset& node, int input, int indent, const std::optional<RunsAhead>& ahead) {
    out_ +=
        concat(std::string(static_cast<size_t>(2 * indent), ' '), input < 0 ? "" : concat("[", input, "] "),
               calls_of(node), "  ", node.spec().to_string(), "  ", count_text(node.cardinality()), "\n");
    if (!ahead) return;
    out_ += concat(std::string(static_cast<size_t>(2 * indent) + 4, ' '), "runs ahead on the lane ",
                   name_of(ahead->lane));
    if (ahead->at_once == RunsAhead::kEachThread) out_ += ", as many at once as there are threads";
    if (ahead->at_once > 0) out_ += concat(", ", ahead->at_once, " at once");
    if (ahead->windows > 1) out_ += concat(", ", ahead->windows, " windows");
    if (limited(ahead->rows)) out_ += concat(", up to ", ahead->rows, " rows");
    if (limited(ahead->bytes))
      out_ += concat(limited(ahead->rows) ? " and " : ", up to ", ahead->bytes, " bytes");
    if (ahead->windows > 1) out_ += " each";
    out_ += "\n";
  }

  const bool json_;
  std::string out_;
  Totals totals_;
};

std::string lanes_json(const Totals& totals) {
  std::string out;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (totals.lanes[lane]) out += concat(out.empty() ? "" : ", ", "\"", kLaneNames[lane], "\"");
  }
  return out;
}

// What is done by one operator in place of several, and the graph after that.
std::string rewrites_json(const Rewrites& rewrites) {
  std::string out;
  for (const Rewrites::Replaced& replaced : rewrites.replaced) {
    std::string calls;
    for (const DatasetRef& node : replaced.operators)
      calls += concat(calls.empty() ? "" : ", ", json_string(call_of(*node)));
    out += concat(out.empty() ? "" : ", ", R"({"rules": [")", replaced.rule, R"("], "operators": [)", calls,
                  "]}");
  }
  return concat("[", out, R"(], "rewritten": )",
                out.empty() ? "null" : Explainer(*rewrites.root, true).take_nodes());
}

std::string rewrites_text(const Rewrites& rewrites) {
  if (rewrites.replaced.empty()) return "";
  std::string out = "rewrites:\n";
  for (const Rewrites::Replaced& replaced : rewrites.replaced) {
    std::string calls;
    for (const DatasetRef& node : replaced.operators)
      calls += concat(calls.empty() ? "" : " | ", call_of(*node));
    out += concat("  ", replaced.rule, ": ", calls, "\n");
  }
  return concat(out, "after rewrites:\n", Explainer(*rewrites.root, false).take_nodes());
}

std::string part_json(const PartFacts& part) {
  if (!part.files) return concat(R"({"count": )", count_json(part.count), R"(, "files": null})");
  std::string files;
  for (const std::string& name : *part.files)
    files += concat(files.empty() ? "" : ", ", json_string(without_credentials(name, name)));
  return concat(R"({"count": )", count_json(part.count), R"(, "files": [)", files, "]}");
}

// Of the partition that `root` is, or that lies below operators with one input.
std::string parts_json(const Dataset& root) {
  const Dataset* node = &root;
  while (node->op().position.part_facts == nullptr) {
    if (written_inputs(*node).size() != 1) return "[]";
    node = node->inputs()[0].get();
  }
  std::string out;
  for (const PartFacts& part : node->op().position.part_facts(node->params(), *node->inputs()[0]))
    out += concat(out.empty() ? "" : ", ", part_json(part));
  return concat("[", out, "]");
}

}  // namespace

std::string explain(const Document& document, bool json, bool parts) {
  Explainer explainer(*document.root(), json);
  const Totals& totals = explainer.totals();
  const Result<Rewrites>& made = document.rewrites();
  const Rewrites rewrites = made.ok() ? *made : Rewrites();
  if (json) {
    return concat(R"({"graph": )", explainer.take_nodes(), R"(, "rewrites": )", rewrites_json(rewrites),
                  R"(, "windows": )", totals.windows, R"(, "lanes": [)", lanes_json(totals),
                  R"(], "max_bytes": )", limit_json(totals.bytes), R"(, "checkpoint": )",
                  checkpoint_needs(document, true),
                  parts ? concat(R"(, "parts": )", parts_json(*document.root())) : "", "}");
  }
  std::string out = explainer.take_nodes() + rewrites_text(rewrites);
  out += totals.windows == 0
             ? "nothing runs ahead"
             : concat("windows: ", totals.windows,
                      totals.bytes < 0 ? "; they are not limited in bytes"
                                       : concat("; they hold up to ", totals.bytes, " bytes"));
  return concat(out, "\n", checkpoint_needs(document, false));
}

}  // namespace weir
