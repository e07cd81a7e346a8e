#include "ops/shuffling/directed.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "dataset/openings.h"

namespace weir {

Directed::Directed(Opening& opening, Instance choices, std::span<const int> inputs, bool stop_on_empty)
    : choices_(opening.ctx, std::move(choices), Port::Mode::keep),
      width_(opening.node->components().size()),
      stop_on_empty_(stop_on_empty),
      one_by_one_(shares_openings(opening.ctx.session, *opening.node) || !reads_apart(choices_.node())),
      open_(static_cast<int64_t>(inputs.size())) {
  sources_.reserve(inputs.size());
  for (int index : inputs) {
    Port port(opening, index, Port::Mode::keep);
    one_by_one_ = one_by_one_ || !reads_apart(port.node());
    std::vector<int> order = moved_components(port.node().spec(), opening.node->spec());
    sources_.push_back({std::move(port), std::move(order)});
  }
}

int64_t Directed::choice(int row) const {
  const Column& column = choices_.block().columns[0];
  return column.dense() ? column.tensor().as<const int64_t>()[row] : *column.row(row).as<const int64_t>();
}

// Counts the buffered choices before the first that is an error, `limit` at most, and what they want of each
// source.
int Directed::choices_ahead(int limit) {
  for (Source& source : sources_) source.wanted = source.taken = 0;
  const Block& block = choices_.block();
  const int begin = choices_.begin();
  int count = 0;
  for (; count < std::min(limit, choices_.buffered()); ++count) {
    if (!block.errors.empty() && block.failed(begin + count)) break;
    const int64_t chosen = choice(begin + count);
    if (chosen < 0 || chosen >= static_cast<int64_t>(sources_.size())) break;
    ++sources_[static_cast<size_t>(chosen)].wanted;
  }
  return count;
}

// Pulls what the choices ahead want. Answers pending if something has to be waited for.
PullResult Directed::fetch(Context& ctx, const Demand& demand, int ahead) {
  PullResult answer = PullResult::rows;
  for (Source& source : sources_) {
    if (source.wanted == 0 || source.ended) continue;
    Demand part = demand.at_most(source.wanted);
    part.bytes = std::max<int64_t>(1, demand.bytes / ahead * source.wanted);
    const PullResult got = source.port.fill(ctx, part);
    if (got == PullResult::cancelled) return got;
    if (got == PullResult::end) source.ended = true;
    if (got == PullResult::pending) answer = got;
  }
  return answer;
}

// Assigns rows to the choices ahead, in their order, as far as rows are there. Returns false if the sequence
// ends then.
bool Directed::plan(int ahead) {
  const int begin = choices_.begin();
  for (; used_choices_ < ahead; ++used_choices_) {
    const int64_t chosen = choice(begin + used_choices_);
    Source& source = sources_[static_cast<size_t>(chosen)];
    if (source.ended) {
      if (stop_on_empty_) return false;
      open_ -= source.closed == 0 ? 1 : 0;
      source.closed = 1;
      if (open_ == 0) return false;
    } else if (source.taken < source.port.buffered()) {
      ++source.taken;
      rows_[static_cast<size_t>(planned_++)] = static_cast<int32_t>(chosen);
    } else {
      return true;
    }
  }
  return true;
}

Step Directed::next(Context& ctx, const Demand& demand, Block& out) {
  planned_ = used_choices_ = 0;
  for (;;) {
    Demand wanted = one_by_one_ ? demand.at_most(1) : demand;
    wanted.drop = false;
    PullResult got = choices_.fill(ctx, wanted);
    if (got != PullResult::rows) return got;
    const int ahead = choices_ahead(wanted.rows);
    if (ahead == 0) return refuse_choice(out);
    got = fetch(ctx, demand, ahead);
    if (got == PullResult::cancelled) return got;
    const bool goes_on = plan(ahead);
    if (planned_ > 0) {
      give(demand, out);
      take_planned();
      yield_timer_.reset();
      return PullResult::rows;
    }
    if (!goes_on) return PullResult::end;
    const int passed = used_choices_;
    take_planned();
    if (got == PullResult::pending && passed == 0) return got;
    if (yield_timer_.should_yield(ctx, passed)) return PullResult::pending;
  }
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
  return invalid_argument(expected_found(concat("a choice from 0 to ", sources_.size() - 1), concat(chosen)));
}

// Joins the rows by their sources, and then puts them in order.
void Directed::give(const Demand& demand, Block& out) {
  joined_.reset(demand.drop ? 0 : width_);
  for (Source& source : sources_) {
    source.first = joined_.rows;
    if (source.taken == 0) continue;
    const Block& block = source.port.block();
    if (source.order.empty() || block.columns.empty()) {
      joined_.append(block, source.port.begin(), source.taken);
      continue;
    }
    Block moved = block.slice(source.port.begin(), source.taken);
    std::vector<Column> columns;
    for (int from : source.order) columns.push_back(std::move(moved.columns[static_cast<size_t>(from)]));
    moved.columns = std::move(columns);
    joined_.append(moved, 0, source.taken);
  }
  bool in_order = true;
  for (int i = 0; i < planned_; ++i) {
    order_[static_cast<size_t>(i)] = sources_[static_cast<size_t>(rows_[static_cast<size_t>(i)])].first++;
    in_order = in_order && order_[static_cast<size_t>(i)] == i;
  }
  if (in_order)
    std::swap(out, joined_);
  else
    out.gather_from(joined_, {order_.data(), static_cast<size_t>(planned_)});
}

void Directed::take_planned() noexcept {
  choices_.take(used_choices_);
  choices_.consume_all();
  for (Source& source : sources_) {
    source.port.take(source.taken);
    source.port.consume_all();
    source.taken = 0;
  }
  planned_ = used_choices_ = 0;
}

int64_t Directed::lose(const ErrorPtr&) noexcept {
  const int lost = std::max(planned_, 1);
  take_planned();
  return lost;
}

void Directed::state(Archive& archive) {
  std::vector<uint64_t> closed;
  for (const Source& source : sources_) closed.push_back(source.closed);
  archive("closed", closed);
  choices_.state(archive);
  for (Source& source : sources_) source.port.state(archive);
  if (!archive.loading()) return;
  if (closed.size() != sources_.size()) return archive.fail("a position has other datasets to choose from");
  open_ = static_cast<int64_t>(sources_.size());
  for (size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].ended = false;
    sources_[i].closed = closed[i] != 0 ? 1 : 0;
    open_ -= closed[i] != 0 ? 1 : 0;
  }
}

namespace {

struct Open {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const DirectedParams& params) {
    return std::unique_ptr<Cursor>(std::make_unique<Directed>(opening, opening.input(params.choice),
                                                              params.inputs, params.stop_on_empty));
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
