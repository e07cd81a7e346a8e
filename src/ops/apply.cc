#include "ops/apply.h"

#include <new>
#include <utility>

#include "core/exception.h"

namespace weir {

void Apply::operator()(Session& session, int64_t first, const Block& in, Block& out, bool drop) const {
  if (!in.errors.empty() && in.value_rows() == 0) {
    out.set_failed(in.errors, drop ? 0 : function_->components().size());
    out.origins.clear();
    out.origins.append(in.origins, 0, in.rows, 0);
    return;
  }
  try {
    call(session, first, in, out, drop);
    out.origins.clear();
    out.origins.append(in.origins, 0, in.rows, 0);
  } catch (const std::bad_alloc&) {
    if (in.rows == 1 || !function_->not_replayable().empty()) throw;
    call_by_rows(session, first, in, out, drop);
  }
}

void Apply::call_by_rows(Session& session, int64_t first, const Block& in, Block& out, bool drop) const {
  const size_t columns = drop ? 0 : function_->components().size();
  out.rows = 0;
  out.reset(columns);
  Block one;
  // One row must take the error of the failed call: the first that could have had a value.
  bool paid = false;
  for (int row = 0; row < in.rows; ++row) {
    if (const ErrorPtr* failed = in.error_of(row)) {
      one.set_error(*failed, columns);
    } else if (!std::exchange(paid, true)) {
      one.set_error(out_of_memory(), columns);
    } else {
      try {
        call(session, first + row, in.slice(row, 1), one, drop);
      } catch (const std::bad_alloc&) {
        one.set_error(out_of_memory(), columns);
      }
    }
    out.append(one, 0, 1);
  }
  out.origins.clear();
  out.origins.append(in.origins, 0, in.rows, 0);
}

}  // namespace weir
