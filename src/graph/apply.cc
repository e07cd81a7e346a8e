// apply_operator: prints a call and its arguments as a document, which is then parsed as any other.
#include <cmath>
#include <set>

#include "core/spec.h"
#include "core/text.h"
#include "graph/canonical.h"
#include "graph/document.h"
#include "graph/format_element.h"
#include "graph/signatures.h"
#include "ops/list.h"
#include "syntax/hints.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

using Value = Argument::Kind;

bool is_definition(const Argument& argument) {
  return argument.name.starts_with('@') || argument.name.starts_with('$');
}

bool is_operand(const Argument& argument) {
  const bool is_dataset =
      argument.kind == Value::handed && std::holds_alternative<DocumentRef>(argument.thing);
  return argument.name.empty() && (is_dataset || argument.kind == Value::call);
}

// Around a part with a label, while it is printed: kBegin, its number, kNumbered, the part, kEnd.
constexpr char kBegin = 1, kNumbered = 2, kEnd = 3;
constexpr std::string_view kMarks = "\1\2\3";

// Removes these, and says where the parts are.
std::string without_marks(std::string_view marked, std::vector<std::pair<size_t, Span>>& parts) {
  std::string out;
  std::vector<size_t> open;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == kBegin) {
      size_t number = 0;
      while (marked[++i] != kNumbered) number = number * 10 + static_cast<size_t>(marked[i] - '0');
      open.push_back(parts.size());
      parts.push_back({number, {static_cast<uint32_t>(out.size()), 0}});
    } else if (marked[i] == kEnd) {
      Span& span = parts[open.back()].second;
      span.size = static_cast<uint32_t>(out.size()) - span.offset;
      open.pop_back();
    } else {
      out += marked[i];
    }
  }
  return out;
}

std::string without_marks(std::string_view marked) {
  std::vector<std::pair<size_t, Span>> unused;
  return without_marks(marked, unused);
}

// For the printer: a node with text that is printed as it is has the kind of a name.
class CallPrinter {
 public:
  explicit CallPrinter(const Handed& handed, syntax::Labels* labels = nullptr)
      : handed_(handed), labels_(labels) {}

  Result<std::string> document(const Argument& call) {
    if (call.text.empty() && !call.members.empty() && call.members[0].kind == Value::joined)
      text_ = &call.members[0];
    WEIR_ASSIGN(auto pipeline, node(call, ""));
    document_.add(std::move(pipeline));
    std::string text = syntax::print(document_);
    if (!labels_) return text;
    std::vector<std::pair<size_t, Span>> parts;
    text = without_marks(text, parts);
    for (const auto& [number, span] : parts) labels_->push_back({names_[number], span});
    return text;
  }

  // `of` is the operator that it is an argument of, for messages.
  Result<std::shared_ptr<Node>> node(const Argument& argument, const std::string& of) {
    auto out = std::make_shared<Node>(Node{.kind = Kind::name, .text = argument.text});
    switch (argument.kind) {
      case Value::text:
        WEIR_TRY(check_one_value(argument.text, of));
        // A comment ends with its line.
        if (argument.text.find('#') != std::string::npos) out->text += "\n";
        return out;
      case Value::joined: {
        WEIR_ASSIGN(out->text, joined(argument, of));
        if (&argument != text_) WEIR_TRY(check_one_value(labels_ ? without_marks(out->text) : out->text, of));
        return out;
      }
      case Value::string:
        out->kind = Kind::string;
        return out;
      case Value::float32: {
        const auto single = static_cast<float>(argument.number);
        // A number beyond all floats keeps its digits and is refused as a literal.
        out->text = std::isinf(single) ? format_float(argument.number) : format_float(single);
        return out;
      }
      case Value::float64:
        out->text = format_float(argument.number);
        return out;
      case Value::handed:
        out->kind = Kind::callback;
        do {
          out->text = std::to_string(++count_);
        } while (!handed_.emplace(out->text, argument.thing).second);
        words_.insert(out->text);
        return out;
      case Value::list:
        out->kind = Kind::list;
        break;
      case Value::tuple:
        out->kind = Kind::tuple;
        break;
      case Value::dict:
        out->kind = Kind::dict;
        break;
      case Value::call:
        return call(argument);
    }
    for (const Argument& member : argument.members) WEIR_TRY(add(*out, member, of));
    return out;
  }

  // Whether it has no more statements than were printed, and names what was handed in where that was printed
  // alone.
  bool is_as_printed(const Node& parsed) const {
    return (text_ || parsed.items.size() == document_.items.size()) && uses(parsed) == words_.size();
  }
  bool is_text() const { return text_ != nullptr; }
  Handed take_handed() { return std::move(handed_); }

 private:
  static Status check_one_value(const std::string& text, const std::string& of) {
    if (syntax::is_one_argument(text)) return {};
    return invalid_argument(concat(of, of.empty() ? "" : ": ", "expected one value, found ", quote(text)));
  }

  // The texts of its members one after the other, which may be parts of a value.
  Result<std::string> joined(const Argument& argument, const std::string& of) {
    std::string text;
    const bool labelled = labels_ && !argument.text.empty();
    if (labelled) {
      text = concat(kBegin, names_.size(), kNumbered);
      names_.push_back(argument.text);
    }
    for (const Argument& member : argument.members) {
      if (member.kind == Value::text) {
        if (member.text.find_first_of(kMarks) != std::string::npos)
          return invalid_argument(
              concat(of, ": expected a text, found a control character in ", quote(member.text)));
        text += member.text;
      } else if (member.kind == Value::joined) {
        WEIR_ASSIGN(const std::string part, joined(member, of));
        text += part;
      } else {
        WEIR_ASSIGN(const auto part, node(member, of));
        text += syntax::print(*part);
      }
    }
    if (labelled) text += kEnd;
    return text;
  }

  // What is called @NAME, or a `param` statement for what is called $NAME.
  Status define(const Argument& member) {
    const std::string name = member.name.substr(1);
    if (!is_identifier(name)) return invalid_argument(expected_found("a name", quote(name)));
    if (member.name[0] == '$') {
      Node param{.kind = Kind::param, .text = name};
      WEIR_ASSIGN(auto spec, node(member, member.name));
      param.add(std::move(spec));
      if (declared_.emplace(name, member.text).second)
        document_.add(std::make_shared<Node>(std::move(param)));
      return {};
    }
    HandedThing thing = member.thing;
    if (member.kind == Value::text || member.kind == Value::string) {
      thing = HandedValue{Spec::tensor(DType::string, Shape{}), {Tensor::string(member.text)}};
    } else if (member.kind != Value::handed) {
      return invalid_argument(concat("expected a string, tensor, dataset or callback as @", name));
    }
    const auto [known, is_new] = defined_.emplace(name, thing);
    const uint64_t hash = hash_of_thing(thing);
    if (!is_new && (hash == 0 || hash != hash_of_thing(known->second)))
      return invalid_argument(expected_found(concat("one argument named ", quote(name)), "two"));
    handed_.insert_or_assign(name, std::move(thing));
    return {};
  }

  Status add(Node& out, const Argument& member, const std::string& of) {
    if (out.kind == Kind::call && !member.name.empty() && !is_identifier(member.name))
      return invalid_argument(concat(of, " has no parameter ", quote(member.name)));
    WEIR_ASSIGN(auto value, node(member, of));
    out.items.push_back({.name = out.kind == Kind::call || out.kind == Kind::dict ? member.name : "",
                         .value = std::move(value)});
    return {};
  }

  static bool has_input(const Argument& call) {
    if (call.members.empty()) return false;
    const Argument& first = call.members[0];
    if (call.text.empty() && first.kind == Value::joined) return true;
    return is_operand(first) && !(first.kind == Value::call && is_function(first));
  }
  // Of a name that an operator has too, the operator takes a dataset.
  static bool is_function(const Argument& call) {
    const OperatorDef* def = find_operator(call.text);
    const bool known =
        signatures().knows(syntax::CalleeKind::function, call.text) || dtype_from_name(call.text).has_value();
    return known && (!def || (def->kind != OperatorKind::source && !has_input(call)));
  }

  Result<std::shared_ptr<Node>> call(const Argument& call) {
    const OperatorDef* def = find_operator(call.text);
    // What extensions bring is found when the text is built.
    const bool found_later = !def && !has_input(call) && is_identifier(call.text);
    const bool function = found_later || is_function(call);
    if (!def && !function && !call.text.empty()) {
      std::vector<std::string> names;
      for (const OperatorDef* known : operators()) names.emplace_back(known->name);
      return invalid_argument({concat("there is no operator called ", call.text),
                               syntax::hint_for(call.text, names, names_elsewhere())});
    }
    auto out = std::make_shared<Node>(Node{.kind = Kind::call, .text = call.text});
    const bool piped = !function && (!def || def->kind != OperatorKind::source);
    if (piped && !has_input(call)) {
      if (call.text.empty()) return invalid_argument("expected an operator or an input, found neither");
      return invalid_argument(concat(call.text, " applies to a dataset; no input was given"));
    }
    for (size_t i = piped ? 1 : 0; i < call.members.size(); ++i) {
      const Argument& member = call.members[i];
      WEIR_TRY(is_definition(member) ? define(member) : add(*out, member, call.text));
    }
    if (!piped) return out;
    WEIR_ASSIGN(auto input, node(call.members[0], ""));
    if (!def && !out->items.empty()) return invalid_argument("expected an operator, found none");
    if (!def) return input;
    if (input->kind != Kind::pipeline) {
      Node pipeline{.kind = Kind::pipeline};
      pipeline.add(std::move(input));
      input = std::make_shared<Node>(std::move(pipeline));
    }
    input->add(std::move(out));
    return input;
  }

  size_t uses(const Node& node) const {
    size_t count = node.kind == Kind::callback && words_.contains(node.text) ? 1 : 0;
    for (const syntax::Item& item : node.items) count += item.value ? uses(*item.value) : 0;
    return count;
  }

  Handed handed_;
  Handed defined_;
  std::set<std::pair<std::string, std::string>> declared_;
  // Names of what was handed in, for the printer alone.
  std::set<std::string> words_;
  Node document_{.kind = Kind::document};
  // A joined value that is a whole document.
  const Argument* text_ = nullptr;
  syntax::Labels* const labels_;
  std::vector<std::string> names_;
  size_t count_ = 0;
};

}  // namespace

Result<DocumentRef> apply_operator(Runtime& runtime, std::string_view name,
                                   const std::vector<DocumentRef>& inputs,
                                   const std::vector<Argument>& arguments, const Handed& handed,
                                   std::string* written, syntax::Labels* labels) {
  Argument call{"", std::string(name), Value::call};
  for (const DocumentRef& input : inputs) call.members.push_back({"", "", Value::handed, 0, {}, input});
  call.members.insert(call.members.end(), arguments.begin(), arguments.end());
  CallPrinter printer(handed, labels);
  WEIR_ASSIGN(std::string text, printer.document(call));
  if (written) *written = text;
  auto tree = syntax::parse_document(text, signatures());
  if (!tree.ok()) return syntax::render(tree.status(), text);
  if (!printer.is_as_printed(*tree->root))
    return invalid_argument("expected texts that are one value each, and name nothing by its number");
  tree->written = printer.is_text();
  return build_document(runtime, *std::move(tree), printer.take_handed());
}

std::optional<std::string> text_of(const Argument& value) {
  if (value.kind == Value::text) return value.text;
  CallPrinter printer({});
  auto node = printer.node(value, "");
  return node.ok() && printer.take_handed().empty() ? std::optional(syntax::print(**node)) : std::nullopt;
}

}  // namespace weir
