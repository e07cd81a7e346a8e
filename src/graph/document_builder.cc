#include <algorithm>
#include <set>
#include <string>

#include "core/text.h"
#include "core/values.h"
#include "expr/types/kernel.h"
#include "graph/binder.h"
#include "graph/canonical.h"
#include "graph/counted_dataset.h"
#include "graph/document.h"
#include "graph/name_finder.h"
#include "graph/placeless.h"
#include "graph/same_draws.h"
#include "graph/signatures.h"
#include "ops/list.h"
#include "syntax/functions.h"
#include "syntax/hints.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/spec.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

// The nesting of texts inside texts, with the levels of both; walking them takes stack.
constexpr int kMaxHandedDepth = 2000;

const DocumentRef* document_of(const Handed& handed, const std::string& word) {
  auto found = handed.find(word);
  return found == handed.end() ? nullptr : std::get_if<DocumentRef>(&found->second);
}

// Names a dataset handed in as no text can.
std::string name_of_handed(const std::string& word) { return "@" + word; }

// Adds what extensions provide of the names that are used.
Status add_found(Runtime& runtime, const Node& node, Handed& handed) {
  const bool asks = node.kind == Kind::callback ||
                    (node.kind == Kind::call && !find_operator(node.text) && !find_kernel(node.text));
  if (asks && !handed.contains(node.text)) {
    WEIR_ASSIGN(auto found, runtime.names->find(node.text));
    if (found) handed.emplace(node.text, *std::move(found));
  }
  for (const Item& item : node.items) {
    if (item.value) WEIR_TRY(add_found(runtime, *item.value, handed));
  }
  return {};
}

// Adds the functions of the host that a document calls by their names alone. False if two have one name.
bool add_functions(const Handed& from, Handed& out) {
  for (const auto& [name, thing] : from) {
    if (const auto* inner = std::get_if<DocumentRef>(&thing)) {
      if (!add_functions((*inner)->handed(), out)) return false;
      continue;
    }
    const auto* callback = std::get_if<CallbackRef>(&thing);
    if (callback == nullptr || (*callback)->signature() == nullptr || !is_identifier(name)) continue;
    const auto [known, is_new] = out.emplace(name, thing);
    const auto* other = std::get_if<CallbackRef>(&known->second);
    if (!is_new && (other == nullptr || *other != *callback)) return false;
  }
  return true;
}

// Whether the printed text is the `let`s of `inner`, its pipeline, and more operators.
bool continues(const Node& printed, const Node& inner) {
  if (printed.items.size() != inner.items.size()) return false;
  const size_t last = inner.items.size() - 1;
  for (size_t i = 0; i < last; ++i) {
    if (!syntax::equal(printed.child(i), inner.child(i))) return false;
  }
  const Node& whole = printed.child(last);
  const NodePtr& begin = inner.items[last].value;
  const size_t count = begin->kind == Kind::pipeline ? begin->items.size() : 1;
  if (whole.kind != Kind::pipeline || whole.items.size() < count) return false;
  if (begin->kind != Kind::pipeline) return syntax::equal(whole.child(0), *begin);
  for (size_t i = 0; i < count; ++i) {
    if (!syntax::equal(whole.child(i), begin->child(i))) return false;
  }
  return true;
}

// Replaces the datasets handed in by names, which the scope knows.
NodePtr with_names(const NodePtr& node, const Handed& handed) {
  if (node->kind == Kind::callback) {
    if (!document_of(handed, node->text)) return node;
    auto name = std::make_shared<Node>(*node);
    name->kind = Kind::name;
    name->text = name_of_handed(node->text);
    return name;
  }
  std::shared_ptr<Node> changed;
  for (size_t i = 0; i < node->items.size(); ++i) {
    if (!node->items[i].value) continue;
    NodePtr child = with_names(node->items[i].value, handed);
    if (child == node->items[i].value) continue;
    if (!changed) changed = std::make_shared<Node>(*node);
    changed->items[i].value = std::move(child);
  }
  return changed ? changed : node;
}

}  // namespace

class DocumentBuilder {
 public:
  // `cardinality`: kUnknown, or that of the dataset where its operators don't tell.
  static Result<DocumentRef> build(Runtime& runtime, syntax::Tree tree, Handed handed,
                                   int64_t cardinality = kUnknown) {
    auto written = syntax::write_out_functions(tree.root);
    if (!written.ok()) return syntax::render(written.status(), tree.source);
    tree.root = *std::move(written);
    if (runtime.names) WEIR_TRY(add_found(runtime, *tree.root, handed));
    RefPtr<Document> document(new Document());
    document->tree_ = std::make_unique<const syntax::Tree>(std::move(tree));
    document->handed_ = std::move(handed);
    WEIR_TRY(check_nesting(*document));
    WEIR_TRY(collect_params(*document));
    const Canonical tree_as_written = canonical(*document);
    document->fingerprint_ = fingerprint_of(tree_as_written);
    document->set_placeless(tree_as_written);
    DocumentBuilder builder(document->params_);
    WEIR_ASSIGN(document->root_, builder.bind(runtime, document->tree(), document->handed()));
    if (document->root_->sites().draws > 0 && builder.moves_places(*document, *tree_as_written.root)) {
      WEIR_ASSIGN(document->root_, builder.bind_as_printed(runtime, *document, tree_as_written));
    }
    if (cardinality != kUnknown) {
      WEIR_ASSIGN(document->root_, counted_dataset(document->root_, cardinality));
    }
    return DocumentRef(document);
  }

 private:
  explicit DocumentBuilder(const std::vector<DeclaredParam>& params) : params_(params) {}

  static int depth_of(const Node& node, const Handed& handed) {
    int deepest = 0;
    if (node.kind == Kind::callback) {
      if (const DocumentRef* inner = document_of(handed, node.text)) deepest = (*inner)->depth_;
    }
    for (const Item& item : node.items) {
      if (item.value) deepest = std::max(deepest, depth_of(*item.value, handed));
    }
    return deepest + 1;
  }

  static Status check_nesting(Document& document) {
    document.depth_ = depth_of(*document.tree_->root, document.handed_);
    if (document.depth_ <= kMaxHandedDepth) return {};
    return invalid_argument(concat("datasets passed to one another nest more than ", kMaxHandedDepth,
                                   " levels deep; write some of them as one text"));
  }

  static Status add_param(Document& document, std::string name, Spec spec) {
    for (const DeclaredParam& known : document.params_) {
      if (known.name != name) continue;
      if (known.spec == spec) return {};
      return invalid_argument(concat("the datasets disagree about $", name, ": ", known.spec.to_string(),
                                     " and ", spec.to_string()));
    }
    document.params_.push_back({std::move(name), std::move(spec)});
    return {};
  }

  static Status collect_params(Document& document) {
    for (const Item& item : document.tree_->root->items) {
      if (item.value->kind != Kind::param) continue;
      WEIR_TRY(add_param(document, item.value->text, syntax::to_spec(item.value->child(0))));
    }
    for (const auto& [word, thing] : document.handed_) {
      const auto* inner = std::get_if<DocumentRef>(&thing);
      if (!inner) continue;
      for (const DeclaredParam& param : (*inner)->params())
        WEIR_TRY(add_param(document, param.name, param.spec));
    }
    return {};
  }

  // Makes one node however often a dataset was handed in. One with $params of its own is bound again, since
  // its variables are elsewhere in the new document's Env; what it drew stays.
  Result<DatasetRef> bind_handed(Runtime& runtime, const DocumentRef& inner) {
    if (inner->params().empty()) return inner->root();
    DatasetRef& known = bound_[inner.get()];
    if (!known) {
      WEIR_ASSIGN(known, build_with_draws(
                             runtime, drawn_seeds(inner->root()->sites()),
                             [&](Runtime& same) { return bind(same, inner->tree(), inner->handed()); },
                             [](const DatasetRef& node) -> const Sites& { return node->sites(); }));
    }
    return known;
  }

  // Whether functions have other places in the printed text than in the one that was bound. What a document
  // hands in to its own pipeline is printed first and keeps them.
  bool moves_places(const Document& document, const Node& printed) const {
    const Node& root = *document.tree().root;
    const DocumentRef* inner = nullptr;
    int count = 0;
    for (const auto& [word, thing] : document.handed()) {
      if (const auto* one = std::get_if<DocumentRef>(&thing)) {
        inner = one;
        ++count;
      }
    }
    if (count == 0) {
      // A `let` of a value has a place of its name.
      for (size_t i = 0; computed_lets_ && i < root.items.size(); ++i)
        if (root.child(i).text != printed.child(i).text) return true;
      return false;
    }
    const Node& last = *root.items.back().value;
    const bool alone = count == 1 && last.kind == Kind::pipeline && last.child(0).kind == Kind::callback &&
                       document_of(document.handed(), last.child(0).text) == inner;
    // One with $params was bound again, as it was written.
    return !alone || !inner->get()->params().empty() || !continues(printed, *canonical(**inner).root);
  }

  // The draws of functions depend on their places in the printed text, which pickles and serialized graphs
  // are read from. One that is too deep to be read stays as it is.
  Result<DatasetRef> bind_as_printed(Runtime& runtime, const Document& document, const Canonical& printed) {
    auto tree = syntax::parse_document(syntax::print(*printed.root), signatures());
    Handed handed = printed.handed;
    if (!tree.ok() || !add_functions(document.handed(), handed)) return document.root();
    tree->written = false;
    return build_with_draws(
        runtime, drawn_seeds(document.root()->sites()),
        [&](Runtime& same) { return bind(same, *tree, handed); },
        [](const DatasetRef& node) -> const Sites& { return node->sites(); });
  }

  Result<DatasetRef> bind(Runtime& runtime, const syntax::Tree& tree, const Handed& handed) {
    Scope scope;
    for (const DeclaredParam& param : params_) scope.declare_param(param.name, param.spec);
    for (const auto& [word, thing] : handed) {
      const auto* inner = std::get_if<DocumentRef>(&thing);
      if (!inner) continue;
      if ((*inner)->ends_in_terminal()) {
        return invalid_argument(concat("@", word, " ends in ", (*inner)->root()->op().name,
                                       ", which gives a value; expected a dataset"));
      }
      WEIR_ASSIGN(DatasetRef dataset, bind_handed(runtime, *inner));
      scope.bind_dataset(name_of_handed(word), std::move(dataset));
    }
    auto source = std::make_shared<const std::string>(tree.written ? tree.source : "");
    Binder binder(runtime, handed, !params_.empty(), tree.source.empty() ? nullptr : source);
    auto bound = binder.bind_document(*with_names(tree.root, handed), scope);
    if (!bound.ok()) return syntax::render(bound.status(), tree.source);
    computed_lets_ = binder.has_computed();
    return bound;
  }

  const std::vector<DeclaredParam>& params_;
  std::map<const Document*, DatasetRef> bound_;
  // Whether the text bound last has a `let` of a value that is computed once.
  bool computed_lets_ = false;
};

Document::~Document() { take_kept(); }

const Result<Rewrites>& Document::rewrites() const {
  MutexLock lock(rewrites_mutex_);
  if (!rewrites_) rewrites_ = std::make_unique<const Result<Rewrites>>(rewrite(root_));
  return *rewrites_;
}

RefPtr<RefCounted> Document::take_kept() const noexcept {
  return RefPtr<RefCounted>::adopt(kept_.exchange(nullptr, std::memory_order_acq_rel));
}

void Document::keep(RefPtr<RefCounted> kept) const noexcept {
  const auto before = RefPtr<RefCounted>::adopt(kept_.exchange(kept.release(), std::memory_order_acq_rel));
}

void Document::set_placeless(const Canonical& as_written) {
  std::map<std::string, Naming> names;
  const Canonical tree = placeless(as_written, &names);
  const bool same = tree.root == as_written.root && tree.handed.empty();
  placeless_fingerprint_ = same ? fingerprint_ : fingerprint_of(tree);
  std::set<std::string> mentioned;
  positional_fingerprint_ = fingerprint_of(positional(tree, &mentioned));
  for (DeclaredParam& param : params_) {
    param.any_position = !mentioned.contains("$" + param.name);
    if (const auto found = names.find(param.name); found != names.end()) param.names = found->second;
  }
}

bool Document::ends_in_terminal() const { return root_->op().kind == OperatorKind::terminal; }
std::string Document::format() const { return syntax::print(*canonical(*this).root); }
const GraphDigest& Document::digest() const {
  MutexLock lock(digest_mutex_);
  if (!digest_)
    digest_ = std::make_unique<const GraphDigest>(digest_of(positional(placeless(canonical(*this)))));
  return *digest_;
}

bool equal(const Document& a, const Document& b) { return a.fingerprint() == b.fingerprint(); }

Result<DocumentRef> parse_document(Runtime& runtime, std::string_view text, const Handed& handed) {
  return parse_document(runtime, text, handed, kUnknown);
}

Result<DocumentRef> parse_document(Runtime& runtime, std::string_view text, const Handed& handed,
                                   int64_t cardinality) {
  auto tree = syntax::parse_document(std::string(text), signatures());
  if (!tree.ok()) return syntax::render(tree.status(), text);
  return DocumentBuilder::build(runtime, *std::move(tree), handed, cardinality);
}

Result<DocumentRef> build_document(Runtime& runtime, syntax::Tree tree, Handed handed) {
  return DocumentBuilder::build(runtime, std::move(tree), std::move(handed));
}

}  // namespace weir
