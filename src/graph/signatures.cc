#include "graph/signatures.h"

#include "core/text.h"
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

syntax::CalleeKind kind_of(const OperatorDef& def) {
  return def.kind == OperatorKind::source ? syntax::CalleeKind::function : syntax::CalleeKind::transformation;
}

class Signatures final : public syntax::SignatureTable {
 public:
  std::string elsewhere(syntax::CalleeKind kind) const override { return names_elsewhere(kind); }
};

Signatures make_table() {
  Signatures table;
  add_kernel_signatures(table);
  for (const OperatorDef* def : operators()) {
    FieldList fields(*def);
    std::vector<syntax::Grammar> positions;
    for (const Field& field : fields.list) positions.push_back(grammar_of_position(field));
    table.add(kind_of(*def), def->name, positions);
  }
  return table;
}

// All definitions are made when the library is loaded: the child of a fork would wait for ever for a thread
// of its parent that makes one, at first use.
[[gnu::constructor]] void make_definitions() { signatures(); }

}  // namespace

const syntax::Grammars& signatures() {
  static const Signatures table = make_table();
  return table;
}

std::string names_elsewhere(std::optional<syntax::CalleeKind> kind) {
  std::string out;
  for (const OperatorDef* def : operators()) {
    if (kind_of(*def) == kind.value_or(kind_of(*def))) out += concat(def->page.elsewhere, "\n");
  }
  return out;
}

}  // namespace weir
