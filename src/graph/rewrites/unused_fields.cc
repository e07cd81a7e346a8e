#include "graph/rewrites/unused_fields.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/runtime.h"
#include "dataset/compose.h"
#include "dataset/field_in.h"
#include "expr/compile/composed_function.h"
#include "ops/batching/value_rows.h"
#include "ops/files/columns_source.h"
#include "ops/functions/apply.h"

namespace weir {

namespace {

// The structure without the leaves that are not marked. Marks are set for whole leaves; nothing if none is.
std::optional<Spec> marked_part(const Spec& spec, Marks& marks, size_t& at) {
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) {
    const auto first = marks.begin() + static_cast<ptrdiff_t>(at);
    const auto end = first + spec.component_count();
    const bool used = std::find(first, end, true) != end;
    std::fill(first, end, used);
    at += static_cast<size_t>(spec.component_count());
    return used ? std::optional(spec) : std::nullopt;
  }
  if (spec.children.empty()) return spec;
  Spec out = spec;
  out.children.clear();
  out.keys.clear();
  for (size_t i = 0; i < spec.children.size(); ++i) {
    std::optional<Spec> child = marked_part(spec.children[i], marks, at);
    if (!child) continue;
    out.children.push_back(*std::move(child));
    if (spec.kind == Spec::Kind::dict) out.keys.push_back(spec.keys[i]);
  }
  return out.children.empty() ? std::nullopt : std::optional(std::move(out));
}

// The same for an element, which has one component at least.
Spec marked_part(const Spec& spec, Marks& marks) {
  if (std::find(marks.begin(), marks.end(), true) == marks.end() && !marks.empty()) marks[0] = true;
  size_t at = 0;
  return marked_part(spec, marks, at).value_or(spec);
}

const Function& function_in(const Dataset& node) {
  return function_of(*field_in<FunctionParam>(node.params(), "f"));
}

// A batch fails where the shapes of a part differ, whoever uses it.
Marks batched(const Dataset& node, Marks used) {
  const std::vector<Component>& components = node.inputs()[0]->components();
  for (size_t i = 0; i < components.size(); ++i) used[i] = used[i] || !components[i].shape.is_static();
  return used;
}

class Narrower {
 public:
  explicit Narrower(UsedFields& out) : out_(out) {}

  // A node and the components of its rows that it has.
  struct Narrow {
    DatasetRef node;
    Marks given;
  };

  // The node without what is not marked as used, as far as that can be.
  Result<Narrow> operator()(const DatasetRef& node, const Marks& used) {
    const auto known = done_.find({node->id(), used});
    if (known != done_.end()) return known->second;
    WEIR_ASSIGN(Narrow made, make(node, used));
    done_.emplace(std::make_pair(node->id(), used), made);
    return made;
  }

 private:
  Result<Narrow> make(const DatasetRef& node, const Marks& used) {
    if (const ColumnsSource* columns = node->op().typing.columns_source; columns && !node->dynamic())
      return source(*columns, node, used);
    const bool stands_for_others = node->op().typing.expand != nullptr;
    if (node->inputs().empty() || stands_for_others) return whole(node);
    if (node->op().typing.slice) return pass(node, used);
    switch (node->op().typing.columns) {
      case Columns::mapped:
        if (!node->dynamic() && only_computes(function_in(*node))) return map(node, used);
        break;
      case Columns::judged:
        if (!node->dynamic() && only_computes(function_in(*node))) return filter(node, used);
        break;
      case Columns::passed:
        return pass(node, used);
      case Columns::gathered:
        if (dense_only(node->inputs()[0]->spec())) return pass(node, batched(*node, used));
        break;
      case Columns::inner:
      case Columns::read:
        break;
    }
    std::vector<DatasetRef> inputs = node->inputs();
    for (DatasetRef& input : inputs) {
      WEIR_ASSIGN(Narrow below, (*this)(input, Marks(input->components().size(), true)));
      input = std::move(below.node);
    }
    return over(node, std::move(inputs), Marks(node->components().size(), true));
  }

  static Narrow whole(const DatasetRef& node) { return {node, Marks(node->components().size(), true)}; }

  static Result<Narrow> over(const DatasetRef& node, std::vector<DatasetRef> inputs, Marks given) {
    if (inputs == node->inputs()) return Narrow{node, std::move(given)};
    WEIR_ASSIGN(DatasetRef made, with_inputs(*node, std::move(inputs)));
    return Narrow{std::move(made), std::move(given)};
  }

  // A source of columns, which it need not read. Its last input is its expansion.
  static Result<Narrow> source(const ColumnsSource& columns, const DatasetRef& node, Marks used) {
    const Spec part = marked_part(node->spec(), used);
    if (all(used)) return Narrow{node, std::move(used)};
    // What it learned from a runtime it keeps.
    Runtime none;
    WEIR_ASSIGN(DatasetRef made, Dataset::build(node->op(), columns.narrowed(node->params(), part),
                                                {node->inputs().begin(), node->inputs().end() - 1},
                                                {.runtime = &none,
                                                 .depth = node->depth(),
                                                 .on_behalf_of = node->epoch_id(),
                                                 .digest = node->digest()}));
    return Narrow{std::move(made), std::move(used)};
  }

  Result<Narrow> pass(const DatasetRef& node, const Marks& used) {
    WEIR_ASSIGN(Narrow below, (*this)(node->inputs()[0], used));
    return over(node, {std::move(below.node)}, std::move(below.given));
  }

  Result<Narrow> map(const DatasetRef& node, Marks used) {
    const Function& function = function_in(*node);
    Spec result = marked_part(function.result(), used);
    WEIR_ASSIGN(const Narrow below, (*this)(node->inputs()[0], needed_components(function, used)));
    if (all(used) && all(below.given)) return over(node, {below.node}, std::move(used));
    if (!all(used)) out_.maps.push_back(node);
    FunctionRef f = narrowed(function, below.given, below.node->spec(), used, std::move(result));
    WEIR_ASSIGN(DatasetRef made, applied(*node, std::move(f), below.node));
    return Narrow{std::move(made), std::move(used)};
  }

  Result<Narrow> filter(const DatasetRef& node, Marks used) {
    const Function& function = function_in(*node);
    used = needed_fields(*node, std::move(used));
    WEIR_ASSIGN(Narrow below, (*this)(node->inputs()[0], used));
    if (all(below.given)) return over(node, {below.node}, std::move(below.given));
    FunctionRef f = narrowed(function, below.given, below.node->spec(), {true}, function.result());
    WEIR_ASSIGN(DatasetRef made, applied(*node, std::move(f), below.node));
    return Narrow{std::move(made), std::move(below.given)};
  }

  // The node with another function over another input.
  static Result<DatasetRef> applied(const Dataset& node, FunctionRef f, DatasetRef input) {
    std::unique_ptr<ParamsBase> params = node.params().clone();
    Fields fields;
    params->fields(fields);
    for (const Field& field : fields.list) {
      FunctionParam* const* slot = std::get_if<FunctionParam*>(&field.slot);
      if (slot) (*slot)->function = RefPtr<const RefCounted>(f.get());
    }
    return Dataset::build(node.op(), std::move(params), {std::move(input)},
                          {.depth = node.depth(), .on_behalf_of = node.epoch_id(), .digest = node.digest()});
  }

  UsedFields& out_;
  std::map<std::pair<uint64_t, Marks>, Narrow> done_;
};

}  // namespace

bool all(const Marks& marks) { return std::find(marks.begin(), marks.end(), false) == marks.end(); }

Marks needed_fields(const Dataset& node, Marks used) {
  if (node.op().typing.slice) return used;
  switch (node.op().typing.columns) {
    case Columns::mapped:
      return needed_components(function_in(node), used);
    case Columns::judged:
      add_needed(function_in(node), 0, used);
      return used;
    case Columns::passed:
      return used;
    case Columns::gathered:
      if (dense_only(node.inputs()[0]->spec())) return batched(node, std::move(used));
      break;
    case Columns::inner:
      if (field_in<FunctionParam>(node.params(), "f")->takes != FunctionParam::Takes::dataset)
        return needed_components(function_in(node), {true});
      break;
    case Columns::read:
      break;
  }
  return Marks(node.inputs()[0]->components().size(), true);
}

Result<UsedFields> without_unused_fields(const DatasetRef& root) {
  UsedFields out;
  Narrower narrower(out);
  WEIR_ASSIGN(Narrower::Narrow made, narrower(root, Marks(root->components().size(), true)));
  out.root = std::move(made.node);
  return out;
}

}  // namespace weir
