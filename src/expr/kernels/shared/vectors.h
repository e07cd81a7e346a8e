// Vectors of 32 bytes for loops that the compiler doesn't vectorise by itself. In functions for AVX2 one is a
// register, elsewhere two. They cannot be passed or returned, which would depend on the instruction set.
//
//   Vectors<float>::Vector sum = *Vectors<float>::at(a) + *Vectors<float>::at(b);
#pragma once

#include <cstdint>

namespace weir {

template <class T>
struct Vectors {
  typedef T Vector __attribute__((vector_size(32)));
  // One that may be at the address of any entry.
  typedef T InMemory __attribute__((vector_size(32), aligned(alignof(T)), may_alias));
  static constexpr int64_t kLanes = 32 / static_cast<int64_t>(sizeof(T));

  static const InMemory* at(const T* entries) { return reinterpret_cast<const InMemory*>(entries); }
  static InMemory* at(T* entries) { return reinterpret_cast<InMemory*>(entries); }
};

}  // namespace weir
