#include "core/tensor.h"

#include <cstring>

namespace weir {

Tensor Tensor::allocate(DType dtype, const Shape& shape) {
  Tensor out;
  out.dtype = dtype;
  out.shape = shape;
  out.buffer = Buffer::allocate(static_cast<size_t>(shape.count()) * dtype_size(dtype));
  out.data = out.buffer->data();
  return out;
}

Tensor Tensor::strings(std::span<const std::string_view> values, const Shape& shape) {
  size_t bytes = values.size() * sizeof(Str);
  for (std::string_view value : values) bytes += value.size();
  Tensor out;
  out.dtype = DType::string;
  out.shape = shape;
  out.buffer = Buffer::allocate(bytes);
  out.data = out.buffer->data();
  auto* entry = out.as<Str>();
  auto* text = reinterpret_cast<char*>(entry + values.size());
  for (std::string_view value : values) {
    if (!value.empty()) std::memcpy(text, value.data(), value.size());
    *entry++ = Str(text, value.size());
    text += value.size();
  }
  return out;
}

void Tensor::set_lasting() const {
  if (buffer) buffer->set_lasting();
  if (!owners) return;
  for (const auto& owner : owners->list) {
    if (auto* owned = dynamic_cast<Buffer*>(owner.get())) owned->set_lasting();
  }
}

Tensor Tensor::row(int64_t i) const {
  Tensor out;
  out.dtype = dtype;
  out.shape = shape.tail();
  out.data = data + static_cast<size_t>(i * out.shape.count()) * dtype_size(dtype);
  out.buffer = buffer;
  out.owners = owners;
  return out;
}

Tensor Tensor::rows(int64_t begin, int64_t count) const {
  Tensor out = *this;
  out.shape.set_dim(0, count);
  out.data = data + static_cast<size_t>(begin * shape.tail().count()) * dtype_size(dtype);
  return out;
}

bool bit_equal(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || !(a.shape == b.shape)) return false;
  if (a.dtype != DType::string) return a.byte_size() == 0 || std::memcmp(a.data, b.data, a.byte_size()) == 0;
  auto left = a.entries<const Str>();
  auto right = b.entries<const Str>();
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].view() != right[i].view()) return false;
  }
  return true;
}

Tensor deep_copy(const Tensor& tensor) {
  if (tensor.dtype == DType::string) {
    std::vector<std::string_view> views;
    views.reserve(static_cast<size_t>(tensor.count()));
    for (const Str& entry : tensor.entries<const Str>()) views.push_back(entry.view());
    return Tensor::strings(views, tensor.shape);
  }
  Tensor out = Tensor::allocate(tensor.dtype, tensor.shape);
  if (tensor.byte_size() > 0) std::memcpy(out.data, tensor.data, tensor.byte_size());
  out.owners = tensor.owners;
  return out;
}

}  // namespace weir
