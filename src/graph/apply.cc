// apply_operator: writes a call and its arguments as a text, which is then parsed as any other.
#include <algorithm>
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

namespace {

using Value = Argument::Kind;

bool is_operand(const Argument& argument) {
  const bool is_dataset =
      argument.kind == Value::handed && std::holds_alternative<DocumentRef>(argument.thing);
  return argument.name.empty() && (is_dataset || argument.kind == Value::call);
}

bool is_definition(const Argument& argument) { return argument.name[0] == '@' || argument.name[0] == '$'; }

bool is_same(const HandedThing& a, const HandedThing& b) {
  if (a.index() != b.index()) return false;
  if (const auto* callback = std::get_if<CallbackRef>(&a)) return *callback == std::get<CallbackRef>(b);
  if (const auto* document = std::get_if<DocumentRef>(&a)) return *document == std::get<DocumentRef>(b);
  return hash_of_thing(a) == hash_of_thing(b);
}

HandedThing string_of(const Argument& text) {
  return HandedValue{Spec::tensor(DType::string, Shape{}), {Tensor::string(text.text)}};
}

// Part of what was written that a text of the caller's became.
struct Place {
  size_t begin;
  size_t end;
  std::string of;
  int values = 0;
};

class CallWriter {
 public:
  explicit CallWriter(const Handed& handed) : handed_(handed) {}

  // The whole document.
  Status document(const Argument& call) {
    WEIR_TRY(definitions(call));
    return value(call, "");
  }

  Status value(const Argument& argument, const std::string& of) {
    switch (argument.kind) {
      case Value::text:
        text(argument.text, of);
        return {};
      case Value::string:
        out_ += quote(argument.text);
        return {};
      case Value::float32:
        out_ += format_float(static_cast<float>(argument.number));
        return {};
      case Value::float64:
        out_ += format_float(argument.number);
        return {};
      case Value::handed:
        handed(argument.thing);
        return {};
      case Value::list:
        return members("[", argument, 0, "]", of);
      case Value::tuple:
        return members("(", argument, 0, argument.members.size() == 1 ? ",)" : ")", of);
      case Value::dict:
        return members("{", argument, 0, "}", of);
      case Value::call:
        return call(argument);
    }
    return {};
  }

  const std::string& text() const { return out_; }
  // Names that only the writer may use.
  const std::set<std::string, std::less<>>& words() const { return words_; }
  std::vector<Place>& places() { return places_; }
  Handed take_handed() { return std::move(handed_); }

 private:
  // What is called @NAME, and `param` statements for what is called $NAME.
  Status definitions(const Argument& argument) {
    for (const Argument& member : argument.members) {
      if (argument.kind != Value::call || member.name.empty() || !is_definition(member)) {
        WEIR_TRY(definitions(member));
        continue;
      }
      const std::string name = member.name.substr(1);
      if (!is_identifier(name)) return invalid_argument(expected_found("a name", quote(name)));
      if (member.name[0] == '$') {
        if (member.kind != Value::text) return invalid_argument(concat("expected the spec of $", name));
        const auto [known, is_new] = params_.emplace(name, member.text);
        if (is_new) {
          out_ += concat("param ", name, ": ");
          text(member.text, concat("$", name));
          out_ += "\n";
        } else if (known->second != member.text) {
          return invalid_argument(
              concat("$", name, " is declared as ", known->second, " and as ", member.text));
        }
        continue;
      }
      const bool is_string = member.kind == Value::text || member.kind == Value::string;
      if (!is_string && member.kind != Value::handed) {
        return invalid_argument(concat("expected a string, tensor, dataset or callback as @", name));
      }
      HandedThing thing = is_string ? string_of(member) : member.thing;
      const auto [known, is_new] = defined_.emplace(name, thing);
      if (!is_new && !is_same(known->second, thing)) {
        return invalid_argument(expected_found(concat("one argument named ", quote(name)), "two"));
      }
      handed_.insert_or_assign(name, std::move(thing));
    }
    return {};
  }

  void text(const std::string& written, const std::string& of) {
    constexpr std::string_view kSpace = " \t\r\n";
    const size_t begin = std::min(written.find_first_not_of(kSpace), written.size());
    const size_t end = std::max(begin, written.find_last_not_of(kSpace) + 1);
    places_.push_back({out_.size() + begin, out_.size() + end, of});
    out_ += written;
    // A comment ends with its line.
    if (written.find('#') != std::string::npos) out_ += "\n";
  }

  void handed(const HandedThing& thing) {
    std::string word;
    do {
      word = std::to_string(++count_);
    } while (!handed_.emplace(word, thing).second);
    out_ += "@" + word;
    words_.insert(std::move(word));
  }

  Status call(const Argument& call) {
    const std::string& name = call.text;
    const OperatorDef* def = find_operator(name);
    if (!def && !name.empty()) {
      std::vector<std::string> names;
      for (const OperatorDef* known : operators()) names.emplace_back(known->name);
      return invalid_argument({concat("there is no operator called ", name), syntax::hint_for(name, names)});
    }
    if (def && def->kind == OperatorKind::source) return members(name + "(", call, 0, ")", name);
    if (call.members.empty() || !is_operand(call.members[0])) {
      return invalid_argument(
          concat(name.empty() ? "\"\"" : name, " applies to a dataset; no input was given"));
    }
    WEIR_TRY(value(call.members[0], ""));
    if (def) return members(concat(" | ", name, "("), call, 1, ")", name);
    for (size_t i = 1; i < call.members.size(); ++i) {
      if (call.members[i].name.empty() || !is_definition(call.members[i]))
        return invalid_argument("the operator \"\" takes nothing but one input");
    }
    return {};
  }

  Status members(std::string_view open, const Argument& whole, size_t first, std::string_view close,
                 const std::string& of) {
    out_ += open;
    std::string_view separator;
    for (size_t i = first; i < whole.members.size(); ++i) {
      const Argument& member = whole.members[i];
      if (whole.kind == Value::call && !member.name.empty()) {
        if (is_definition(member)) continue;
        if (!is_identifier(member.name)) {
          return invalid_argument(concat(of, " has no parameter ", quote(member.name)));
        }
      }
      out_ += separator;
      separator = ", ";
      const bool is_key = whole.kind == Value::dict;
      if (is_key || (whole.kind == Value::call && !member.name.empty())) {
        out_ += concat(is_key ? syntax::print_key(member.name) : member.name, ": ");
      }
      WEIR_TRY(value(member, of));
    }
    out_ += close;
    return {};
  }

  Handed handed_;
  Handed defined_;
  std::map<std::string, std::string> params_;
  std::set<std::string, std::less<>> words_;
  std::vector<Place> places_;
  std::string out_;
  size_t count_ = 0;
};

// Checks that each text of the caller's is one value, and names nothing that the writer named.
class TextCheck {
 public:
  explicit TextCheck(CallWriter& writer) : writer_(writer) {}

  Status check(const Node& document) {
    visit(document, nullptr);
    for (const Place& place : writer_.places()) {
      if (place.values == 1) continue;
      const std::string text = writer_.text().substr(place.begin, place.end - place.begin);
      return invalid_argument(concat(place.of, ": expected one value, found ", quote(text)));
    }
    if (unknown_.empty()) return {};
    return invalid_argument(concat("there is no @", unknown_));
  }

 private:
  void visit(const Node& node, Place* inside) {
    if (!inside) inside = around(node.span.offset, node.span.offset + node.span.size);
    if (inside && node.kind == Kind::callback && writer_.words().contains(node.text)) unknown_ = node.text;
    for (const syntax::Item& item : node.items) {
      if (item.value) visit(*item.value, inside);
    }
  }

  // The text that the node is part of, if it is; counts its values, and spoils it if the node crosses an end.
  Place* around(size_t begin, size_t end) {
    std::vector<Place>& places = writer_.places();
    auto place = std::partition_point(places.begin(), places.end(),
                                      [&](const Place& text) { return text.end <= begin; });
    if (place != places.end() && place->begin <= begin && end <= place->end) {
      ++place->values;
      return &*place;
    }
    for (; place != places.end() && place->begin < end; ++place) {
      if (place->begin < begin || end < place->end) place->values = kBroken;
    }
    return nullptr;
  }

  static constexpr int kBroken = 1 << 20;
  CallWriter& writer_;
  std::string unknown_;
};

}  // namespace

Result<DocumentRef> apply_operator(Runtime& runtime, std::string_view name,
                                   const std::vector<DocumentRef>& inputs,
                                   const std::vector<Argument>& arguments, const Handed& handed) {
  Argument call{"", std::string(name), Value::call};
  for (const DocumentRef& input : inputs) call.members.push_back({"", "", Value::handed, 0, {}, input});
  call.members.insert(call.members.end(), arguments.begin(), arguments.end());
  CallWriter writer(handed);
  WEIR_TRY(writer.document(call));
  auto tree = syntax::parse_document(writer.text(), signatures());
  if (!tree.ok()) return syntax::render(tree.status(), writer.text());
  WEIR_TRY(TextCheck(writer).check(*tree->root));
  return build_document(runtime, *std::move(tree), writer.take_handed());
}

std::optional<std::string> text_of(const Argument& value) {
  if (value.kind == Value::text) return value.text;
  CallWriter writer({});
  const bool is_written = writer.value(value, "").ok() && writer.words().empty();
  return is_written ? std::optional(writer.text()) : std::nullopt;
}

}  // namespace weir
