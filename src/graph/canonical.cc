#include "graph/canonical.h"

#include <set>
#include <utility>

#include "core/text.h"
#include "graph/arguments.h"
#include "graph/same_draws.h"
#include "ops/list.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

const DocumentRef* as_document(const Handed& handed, const std::string& name) {
  auto found = handed.find(name);
  return found == handed.end() ? nullptr : std::get_if<DocumentRef>(&found->second);
}

bool is_number(const std::string& word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

bool same_thing(const HandedThing& a, const HandedThing& b) {
  if (a.index() != b.index()) return false;
  if (auto* callback = std::get_if<CallbackRef>(&a)) {
    return *callback == std::get<CallbackRef>(b);
  }
  const auto* x = std::get_if<HandedValue>(&a);
  const auto* y = std::get_if<HandedValue>(&b);
  if (!x || !y || !(x->spec == y->spec) || x->values.size() != y->values.size()) return false;
  for (size_t i = 0; i < x->values.size(); ++i) {
    if (!bit_equal(x->values[i], y->values[i])) return false;
  }
  return true;
}

// Every name that a text uses for itself, so that new names can avoid them; and how often each document is
// used.
struct Survey {
  std::set<std::string> names;
  std::map<const Document*, int> uses;

  void visit(const Document& document) {
    if (++uses[&document] > 1) return;
    visit(*document.tree().root, document.handed());
  }

  void visit(const Node& node, const Handed& handed) {
    if (node.kind == Kind::callback) {
      if (const DocumentRef* inner = as_document(handed, node.text)) visit(**inner);
      return;
    }
    if (node.kind == Kind::name || node.kind == Kind::pattern_name || node.kind == Kind::let ||
        node.kind == Kind::let_in) {
      names.insert(node.text);
    }
    for (const Item& item : node.items) {
      if (item.value) visit(*item.value, handed);
    }
  }
};

// Whether the elements of a node depend on what was opened before, or on where it stands.
bool differs_by_opening(const Dataset& node) {
  return !node.epoch_nodes().empty() || node.sites().draws > 0 || draws_seeds(node.sites());
}

void forget_bound(const Node& pattern, std::map<std::string, std::string>& renames) {
  if (pattern.kind == Kind::pattern_name) renames.erase(pattern.text);
  for (const Item& item : pattern.items) forget_bound(*item.value, renames);
}

// The tree with its free names replaced; what a lambda or an inner `let` binds stays.
NodePtr renamed(const NodePtr& node, const std::map<std::string, std::string>& renames) {
  if (renames.empty()) return node;
  auto out = std::make_shared<Node>(*node);
  if (node->kind == Kind::name) {
    auto found = renames.find(node->text);
    if (found != renames.end()) out->text = found->second;
    return out;
  }
  std::map<std::string, std::string> inner = renames;
  if (node->kind == Kind::lambda) forget_bound(node->child(0), inner);
  if (node->kind == Kind::let_in) inner.erase(node->text);
  bool value_outside = node->kind == Kind::let_in;
  for (size_t i = 0; i < out->items.size(); ++i) {
    NodePtr& child = out->items[i].value;
    if (child) child = renamed(child, value_outside && i == 0 ? renames : inner);
  }
  return out;
}

class Writer {
 public:
  explicit Writer(const Document& document) { survey_.visit(document); }

  Canonical write(const Document& document) {
    NodePtr pipeline = expand(document);
    auto root = std::make_shared<Node>();
    root->kind = Kind::document;
    for (const NodePtr& statement : params_) root->items.push_back({"", {}, statement});
    for (const NodePtr& statement : lets_) root->items.push_back({"", {}, statement});
    root->items.push_back({"", {}, pipeline});
    return {root, std::move(handed_)};
  }

 private:
  // Returns the pipeline of a document after adding its statements to this one's. A `let` whose name is
  // taken, by another document or by an earlier `let`, is renamed.
  NodePtr expand(const Document& document) {
    std::map<std::string, std::string> renames;
    for (const Item& item : document.tree().root->items) {
      const Node& statement = *item.value;
      if (statement.kind == Kind::param) {
        if (param_names_.insert(statement.text).second) params_.push_back(item.value);
        continue;
      }
      NodePtr rewritten = renamed(rewrite(item.value, document.handed()), renames);
      if (statement.kind != Kind::let) return rewritten;
      auto let = std::make_shared<Node>(*rewritten);
      if (!let_names_.insert(let->text).second) {
        let->text = new_name(statement.text);
        renames[statement.text] = let->text;
      }
      lets_.push_back(std::move(let));
    }
    return nullptr;
  }

  std::string new_name(const std::string& stem) {
    std::string name;
    int number = 1;
    do name = concat(stem, number++);
    while (!survey_.names.insert(name).second || !let_names_.insert(name).second);
    return name;
  }

  // A document used once is written in place; one used more often gets a name, since it is one node. So does
  // one that a lambda uses, if each call of it would open another.
  NodePtr place(const Document& document) {
    const bool captured = lambdas_ > 0 && differs_by_opening(*document.root());
    if (survey_.uses[&document] == 1 && !captured) return expand(document);
    NodePtr& name = named_[&document];
    if (name) return name;
    auto let = std::make_shared<Node>();
    let->kind = Kind::let;
    const int lambdas = std::exchange(lambdas_, 0);
    let->items.push_back({"", {}, expand(document)});
    lambdas_ = lambdas;
    let->text = new_name("d");
    lets_.push_back(let);
    auto reference = std::make_shared<Node>();
    reference->kind = Kind::name;
    reference->text = let->text;
    return named_[&document] = reference;
  }

  NodePtr rewrite(const NodePtr& node, const Handed& handed) {
    if (node->kind == Kind::callback) return handed_word(node, handed);
    lambdas_ += node->kind == Kind::lambda ? 1 : 0;
    NodePtr out = with_children(node, handed);
    lambdas_ -= node->kind == Kind::lambda ? 1 : 0;
    if (node->kind == Kind::pipeline) return spliced(out);
    return node->kind == Kind::call ? canonical_call(out, CalledAs::expression) : out;
  }

  NodePtr with_children(const NodePtr& node, const Handed& handed) {
    auto out = std::make_shared<Node>(*node);
    for (size_t i = 0; i < out->items.size(); ++i) {
      NodePtr& child = out->items[i].value;
      if (!child) continue;
      const bool step = node->kind == Kind::pipeline && i > 0 && child->kind == Kind::call;
      child = step ? canonical_call(with_children(child, handed), CalledAs::step) : rewrite(child, handed);
    }
    return out;
  }

  // What was handed in may itself be a pipeline.
  static NodePtr spliced(const NodePtr& pipeline) {
    if (pipeline->child(0).kind != Kind::pipeline) return pipeline;
    auto out = std::make_shared<Node>(*pipeline);
    const NodePtr head = out->items[0].value;
    out->items.erase(out->items.begin());
    out->items.insert(out->items.begin(), head->items.begin(), head->items.end());
    return out;
  }

  NodePtr handed_word(const NodePtr& node, const Handed& handed) {
    auto found = handed.find(node->text);
    if (found == handed.end()) return node;
    const HandedThing& thing = found->second;
    if (auto* document = std::get_if<DocumentRef>(&thing)) return place(**document);
    if (auto* value = std::get_if<HandedValue>(&thing)) {
      if (NodePtr literal = literal_of_value(*value)) return literal;
    }
    auto out = std::make_shared<Node>(*node);
    out->text = word_for(node->text, thing);
    return out;
  }

  // Returns its own name, unless that is taken; a number if it has none.
  std::string word_for(const std::string& name, const HandedThing& thing) {
    for (const auto& [word, other] : handed_) {
      if (same_thing(other, thing) && (word == name || is_number(name))) return word;
    }
    if (!is_number(name) && handed_.try_emplace(name, thing).second) return name;
    std::string word = std::to_string(++last_number_);
    handed_.emplace(word, thing);
    return word;
  }

  Survey survey_;
  std::vector<NodePtr> params_;
  std::vector<NodePtr> lets_;
  std::set<std::string> param_names_;
  std::set<std::string> let_names_;
  std::map<const Document*, NodePtr> named_;
  Handed handed_;
  int last_number_ = 0;
  // How many enclose what is being written.
  int lambdas_ = 0;
};

}  // namespace

Canonical canonical(const Document& document) { return Writer(document).write(document); }

}  // namespace weir
