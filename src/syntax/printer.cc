#include "syntax/printer.h"

#include <utility>

#include "core/spec.h"
#include "core/text.h"
#include "syntax/lexer.h"

namespace weir::syntax {

namespace {

// How strongly a node's text binds; a child weaker than its place requires gets parentheses.
struct Strength {
  enum : int {
    kPipeline,
    kPrefix,  // if and let, whose last part extends as far as it can
    kOr,
    kAnd,
    kNot,
    kComparison,
    kSum,
    kProduct,
    kNegate,
    kPower,
    kPostfix,
    kPrimary,
  };
};

int strength_of(const Node& node) {
  switch (node.kind) {
    case Kind::pipeline:
      return Strength::kPipeline;
    case Kind::conditional:
    case Kind::let_in:
      return Strength::kPrefix;
    case Kind::unary:
      return node.op == Op::logical_not ? Strength::kNot : Strength::kNegate;
    case Kind::field:
    case Kind::position:
    case Kind::index:
      return Strength::kPostfix;
    case Kind::binary:
      break;
    default:
      return Strength::kPrimary;
  }
  switch (node.op) {
    case Op::logical_or:
      return Strength::kOr;
    case Op::logical_and:
      return Strength::kAnd;
    case Op::add:
    case Op::subtract:
      return Strength::kSum;
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::remainder:
      return Strength::kProduct;
    case Op::power:
      return Strength::kPower;
    default:
      return Strength::kComparison;
  }
}

class Printer {
 public:
  std::string take() { return std::move(out_); }

  // The kinds are grouped in this order.
  void node(const Node& n) {
    if (n.kind <= Kind::none) return literal(n);
    if (n.kind <= Kind::lambda) return expression(n);
    if (n.kind <= Kind::pattern_dict) return pattern(n);
    if (n.kind <= Kind::spec_dataset) return spec(n);
    if (n.kind <= Kind::feature_kind) return feature(n);
    statement(n);
  }

 private:
  template <class... Parts>
  void put(const Parts&... parts) {
    (append_text(out_, parts), ...);
  }

  void at_least(int strength, const Node& n) {
    bool parentheses = strength_of(n) < strength;
    if (parentheses) put('(');
    node(n);
    if (parentheses) put(')');
  }

  void literal(const Node& n) {
    switch (n.kind) {
      case Kind::integer:
        put(n.integer);
        break;
      case Kind::floating:
        put(n.text);
        break;
      case Kind::string:
        put(quote(n.text));
        break;
      case Kind::boolean:
        put(n.integer != 0 ? "true" : "false");
        break;
      case Kind::automatic:
        put("auto");
        break;
      default:
        put("none");
        break;
    }
  }

  // @NAME(a, b)
  void invocation(const Node& n) {
    expression(n.child(0));
    Node arguments = n;
    arguments.items.erase(arguments.items.begin());
    members('(', arguments, ')');
  }

  void expression(const Node& n) {
    switch (n.kind) {
      case Kind::name:
        put(n.text);
        break;
      case Kind::parameter:
        put('$', n.text);
        break;
      case Kind::callback:
        put('@', n.text);
        break;
      case Kind::invocation:
        invocation(n);
        break;
      case Kind::list:
        members('[', n, ']');
        break;
      case Kind::tuple:
        tuple(n);
        break;
      case Kind::dict:
        dict(n);
        break;
      case Kind::unary:
        put(n.op == Op::logical_not ? "not " : "-");
        at_least(strength_of(n), n.child(0));
        break;
      case Kind::binary:
        binary(n);
        break;
      case Kind::conditional:
        conditional(n);
        break;
      case Kind::let_in:
        let_in(n);
        break;
      case Kind::index:
        index(n);
        break;
      case Kind::slice:
        slice(n);
        break;
      case Kind::spread:
      case Kind::ellipsis:
        put("...");
        separated(n, "");
        break;
      case Kind::newaxis:
        put("newaxis");
        break;
      case Kind::field:
        base_of_field(n.child(0));
        put('.', print_key(n.text));
        break;
      case Kind::position:
        base_of_field(n.child(0));
        put('.', n.integer);
        break;
      case Kind::call:
        put(n.text);
        arguments(n);
        break;
      case Kind::pipeline:
        separated(n, " | ");
        break;
      default:
        node(n.child(0));
        put(" -> ");
        node(n.child(1));
    }
  }

  void conditional(const Node& n) {
    put("if ");
    at_least(Strength::kPrefix, n.child(0));
    put(" then ");
    at_least(Strength::kPrefix, n.child(1));
    put(" else ");
    at_least(Strength::kPrefix, n.child(2));
  }

  void let_in(const Node& n) {
    put("let ", n.text, " = ");
    at_least(Strength::kPrefix, n.child(0));
    put(" in ");
    at_least(Strength::kPrefix, n.child(1));
  }

  void binary(const Node& n) {
    int strength = strength_of(n);
    int left = strength;
    int right = strength + 1;
    if (strength == Strength::kComparison) left = strength + 1;
    if (strength == Strength::kPower) {
      left = Strength::kPostfix;
      right = Strength::kNegate;
    }
    at_least(left, n.child(0));
    put(' ', op_text(n.op), ' ');
    at_least(right, n.child(1));
  }

  // A point after a number would become part of it.
  void base_of_field(const Node& n) {
    bool number = n.kind == Kind::integer || n.kind == Kind::floating;
    at_least(number ? Strength::kPrimary + 1 : Strength::kPostfix, n);
  }

  void index(const Node& n) {
    at_least(Strength::kPostfix, n.child(0));
    put('[');
    for (size_t i = 1; i < n.items.size(); ++i) {
      if (i > 1) put(", ");
      node(n.child(i));
    }
    put(']');
  }

  void slice(const Node& n) {
    if (n.items[0].value != nullptr) node(n.child(0));
    put(':');
    if (n.items[1].value != nullptr) node(n.child(1));
    if (n.items[2].value != nullptr) {
      put(':');
      node(n.child(2));
    }
  }

  void separated(const Node& n, std::string_view separator) {
    for (size_t i = 0; i < n.items.size(); ++i) {
      if (i > 0) put(separator);
      node(n.child(i));
    }
  }

  void members(char open, const Node& n, char close) {
    put(open);
    separated(n, ", ");
    put(close);
  }

  void tuple(const Node& n) {
    put('(');
    separated(n, ", ");
    put(n.items.size() == 1 ? ",)" : ")");
  }

  void dict(const Node& n) {
    put('{');
    for (size_t i = 0; i < n.items.size(); ++i) {
      const Item& item = n.items[i];
      if (item.value->kind == Kind::spread || item.value->kind == Kind::pattern_rest) {
        put(i > 0 ? ", " : "");
        node(*item.value);
        continue;
      }
      // A program may use any text as a key; only a variable's name is written once for both.
      bool same = (item.value->kind == Kind::name || item.value->kind == Kind::pattern_name) &&
                  item.value->text == item.name && is_identifier(item.name) && !is_reserved(item.name) &&
                  item.name != "_";
      put(i > 0 ? ", " : "", print_key(item.name));
      if (!same) {
        put(": ");
        node(*item.value);
      }
    }
    put('}');
  }

  void arguments(const Node& n) {
    put('(');
    for (size_t i = 0; i < n.items.size(); ++i) {
      const Item& item = n.items[i];
      if (i > 0) put(", ");
      if (!item.name.empty()) put(item.name, ": ");
      node(*item.value);
    }
    put(')');
  }

  void pattern(const Node& n) {
    switch (n.kind) {
      case Kind::pattern_name:
        put(n.text);
        break;
      case Kind::pattern_any:
        put('_');
        break;
      case Kind::pattern_tuple:
        tuple(n);
        break;
      case Kind::pattern_rest:
        put("...");
        separated(n, "");
        break;
      default:
        dict(n);
    }
  }

  void spec(const Node& n) {
    switch (n.kind) {
      case Kind::dtype:
        put(dtype_name(n.dtype));
        break;
      case Kind::spec_tensor:
        put(dtype_name(n.dtype));
        shape(n.shape);
        break;
      case Kind::spec_tuple:
        tuple(n);
        break;
      case Kind::spec_dict:
        dict(n);
        break;
      case Kind::spec_sparse:
      case Kind::spec_ragged:
        put(n.kind == Kind::spec_sparse ? "sparse<" : "ragged<", dtype_name(n.dtype), '>');
        shape(n.shape);
        break;
      default:
        put(n.kind == Kind::spec_optional ? "optional<" : "dataset<");
        node(n.child(0));
        put('>');
        shape(n.shape);
    }
  }

  void shape(const Shape& s) {
    if (!s.rank_known()) return put("[...]");
    if (s.rank() == 0) return;
    put('[');
    for (int i = 0; i < s.rank(); ++i) {
      if (i > 0) put(", ");
      if (s[i] == kUnknownDim) {
        put('?');
      } else {
        put(s[i]);
      }
    }
    put(']');
  }

  void feature(const Node& n) {
    switch (n.kind) {
      case Kind::features:
        dict(n);
        break;
      case Kind::feature:
        node(n.child(0));
        if (n.items.size() > 1) {
          put(" = ");
          at_least(Strength::kPrefix, n.child(1));
        }
        break;
      default:
        put(n.text);
        if (n.text != "json") feature_arguments(n);
    }
  }

  void feature_arguments(const Node& n) {
    put('(');
    for (size_t i = 0; i < n.items.size(); ++i) {
      const Item& item = n.items[i];
      if (i > 0) put(", ");
      if (!item.name.empty()) put(item.name, ": ");
      at_least(Strength::kPrefix, *item.value);
    }
    put(')');
  }

  void statement(const Node& n) {
    switch (n.kind) {
      case Kind::param:
        put("param ", n.text, ": ");
        node(n.child(0));
        break;
      case Kind::let:
        put("let ", n.text, " = ");
        node(n.child(0));
        break;
      default:
        document(n);
    }
  }

  void document(const Node& n) {
    for (size_t i = 0; i < n.items.size(); ++i) {
      if (i > 0) put('\n');
      size_t begin = out_.size();
      node(n.child(i));
      // A minus sign would continue the statement before it.
      if (i > 0 && out_[begin] == '-') {
        out_.insert(begin, 1, '(');
        put(')');
      }
    }
  }

  std::string out_;
};

}  // namespace

std::string print(const Node& node) {
  Printer printer;
  printer.node(node);
  return printer.take();
}

std::string print_key(std::string_view key) { return is_identifier(key) ? std::string(key) : quote(key); }

}  // namespace weir::syntax
