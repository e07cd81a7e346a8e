// Function: what map, filter, reduce, scan … apply: a compiled lambda or a callback. Expression: a parameter
// that is computed when a cursor opens.
//
//   CallArgs args{.session = ctx.session, .env = env.get(), .key = key, .base_ordinal = first};
//   f.call(args, in, out);   // out: the same rows; errors of `in` kept, new ones added
//
// Both are immutable; any number of threads may call one Function at once. A Function keeps scratch memory of
// its last calls. A call costs about 100 ns plus its kernels and allocates nothing per row.
#pragma once

#include <memory>
#include <optional>

#include "core/block.h"
#include "dataset/dataset.h"
#include "dataset/params.h"
#include "expr/types/callback.h"

namespace weir {

class RowLoop;  // expr/run/row_loop.h

struct CallArgs {
  Session& session;
  // The variables of the enclosing scope: the env that the calling cursor was opened with. May be null.
  const Env* env = nullptr;
  // The cursor's key, from which random kernels and inner openings derive theirs.
  uint64_t key = 0;
  // Row i has the ordinal base_ordinal + i, or base_ordinal + selection[i] if there is a selection.
  int64_t base_ordinal = 0;
  const int32_t* selection = nullptr;
  // Only the errors are wanted: computes nothing that cannot fail, and returns no columns.
  bool drop = false;

  int64_t ordinal(int row) const { return base_ordinal + (selection ? selection[row] : row); }
};

class Function : public FunctionTraits {
 public:
  // `in` has the flattened components of the argument (of a tuple for two: state, element). `out` gets those
  // of the result and may arrive with the memory of the last call; it must not be `in`. Errors of rows go to
  // `out`; throws std::bad_alloc. out.origins are those of rows that the call itself has read from files.
  virtual void call(const CallArgs& args, const Block& in, Block& out) const = 0;

  const Spec& input() const { return input_; }
  const Spec& result() const { return result_; }
  // The components of result(), computed once.
  const std::vector<Component>& components() const { return components_; }
  // True if some row may fail; if not, a call with `drop` costs nothing.
  bool can_fail() const { return can_fail_; }
  bool draws_random() const { return draws_random_; }
  // False for callbacks that must not run twice at a time; call() then serialises them.
  bool concurrent() const { return concurrent_; }
  // False for callbacks that take single elements, which are called row by row.
  bool takes_blocks() const { return takes_blocks_; }
  // True for callbacks: nobody knows whether it computes or waits.
  bool is_host() const { return is_host_; }
  // Runs it over rows whose first `states` arguments are the first `states` results of the row before. Null
  // if it can only be called.
  virtual std::unique_ptr<RowLoop> row_loop(size_t states) const;
  // How many rows it takes at once. More cost a copy of their results.
  virtual int most_rows() const { return kMaxBlockRows; }
  // The input component that result component i is, or -1 if it is computed.
  virtual int passes(int i) const {
    (void)i;
    return -1;
  }

 protected:
  Function(Spec input, Spec result)
      : input_(std::move(input)), result_(std::move(result)), components_(result_.components()) {}

  Spec input_;
  Spec result_;
  std::vector<Component> components_;
  bool can_fail_ = true;
  bool draws_random_ = false;
  bool concurrent_ = true;
  bool takes_blocks_ = true;
  bool is_host_ = false;
};

using FunctionRef = RefPtr<const Function>;

// Makes a function of the callback for elements of structure `input`; an error if it does not take them.
Result<FunctionRef> make_callback_function(CallbackRef callback, const Spec& input);

// A value over the variables of the enclosing scope.
class Expression : public ParamExpression {
 public:
  const Spec& spec() const { return spec_; }
  // The value if it depends on nothing, else null.
  virtual const Components* constant() const = 0;
  // If it depends on nothing and still fails: why, with the place in the text.
  const Status& failure() const { return failure_; }

 protected:
  Expression(Spec spec, Status failure) : spec_(std::move(spec)), failure_(std::move(failure)) {}
  Spec spec_;
  Status failure_;
};

using ExpressionRef = RefPtr<const Expression>;

}  // namespace weir
