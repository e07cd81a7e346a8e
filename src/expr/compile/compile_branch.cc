// if … then … else …: each side is a program of its own, run over the rows that take it.
#include "core/text.h"
#include "expr/compile/compiler.h"

namespace weir {

using syntax::Node;

// Makes literals adapt to the other side.
Status Compiler::join_leaf(Leaf& yes, Leaf& no, const Node& node) {
  const Node& then_node = node.child(1);
  const Node& else_node = node.child(2);
  if (yes.literal && no.literal) {
    const bool floating = yes.literal->floating || no.literal->floating;
    const DType dtype = floating ? DType::float32 : DType::int64;
    WEIR_TRY(resolve_as(yes, dtype, then_node));
    return resolve_as(no, dtype, else_node);
  }
  if (yes.literal) return resolve_as(yes, no.type.dtype, then_node, "the other branch");
  if (no.literal) return resolve_as(no, yes.type.dtype, else_node, "the other branch");
  if (yes.type.dtype == no.type.dtype) return Status();
  return error(else_node,
               expected_found("both branches of `if` to have one dtype",
                              concat(dtype_name(yes.type.dtype), " and ", dtype_name(no.type.dtype))));
}

namespace {

// True if the trees are equal, whatever dtypes and shapes their tensors have.
bool same_structure(const Spec& a, const Spec& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  if (a.is_tensor()) return true;
  if (a.is_dataset()) return a.check_compatible(b).ok();
  if (a.kind == Spec::Kind::sparse || a.kind == Spec::Kind::ragged) {
    // Their parts tell the rank.
    return a.dtype == b.dtype && a.shape.rank_known() == b.shape.rank_known() &&
           a.shape.rank() == b.shape.rank();
  }
  for (size_t i = 0; i < a.children.size(); ++i) {
    const int at = a.kind == Spec::Kind::dict ? b.find(a.keys[i]) : static_cast<int>(i);
    if (at < 0 || !same_structure(a.children[i], b.children[static_cast<size_t>(at)])) return false;
  }
  return true;
}

// `other` has the same structure. Tensors are what their leaves have become.
void relax_tensors(Spec& spec, const Spec& other, const std::vector<Leaf>& leaves, size_t& at) {
  switch (spec.kind) {
    case Spec::Kind::tensor:
      spec.dtype = leaves[at].type.dtype;
      spec.shape = leaves[at].type.shape;
      ++at;
      return;
    case Spec::Kind::sparse:
    case Spec::Kind::ragged:
      spec.shape = Shape::relax(spec.shape, other.shape);
      at += static_cast<size_t>(spec.component_count());
      return;
    case Spec::Kind::dataset:
      spec = Spec::relax(spec, other);
      ++at;
      return;
    case Spec::Kind::optional:
      ++at;
      break;
    default:
      break;
  }
  for (size_t i = 0; i < spec.children.size(); ++i) {
    const int from = spec.kind == Spec::Kind::dict ? other.find(spec.keys[i]) : static_cast<int>(i);
    relax_tensors(spec.children[i], other.children[static_cast<size_t>(from)], leaves, at);
  }
}

}  // namespace

// Brings both sides to one structure, component by component.
Status Compiler::join(Typed& yes, Typed& no, const Node& node) {
  if (!same_structure(yes.spec, no.spec)) {
    return error(node.child(2), expected_found("both branches of `if` to have one structure",
                                               concat(yes.spec.to_string(), " and ", no.spec.to_string())));
  }
  std::vector<Leaf> ordered;
  for (int from : component_order(no.spec, yes.spec)) ordered.push_back(no.leaves[static_cast<size_t>(from)]);
  no.leaves = std::move(ordered);
  for (size_t i = 0; i < yes.leaves.size(); ++i) WEIR_TRY(join_leaf(yes.leaves[i], no.leaves[i], node));
  return Status();
}

Result<Typed> Compiler::conditional(const Node& node, const Scope& scope) {
  Builder& outer = builder(scope);
  Result<Typed> condition_made = expression(node.child(0), scope);
  Builder then_builder(Builder::Kind::branch, &outer);
  Builder else_builder(Builder::Kind::branch, &outer);
  Scope then_scope(scope, then_builder);
  Scope else_scope(scope, else_builder);
  Result<Typed> yes_made = expression(node.child(1), then_scope);
  Result<Typed> no_made = expression(node.child(2), else_scope);
  WEIR_TRY(both(both(condition_made.status(), yes_made.status()), no_made.status()));
  Typed condition = *std::move(condition_made);
  Typed yes = *std::move(yes_made);
  Typed no = *std::move(no_made);
  check_scalar(condition, scope);
  if (!condition.spec.is_scalar(DType::boolean)) {
    return error(
        node.child(0),
        expected_found("a scalar bool as the condition of `if`", condition.spec.to_string(),
                       condition.is_tensor() ? "compare it, or use any(…), all(…) or where(…)" : ""));
  }
  WEIR_TRY(join(yes, no, node));

  Instruction instruction{.kind = Instruction::Kind::branch};
  instruction.args = {outer.register_of(condition.leaves[0])};
  instruction.then_program = std::make_unique<Program>(then_builder.finish(yes.leaves));
  instruction.else_program = std::make_unique<Program>(else_builder.finish(no.leaves));
  instruction.then_args = then_builder.imported();
  instruction.else_args = else_builder.imported();
  instruction.can_fail = instruction.then_program->can_fail || instruction.else_program->can_fail;
  std::vector<Component> results;
  for (size_t i = 0; i < yes.leaves.size(); ++i) {
    const Component& type = yes.leaves[i].type;
    results.push_back({type.dtype, Shape::relax(type.shape, no.leaves[i].type.shape)});
  }
  Typed out;
  out.spec = yes.spec;
  out.leaves = outer.emit(std::move(instruction), results);
  size_t at = 0;
  relax_tensors(out.spec, no.spec, out.leaves, at);
  return out;
}

}  // namespace weir
