// RowCallback: a callback that takes single elements, and can be called for those of a block one after the
// other for less than as many calls cost.
#pragma once

#include "expr/types/callback.h"

namespace weir {

class RowCallback : public Callback {
 public:
  using Callback::Callback;

  // Calls it for each row of `in`, of which none has failed, and fills the columns of `out`. Rows that fail
  // are listed in out.errors. A failed Status fails all rows.
  virtual Status call_each(Session& session, const Block& in, Block& out) const = 0;
};

}  // namespace weir
