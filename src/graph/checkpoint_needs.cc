#include "graph/checkpoint_needs.h"

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "dataset/held_rows.h"

namespace weir {

namespace {

struct Need {
  std::string path;
  // Rows are saved by value, since they cannot be made again: at most so many, or kUnknown.
  bool by_value = false;
  int64_t rows = 0;
  int64_t bytes = 0;
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
  if (rows < 0) return inputs == INT64_MAX ? kUnknown : inputs;
  return std::min(rows, inputs);
}

class Needs {
 public:
  explicit Needs(const Dataset& root) { visit(root, ""); }
  const std::vector<Need>& list() const { return list_; }

 private:
  void visit(const Dataset& node, const std::string& above) {
    const OperatorDef& op = node.op();
    std::string path = above;
    if (!op.internal) path = concat(above, above.empty() ? "" : "/", op.name);
    if (!op.internal || op.kept != nullptr) add(node, path);
    for (const DatasetRef& input : node.inputs()) visit(*input, path);
  }

  void add(const Dataset& node, const std::string& path) {
    Need need{path};
    const OperatorDef& op = node.op();
    if (op.kept != nullptr) {
      const Kept kept = op.kept(node.params());
      const bool window = op.is_window != nullptr && op.is_window(node.params());
      int64_t inputs = 0;
      for (const DatasetRef& input : node.inputs()) inputs = std::max(inputs, known(input->cardinality()));
      const int64_t rows = at_most(kept.rows, inputs);
      // A Window's rows are its own, others those of their inputs.
      for (const DatasetRef& input : node.inputs()) {
        const Dataset& source = window ? node : *input;
        need.by_value = need.by_value || !source.not_replayable().empty();
        need.bytes = std::max(need.bytes, product(rows, row_bytes(source)));
        if (rows < 0 || row_bytes(source) < 0) need.bytes = kUnknown;
      }
      if (need.by_value) {
        need.rows = rows;
      } else {
        need.bytes = 0;
        need.read_again = at_most(kept.read_again, inputs);
      }
    }
    list_.push_back(std::move(need));
  }

  std::vector<Need> list_;
};

std::string number(int64_t value) { return value < 0 ? "null" : concat(value); }

std::string as_json(const Needs& needs, const Sites& sites) {
  std::string out =
      concat(R"({"needs_policy": )", sites.unsaved.empty() ? "false" : "true", R"(, "because": )",
             sites.unsaved.empty() ? "null" : json_string(sites.unsaved), R"(, "callback_states": )",
             sites.states.size(), R"(, "refused": )",
             sites.reopens.empty() ? "null" : json_string(sites.reopens), R"(, "operators": [)");
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
  for (const Need& need : needs.list()) {
    out += concat("  ", need.path, ": ");
    if (need.by_value) {
      const std::string rows = need.rows < 0 ? "the elements" : concat("up to ", need.rows, " elements");
      out += concat(rows, " that it keeps, by value",
                    need.bytes < 0 ? "" : concat(", at most ", need.bytes, " bytes"));
    } else if (need.read_again != 0) {
      out += need.read_again < 0 ? "a restore reads its whole input again"
                                 : concat("a restore reads about ", need.read_again, " elements again");
    } else {
      out += "position only";
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
