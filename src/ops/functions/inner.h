// Inner: the open dataset that a function made from a row of the input, as flat_map and interleave hold it.
// InnerOpener: the function that makes them. InnerSource: that function over the rows of an input. An Inner
// owns the inner cursor and the scope that counts its epochs. Errors are rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/run/compiled.h"
#include "ops/functions/apply.h"
#include "ops/functions/run_ahead.h"

namespace weir {

class Inner {
 public:
  // The saved position of an inner cursor, kept in this form until the row that opened it is available.
  struct Saved {
    std::string bytes;
    std::vector<uint64_t> epochs;
    // It is that of a dataset that run_ahead() made.
    bool ahead = false;
    void state(Archive& archive);
  };

  // The number of the row it was opened for.
  int64_t ordinal() const { return ordinal_; }
  PullResult next(Context& ctx, const Demand& demand, Block& out);
  int64_t assured() const noexcept { return stage_->assured(); }
  // Lets a dataset that runs ahead begin before its first next().
  void warm_start() noexcept { stage_->warm_start(); }
  // `holding`: null, or saves rows by value.
  Saved save(Holding* holding = nullptr);
  // REQUIRES: before the first next.
  Status load(const Saved& saved);

 private:
  friend class InnerOpener;
  explicit Inner(int outer_depth) : outer_depth_(outer_depth) {}
  template <class F>
  auto in_scope(Context& ctx, F&& work);

  int64_t ordinal_ = 0;
  EpochScope epochs_;
  // The number of lambdas around the operator, or -1 if what the function returns opens nothing from outside.
  int outer_depth_;
  // The origin of the row it was opened for, for rows without their own origin.
  Origin origin_;
  bool ahead_ = false;
  std::unique_ptr<Stage> stage_;
};

// The cardinality of the elements of datasets that a function makes from the input's: that of an input
// without elements or without end, as in tf.data.
int64_t cardinality_of_inners(const ParamsBase&, std::span<const DatasetRef> inputs);

class InnerOpener {
 public:
  InnerOpener(Opening& opening, const FunctionParam& function)
      : apply_(opening, function),
        path_(opening.path),
        depth_(opening.node->depth()),
        opens_outer_(opens_outer(*opening.node, apply_.function())),
        compiled_(dynamic_cast<const CompiledFunction*>(&apply_.function())) {}

  // From now on, datasets that open() opens run ahead if they are asked to.
  void run_ahead(AheadSlots slots) { slots_ = std::move(slots); }
  // True if opening a dataset counts nothing that others see, so that it may be opened before its turn.
  bool opens_apart() const { return !opens_outer_; }
  // True if the datasets give the same when they are opened again: their rows need not be saved by value.
  bool repeats() const;
  uint64_t key() const { return apply_.key(); }
  // Calls the function on a row of `in` that has not failed; returns its error.
  ErrorPtr close_over(Session& session, const Block& in, int row, int64_t ordinal, Closure& out);
  // The dataset with a Window of its own.
  // REQUIRES: run_ahead() was called
  Result<DatasetRef> ahead_of(DatasetRef node);
  // Calls the function on a row of `in` that has not failed, as row `ordinal`, and opens the result in `out`.
  // Rows without their own origin get `origin`. An error belongs to the row.
  Step open(Context& ctx, const Block& in, int row, int64_t ordinal, Origin origin, bool ahead,
            std::unique_ptr<Inner>& out);
  // Takes a dataset that has ended, for the next one to have its memory; one that ran ahead closes at once.
  void recycle(std::unique_ptr<Inner> inner) noexcept {
    if (!inner->ahead_) spent_ = std::move(inner);
  }

 private:
  static bool opens_outer(const Dataset& node, const Function& function);

  Apply apply_;
  PathRef path_;
  const int depth_;
  const bool opens_outer_;
  // The function, unless it is the host's.
  const CompiledFunction* const compiled_;
  // The function's result, kept for its memory.
  Block result_;
  AheadSlots slots_;
  std::unique_ptr<Inner> spent_;
  // The last node that was made to run ahead, and what became of it: mostly there is only one.
  DatasetRef plain_node_;
  DatasetRef ahead_node_;
};

class InnerSource {
 public:
  InnerSource(Opening& opening, const FunctionParam& function)
      : input_(opening, 0, Port::Mode::keep), opener_(opening, function) {}

  void run_ahead(AheadSlots slots) { opener_.run_ahead(std::move(slots)); }
  bool opens_apart() const { return opener_.opens_apart(); }
  bool repeats() const { return opener_.repeats(); }
  // Pulls a row of the input, calls the function on it and opens the result in `out`, with a Window of its
  // own if it is to run `ahead`. An error belongs to the row. The row is taken even if it failed, but not
  // consumed.
  Step open_next(Context& ctx, std::unique_ptr<Inner>& out, bool ahead = false) {
    return open_row(ctx, out, ahead);
  }
  // The same for a dataset that was open when the position was saved: its openings are already counted.
  Step open_again(Context& ctx, std::unique_ptr<Inner>& out, const Inner::Saved& saved);
  void recycle(std::unique_ptr<Inner> inner) noexcept { opener_.recycle(std::move(inner)); }
  Port& input() { return input_; }
  // The origin of the row taken last.
  Origin origin() const { return origin_; }

 private:
  Step open_row(Context& ctx, std::unique_ptr<Inner>& out, bool ahead);

  Port input_;
  InnerOpener opener_;
  Origin origin_;
};

}  // namespace weir
