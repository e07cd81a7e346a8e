// interleave(f, cycle_length, block_length): block_length elements of each of cycle_length open datasets in turns.
// A slot whose dataset ends takes the next element of the input on its next turn. Errors do not count as elements.
// Checkpoint: per open slot the number of the element that opened it and the position in its dataset.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/text.h"
#include "ops/inner.h"

namespace weir {
namespace {

constexpr int64_t kAutoCycle = 8;
constexpr int64_t kMaxCycle = int64_t{1} << 20;

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::dataset};
  IntParam cycle_length = IntParam::automatic();
  IntParam block_length{1};
  IntParam num_parallel_calls{1};
  BoolParam deterministic = BoolParam::none();
  void fields(Fields& fields) override {
    fields("f", f, "Gives a dataset for an element.");
    fields("cycle_length", cycle_length, "How many datasets are open at a time; auto is 8.", {1, kMaxCycle},
           {.automatic = true});
    fields("block_length", block_length, "How many elements of one dataset come in a row.", at_least(1));
    fields("num_parallel_calls", num_parallel_calls, "At most cycle_length. The sequence is the same for any.",
           at_least(1), {.automatic = true});
    fields("deterministic", deterministic, "Accepted; the order is always kept.", {}, {.none = true});
  }
};

class Interleave final : public Cursor {
 public:
  Interleave(Opening& opening, const Params& params)
      : outer_(opening, 0, Port::Mode::keep),
        apply_(opening, params.f),
        path_(opening.path),
        cycle_length_(params.cycle_length.value_or(kAutoCycle)),
        block_length_(*params.block_length) {}

  Step next(Context& ctx, const Want& want, Block& out) override {
    out.reset(0);
    Want part = want;
    while (out.rows < want.rows) {
      part.rows = want.rows - out.rows;
      Step step = pull_slot(ctx, part);
      if (!step.error() && step.answer() == Pull::rows) {
        if (part_.rows > 0) out.append(part_, 0, part_.rows);
        continue;
      }
      // What came before an error or a wait is given first; the error is kept for the next call.
      if (out.rows > 0 && step.error()) {
        error_ = step.error();
        return Pull::rows;
      }
      return out.rows > 0 && step.answer() != Pull::cancelled ? Step(Pull::rows) : step;
    }
    return Pull::rows;
  }

  void state(Archive& archive) override;
  Step resume(Context& ctx) override;

 private:
  Step pull_slot(Context& ctx, const Want& want);
  Step fill_slot(Context& ctx);
  void advance() {
    cycle_index_ = (cycle_index_ + 1) % cycle_length_;
    block_index_ = 0;
  }
  std::unique_ptr<Inner>& slot(int64_t index) {
    // Slots come into being as inputs do, so that a large cycle_length costs nothing by itself.
    if (static_cast<int64_t>(slots_.size()) <= index) slots_.resize(static_cast<size_t>(index) + 1);
    return slots_[static_cast<size_t>(index)];
  }
  void consume();

  Port outer_;
  Apply apply_;
  PathRef path_;
  int64_t cycle_length_;
  int64_t block_length_;
  int64_t cycle_index_ = 0;
  int64_t block_index_ = 0;
  int64_t open_count_ = 0;
  bool outer_ended_ = false;
  std::vector<std::unique_ptr<Inner>> slots_;
  Block part_;
  ErrorPtr error_;

  // A loaded position until resume has opened its slots.
  struct LoadedSlot {
    int64_t index = 0;
    int64_t ordinal = 0;
    Inner::Saved saved;
  };
  std::vector<LoadedSlot> loaded_;
  int64_t loaded_position_ = 0;
};

// One turn: rows of the current slot in part_, possibly none where a slot was opened, closed or passed over.
Step Interleave::pull_slot(Context& ctx, const Want& want) {
  part_.reset(part_.columns.size());
  if (error_) return std::exchange(error_, nullptr);
  if (outer_ended_ && open_count_ == 0) return Pull::end;
  std::unique_ptr<Inner>& current = slot(cycle_index_);
  if (!current) {
    if (!outer_ended_) return fill_slot(ctx);
    advance();
    return Pull::rows;
  }
  Pull got = current->next(ctx, want.at_most(block_length_ - block_index_), part_);
  if (got == Pull::rows) {
    block_index_ += part_.value_rows();
    if (block_index_ == block_length_) advance();
  } else if (got == Pull::end) {
    part_.reset(part_.columns.size());
    current.reset();
    --open_count_;
    consume();
    advance();
    return Pull::rows;
  }
  return got;
}

Step Interleave::fill_slot(Context& ctx) {
  Pull got = outer_.fill(ctx, Want{});
  if (got == Pull::end) {
    outer_ended_ = true;
    return Pull::rows;
  }
  if (got != Pull::rows) return got;
  if (const ErrorPtr* error = outer_.block().error_of(outer_.begin())) {
    ErrorPtr copy = *error;
    outer_.take(1);
    consume();
    return copy;
  }
  auto inner = Inner::open(ctx, apply_, outer_, path_);
  if (!inner.ok()) {
    consume();
    return inner.status();
  }
  slot(cycle_index_) = *std::move(inner);
  ++open_count_;
  return Pull::rows;
}

// The oldest row needed is the oldest that has a slot open.
void Interleave::consume() {
  int64_t oldest = outer_.position();
  for (const auto& open : slots_) {
    if (open) oldest = std::min(oldest, open->ordinal());
  }
  outer_.consume_to(oldest);
}

void Interleave::state(Archive& archive) {
  outer_.state(archive);
  int64_t position = outer_.position();
  archive("position", position, 0, INT64_MAX);
  archive("ended", outer_ended_);
  archive("cycle_index", cycle_index_, 0, cycle_length_ - 1);
  archive("block_index", block_index_, 0, block_length_);
  archive("open", open_count_, 0, cycle_length_);
  if (archive.loading()) {
    loaded_position_ = position;
    loaded_.clear();
    for (int64_t i = 0; i < open_count_ && archive.status().ok(); ++i) {
      LoadedSlot& loaded = loaded_.emplace_back();
      archive("slot", loaded.index, 0, cycle_length_ - 1);
      archive("ordinal", loaded.ordinal, 0, position);
      loaded.saved.state(archive);
    }
    return;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) continue;
    auto index = static_cast<int64_t>(i);
    int64_t ordinal = slots_[i]->ordinal();
    Inner::Saved saved = slots_[i]->save();
    archive("slot", index);
    archive("ordinal", ordinal);
    saved.state(archive);
  }
}

Step Interleave::resume(Context& ctx) {
  while (outer_.position() < loaded_position_) {
    Pull got = outer_.fill(ctx, Want{});
    if (got == Pull::end) return data_loss("the input of interleave is shorter than when its position was saved");
    if (got != Pull::rows) return got;
    auto wanted = std::find_if(loaded_.begin(), loaded_.end(),
                               [&](const LoadedSlot& l) { return l.ordinal == outer_.position(); });
    if (wanted == loaded_.end()) {
      outer_.take(1);
      continue;
    }
    WEIR_ASSIGN(auto inner, Inner::open(ctx, apply_, outer_, path_));
    WEIR_TRY(inner->load(wanted->saved));
    slot(wanted->index) = std::move(inner);
  }
  loaded_.clear();
  return Pull::rows;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  int64_t cycle = params.cycle_length.value_or(kAutoCycle);
  bool known = params.num_parallel_calls.is_constant() && !params.cycle_length.expression;
  if (known && *params.num_parallel_calls > cycle) {
    return invalid_argument(concat("interleave: num_parallel_calls is ", *params.num_parallel_calls,
                                   "; expected at most cycle_length, which is ", cycle));
  }
  return function_of(params.f).result().children[0];
}

}  // namespace

const OperatorDef& interleave_operator() {
  static const OperatorDef def = define<Params, Interleave>({
      .name = "interleave",
      .doc = "`block_length` elements of each of `cycle_length` datasets in turns, each made by f from an element. "
             "Cost: opening a dataset an element of input, and a small copy an element.",
      .spec = spec_of<Params, spec>,
      .cardinality = unknown_cardinality,
  });
  return def;
}

}  // namespace weir
