#include "core/spec.h"

#include <algorithm>
#include <functional>

#include "core/text.h"

namespace weir {

namespace {

void flatten(const Spec& spec, std::vector<Component>& out) {
  switch (spec.kind) {
    case Spec::Kind::tensor:
      out.push_back({spec.dtype, spec.shape});
      break;
    case Spec::Kind::dataset:
      out.push_back({DType::dataset, spec.shape});
      break;
    case Spec::Kind::sparse: {
      int64_t rank = spec.shape.rank_known() ? spec.shape.rank() : kUnknownDim;
      out.push_back({DType::int64, Shape{kUnknownDim, rank}});
      out.push_back({spec.dtype, Shape{kUnknownDim}});
      out.push_back({DType::int64, Shape{rank}});
      break;
    }
    case Spec::Kind::ragged:
      out.push_back({spec.dtype, Shape::unknown_rank()});
      out.push_back({DType::int64, Shape{kUnknownDim}});
      break;
    case Spec::Kind::optional:
      out.push_back({DType::boolean, Shape()});
      [[fallthrough]];
    case Spec::Kind::tuple:
    case Spec::Kind::dict:
      for (const Spec& child : spec.children) flatten(child, out);
      break;
  }
}

// Subtracts the parts of `spec` from `left`; returns false once there are too many or they are nested too
// deep.
bool count_parts(const Spec& spec, int levels, int& left) {
  if (--left < 0 || levels == 0) return false;
  for (const Spec& child : spec.children) {
    if (!count_parts(child, levels - 1, left)) return false;
  }
  return true;
}

bool identifier_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Status differs(const Spec& wanted, const Spec& got) {
  return invalid_argument(expected_found(wanted.to_string(), got.to_string()));
}

bool has_shape(const Spec& spec) {
  return spec.kind == Spec::Kind::tensor || spec.kind == Spec::Kind::sparse ||
         spec.kind == Spec::Kind::ragged || spec.kind == Spec::Kind::dataset;
}

// Whether the components of the elements of two datasets come in one order, which nothing changes once a
// dataset is a value: keys that both have must not stand in another order.
bool same_order(const Spec& a, const Spec& b) {
  for (size_t i = 0; i < a.children.size() && i < b.children.size(); ++i) {
    if (a.kind == Spec::Kind::dict && a.keys[i] != b.keys[i] && b.find(a.keys[i]) >= 0) return false;
    if (!same_order(a.children[i], b.children[i])) return false;
  }
  return true;
}

// `path` is how the part is reached: keys and positions joined by dots, nothing for the whole.
std::string difference_at(const Spec& wanted, const Spec& got, const std::string& path) {
  const std::string name = path.empty() ? "the element" : path;
  const auto child_path = [&](const std::string& child) { return path.empty() ? child : path + "." + child; };
  const bool leaf_differs = wanted.kind != got.kind || wanted.dtype != got.dtype ||
                            (has_shape(wanted) && !wanted.shape.compatible(got.shape)) ||
                            (wanted.is_dataset() && !same_order(wanted, got));
  if (leaf_differs) return concat(name, " is ", got.to_string(), ", not ", wanted.to_string());
  if (wanted.kind == Spec::Kind::dict) {
    for (const std::string& key : wanted.keys) {
      if (got.find(key) < 0) return concat(child_path(key_text(key)), " is missing");
    }
    for (const std::string& key : got.keys) {
      if (wanted.find(key) < 0) return concat(child_path(key_text(key)), " is not expected");
    }
  } else if (wanted.children.size() != got.children.size()) {
    return concat(name, " has ", got.children.size(), " members, not ", wanted.children.size());
  }
  for (size_t i = 0; i < wanted.children.size(); ++i) {
    const bool dict = wanted.kind == Spec::Kind::dict;
    const auto at = dict ? static_cast<size_t>(got.find(wanted.keys[i])) : i;
    std::string found = difference_at(wanted.children[i], got.children[at],
                                      child_path(dict ? key_text(wanted.keys[i]) : concat(i)));
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

Spec Spec::tensor(DType dtype, Shape shape) {
  Spec spec;
  spec.kind = Kind::tensor;
  spec.dtype = dtype;
  spec.shape = shape;
  return spec;
}

Spec Spec::tuple(std::vector<Spec> members) {
  Spec spec;
  spec.children = std::move(members);
  return spec;
}

Spec Spec::dict(std::vector<std::string> keys, std::vector<Spec> members) {
  Spec spec;
  spec.kind = Kind::dict;
  spec.keys = std::move(keys);
  spec.children = std::move(members);
  return spec;
}

Spec Spec::dataset(Spec element) {
  Spec spec;
  spec.kind = Kind::dataset;
  spec.children.push_back(std::move(element));
  return spec;
}

Spec Spec::sparse(DType dtype, Shape shape) {
  Spec spec = tensor(dtype, shape);
  spec.kind = Kind::sparse;
  return spec;
}

Spec Spec::ragged(DType dtype, Shape shape) {
  Spec spec = tensor(dtype, shape);
  spec.kind = Kind::ragged;
  return spec;
}

Spec Spec::optional(Spec value) {
  Spec spec;
  spec.kind = Kind::optional;
  spec.children.push_back(std::move(value));
  return spec;
}

std::vector<Component> Spec::components() const {
  std::vector<Component> out;
  flatten(*this, out);
  return out;
}

bool Spec::has_dataset() const {
  return is_dataset() || std::any_of(children.begin(), children.end(), std::mem_fn(&Spec::has_dataset));
}

int Spec::component_count() const {
  switch (kind) {
    case Kind::tensor:
    case Kind::dataset:
      return 1;
    case Kind::sparse:
      return 3;
    case Kind::ragged:
      return 2;
    default:
      break;
  }
  int count = kind == Kind::optional ? 1 : 0;
  for (const Spec& child : children) count += child.component_count();
  return count;
}

int Spec::part_count() const {
  int count = 1;
  for (const Spec& child : children) count += child.part_count();
  return count;
}

Status Spec::check_size() const {
  int left = kMaxParts;
  return count_parts(*this, kMaxNesting, left) ? Status() : invalid_argument(too_many_parts());
}

int Spec::child_offset(int child) const {
  int offset = kind == Kind::optional ? 1 : 0;
  for (int i = 0; i < child; ++i) offset += children[static_cast<size_t>(i)].component_count();
  return offset;
}

int Spec::find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return static_cast<int>(i);
  }
  return -1;
}

bool Spec::operator==(const Spec& other) const {
  if (kind != other.kind || dtype != other.dtype || children.size() != other.children.size()) return false;
  if (has_shape(*this) && !(shape == other.shape)) return false;
  for (size_t i = 0; i < children.size(); ++i) {
    int at = kind == Kind::dict ? other.find(keys[i]) : static_cast<int>(i);
    if (at < 0 || !(children[i] == other.children[static_cast<size_t>(at)])) return false;
  }
  return true;
}

Status Spec::check_compatible(const Spec& other) const {
  if (kind != other.kind || dtype != other.dtype || children.size() != other.children.size()) {
    return differs(*this, other);
  }
  if (has_shape(*this) && !shape.compatible(other.shape)) return differs(*this, other);
  if (is_dataset() && !same_order(*this, other)) return differs(*this, other);
  for (size_t i = 0; i < children.size(); ++i) {
    int at = kind == Kind::dict ? other.find(keys[i]) : static_cast<int>(i);
    if (at < 0) return differs(*this, other);
    WEIR_TRY(children[i].check_compatible(other.children[static_cast<size_t>(at)]));
  }
  return Status();
}

Spec Spec::without_shapes() const {
  Spec out = *this;
  if (has_shape(*this)) out.shape = Shape::unknown_rank();
  for (Spec& child : out.children) child = child.without_shapes();
  return out;
}

Status Spec::check_same_structure(const Spec& other) const {
  if (without_shapes().check_compatible(other.without_shapes()).ok()) return Status();
  return differs(*this, other);
}

Spec Spec::relax(const Spec& a, const Spec& b) {
  Spec out = a;
  if (has_shape(a)) out.shape = Shape::relax(a.shape, b.shape);
  for (size_t i = 0; i < a.children.size(); ++i) {
    int at = a.kind == Kind::dict ? b.find(a.keys[i]) : static_cast<int>(i);
    out.children[i] = relax(a.children[i], b.children[static_cast<size_t>(at)]);
  }
  return out;
}

std::string Spec::to_string() const {
  std::string out;
  switch (kind) {
    case Kind::tensor:
      return concat(dtype_name(dtype), shape.to_string());
    case Kind::sparse:
      return concat("sparse<", dtype_name(dtype), ">", shape.to_string());
    case Kind::ragged:
      return concat("ragged<", dtype_name(dtype), ">", shape.to_string());
    case Kind::optional:
      return concat("optional<", children[0].to_string(), ">");
    case Kind::dataset:
      return concat("dataset<", children[0].to_string(), ">", shape.to_string());
    case Kind::tuple:
      out = "(";
      for (size_t i = 0; i < children.size(); ++i) out += concat(i ? ", " : "", children[i].to_string());
      return out + (children.size() == 1 ? ",)" : ")");
    case Kind::dict:
      out = "{";
      for (size_t i = 0; i < children.size(); ++i) {
        out += concat(i ? ", " : "", key_text(keys[i]), ": ", children[i].to_string());
      }
      return out + "}";
  }
  return out;
}

std::vector<int> component_order(const Spec& from, const Spec& to) {
  std::vector<int> out;
  if (to.children.empty() || to.kind == Spec::Kind::dataset) {
    for (int i = 0; i < to.component_count(); ++i) out.push_back(i);
    return out;
  }
  if (to.kind == Spec::Kind::optional) out.push_back(0);
  for (size_t i = 0; i < to.children.size(); ++i) {
    int at = to.kind == Spec::Kind::dict ? from.find(to.keys[i]) : static_cast<int>(i);
    int offset = from.child_offset(at);
    for (int inner : component_order(from.children[static_cast<size_t>(at)], to.children[i])) {
      out.push_back(offset + inner);
    }
  }
  return out;
}

std::vector<int> moved_components(const Spec& from, const Spec& to) {
  std::vector<int> order = component_order(from, to);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int>(i)) return order;
  }
  return {};
}

std::string difference_of(const Spec& wanted, const Spec& got) { return difference_at(wanted, got, ""); }

Mistake too_many_parts() {
  return expected_found(concat("a structure of at most ", kMaxParts, " tensors, tuples and dicts in all, ",
                               kMaxNesting, " deep"),
                        "a larger one", "stack tensors of one shape into one");
}

bool is_identifier(std::string_view word) {
  if (word.empty() || !identifier_start(word[0])) return false;
  for (char c : word) {
    if (!identifier_start(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

std::string key_text(const std::string& key) { return is_identifier(key) ? key : quote(key); }

}  // namespace weir
