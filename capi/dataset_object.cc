#include "capi/dataset_object.h"

namespace weir::capi {

Result<DocumentRef> document_of(weir_dataset dataset) {
  Pin<DatasetObject> pinned(dataset.value);
  if (!pinned) return pin_error(pinned, "a dataset", dataset.value);
  return pinned->document;
}

}  // namespace weir::capi
