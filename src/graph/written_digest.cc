// The digests of nodes as written. Unlike those of a Document, they belong to single nodes, so that the
// pipeline before an operator has one; names of a `let` count as what they stand for. The files of save,
// snapshot and cache have them.
#include <algorithm>

#include "core/text.h"
#include "graph/binder.h"
#include "graph/canonical.h"
#include "graph/written_call.h"
#include "ops/files/pipeline_digest.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

uint64_t mixed(uint64_t hash, uint64_t with) {
  return hash_of({reinterpret_cast<const char*>(&with), sizeof with}, hash);
}

bool is_dataset_slot(const Field& field) {
  return std::holds_alternative<InputParam*>(field.slot) || std::holds_alternative<InputsParam*>(field.slot);
}

// Which inputs are where: a dict of datasets has keys.
std::string outline(const Node& node) {
  if (node.kind == Kind::spread) return concat("...", outline(node.child(0)));
  if (node.kind != Kind::tuple && node.kind != Kind::dict) return "*";
  std::string out = node.kind == Kind::tuple ? "(" : "{";
  for (const Item& item : node.items) out += concat(quote(item.name), ":", outline(*item.value), ",");
  return out;
}

}  // namespace

void Binder::hash_names(const Node& node, const Scope& scope, uint64_t& hash) const {
  if (node.kind == Kind::callback) {
    const auto thing = handed_.find(node.text);
    if (thing != handed_.end()) hash = mixed(hash, hash_of_thing(thing->second));
  }
  if (node.kind == Kind::name) {
    const Scope::Found found = scope.find(node.text);
    if (found.kind == Scope::Found::Kind::dataset) hash = mixed(hash, hash_of_pipeline(*found.dataset));
    if (found.kind == Scope::Found::Kind::value) {
      const Scope::Known known = scope.known_value(node.text);
      hash = hash_of(known.bytes, hash);
      for (const DatasetRef& dataset : known.datasets) hash = mixed(hash, hash_of_pipeline(*dataset));
      if (const auto let = lets_.find(node.text); let != lets_.end()) hash = mixed(hash, let->second);
    }
  }
  for (const Item& item : node.items) {
    if (item.value) hash_names(*item.value, scope, hash);
  }
}

uint64_t Binder::hash_of_part(const NodePtr& node, const Scope& scope) const {
  const NodePtr part = canonical_part(node);
  uint64_t hash = hash_of(print(*part));
  hash_names(*part, scope, hash);
  return hash;
}

std::shared_ptr<const NodeDigest> Binder::digest_of(const OperatorDef& def,
                                                    const std::vector<NodePtr>& values, const NodePtr& source,
                                                    const Scope& scope) const {
  // Fresh ones have the defaults.
  const FieldList fields(def);
  auto digest = std::make_shared<WrittenCall>();
  digest->name = def.name;
  digest->values = values;
  digest->source = source;
  for (size_t i = 0; i < values.size(); ++i) {
    const Field& field = fields.list[i];
    if (!values[i] || (field.allows.any_position && !field.allows.weights)) continue;
    const NodePtr fallback = default_of(field);
    if (fallback && print(*fallback) == print(*values[i])) continue;
    const bool dataset = is_dataset_slot(field);
    digest->parameters.push_back(
        {field.name, dataset ? hash_of(outline(*values[i])) : hash_of_part(values[i], scope)});
  }
  return digest;
}

BuildSite Binder::site_of(const Node& expression, const Scope& scope) const {
  BuildSite at = site(scope);
  auto digest = std::make_shared<WrittenCall>();
  digest->name = "dataset";
  digest->parameters.push_back({"value", hash_of_part(std::make_shared<Node>(expression), scope)});
  at.digest = std::move(digest);
  return at;
}

}  // namespace weir
