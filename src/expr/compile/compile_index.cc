// x[…]: positions known when the dataset is built are checked and folded then.
#include <algorithm>

#include "core/text.h"
#include "expr/compile/call_key.h"
#include "expr/compile/compiler.h"
#include "expr/compile/index_plan.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

namespace {

// x[…] under construction: the plan and its run-time arguments.
struct Positions {
  IndexPlan plan;
  std::vector<Leaf> arguments;
};

// The entry at a known position of a vector of integers, if that entry is known.
std::optional<int64_t> known_entry(const Leaf& x, const IndexPlan& plan) {
  if (!x.integers || x.type.shape.rank() != 1 || plan.positions.size() != 1) return std::nullopt;
  const IndexPosition& position = plan.positions[0];
  if (position.kind != IndexPosition::Kind::index || position.start.kind != IndexBound::Kind::constant) {
    return std::nullopt;
  }
  const auto count = static_cast<int64_t>(x.integers->size());
  const int64_t at = position.start.value < 0 ? position.start.value + count : position.start.value;
  if (at < 0 || at >= count || (*x.integers)[static_cast<size_t>(at)] == kUnknownEntry) return std::nullopt;
  return (*x.integers)[static_cast<size_t>(at)];
}

// True if some row may have a position that is out of range, or a step of 0.
bool may_fail(const IndexPlan& plan, const Shape& x) {
  for (const IndexPosition& position : plan.positions) {
    if (position.kind == IndexPosition::Kind::index && position.start.kind == IndexBound::Kind::argument)
      return true;
    if (position.step.kind == IndexBound::Kind::argument) return true;
  }
  return !x.is_static();
}

// How to write what was written in brackets.
std::string hint_for_brackets(const Spec& spec, const Node& node) {
  if (spec.kind == Spec::Kind::tuple) return "write .0, .1 … for the members of a tuple";
  if (spec.kind == Spec::Kind::ragged) return "to_tensor(x)[…] gives rows that are filled up";
  if (spec.kind == Spec::Kind::sparse) return "to_dense(x)[…] takes positions";
  if (spec.kind != Spec::Kind::dict) return "";
  const bool named = node.items.size() == 2 && node.child(1).kind == Kind::string;
  return concat("a member of a dict is written x.", named ? syntax::print_key(node.child(1).text) : "KEY");
}

}  // namespace

// Adds a scalar of int64 as a bound: its value, if known.
Status Compiler::bound(const Node& node, const Scope& scope, IndexBound& bound,
                       std::vector<Leaf>& arguments) {
  WEIR_ASSIGN(Typed value, expression(node, scope));
  check_scalar(value, scope);
  const bool scalar = value.is_tensor() && value.spec.shape == Shape();
  if (!scalar) {
    return error(node, expected_found("a scalar integer as the position", value.spec.to_string(),
                                      value.is_tensor() ? "gather(x, indices) takes many positions" : ""));
  }
  if (!value.leaves[0].literal && is_integer(value.spec.dtype) && value.spec.dtype != DType::int64) {
    const Node to{.kind = Kind::dtype, .dtype = DType::int64, .span = node.span};
    WEIR_ASSIGN(value, apply("cast", {&node, &to}, node, scope));
  }
  WEIR_TRY(resolve_as(value.leaves[0], DType::int64, node));
  if (value.leaves[0].constant) {
    bound = {IndexBound::Kind::constant, *value.leaves[0].constant->as<int64_t>()};
    return Status();
  }
  bound = {IndexBound::Kind::argument, static_cast<int64_t>(arguments.size())};
  arguments.push_back(value.leaves[0]);
  return Status();
}

Status Compiler::index_position(const Node& node, const Scope& scope, IndexPosition& position,
                                std::vector<Leaf>& arguments) {
  switch (node.kind) {
    case Kind::ellipsis:
      position.kind = IndexPosition::Kind::ellipsis;
      return Status();
    case Kind::newaxis:
      position.kind = IndexPosition::Kind::newaxis;
      return Status();
    case Kind::slice: {
      position.kind = IndexPosition::Kind::slice;
      IndexBound* const parts[] = {&position.start, &position.stop, &position.step};
      for (size_t i = 0; i < 3; ++i) {
        if (node.items[i].value) WEIR_TRY(bound(node.child(i), scope, *parts[i], arguments));
      }
      return Status();
    }
    default:
      return bound(node, scope, position.start, arguments);
  }
}

Result<Typed> Compiler::index(const Node& node, const Scope& scope) {
  WEIR_ASSIGN(Typed x, expression(node.child(0), scope));
  if (!x.is_tensor()) {
    return error(node,
                 expected_found("a tensor before […]", x.spec.to_string(), hint_for_brackets(x.spec, node)));
  }
  WEIR_TRY(resolve_literals(x, node.child(0)));
  Positions positions;
  int ellipses = 0;
  for (size_t i = 1; i < node.items.size(); ++i) {
    IndexPosition position;
    WEIR_TRY(index_position(node.child(i), scope, position, positions.arguments));
    ellipses += position.kind == IndexPosition::Kind::ellipsis ? 1 : 0;
    positions.plan.positions.push_back(position);
  }
  if (ellipses > 1) return error(node, "expected one ... at the most");
  if (positions.plan.consumed() > kMaxRank)
    return error(node, concat("expected at most ", kMaxRank, " positions"));

  const Leaf& from = x.leaves[0];
  Component type{from.type.dtype, Shape::unknown_rank()};
  if (from.type.shape.rank_known()) {
    IndexView view;
    const std::string message = resolve(positions.plan, from.type.dtype, from.type.shape, {}, &view);
    if (!message.empty()) return error(node, message);
    type.shape = view.shape;
  }
  if (std::optional<int64_t> entry = known_entry(from, positions.plan)) {
    return typed_constant(Tensor::scalar<int64_t>(*entry));
  }
  return emit_index(node, from, type, std::move(positions.plan), std::move(positions.arguments),
                    builder(scope));
}

Result<Typed> Compiler::emit_index(const Node& node, const Leaf& from, const Component& type, IndexPlan plan,
                                   std::vector<Leaf> arguments, Builder& builder) {
  Instruction instruction;
  instruction.body = index_body;
  instruction.can_fail = may_fail(plan, from.type.shape);
  if (instruction.can_fail) instruction.place = place_of(node, "x[…]");
  instruction.state = std::make_shared<const IndexPlan>(std::move(plan));
  arguments.insert(arguments.begin(), from);
  const bool known =
      std::all_of(arguments.begin(), arguments.end(), [](const Leaf& leaf) { return leaf.known(); });
  if (known) {
    auto folded = fold(instruction.body, instruction.state, arguments, {type});
    if (folded.ok()) return typed_constant(std::move((*folded)[0]));
  }
  CallKey key(reinterpret_cast<const void*>(&index_body));
  for (const IndexPosition& position : static_cast<const IndexPlan&>(*instruction.state).positions) {
    key.add(static_cast<int64_t>(position.kind));
    for (const IndexBound& bound : {position.start, position.stop, position.step}) {
      key.add(static_cast<int64_t>(bound.kind));
      key.add(bound.value);
    }
  }
  for (const Leaf& leaf : arguments) key.add(leaf, builder);
  Typed out = typed_of(Spec::tensor(type.dtype, type.shape));
  if (const std::vector<Leaf>* made = builder.find(key.bytes())) {
    out.leaves = *made;
    return out;
  }
  for (const Leaf& leaf : arguments) instruction.args.push_back(builder.register_of(leaf));
  out.leaves = builder.emit(std::move(instruction), {type}, key.bytes());
  return out;
}

}  // namespace weir
