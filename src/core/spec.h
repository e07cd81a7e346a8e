// Spec: the structure of an element, a tree of tuples, dicts and leaves over a flat list of components.
// Never touched per row.
#pragma once

#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"

namespace weir {

// The most parts that a structure may have (tensors, tuples, dicts, optionals and nested datasets counted
// together), and how deep they may be nested. Every step of `x -> (x, x)` doubles a structure, and much code
// walks it by recursion or compares it pair by pair.
inline constexpr int kMaxParts = 4096;
inline constexpr int kMaxNesting = 200;

// One entry of the flat list. A sparse tensor has three, a ragged one its values and row splits.
struct Component {
  DType dtype = DType::invalid;
  Shape shape;

  bool operator==(const Component&) const = default;
};

struct Spec {
  enum class Kind : uint8_t { tensor, tuple, dict, sparse, ragged, optional, dataset };

  Kind kind = Kind::tuple;
  // Tensor, sparse and ragged: the dtype and the (dense) shape.
  DType dtype = DType::invalid;
  Shape shape;
  // Dict: in the order written.
  std::vector<std::string> keys;
  // Tuple and dict: the members; optional and dataset: one.
  std::vector<Spec> children;

  static Spec tensor(DType dtype, Shape shape = {});
  static Spec tuple(std::vector<Spec> members);
  static Spec dict(std::vector<std::string> keys, std::vector<Spec> members);
  static Spec dataset(Spec element);
  // `shape` is that of the dense tensor; of a ragged one with the varying dimension unknown.
  static Spec sparse(DType dtype, Shape shape);
  static Spec ragged(DType dtype, Shape shape);
  static Spec optional(Spec value);

  bool is_tensor() const { return kind == Kind::tensor; }
  bool is_dataset() const { return kind == Kind::dataset; }
  // True if it is a dataset or contains one.
  bool has_dataset() const;
  bool is_scalar(DType d) const {
    return is_tensor() && dtype == d && shape.rank_known() && shape.rank() == 0;
  }
  int component_count() const;
  // Counts itself and everything below.
  // REQUIRES: a spec within the limits.
  int part_count() const;
  // invalid_argument beyond kMaxParts or kMaxNesting. Takes at most kMaxParts steps.
  Status check_size() const;
  // The flat list, in the order written.
  std::vector<Component> components() const;
  // The index of the first component of a child in the flat list.
  int child_offset(int child) const;
  // The position of a key of a dict, or -1.
  int find(std::string_view key) const;

  // True if they are equal up to the order of keys.
  bool operator==(const Spec& other) const;
  // Checks that structure and dtypes are equal (dict keys in any order, but in one order inside a dataset)
  // and all shapes compatible. The error says where they differ.
  Status check_compatible(const Spec& other) const;
  // Like check_compatible, but ignores shapes.
  Status check_same_structure(const Spec& other) const;
  // The same tree with each shape relaxed to fit both.
  // REQUIRES: same structure and dtypes.
  static Spec relax(const Spec& a, const Spec& b);
  // The same tree with every shape unknown.
  Spec without_shapes() const;
  // As the notation writes it: "{image: uint8[28, 28], label: int64}".
  std::string to_string() const;
};

// The index in `from` of each component of `to`.
// REQUIRES: equal structure, dict keys in any order.
std::vector<int> component_order(const Spec& from, const Spec& to);
// The same, but empty if each component has the same index.
std::vector<int> moved_components(const Spec& from, const Spec& to);

// The first part in which `got` doesn't fit `wanted`, as check_compatible() sees it: "label is int32[], not
// int64[]". Empty if it fits.
std::string difference_of(const Spec& wanted, const Spec& got);

// The error for a structure beyond kMaxParts or kMaxNesting.
Mistake too_many_parts();

// True if the word needs no quotes as a key.
bool is_identifier(std::string_view word);
// A key as the notation writes it, in quotes if it is no identifier.
std::string key_text(const std::string& key);

}  // namespace weir
