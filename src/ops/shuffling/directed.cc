#include "ops/shuffling/directed.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "dataset/openings.h"

namespace weir {

namespace {

// So many draws in a row are passed over before nothing is expected of the weights.
constexpr int64_t kMostHopeless = int64_t{1} << 18;

}  // namespace

Directed::Directed(Opening& opening, Instance choices, std::span<const int> inputs, Rules rules)
    : choices_(opening.ctx, std::move(choices), Port::Mode::keep),
      sources_(opening, inputs),
      rules_(std::move(rules)),
      one_by_one_(!sources_.reads_apart() || !reads_apart(choices_.node())),
      open_(sources_.size()) {}

int64_t Directed::drawn_from(int row) const {
  const Column& column = choices_.block().columns[0];
  return column.dense() ? column.tensor().as<const int64_t>()[row] : *column.row(row).as<const int64_t>();
}

// Counts the buffered choices before the first that is an error, `limit` at most, and what they want of each
// source.
int Directed::choices_ahead(int limit) {
  sources_.begin();
  const Block& block = choices_.block();
  const int begin = choices_.begin();
  int count = 0;
  for (; count < std::min(limit, choices_.buffered()); ++count) {
    if (!block.errors.empty() && block.failed(begin + count)) break;
    const int64_t chosen = choice(begin + count);
    if (chosen < 0 || chosen >= sources_.size()) break;
    sources_.want(chosen);
  }
  return count;
}

// Whether no choice from the one at hand on, which named a dataset at its end, names one that has elements
// left. Where nothing says so, that is so after many draws that could not.
bool Directed::none_is_left(int64_t drawn) {
  if (open_ == 0) return true;
  if (!rules_.drawn) return false;
  const int64_t number = choices_.position() + used_choices_;
  const int64_t weights = drawn / kDrawn;
  bool may_come = false;
  bool had_weight = weights == 0;
  for (int64_t i = 0; i < sources_.size(); ++i) {
    if (sources_.closed(i)) continue;
    may_come = may_come || rules_.last.empty() || rules_.last[static_cast<size_t>(i)] >= number;
    had_weight = had_weight || (i < kMostMarked && (weights >> i & 1) != 0);
  }
  hopeless_ = had_weight || !rules_.last.empty() ? 0 : hopeless_ + 1;
  return !may_come || hopeless_ == kMostHopeless;
}

// Assigns rows to the choices ahead, in their order, as far as rows are there. Returns false if the sequence
// ends then.
bool Directed::plan(int ahead) {
  const int begin = choices_.begin();
  for (; used_choices_ < ahead; ++used_choices_) {
    const int64_t drawn = drawn_from(begin + used_choices_);
    const int64_t chosen = choice_of(drawn);
    const SourceRows::Next next = sources_.next(chosen);
    if (next == SourceRows::Next::later) return true;
    if (next == SourceRows::Next::row) {
      sources_.plan(chosen);
      hopeless_ = 0;
      continue;
    }
    if (rules_.stop_on_empty) return false;
    if (sources_.close(chosen)) --open_;
    if (none_is_left(drawn)) return false;
  }
  return true;
}

Step Directed::next(Context& ctx, const Demand& demand, Block& out) {
  sources_.begin();
  used_choices_ = 0;
  while (open_ > 0) {
    Demand wanted = one_by_one_ ? demand.at_most(1) : demand;
    wanted.drop = false;
    PullResult got = choices_.fill(ctx, wanted);
    if (got != PullResult::rows) return got;
    const int ahead = choices_ahead(wanted.rows);
    if (ahead == 0) return refuse_choice(out);
    got = sources_.fetch(ctx, demand, ahead);
    if (got == PullResult::cancelled) return got;
    const bool goes_on = plan(ahead);
    if (sources_.planned() > 0) {
      sources_.give(demand, out);
      take_planned();
      yield_timer_.reset();
      return PullResult::rows;
    }
    if (!goes_on) return rules_.stop_on_empty || open_ == 0 ? Step(PullResult::end) : Step(nothing_to_draw());
    const int passed = used_choices_;
    take_planned();
    if (got == PullResult::pending && passed == 0) return got;
    if (yield_timer_.should_yield(ctx, passed)) return PullResult::pending;
  }
  return PullResult::end;
}

// Uses up a choice that names no dataset.
Step Directed::refuse_choice(Block& out) {
  const int row = choices_.begin();
  const ErrorPtr* error = choices_.block().error_of(row);
  const ErrorPtr failed = error ? *error : nullptr;
  const int64_t chosen = error ? 0 : choice(row);
  out.origins.append(choices_.block().origins, row, 1, 0);
  choices_.take(1);
  choices_.consume_all();
  if (failed) return failed;
  if (rules_.drawn && chosen == sources_.size()) return nothing_to_draw();
  return invalid_argument(expected_found(concat("a choice from 0 to ", sources_.size() - 1), concat(chosen)));
}

// The error after which the sequence ends.
Status Directed::nothing_to_draw() {
  sources_.close_all();
  open_ = 0;
  return Status(Code::failed_precondition,
                expected_found("a dataset with a weight above 0 and elements left", "none",
                               "let the weights end with some for the datasets that last"));
}

void Directed::take_planned() noexcept {
  choices_.take(used_choices_);
  choices_.consume_all();
  sources_.take_planned();
  used_choices_ = 0;
}

int64_t Directed::lose(const ErrorPtr&) noexcept {
  const int lost = std::max(sources_.planned(), 1);
  take_planned();
  return lost;
}

void Directed::state(Archive& archive) {
  sources_.closed_state(archive);
  choices_.state(archive);
  sources_.ports_state(archive);
  if (archive.loading()) open_ = sources_.open();
}

namespace {

struct Open {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const DirectedParams& params) {
    return std::unique_ptr<Cursor>(
        std::make_unique<Directed>(opening, opening.input(params.choice), params.inputs, params.rules));
  }
};

Result<Spec> spec(const DirectedParams& params, std::span<const DatasetRef>) { return params.spec; }

}  // namespace

const OperatorDef& directed_operator() {
  static const OperatorDef def = define<DirectedParams, Open>({
      .name = "directed",
      .kind = OperatorKind::source,
      .internal = true,
      .page = {.doc = "Elements of several datasets in the order of choices."},
      .typing = {.spec = spec_of<DirectedParams, spec>},
      .position = {.ends_early = true,
                   .keeps_rows = true,
                   .kept = [](const ParamsBase&) { return kept_by_directed(); }},
  });
  return def;
}

Result<Spec> directed_spec(std::span<const int> indices, std::span<const DatasetRef> inputs) {
  Spec out;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Spec& spec = inputs[static_cast<size_t>(indices[i])]->spec();
    if (i == 0) out = spec;
    if (!out.check_same_structure(spec).ok()) {
      return invalid_argument(expected_found(concat("datasets of one structure, ", out.to_string()),
                                             concat(spec.to_string(), " in dataset ", i)));
    }
    out = Spec::relax(out, spec);
  }
  return out;
}

int64_t directed_cardinality(std::span<const int> indices, bool stop_on_empty,
                             std::span<const DatasetRef> inputs) {
  const auto infinite = [&](int index) {
    return inputs[static_cast<size_t>(index)]->cardinality() == kInfinite;
  };
  const bool endless = stop_on_empty ? std::all_of(indices.begin(), indices.end(), infinite)
                                     : std::any_of(indices.begin(), indices.end(), infinite);
  return endless ? kInfinite : kUnknown;
}

Kept kept_by_directed() { return {kMaxBlockRows, 0}; }

}  // namespace weir
