// ArrowStream: a stream that a caller hands over. It is released with this, if not before.
#pragma once

#include "capi/barrier.h"
#include "format/tables/arrow_abi.h"
#include "graph/document.h"

namespace weir::capi {

class ArrowStream {
 public:
  // NULL is allowed.
  explicit ArrowStream(ArrowArrayStream* given) noexcept {
    if (given) stream_ = ArrowOwned<ArrowArrayStream>(given);
  }
  ~ArrowStream();

  // Reads it to its end: a dataset of its rows, which owns its batches. Errors are those of weir_argument.
  Result<DocumentRef> rows(Runtime& runtime);

 private:
  template <class Function>
  Status ask(Function&& function);

  ArrowOwned<ArrowArrayStream> stream_;
};

}  // namespace weir::capi
