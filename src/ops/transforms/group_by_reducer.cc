// group_by_reducer(key, init, reduce, finalize): takes all elements and folds those of each key into a state,
// then gives what `finalize` makes of each state, in the order of the keys. A failed element, key or call of
// `reduce` is an error at once. Checkpoint: the input's position, and the states that have not been given, by
// value.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/text.h"
#include "dataset/held_rows.h"
#include "dataset/yield_timer.h"
#include "ops/functions/row_keys.h"
#include "ops/functions/row_width.h"
#include "ops/functions/state_fold.h"

namespace weir::group_by_reducer_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam key{FunctionParam::Takes::element, FunctionParam::Gives::integer};
  FunctionParam init{FunctionParam::Takes::key, FunctionParam::Gives::state};
  FunctionParam reduce{FunctionParam::Takes::state_and_element, FunctionParam::Gives::state};
  FunctionParam finalize{FunctionParam::Takes::state, FunctionParam::Gives::anything};
  void fields(Fields& f) override {
    f("key", key, "Returns the key of an element's group, an int64.");
    f("init", init, "Returns the first state of a group, from its key.");
    f("reduce", reduce, "(state, element) -> state, of the same structure and dtypes.");
    f("finalize", finalize, "Returns the result of a group, from its last state.");
  }
};

class GroupByReducer final : public Cursor {
 public:
  GroupByReducer(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::keep),
        keys_(input_, opening, params.key),
        init_(opening, params.init),
        fold_(opening, params.reduce),
        finalize_(opening, params.finalize),
        width_(finalize_.function()) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (!read_) {
      Step step = read(ctx, out);
      input_.consume_all();
      if (step.error() || step.answer() != PullResult::end) return step;
      read_ = true;
    }
    if (states_.empty()) return PullResult::end;
    give(ctx.session, demand, out);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (read_) {
      drop(1);
    } else if (input_.buffered() > 0) {
      input_.take(1);
      input_.consume_all();
    }
    return 1;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    archive("read", read_);
    archive("given", given_, 0, kMostCounted);
    std::vector<int64_t> keys;
    HeldRows held;
    if (!archive.loading()) {
      for (const auto& [key, state] : states_) {
        keys.push_back(key);
        held.add(state.slice(0, 1));
      }
    }
    archive("keys", keys);
    held.state(archive, fold_.spec());
    if (!archive.loading() || !archive.status().ok()) return;
    const bool rise = std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end();
    if (!rise || held.rows() != static_cast<int64_t>(keys.size()))
      return archive.fail(expected_found("a state for each key", "something else"));
    states_.clear();
    for (int64_t key : keys) {
      Block state;
      held.take(1, state);
      if (state.value_rows() != 1) return archive.fail(expected_found("a state", "an error"));
      states_.emplace_hint(states_.end(), key, std::move(state));
    }
  }

 private:
  // Takes elements until one fails or none are left.
  Step read(Context& ctx, Block& out) {
    Demand demand;
    demand.rows = kMaxBlockRows;
    for (;;) {
      const PullResult got = keys_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
      const int rows = keys_.rows();
      while (keys_.rows() > 0) {
        const Origin origin = input_.block().origins.of(input_.begin());
        int taken = 1;
        if (ErrorPtr error = reduce_run(ctx.session, taken)) {
          const int failed = input_.begin() + taken - 1;
          out.origins.add_one(0, taken == 1 ? origin : input_.block().origins.of(failed));
          input_.take(taken);
          return error;
        }
        input_.take(taken);
      }
      if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
    }
  }

  // Folds the next rows of one key into its state. Returns the error of the last of the `taken` rows, if it
  // failed.
  ErrorPtr reduce_run(Session& session, int& taken) {
    if (const ErrorPtr* error = keys_.error()) return *error;
    const int64_t key = keys_.key();
    const int rows = keys_.run();
    auto group = states_.find(key);
    const bool is_new = group == states_.end();
    Block first;
    if (is_new) {
      if (ErrorPtr error = init(session, key, first)) return error;
    }
    Block& state = is_new ? first : group->second;
    const int begin = input_.begin();
    errors_.clear();
    // The group keeps its state until all has gone well.
    fold_.begin(state.slice(0, 1));
    fold_.run(session, input_.position() - begin, input_.block(), begin, begin + rows, true, errors_,
              nullptr);
    std::swap(state, fold_.state());
    const bool failed = !errors_.empty();
    const int done = failed ? errors_[0].row - begin : rows;
    if (is_new && done > 0) states_.emplace(key, std::move(first));
    taken = failed ? done + 1 : done;
    return failed ? errors_[0].error : nullptr;
  }

  ErrorPtr init(Session& session, int64_t key, Block& state) {
    in_ = Block();
    in_.set_row({Tensor::scalar<int64_t>(key)});
    init_(session, key, in_, state);
    return state.errors.empty() ? nullptr : state.errors[0].error;
  }

  // Gives the groups of the least keys.
  void give(Session& session, const Demand& demand, Block& out) {
    const int most = width_.narrowed(demand, finalize_.function()).rows;
    const int rows = static_cast<int>(std::min<size_t>(states_.size(), static_cast<size_t>(most)));
    in_ = Block();
    auto state = states_.begin();
    for (int row = 0; row < rows; ++row, ++state) in_.append(state->second, 0, 1);
    finalize_(session, given_, in_, out, demand.drop);
    width_.learn(out);
    drop(rows);
  }

  void drop(int rows) noexcept {
    for (int row = 0; row < rows && !states_.empty(); ++row) states_.erase(states_.begin());
    given_ += rows;
  }

  Port input_;
  RowKeys keys_;
  const Apply init_;
  StateFold fold_;
  const Apply finalize_;
  RowWidth width_;
  // All elements were taken.
  bool read_ = false;
  // A row each.
  std::map<int64_t, Block> states_;
  // How many groups were given.
  int64_t given_ = 0;
  // A call's arguments.
  Block in_;
  RowErrors errors_;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.finalize).result();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, GroupByReducer>({
      .name = "group_by_reducer",
      .page =
          {.doc =
               "Groups all elements by key and folds each group into one result. Yields one result per group, the value of `finalize`. The state of a group is `init(key)` at first, and `reduce(state, element)` after each element. When the input has ended, `finalize(state)` of each group follows, the least key first. An element that fails, or for which `key`, `init` or `reduce` fails, is an error at once and changes no state; a group whose elements all failed has no result. A dataset that is known to be infinite is refused.",
           .cost =
               "Keeps a state for each key, plus about 300 bytes. A checkpoint contains the states whose results have not been taken.",
           .tf_names = "key_func=key init_func=init reduce_func=reduce finalize_func=finalize",
           .example =
               "from_tensor_slices([\"a\", \"bb\", \"cc\", \"d\"]) | group_by_reducer(s -> string_length(s), init: n -> (n, 0), reduce: ((n, count), _) -> (n, count + 1), finalize: s -> s)",
           .output = "(1, 2)\n(2, 2)",
           .bench =
               "range(200000) | group_by_reducer(x -> x % 10, init: k -> 0, reduce: (s, x) -> s + x, finalize: s -> s)"},
      .typing = {.spec = spec_of<Params, spec>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kMaxBlockRows, 0, true};
                       }},
  });
  return def;
}

}  // namespace weir::group_by_reducer_op
