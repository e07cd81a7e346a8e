// The tree of a text: made by the parser, printed by the printer, read by the upper floors.
//
// Nodes are immutable and shared (NodePtr), and a subtree may outlive its Tree; the Tree also holds the text,
// so that its errors can show the line. A tree is at most kMaxDepth deep, so walking it by recursion is safe.
// A node takes about 250 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"
#include "syntax/source.h"

namespace weir::syntax {

// The most levels of nesting, operators included. Deeper texts are refused.
inline constexpr int kMaxDepth = 200;
// What a node is, and which of its members are used. "items" lists the children in order; an item has a name
// only where one is mentioned.
enum class Kind : uint8_t {
  // Literals.
  integer,    // `integer` is the written value; a minus sign is a unary node around it
  floating,   // `text` is the exact written value in canonical form, "inf" or "nan"; std::from_chars reads it
  string,     // `text` holds the bytes
  boolean,    // `integer` is 0 or 1
  automatic,  // auto
  none,

  // Expressions.
  name,         // `text`: a variable or a `let`
  parameter,    // $NAME: `text`
  callback,     // @NAME or @1: `text` is "NAME" or "1"
  invocation,   // @NAME(…): items: the callback, then its arguments
  list,         // items: members
  tuple,        // items: members
  dict,         // items: named by their keys, in written order; a spread has no name
  spread,       // `...e`, only in a dict; items: e
  unary,        // `op` is negate or logical_not; items: operand
  binary,       // `op`; items: left, right
  conditional,  // if; items: condition, then, else
  let_in,       // let NAME = e in e: `text` is the name; items: value, body
  index,        // x[…]; items: x, then positions, each an expression, slice, ellipsis or newaxis
  slice,        // a:b:c, only in an index; three items: start, stop, step; a null value where left out
  ellipsis,     // `...`, only in an index
  newaxis,      // only in an index
  field,        // x.name or x."name"; `text`; items: x
  position,     // x.0; `integer`; items: x
  call,         // `text` is the callee; items: arguments, positional (no name) first, then named
  pipeline,     // items: an expression that is no pipeline, then one or more calls of transformations
  lambda,       // only as an argument; items: pattern, body

  // Patterns.
  pattern_name,   // `text`
  pattern_any,    // _
  pattern_tuple,  // items: patterns
  pattern_rest,   // `...NAME`, only last in a dict; items: the pattern_name
  pattern_dict,   // items: patterns, named by their keys; a rest has no name

  // Element specs; int64[] reads as int64.
  dtype,          // the name of a dtype as an argument: `dtype`
  spec_tensor,    // `dtype`, `shape` (kUnknownDim for `?`)
  spec_tuple,     // items: specs
  spec_dict,      // items: specs, named by their keys
  spec_sparse,    // `dtype`, `shape`
  spec_ragged,    // `dtype`, `shape`
  spec_optional,  // items: spec
  spec_dataset,   // items: spec

  // Features of an Example, and fields of a row.
  features,  // items: feature nodes, named by their keys
  feature,   // items: a spec_tensor, a feature_kind or, of fields, features; then the default where one is
             // written
  feature_kind,  // varlen, sequence, ragged, sparse: `text`; items: arguments as of a call; a positional
                 // one is a spec_tensor, `dtype:` a dtype, any other named one an expression. Of fields:
                 // list, optional, ragged, member, json; items: features, types or expressions

  // Documents.
  document,  // items: params and lets in order, then the pipeline
  param,     // `text` is the name; items: spec
  let,       // `text` is the name; items: value
};

enum class Op : uint8_t {
  none,
  logical_or,
  logical_and,
  logical_not,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  remainder,
  negate,
  power,
};

// As written: "+", "//", "and"; "-" for both subtract and negate.
std::string_view op_text(Op op);

struct Node;
using NodePtr = std::shared_ptr<const Node>;

// A child, with its key (dicts, patterns, specs, features) or argument name if it has one.
struct Item {
  std::string name = {};
  Span name_span = {};
  NodePtr value = {};
};

struct Node {
  Kind kind = Kind::none;
  Op op = Op::none;
  DType dtype = DType::invalid;
  uint8_t depth = 1;  // of the tree under it, itself included
  Span span = {};     // from its first to its last character; outer parentheses do not count
  uint64_t integer = 0;
  std::string text = {};
  Shape shape = {};
  std::vector<Item> items = {};

  // REQUIRES: i < items.size() and, in a slice, that the part is there
  const Node& child(size_t i) const { return *items[i].value; }
  // Appends a child without a name, while the node is built.
  void add(NodePtr child) { items.push_back({.value = std::move(child)}); }
};

// Same kind, values and children; spans do not count.
bool equal(const Node& a, const Node& b);

// A number with at most one minus sign, or a list of these: anything whose dtype adapts.
bool is_literal(const Node& node);

struct Tree {
  std::string source;
  NodePtr root;
  // Whether its author wrote the source, so that places in it say something.
  bool written = true;
};

}  // namespace weir::syntax
