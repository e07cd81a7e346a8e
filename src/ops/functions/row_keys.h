// RowKeys: the rows of a Port with the keys that a function gives for them, for operators that group rows.
//
//   PullResult got = keys.fill(ctx, demand);       // rows: at least one has its key
//   for (; keys.rows() > 0; input.take(1)) {
//     if (const ErrorPtr* error = keys.error()) …  // the row or its key failed
//     … keys.key() …                               // of row input.begin()
//   }
//
// Keys are computed for whole blocks, but row by row where a second call might give another key.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataset/port.h"
#include "ops/functions/apply.h"

namespace weir {

class RowKeys {
 public:
  // `input` must outlive it and be in keep mode.
  RowKeys(Port& input, const Opening& opening, const FunctionParam& key)
      : input_(input), key_(opening, key), again_(key_.function().not_replayable().empty()) {}

  // Keys may be computed again, and before they are needed.
  bool again() const { return again_; }
  // Pulls a block unless rows are buffered, and computes keys unless the next row has its own.
  PullResult fill(Context& ctx, const Demand& demand);
  // How many rows from the Port's next one on have their keys.
  int rows() const { return input_.buffered() > 0 ? end_ - input_.begin() : 0; }
  // Null, or why the next row has no key.
  // REQUIRES: rows() > 0
  const ErrorPtr* error() const { return keys_.error_of(input_.begin() - begin_); }
  // The key of the row `ahead` after the next one.
  // REQUIRES: rows() > ahead, and that row has a key
  int64_t key(int ahead = 0) const;
  // How many rows from the next one on have its key.
  // REQUIRES: rows() > 0, and no error()
  int run() const;

 private:
  Port& input_;
  Apply key_;
  const bool again_;
  // The keys of the Port's rows [begin_, end_).
  Block keys_;
  int begin_ = 0;
  int end_ = 0;
};

}  // namespace weir
