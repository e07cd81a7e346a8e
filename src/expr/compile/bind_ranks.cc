// Calls with arguments of unknown rank. Most kernels can only be typed for a known one, so the call is typed
// for each rank that the argument may have; the element decides which of these runs.
#include <algorithm>
#include <array>

#include "core/text.h"
#include "expr/compile/bound_call.h"
#include "expr/types/partial_state.h"

namespace weir {

namespace {

constexpr size_t kRanks = kMaxRank + 1;
// With two arguments each combination is typed; more must agree in rank.
constexpr size_t kMaxFree = 2;

struct Way {
  KernelBody body = nullptr;
  std::shared_ptr<const KernelState> state;
  // Why there is no body.
  Status refusal;
};

struct ByRank : PartialState {
  // Run-time arguments of unknown rank; those of one group have the same rank.
  std::vector<std::vector<int>> groups;
  std::vector<Way> ways;

  bool free() const { return groups.size() <= kMaxFree; }
  size_t count() const { return free() && groups.size() == 2 ? kRanks * kRanks : kRanks; }
  int rank_of(size_t way, size_t group) const {
    const size_t rank = free() && group == 1 ? way / kRanks : way % kRanks;
    return static_cast<int>(rank);
  }
  std::shared_ptr<const KernelState> for_results(const std::vector<bool>& used) const override {
    auto out = std::make_shared<ByRank>(*this);
    for (Way& way : out->ways) {
      const auto* partial = dynamic_cast<const PartialState*>(way.state.get());
      if (partial == nullptr) continue;
      if (auto state = partial->for_results(used)) way.state = std::move(state);
    }
    return out;
  }
};

// The way for the ranks of a run, or nothing if arguments that must agree do not.
std::optional<size_t> way_of(const KernelRun& run, const ByRank& state) {
  std::array<int, kMaxFree> ranks = {-1, -1};
  for (size_t g = 0; g < state.groups.size(); ++g) {
    int& rank = ranks[state.free() ? g : 0];
    for (const int arg : state.groups[g]) {
      const int found = run.arg(arg).shape.rank();
      if (rank >= 0 && rank != found) return {};
      rank = found;
    }
  }
  return static_cast<size_t>(ranks[0]) + (ranks[1] < 0 ? 0 : static_cast<size_t>(ranks[1]) * kRanks);
}

void body_by_rank(KernelRun& run) {
  const auto& state = run.state<ByRank>();
  const std::optional<size_t> at = way_of(run, state);
  if (at && state.ways[*at].body != nullptr) {
    return run.run_as(state.ways[*at].body, state.ways[*at].state.get());
  }
  const Status status = at ? invalid_argument(state.ways[*at].refusal.error().what())
                           : invalid_argument("expected arguments of one rank");
  for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
}

// What most ranks are refused for: that is not the rank. `first` if each is refused for something else.
Status usual_refusal(const std::vector<Way>& ways, const Status& first) {
  std::map<std::string, int> counts;
  const Status* usual = &first;
  int most = 1;
  for (const Way& way : ways) {
    const int count = ++counts[way.refusal.error().message];
    if (count > most) usual = &way.refusal;
    most = std::max(most, count);
  }
  return *usual;
}

Shape of_rank(int rank) {
  std::array<int64_t, kMaxRank> dims;
  dims.fill(kUnknownDim);
  return Shape(std::span<const int64_t>(dims.data(), static_cast<size_t>(rank)));
}

}  // namespace

// A tensor of unknown rank where a scalar is due.
namespace {

void scalar_body(KernelRun& run) {
  const Shape& shape = run.arg(0).shape;
  if (shape.rank() == 0) return run.share(0, 0, shape);
  const Status status = invalid_argument(expected_found("a scalar", concat("the shape ", shape.to_string())));
  for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
}

}  // namespace

void Compiler::check_scalar(Typed& value, const Scope& scope) {
  if (!value.is_tensor() || value.leaves[0].known() || value.spec.shape.rank_known()) return;
  Instruction instruction;
  instruction.can_fail = true;
  instruction.body = scalar_body;
  Builder& to = builder(scope);
  instruction.args.push_back(to.register_of(value.leaves[0]));
  value.spec.shape = Shape();
  value.leaves = to.emit(std::move(instruction), {{value.spec.dtype, Shape()}});
}

Status BoundCall::ask_kernel() {
  WEIR_TRY(kernel_.infer(*this));
  const auto computed = [this](size_t i) {
    return aliases_.count(static_cast<int>(i)) == 0 && !result_.leaves[i].known();
  };
  size_t count = 0;
  for (size_t i = 0; i < result_.leaves.size(); ++i) count += computed(i) ? 1 : 0;
  // A body that gives nothing only checks, and one that computes entries gives its one result.
  const bool fits = body_ == nullptr ? count == 0 : by_entries_ ? count == 1 : count > 0 || can_fail_;
  if (fits) return Status();
  return internal_error(concat(kernel_.name, " has ", body_ == nullptr ? "no body" : "a body", " for ", count,
                               " of its ", result_.leaves.size(), " results"));
}

Status BoundCall::infer() {
  const Status status = ask_kernel();
  return status.ok() ? status : infer_by_rank(status);
}

// Arguments of unknown rank, by parameter.
std::vector<BoundCall::UnknownRanks> BoundCall::unknown_ranks() {
  std::vector<UnknownRanks> out;
  for (Value& value : values_) {
    if (value.first_argument < 0) continue;
    UnknownRanks found;
    int argument = value.first_argument;
    for (Typed& typed : value.values) {
      if (typed.is_tensor() && !typed.leaves[0].type.shape.rank_known()) {
        found.values.push_back(&typed);
        found.arguments.push_back(argument);
      }
      argument += static_cast<int>(typed.leaves.size());
    }
    if (!found.values.empty()) out.push_back(std::move(found));
  }
  return out;
}

// Types the call for one combination of ranks.
Status BoundCall::infer_with(const std::vector<UnknownRanks>& unknown, const std::vector<int>& ranks) {
  const auto assume = [&](size_t group, const Shape& shape) {
    for (Typed* typed : unknown[group].values) {
      typed->spec.shape = shape;
      typed->leaves[0].type.shape = shape;
    }
  };
  result_ = Typed();
  aliases_.clear();
  integers_.reset();
  body_ = nullptr;
  state_ = nullptr;
  can_fail_ = kernel_.can_fail;
  for (size_t g = 0; g < unknown.size(); ++g) assume(g, of_rank(ranks[g]));
  Status status = ask_kernel();
  for (size_t g = 0; g < unknown.size(); ++g) assume(g, Shape::unknown_rank());
  return status;
}

// `first`: what is wrong with the call as it is.
Status BoundCall::infer_by_rank(const Status& first) {
  const std::vector<UnknownRanks> unknown = unknown_ranks();
  if (unknown.empty()) return first;
  auto state = std::make_shared<ByRank>();
  for (const UnknownRanks& one : unknown) state->groups.push_back(one.arguments);
  state->ways.resize(state->count());
  std::optional<Spec> joined;
  std::map<int, int> aliases;
  for (size_t w = 0; w < state->ways.size(); ++w) {
    std::vector<int> ranks;
    for (size_t g = 0; g < unknown.size(); ++g) ranks.push_back(state->rank_of(w, g));
    Way& way = state->ways[w];
    way.refusal = infer_with(unknown, ranks);
    if (!way.refusal.ok()) continue;
    if (body_ == nullptr) return first;
    if (joined && (!joined->check_same_structure(result_.spec).ok() || aliases != aliases_)) return first;
    joined = joined ? Spec::relax(*joined, result_.spec) : result_.spec;
    aliases = aliases_;
    way.body = body_;
    way.state = std::move(state_);
  }
  if (!joined) return usual_refusal(state->ways, first);
  result(*std::move(joined));
  aliases_ = std::move(aliases);
  integers_.reset();
  can_fail_ = true;
  body(body_by_rank, std::move(state));
  return Status();
}

}  // namespace weir
