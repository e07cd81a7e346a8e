#include <algorithm>
#include <array>

#include "core/text.h"
#include "expr/types/kernel.h"
#include "syntax/grammar.h"

namespace weir {

#define WEIR_KERNEL(name) extern const Kernel name##_kernel;
#include "expr/kernels/list.inc"
#undef WEIR_KERNEL

namespace {

const auto& table() {
  static const auto sorted = [] {
    std::array list = {
#define WEIR_KERNEL(name) &name##_kernel,
#include "expr/kernels/list.inc"
#undef WEIR_KERNEL
    };
    std::sort(list.begin(), list.end(),
              [](const Kernel* a, const Kernel* b) { return std::string_view(a->name) < b->name; });
    return list;
  }();
  return sorted;
}

}  // namespace

std::span<const Kernel* const> kernels() { return table(); }

const Kernel* find_kernel(std::string_view name) {
  const auto& list = table();
  auto at = std::lower_bound(list.begin(), list.end(), name,
                             [](const Kernel* kernel, std::string_view key) { return kernel->name < key; });
  return at != list.end() && (*at)->name == name ? *at : nullptr;
}

void add_kernel_signatures(syntax::SignatureTable& table) {
  for (const Kernel* kernel : kernels()) {
    if (!is_identifier(kernel->name)) continue;
    std::vector<std::string> names;
    for (const KernelParam& param : kernel->params) names.emplace_back(param.name);
    table.add_names(syntax::CalleeKind::function, kernel->name, names);
  }
}

Result<int64_t> KernelCall::integer(int param) const {
  const Tensor* value = constant(param);
  if (value != nullptr && value->dtype == DType::int64 && value->shape.rank() == 0)
    return *value->as<int64_t>();
  return error(param, "expected an integer");
}

Result<bool> KernelCall::flag(int param) const {
  const Tensor* value = constant(param);
  if (value != nullptr && value->dtype == DType::boolean && value->shape.rank() == 0)
    return *value->as<bool>();
  return error(param, "expected true or false");
}

Result<std::string> KernelCall::text(int param) const {
  const Tensor* value = constant(param);
  if (value != nullptr && value->dtype == DType::string && value->shape.rank() == 0) {
    return std::string(value->as<Str>()->view());
  }
  return error(param, "expected a string");
}

namespace {

Result<int> normalised(const KernelCall& call, int param, int64_t axis, int rank, const char* of) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return call.error(param, concat("the axis ", axis, " is out of range for a ", of, " of rank ", rank));
}

}  // namespace

Result<int> KernelCall::axis(int param, int rank, const char* of) const {
  WEIR_ASSIGN(const int64_t axis, integer(param));
  return normalised(*this, param, axis, rank, of);
}

Result<std::vector<int>> KernelCall::axes(int param, int rank) const {
  std::vector<int> out;
  if (!given(param)) {
    for (int i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  const Tensor* value = constant(param);
  const bool empty = value != nullptr && value->count() == 0;
  if (value == nullptr || value->shape.rank() > 1 || (value->dtype != DType::int64 && !empty)) {
    return error(param, "expected an axis or a list of axes");
  }
  if (empty) return out;
  for (int64_t axis : value->entries<const int64_t>()) {
    WEIR_ASSIGN(const int at, normalised(*this, param, axis, rank, "tensor"));
    if (std::find(out.begin(), out.end(), at) != out.end()) {
      return error(param, concat("the axis ", axis, " is given twice"));
    }
    out.push_back(at);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace weir
