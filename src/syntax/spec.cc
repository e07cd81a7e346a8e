#include "syntax/spec.h"

#include "syntax/parser.h"

namespace weir::syntax {

namespace {

Spec::Kind kind_of(Kind written) {
  switch (written) {
    case Kind::spec_tuple:
      return Spec::Kind::tuple;
    case Kind::spec_dict:
      return Spec::Kind::dict;
    case Kind::spec_sparse:
      return Spec::Kind::sparse;
    case Kind::spec_ragged:
      return Spec::Kind::ragged;
    case Kind::spec_optional:
      return Spec::Kind::optional;
    case Kind::spec_dataset:
      return Spec::Kind::dataset;
    default:
      return Spec::Kind::tensor;
  }
}

}  // namespace

Spec to_spec(const Node& node) {
  Spec spec;
  spec.kind = kind_of(node.kind);
  spec.dtype = node.dtype;
  spec.shape = node.shape;
  for (const Item& item : node.items) {
    if (node.kind == Kind::spec_dict) spec.keys.push_back(item.name);
    spec.children.push_back(to_spec(*item.value));
  }
  return spec;
}

Result<Spec> read_spec(std::string_view text) {
  auto tree = parse_spec(std::string(text));
  if (!tree.ok()) return render(tree.status(), text);
  return to_spec(*tree->root);
}

}  // namespace weir::syntax
