#include "core/value.h"

namespace weir {

Tensor dataset_tensor(RefPtr<NestedDataset> dataset) {
  Tensor out = Tensor::allocate(DType::dataset, Shape());
  *out.as<const NestedDataset*>() = dataset.get();
  auto owners = make_ref<Owners>();
  owners->list.push_back(std::move(dataset));
  out.owners = std::move(owners);
  return out;
}

}  // namespace weir
