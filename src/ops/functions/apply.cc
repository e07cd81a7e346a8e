#include "ops/functions/apply.h"

#include <new>
#include <utility>

#include "core/exception.h"

namespace weir {

namespace {

// The input's, save for what the function has read.
void add_origins(const Block& in, Block& out) {
  Origins read;
  read.swap(out.origins);
  out.origins.append(in.origins, 0, in.rows, 0);
  out.origins.replace(read, in.rows);
}

}  // namespace

void Apply::operator()(Session& session, int64_t first, const Block& in, Block& out, bool drop,
                       const int32_t* selection) const {
  if (!in.errors.empty() && in.value_rows() == 0) {
    out.set_failed(in.errors, drop ? 0 : function_->components().size());
    out.origins.clear();
    out.origins.append(in.origins, 0, in.rows, 0);
    return;
  }
  CallArgs call = args(session, first, drop);
  call.selection = selection;
  try {
    out.origins.clear();
    function_->call(call, in, out);
    add_origins(in, out);
  } catch (const std::bad_alloc&) {
    if (in.rows == 1 || !function_->not_replayable().empty()) throw;
    call_by_rows(call, in, out);
  }
}

void Apply::call_by_rows(CallArgs args, const Block& in, Block& out) const {
  const int64_t first = args.base_ordinal;
  const int32_t* const selection = std::exchange(args.selection, nullptr);
  const size_t columns = args.drop ? 0 : function_->components().size();
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
        one.origins.clear();
        args.base_ordinal = first + (selection ? selection[row] : row);
        function_->call(args, in.slice(row, 1), one);
      } catch (const std::bad_alloc&) {
        one.set_error(out_of_memory(), columns);
      }
    }
    out.append(one, 0, 1);
  }
  add_origins(in, out);
}

}  // namespace weir
