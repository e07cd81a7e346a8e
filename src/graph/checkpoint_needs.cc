#include "graph/checkpoint_needs.h"

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "dataset/held_rows.h"
#include "graph/same_draws.h"

namespace weir {

namespace {

struct Need {
  std::string path;
  // Rows are saved by value, since they cannot be made again: at most so many, or kUnknown.
  bool by_value = false;
  int64_t rows = 0;
  int64_t bytes = 0;
  // Else what a restore reads again: about so many rows, or at most so many where it isn't known how many;
  // kUnknown.
  enum class Again { nothing, rows, from_oldest, from_beginning } again = Again::nothing;
  int64_t read_again = 0;
};

// How many bytes a row takes in a checkpoint, or kUnknown.
int64_t row_bytes(const Dataset& node) {
  int64_t bytes = HeldRows::kRowBytes;
  for (const Component& component : node.components()) {
    if (has_owners(component.dtype) || !component.shape.is_static()) return kUnknown;
    const int64_t count = checked_count(component.shape.dims());
    const auto size = static_cast<int64_t>(dtype_size(component.dtype));
    if (count < 0 || count > INT64_MAX / 2 / size - bytes) return kUnknown;
    bytes += HeldRows::kComponentBytes + component.shape.rank() + count * size;
  }
  return bytes;
}

int64_t product(int64_t rows, int64_t bytes) {
  if (rows < 0 || bytes < 0 || rows > INT64_MAX / std::max<int64_t>(bytes, 1)) return kUnknown;
  return rows * bytes;
}

// Of several inputs only the longest matters, and one of unknown length is as long as can be.
int64_t known(int64_t cardinality) { return cardinality < 0 ? INT64_MAX : cardinality; }
int64_t at_most(int64_t rows, int64_t inputs) {
  const int64_t least = rows < 0 ? inputs : std::min(rows, inputs);
  return least == INT64_MAX ? kUnknown : least;
}

// The larger one; what isn't known may be anything.
int64_t larger(int64_t a, int64_t b) { return a < 0 || b < 0 ? int64_t{kUnknown} : std::max(a, b); }

class Needs {
 public:
  explicit Needs(const Dataset& root) { visit(root, ""); }
  const std::vector<Need>& list() const { return list_; }

 private:
  void visit(const Dataset& node, const std::string& above) {
    const OperatorDef& op = node.op();
    std::string path = above;
    if (!op.internal) path = concat(above, above.empty() ? "" : "/", node.name());
    std::vector<DatasetRef> inputs = node.inputs();
    Need need{path};
    if (op.typing.expand != nullptr && !node.dynamic() && !inputs.empty()) {
      // The node stands for others, which end where its inputs begin.
      const DatasetRef expansion = std::move(inputs.back());
      inputs.pop_back();
      add_parts(*expansion, inputs, need);
    }
    if (op.position.kept != nullptr) add(node, inputs, need);
    if (!op.internal || op.position.kept != nullptr) list_.push_back(std::move(need));
    for (const DatasetRef& input : inputs) visit(*input, path);
  }

  void add_parts(const Dataset& node, const std::vector<DatasetRef>& ends, Need& need) {
    const auto is_end = [&](const DatasetRef& end) { return end.get() == &node; };
    if (std::any_of(ends.begin(), ends.end(), is_end)) return;
    if (node.op().position.kept != nullptr) add(node, node.inputs(), need);
    for (const DatasetRef& input : node.inputs()) add_parts(*input, ends, need);
  }

  // Adds what the node itself keeps.
  static void add(const Dataset& node, const std::vector<DatasetRef>& sources, Need& need) {
    const OperatorDef& op = node.op();
    const Kept kept = op.position.kept(node.params());
    const bool window = op.ahead.is_window != nullptr && op.ahead.is_window(node.params());
    int64_t inputs = 0;
    for (const DatasetRef& input : sources) inputs = std::max(inputs, known(input->cardinality()));
    const int64_t rows = at_most(kept.rows, inputs);
    bool by_value = false;
    int64_t bytes = 0;
    // A Window's rows are its own, others those of their inputs.
    for (const DatasetRef& input : sources) {
      const Dataset& source = window ? node : *input;
      by_value = by_value || !source.not_replayable().empty();
      bytes = larger(bytes, rows < 0 ? rows : product(rows, row_bytes(source)));
    }
    if (by_value) {
      need.by_value = true;
      need.rows = larger(need.rows, rows);
      need.bytes = larger(need.bytes, bytes);
    } else if (kept.read_again != 0) {
      const bool all = kept.read_again == INT64_MAX || (kept.read_again < 0 && kept.rows == 0);
      need.again = std::max(need.again, all                   ? Need::Again::from_beginning
                                        : kept.read_again < 0 ? Need::Again::from_oldest
                                                              : Need::Again::rows);
      need.read_again = larger(need.read_again, at_most(kept.read_again, inputs));
    }
  }

  std::vector<Need> list_;
};

// Empty, or why the positions of several ranks may not go together.
std::string warning_of(const Sites& sites) {
  if (!sites.by_rank || !draws_seeds(sites)) return {};
  return "each process that builds this text draws its own seeds, and positions of different draws don't go together; give the seeds, or send the serialized graph to all ranks";
}

std::string number(int64_t value) { return value < 0 ? "null" : concat(value); }

std::string as_json(const Needs& needs, const Sites& sites) {
  std::string out =
      concat(R"({"needs_policy": )", sites.unsaved.empty() ? "false" : "true", R"(, "because": )",
             sites.unsaved.empty() ? "null" : json_string(sites.unsaved), R"(, "callback_states": )",
             sites.states.size(), R"(, "refused": )",
             sites.reopens.empty() ? "null" : json_string(sites.reopens), R"(, "same_ranks": )",
             sites.counts_rank.empty() ? "null" : json_string(sites.counts_rank), R"(, "warning": )",
             warning_of(sites).empty() ? "null" : json_string(warning_of(sites)), R"(, "operators": [)");
  bool first = true;
  for (const Need& need : needs.list()) {
    out += concat(first ? "" : ", ", R"({"path": )", json_string(need.path), R"(, "by_value": )",
                  need.by_value ? "true" : "false", R"(, "held_rows": )", number(need.rows),
                  R"(, "held_size": )", number(need.bytes), R"(, "read_again_rows": )",
                  number(need.read_again), "}");
    first = false;
  }
  return out + "]}";
}

std::string elements(int64_t count) { return concat(count, count == 1 ? " element" : " elements"); }

std::string again_text(const Need& need) {
  const std::string most = need.read_again < 0 ? "" : concat(", at most ", elements(need.read_again));
  switch (need.again) {
    case Need::Again::rows:
      return need.read_again < 0 ? "a restore reads some elements again"
                                 : concat("a restore reads about ", elements(need.read_again), " again");
    case Need::Again::from_oldest:
      return concat("a restore reads again from the oldest element that it holds", most);
    case Need::Again::from_beginning:
      return concat("a restore reads its input again from the beginning", most);
    default:
      return "position only";
  }
}

std::string as_text(const Needs& needs, const Sites& sites) {
  std::string out = "checkpoint: ";
  if (!sites.reopens.empty()) {
    out += concat("none, except by the policy ignore, since ", sites.reopens);
  } else {
    out += sites.unsaved.empty() ? "a position"
                                 : concat("needs a policy, by value or ignore, since ", sites.unsaved);
  }
  if (!sites.states.empty()) out += concat(", and the states of ", sites.states.size(), " callbacks");
  out += "\n";
  if (const std::string warning = warning_of(sites); !warning.empty())
    out += concat("warning: ", warning, "\n");
  for (const Need& need : needs.list()) {
    out += concat("  ", need.path, ": ");
    if (need.by_value) {
      const std::string rows = need.rows < 0 ? "the elements" : concat("up to ", elements(need.rows));
      out += concat(rows, " that it keeps, by value",
                    need.bytes < 0 ? "" : concat(", at most ", need.bytes, " bytes"));
    } else {
      out += again_text(need);
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string checkpoint_needs(const Document& document, bool json) {
  const Dataset& root = *document.root();
  const Needs needs(root);
  return json ? as_json(needs, root.sites()) : as_text(needs, root.sites());
}

}  // namespace weir
