// CallKey: says in bytes what a call of a function computes: calls in one program that have equal keys give
// equal values.
//
//   CallKey key(kernel);
//   key.add(leaf, builder);
//   const std::vector<Leaf>* same = builder.find(key.bytes());
//
// Some calls have none, because what they compute is not said cheaply; they equal no other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "expr/types/typed.h"

namespace weir {

class CallKey {
 public:
  // Larger constants are not compared.
  static constexpr size_t kMaxConstantBytes = 4096;

  // `what` is computed: a kernel, or a body; it must outlive the program.
  explicit CallKey(const void* what) { add(static_cast<int64_t>(reinterpret_cast<intptr_t>(what))); }

  void add(int64_t number);
  void add(std::string_view text);
  void add(const Tensor& value);
  // A value that the call has, with its type. What is computed enters `builder`.
  void add(const Leaf& leaf, Builder& builder);
  // The call equals no other.
  void spoil() { comparable_ = false; }

  bool comparable() const { return comparable_; }
  // Empty if the call equals no other.
  std::string bytes() const { return comparable_ ? bytes_ : std::string(); }

 private:
  std::string bytes_;
  bool comparable_ = true;
};

}  // namespace weir
