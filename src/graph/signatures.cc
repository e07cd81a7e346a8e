#include "graph/signatures.h"

#include "expr/types/kernel.h"
#include "graph/arguments.h"
#include "ops/list.h"

namespace weir {

namespace {

syntax::Grammar grammar_of_position(const Field& field) {
  if (std::holds_alternative<DTypeParam*>(field.slot)) return syntax::Grammar::dtype;
  if (std::holds_alternative<SpecParam*>(field.slot)) return syntax::Grammar::spec;
  return syntax::grammar_of_parameter(field.name);
}

syntax::SignatureTable make_table() {
  syntax::SignatureTable table;
  add_kernel_signatures(table);
  for (const OperatorDef* def : operators()) {
    auto place = def->kind == OperatorKind::source ? syntax::Place::function : syntax::Place::transformation;
    FieldList fields(*def);
    std::vector<syntax::Grammar> positions;
    for (const Field& field : fields.list) positions.push_back(grammar_of_position(field));
    table.add(place, def->name, positions);
  }
  return table;
}

// All definitions are made when the library is loaded: the child of a fork would wait for ever for a thread
// of its parent that makes one, at first use.
[[gnu::constructor]] void make_definitions() { signatures(); }

}  // namespace

const syntax::Grammars& signatures() {
  static const syntax::SignatureTable table = make_table();
  return table;
}

}  // namespace weir
