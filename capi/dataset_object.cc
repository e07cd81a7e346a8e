#include "capi/dataset_object.h"

namespace weir::capi {

Result<DocumentRef> document_of(weir_dataset dataset) {
  Pin<DatasetObject> pinned(dataset.value);
  if (!pinned) return pin_error(pinned, "a dataset", dataset.value);
  return pinned->document;
}

weir_dataset publish_dataset(DocumentRef document) {
  return weir_dataset{publish(HandleKind::dataset, std::make_unique<DatasetObject>(std::move(document)))};
}

}  // namespace weir::capi
