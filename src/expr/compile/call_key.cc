#include "expr/compile/call_key.h"

#include "core/str.h"
#include "expr/compile/builder.h"

namespace weir {

void CallKey::add(int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

void CallKey::add(std::string_view text) {
  add(static_cast<int64_t>(text.size()));
  bytes_.append(text);
}

void CallKey::add(const Tensor& value) {
  if (value.dtype == DType::dataset || value.byte_size() > kMaxConstantBytes) return spoil();
  add(static_cast<int64_t>(value.dtype));
  add(value.shape.to_string());
  if (value.dtype == DType::string) {
    for (const Str& entry : value.entries<const Str>()) {
      if (entry.size + bytes_.size() > 2 * kMaxConstantBytes) return spoil();
      add(entry.view());
    }
    return;
  }
  bytes_.append(reinterpret_cast<const char*>(value.data), value.byte_size());
}

void CallKey::add(const Leaf& leaf, Builder& builder) {
  if (leaf.constant != nullptr) {
    add("constant");
    return add(*leaf.constant);
  }
  // A dataset is made anew for each use.
  if (leaf.literal != nullptr || leaf.dataset != nullptr) return spoil();
  add("register");
  add(builder.register_of(leaf));
  add(static_cast<int64_t>(leaf.type.dtype));
  add(leaf.type.shape.to_string());
  // What is known of the entries may shape the call.
  add(leaf.integers ? static_cast<int64_t>(leaf.integers->size()) : -1);
  if (!leaf.integers) return;
  for (int64_t entry : *leaf.integers) add(entry);
}

}  // namespace weir
