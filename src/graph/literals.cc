#include "core/text.h"
#include "expr/types/dispatch.h"
#include "graph/canonical.h"
#include "graph/format_element.h"

namespace weir {

using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

std::shared_ptr<Node> node_of(Kind kind) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  return node;
}

void add_child(Node& node, std::string name, NodePtr child) {
  node.depth = std::max<uint8_t>(node.depth, static_cast<uint8_t>(std::min(child->depth + 1, 255)));
  node.items.push_back({std::move(name), {}, std::move(child)});
}

NodePtr negate(NodePtr operand) {
  auto node = node_of(Kind::unary);
  node->op = syntax::Op::negate;
  add_child(*node, "", std::move(operand));
  return node;
}

NodePtr unsigned_node(uint64_t value) {
  auto node = node_of(Kind::integer);
  node->integer = value;
  return node;
}

NodePtr integer_node(int64_t value) {
  if (value >= 0) return unsigned_node(static_cast<uint64_t>(value));
  return negate(unsigned_node(~static_cast<uint64_t>(value) + 1));
}

// `text` comes from format_float.
NodePtr float_node(std::string text) {
  bool negative = text[0] == '-';
  auto node = node_of(Kind::floating);
  node->text = negative ? text.substr(1) : std::move(text);
  if (negative) return negate(node);
  return node;
}

template <class T>
NodePtr node_of_entry(const T& entry) {
  if constexpr (std::is_same_v<T, bool>) {
    auto node = node_of(Kind::boolean);
    node->integer = entry ? 1 : 0;
    return node;
  } else if constexpr (std::is_unsigned_v<T>) {
    return unsigned_node(entry);
  } else if constexpr (std::is_integral_v<T>) {
    return integer_node(entry);
  } else if constexpr (std::is_same_v<T, Str>) {
    auto node = node_of(Kind::string);
    node->text.assign(entry.data, entry.size);
    return node;
  } else {
    return float_node(format_float(entry));
  }
}

// REQUIRES: neither complex nor a nested dataset, which have no literals
NodePtr entry_node(const Tensor& tensor, int64_t i) {
  NodePtr node;
  visit<JoinT<Reals, TypeList<bool, Str>>>(tensor.dtype,
                                           [&]<class T>() { node = node_of_entry(tensor.as<const T>()[i]); });
  return node;
}

NodePtr axis_node(const Tensor& tensor, int axis, int64_t& entry) {
  if (axis == tensor.shape.rank()) return entry_node(tensor, entry++);
  auto node = node_of(Kind::list);
  for (int64_t i = 0; i < tensor.shape.dim(axis); ++i)
    add_child(*node, "", axis_node(tensor, axis + 1, entry));
  return node;
}

// zeros([0, 3], dtype: int64)
NodePtr empty_node(const Tensor& tensor) {
  auto shape = node_of(Kind::list);
  for (int64_t dim : tensor.shape.dims()) add_child(*shape, "", integer_node(dim));
  auto call = node_of(Kind::call);
  call->text = "zeros";
  add_child(*call, "", shape);
  if (tensor.dtype != DType::float32) {
    auto dtype = node_of(Kind::dtype);
    dtype->dtype = tensor.dtype;
    add_child(*call, "dtype", dtype);
  }
  return call;
}

// True if a literal has this dtype by default.
bool is_plain(DType dtype) {
  return dtype == DType::int64 || dtype == DType::float32 || dtype == DType::boolean ||
         dtype == DType::string;
}

NodePtr tensor_node(const Tensor& tensor) {
  if (is_complex(tensor.dtype) || tensor.dtype == DType::dataset || tensor.dtype == DType::invalid)
    return nullptr;
  if (tensor.count() == 0) return tensor.dtype == DType::string ? nullptr : empty_node(tensor);
  int64_t entry = 0;
  NodePtr entries = axis_node(tensor, 0, entry);
  if (is_plain(tensor.dtype)) return entries;
  auto call = node_of(Kind::call);
  call->text = dtype_name(tensor.dtype);
  add_child(*call, "", entries);
  return call;
}

NodePtr value_node(const Spec& spec, const Components& values, size_t& next) {
  switch (spec.kind) {
    case Spec::Kind::tensor:
      return tensor_node(values[next++]);
    case Spec::Kind::tuple:
    case Spec::Kind::dict: {
      auto node = node_of(spec.kind == Spec::Kind::tuple ? Kind::tuple : Kind::dict);
      for (size_t i = 0; i < spec.children.size(); ++i) {
        NodePtr child = value_node(spec.children[i], values, next);
        if (!child) return nullptr;
        add_child(*node, spec.kind == Spec::Kind::dict ? spec.keys[i] : "", child);
      }
      return node;
    }
    default:
      return nullptr;
  }
}

}  // namespace

NodePtr literal_of_value(const HandedValue& value) {
  int64_t entries = 0;
  for (const Tensor& tensor : value.values) entries += tensor.count();
  if (entries > kMaxPrintedEntries) return nullptr;
  size_t next = 0;
  return value_node(value.spec, value.values, next);
}

}  // namespace weir
