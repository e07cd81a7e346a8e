// DatasetObject: a Document behind a handle. Immutable. May be used on any thread.
#pragma once

#include <atomic>
#include <memory>

#include "capi/barrier.h"
#include "capi/spec.h"
#include "graph/document.h"

namespace weir::capi {

struct DatasetObject final : Object {
  static constexpr HandleKind kKind = HandleKind::dataset;
  explicit DatasetObject(DocumentRef d) : document(std::move(d)) {}
  ~DatasetObject() override { delete spec_.load(std::memory_order_acquire); }
  const DocumentRef document;

  // The structure of its elements, copied once, since what shares it may outlive the dataset. Takes no lock,
  // which a child after fork might wait for.
  SpecRef spec() {
    const SpecRef* made = spec_.load(std::memory_order_acquire);
    if (!made) {
      auto fresh = std::make_unique<const SpecRef>(std::make_shared<const Spec>(document->spec()));
      if (spec_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) made = fresh.release();
    }
    return *made;
  }

 private:
  std::atomic<const SpecRef*> spec_{nullptr};
};

Result<DocumentRef> document_of(weir_dataset dataset);
weir_dataset publish_dataset(DocumentRef document);

}  // namespace weir::capi
