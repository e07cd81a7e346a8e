// For kernels that make one string of each string of their first argument.
#pragma once

#include <string>

#include "core/text.h"
#include "expr/types/kernel.h"

namespace weir {

// The same error, saying which of the row's strings it is about if there are several.
inline Status at_string(const Status& status, int64_t index, int64_t count) {
  if (count == 1) return status;
  Error error = status.error();
  error.message = concat("string ", index, " of ", count, ": ", error.message);
  error.parts.mistake = Mistake(error.message);
  return Status(std::move(error));
}

// Calls f(row, string, out) for each string, which returns a Status; the first error of a row is the row's.
template <class F>
void each_string(KernelRun& run, F f) {
  const Arg& strings = run.arg(0);
  const int64_t count = strings.shape.count();
  Str* out = run.make<Str>(0, strings.shape);
  if (out == nullptr) return;
  for (int row = 0; row < run.rows(); ++row, out += count) {
    const Str* in = strings.row<Str>(row);
    for (int64_t k = 0; k < count; ++k) {
      const Status status = f(row, in[k].view(), out[k]);
      if (status.ok()) continue;
      run.fail(row, at_string(status, k, count));
      break;
    }
  }
}

// The same, with room for the bytes of all results at once: bound(string) says how many bytes a result has at
// most, write(string, to, size) writes them, sets their number and returns a Status.
template <class Bound, class Write>
void map_strings(KernelRun& run, Bound bound, Write write) {
  const Arg& strings = run.arg(0);
  const int64_t count = strings.shape.count();
  size_t total = 0;
  for (int row = 0; row < run.rows(); ++row) {
    const Str* in = strings.row<Str>(row);
    for (int64_t k = 0; k < count; ++k) total += bound(in[k].size);
  }
  char* to = run.bytes(total);
  each_string(run, [&](int, std::string_view in, Str& out) {
    size_t size = 0;
    Status status = write(in, to, size);
    if (!status.ok()) return status;
    out = Str(to, size);
    to += size;
    return status;
  });
}

}  // namespace weir
