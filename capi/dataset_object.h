// DatasetObject: a Document behind a handle. Immutable.
#pragma once

#include "capi/barrier.h"
#include "capi/spec.h"
#include "graph/document.h"

namespace weir::capi {

struct DatasetObject final : Object {
  static constexpr HandleKind kKind = HandleKind::dataset;
  explicit DatasetObject(DocumentRef d) : document(std::move(d)) {}
  const DocumentRef document;
};

Result<DocumentRef> document_of(weir_dataset dataset);
weir_dataset publish_dataset(DocumentRef document);

}  // namespace weir::capi
