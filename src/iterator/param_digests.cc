#include "iterator/param_digests.h"

#include <string_view>

#include "core/file_places.h"

namespace weir {

namespace {

// A tensor of names without what says where the files are.
Tensor without_place(const Tensor& tensor, Naming naming) {
  std::vector<std::string_view> names;
  for (const Str& name : tensor.entries<const Str>()) names.push_back(name.view());
  const size_t place = place_size(names, naming);
  for (std::string_view& name : names) name.remove_prefix(naming == Naming::folders ? name.size() : place);
  return Tensor::strings(names, tensor.shape);
}

}  // namespace

std::vector<ParamDigest> digests_of(const Document& document, const Env* env, bool placeless) {
  std::vector<ParamDigest> out;
  size_t begin = 0;
  for (const DeclaredParam& param : document.params()) {
    auto count = static_cast<size_t>(param.spec.component_count());
    Components values(env->values.begin() + static_cast<ptrdiff_t>(begin),
                      env->values.begin() + static_cast<ptrdiff_t>(begin + count));
    if (placeless && param.names != Naming::nothing && param.spec.is_tensor() &&
        param.spec.dtype == DType::string)
      values[0] = without_place(values[0], param.names);
    out.push_back({param.name, digest_of(values)});
    begin += count;
  }
  return out;
}

}  // namespace weir
