// DatasetObject: a Document behind a handle.
// Ownership: shares the document. Threads: immutable. Errors: invalid_argument for a bad handle. Cost: see
// weir.h.
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

}  // namespace weir::capi
