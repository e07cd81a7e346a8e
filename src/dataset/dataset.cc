#include "dataset/dataset.h"

#include <algorithm>
#include <atomic>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

std::atomic<uint64_t> g_next_id{1};

Status check_constants(const OperatorDef& op, ParamsBase& params) {
  Fields fields;
  params.fields(fields);
  for (const Field& field : fields.list) {
    Status status = check_bounds(field);
    if (!status.ok()) return with_operator(status, op.name);
  }
  return Status();
}

// Returns the expression that computes a parameter when a cursor opens, or null.
const ParamExpression* expression_of(const Field& field) {
  return std::visit(
      [](const auto* slot) -> const ParamExpression* {
        if constexpr (requires { slot->expression.get(); }) {
          return slot->expression.get();
        } else {
          return nullptr;
        }
      },
      field.slot);
}

// The structure of a value that is not known yet is known at least; of a number, nothing is.
bool has_open_scalars(ParamsBase& params) {
  Fields fields;
  params.fields(fields);
  return std::any_of(fields.list.begin(), fields.list.end(), [](const Field& field) {
    return std::visit(
        [](const auto* slot) {
          if constexpr (requires { slot->is_auto(); }) {
            return slot->state == std::remove_cvref_t<decltype(*slot)>::State::expression;
          } else {
            return false;
          }
        },
        field.slot);
  });
}

// Of two numbers of openings, where a negative one means that nobody knows.
int64_t product_of(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : checked_multiply(a, b).value_or(-1); }

// Whether an operator gives each element of its input, changed or not, or leaves it out, and does not keep it
// until others have come.
bool gives_at_once(const OperatorDef& op) {
  const bool each = goes_by_element(op) || op.typing.slice != nullptr;
  return !op.position.keeps_rows && (each || op.position.kept == nullptr);
}

// Behind a partition each element that was given says how far the parts have come.
Status check_behind_parts(const OperatorDef& op, std::span<const DatasetRef> inputs) {
  for (const DatasetRef& input : inputs) {
    if (input->sites().parts == 0 || (gives_at_once(op) && inputs.size() == 1)) continue;
    std::string hint = concat("put it inside: partition(n, part -> part | ", op.name, "(…))");
    if (op.kind == OperatorKind::terminal) hint = "leave the partition out";
    if (inputs.size() > 1) hint = concat("put it inside: partition(n, part -> ", op.name, "(… part …))");
    return invalid_argument(
        expected_found("after a partition an operator that holds no elements back", op.name, hint));
  }
  return Status();
}

Status check_last(const OperatorDef& op, std::span<const DatasetRef> inputs, const BuildSite& site) {
  for (const DatasetRef& input : inputs) {
    const char* const last = input->op().name;
    if (!input->op().typing.stands_last) continue;
    return invalid_argument(expected_found(concat(last, " as the last operator"),
                                           concat(op.name, " after it"),
                                           concat("put ", op.name, " before it")));
  }
  if (!op.typing.stands_last || site.depth == 0) return Status();
  return invalid_argument(
      expected_found(concat(op.name, " at the end of the document"), "one in a function"));
}

constexpr const char* kDrawsByNumber = " draws by the number of the element in its rank";

// Without a seed, an order in a function depends on the number of the call.
bool draws_by_call(const Sites& sites) {
  return std::any_of(sites.seeds.begin(), sites.seeds.end(), [](const RefPtr<const SeedSite>& seed) {
    return seed->origin == SeedSite::Origin::drawn;
  });
}

// What OperatorDef::epochs answers for a single pass.
constexpr int64_t kOnePass = -2;

// Each takes memory in an iterator, and names that use one another twice make many of a short text.
constexpr int64_t kMostOperators = 1'000'000;

// Multiplies and adds, modulo 2^64, so that different sequences of `b` give different results.
uint64_t mixed(uint64_t a, uint64_t b) { return a * 0x9E3779B97F4A7C15u + b; }

// Whether it may end before its inputs do with these parameters, which need not be known.
bool ends_early(const OperatorDef& op, const ParamsBase& params) {
  if (op.typing.slice == nullptr) return op.position.ends_early;
  const Result<Slice> slice = op.typing.slice(params);
  return slice.ok() && slice->count != Slice::kAll;
}

// How many elements of its input a slice asks for; 0 where its parameters don't say.
int64_t rows_needed(const OperatorDef& op, const ParamsBase& params) {
  if (op.typing.slice == nullptr) return 0;
  const Result<Slice> slice = op.typing.slice(params);
  if (!slice.ok() || slice->by_rank || slice->count == 0) return 0;
  const auto steps = checked_multiply(slice->count - 1, slice->step);
  return steps ? checked_add(*steps, slice->first + 1).value_or(0) : 0;
}

// How often a node is opened until a dataset has given its first `rows` elements; -1 if that depends on the
// data. Knows those that give the elements of each epoch, or one for each, and read nothing ahead.
int64_t openings_of_first(const Dataset& dataset, const EpochNode& node, int64_t rows) {
  const std::vector<EpochNode>& counted = dataset.epoch_nodes();
  const auto here = std::find(counted.begin(), counted.end(), node);
  if (here == counted.end() || dataset.dynamic() || rows == 0) return -1;
  if (here->openings == here->openings_at_once) return here->openings;
  if (dataset.cardinality() >= 0 && rows > dataset.cardinality()) return here->openings;
  if (dataset.inputs().empty()) return -1;
  const OperatorDef& op = dataset.op();
  const Dataset& input = *dataset.inputs().back();
  const auto below = std::find(input.epoch_nodes().begin(), input.epoch_nodes().end(), node);
  const bool passes = dataset.inputs().size() == 1 && op.position.epochs == nullptr &&
                      below != input.epoch_nodes().end() && below->openings == here->openings;
  // The first row takes one of the input, which may open the node only then.
  if (passes && openings_of_first(input, node, 1) == here->openings) return here->openings;
  if (op.ahead.is_window != nullptr && op.ahead.is_window(dataset.params())) return -1;
  if (op.typing.expand != nullptr || op.typing.columns == Columns::mapped)
    return openings_of_first(input, node, rows);
  const int64_t each = input.cardinality();
  const bool repeats = op.position.epochs != nullptr &&
                       (op.position.epochs(dataset.params()) > 0 || dataset.cardinality() == kInfinite);
  if (!repeats || each <= 0) return -1;
  const int64_t before = product_of(below->openings, (rows - 1) / each);
  const int64_t last = openings_of_first(input, node, (rows - 1) % each + 1);
  return before < 0 || last < 0 ? -1 : before + last;
}

}  // namespace

Result<DatasetRef> Dataset::build(const OperatorDef& op, std::unique_ptr<ParamsBase> params,
                                  std::vector<DatasetRef> inputs, const BuildSite& site) {
  WEIR_TRY(check_constants(op, *params));
  WEIR_ASSIGN(std::optional<bool> order, settle_order(op, *params, inputs, site));
  RefPtr<Dataset> node(new Dataset());
  node->op_ = &op;
  node->order_ = order;
  node->inputs_ = std::move(inputs);
  WEIR_TRY(check_behind_parts(op, node->inputs_));
  WEIR_TRY(check_last(op, node->inputs_, site));
  if (op.position.parts != nullptr && site.depth > 0)
    return invalid_argument(expected_found("a partition outside of functions", "one inside"));
  node->id_ = g_next_id.fetch_add(1, std::memory_order_relaxed);
  node->epoch_id_ = site.on_behalf_of != 0 ? site.on_behalf_of : node->id_;
  node->depth_ = site.depth;
  node->dynamic_ = has_expressions(*params);
  node->digest_ = site.digest;
  node->called_ = site.called;
  if (op.typing.expands_first) WEIR_TRY(node->expand(*params, site));
  WEIR_ASSIGN(node->spec_, op.typing.spec(*params, node->inputs_));
  WEIR_TRY(node->spec_.check_size());
  if (op.position.kept && op.position.kept(*params).whole && node->inputs_[0]->cardinality() == kInfinite)
    return invalid_argument(expected_found("a finite dataset", "an infinite one", "put take(n) before it"));
  if (!op.typing.expands_first) WEIR_TRY(node->expand(*params, site));
  node->components_ = node->spec_.components();
  // A count that depends on a variable is not known until a cursor opens.
  node->cardinality_ = has_open_scalars(*params) ? kUnknown : count_elements(op, *params, node->inputs_);
  node->params_ = std::move(params);
  node->inherit();
  if (node->operators_ > kMostOperators) {
    return invalid_argument(expected_found(
        concat("at most ", kMostOperators, " operators, each counted as often as its dataset is used"),
        "more"));
  }
  return DatasetRef(node);
}

DatasetRef Dataset::stand_in(const Dataset& node, int64_t cardinality) {
  RefPtr<Dataset> out(new Dataset());
  out->op_ = node.op_;
  out->spec_ = node.spec_;
  out->components_ = node.components_;
  out->cardinality_ = cardinality;
  return DatasetRef(out);
}

// If parameters are not known yet, it is expanded when a cursor opens.
Status Dataset::expand(const ParamsBase& params, const BuildSite& site) {
  if (op_->typing.expand == nullptr || dynamic_) return {};
  if (site.runtime == nullptr) return internal_error(concat(op_->name, " was built without a runtime"));
  WEIR_ASSIGN(DatasetRef expanded,
              op_->typing.expand(params, inputs_, {site.runtime, site.depth, epoch_id_}));
  inputs_.push_back(std::move(expanded));
  return {};
}

// A node that reaches this one by two paths is opened by each.
void Dataset::inherit(const EpochNode& counted, bool shared) {
  auto known = std::find(epoch_nodes_.begin(), epoch_nodes_.end(), counted);
  if (known == epoch_nodes_.end()) {
    epoch_nodes_.push_back(counted);
    epoch_nodes_.back().shared = counted.shared || shared;
    return;
  }
  known->shared = true;
  known->openings = known->openings < 0 || counted.openings < 0 ? -1 : known->openings + counted.openings;
  known->openings_at_once += counted.openings_at_once;
  known->windows = mixed(known->windows, counted.windows);
}

// A node of input `index` as seen from here: how often it is opened while this node is gone through.
EpochNode Dataset::counted_through(EpochNode counted, size_t index) const {
  if (op_->position.opens_apart) {
    counted.openings = counted.openings_at_once = 0;
    return counted;
  }
  const int64_t opened = counted.openings_at_once;
  if (op_->ahead.is_window != nullptr && counted.openings != opened)
    counted.windows = mixed(counted.windows, op_->ahead.is_window(*params_) ? 1 : 2);
  const int64_t epochs = op_->position.epochs == nullptr ? kOnePass
                         : dynamic_                      ? -1
                                                         : op_->position.epochs(*params_);
  if (epochs != kOnePass) {
    const int64_t passes = product_of(counted.openings, epochs);
    const bool once_more =
        epochs != 0 && (!op_->position.opens_once_more || op_->position.opens_once_more(*params_));
    counted.openings = passes < 0 ? -1 : once_more ? passes + opened : passes;
    if (epochs == 0) counted.openings_at_once = 0;
  } else if (ends_early(*op_, *params_) && counted.openings != opened) {
    const int64_t rows = rows_needed(*op_, *params_);
    const int64_t all = counted.openings;
    // One with a single input reads a row of it in any case.
    const bool any = op_->typing.slice == nullptr && inputs_.size() == 1;
    counted.openings = openings_of_first(*inputs_[index], counted, any ? 1 : rows);
    if (any && counted.openings != all) counted.openings = -1;
  }
  if (index >= op_->position.opens_late_from) counted.openings_at_once = 0;
  return counted;
}

// `opens`: a dataset that is restored in its middle calls the function again.
void Dataset::inherit(const FunctionTraits& traits, int64_t calls, bool opens) {
  std::vector<EpochNode> counted;
  traits.epoch_nodes(counted);
  // Each call of a lambda opens what the lambda captures.
  for (EpochNode& node : counted) {
    node.openings = product_of(node.openings, calls);
    node.openings_at_once = 0;
    inherit(node, node.depth <= depth_);
  }
  Sites sites;
  traits.add_sites(sites);
  // A dataset inside a function may be one with an order of its own.
  if (sites.unsaved.empty() && sites.states.empty()) sites.unsaved = traits.not_replayable();
  if (!sites.unsaved.empty()) sites.unsaved = concat(op_->name, " ", sites.unsaved);
  if (opens && !sites.calls.empty())
    sites.reopens = concat(op_->name, " ", sites.calls, " for what it opens");
  sites.calls.clear();
  if (sites_.parts != 0 && sites_.counts_rank.empty()) {
    if (sites.by_rank) sites_.counts_rank = concat(op_->name, " has a share of its rank inside");
    if (draws_by_call(sites)) sites_.counts_rank = concat(op_->name, kDrawsByNumber);
  }
  sites_.add(sites);
  if (std::string reason = traits.not_replayable(); not_replayable_.empty() && !reason.empty()) {
    not_replayable_ = concat(op_->name, " ", reason);
  }
}

void Dataset::inherit() {
  Fields fields;
  params_->fields(fields);
  lane_ = op_->ahead.lane;
  bool window = op_->ahead.is_window != nullptr && op_->ahead.is_window(*params_);
  // Only what the node stands for, if anything, reads the other inputs.
  const size_t first = op_->typing.expand != nullptr && !dynamic_ ? inputs_.size() - 1 : 0;
  for (size_t i = first; i < inputs_.size(); ++i) {
    const DatasetRef& input = inputs_[i];
    operators_ = capped_add(operators_, input->operators_);
    for (const EpochNode& node : input->epoch_nodes()) inherit(counted_through(node, i), false);
    opens_variables_ = opens_variables_ || (input->opens_variables_ && !op_->position.opens_apart);
    sites_.add(input->sites());
    deepest_lane_ = std::max(deepest_lane_, input->deepest_lane());
    if (!window)
      lane_ = std::max(lane_, op_->access.reads_by_position ? input->deepest_lane() : input->lane());
    if (op_->position.opens_apart && sites_.reopens.empty() && !input->not_replayable().empty())
      sites_.reopens = concat(op_->name, " would make its elements again, and ", input->not_replayable());
    if (not_replayable_.empty()) not_replayable_ = input->not_replayable();
    // An order of its own is part of a position as long as nothing keeps rows that came in it.
    if ((window || !op_->position.passes_positions) && input->sites().states.empty() &&
        sites_.unsaved.empty())
      sites_.unsaved = input->not_replayable();
  }
  for (const Field& field : fields.list) {
    if (auto* seed = std::get_if<SeedParam*>(&field.slot); seed && (*seed)->site) {
      sites_.add({.seeds = {(*seed)->site}});
    }
    if (const ParamExpression* expression = expression_of(field)) {
      // Evaluated by whatever opens this node, with no window in between.
      inherit(expression->traits(), 1, true);
      lane_ = std::max(lane_, expression->traits().lane());
    }
    auto* slot = std::get_if<FunctionParam*>(&field.slot);
    if (!slot || !(*slot)->function) continue;
    const auto& traits = static_cast<const FunctionTraits&>(*(*slot)->function);
    const bool opens = (*slot)->gives == FunctionParam::Gives::dataset;
    const bool per_row = opens && (*slot)->takes == FunctionParam::Takes::element && !inputs_.empty();
    inherit(traits, per_row ? inputs_[0]->cardinality() : -1, opens);
    deepest_lane_ = std::max(deepest_lane_, traits.lane());
    if (!window) lane_ = std::max(lane_, traits.lane());
    // A dataset that the function returns may come from an element or a variable.
    const bool from_elements = std::any_of(
        inputs_.begin(), inputs_.end(), [](const DatasetRef& input) { return input->spec().has_dataset(); });
    if (opens && (depth_ > 0 || from_elements) && traits.opens_variables()) opens_variables_ = true;
  }
  deepest_lane_ = std::max(deepest_lane_, lane_);
  if (op_->position.finds_written != nullptr && (dynamic_ || op_->position.finds_written(*params_)))
    sites_.finds_written = true;
  if (op_->position.found_names != nullptr) sites_.add({.names = {op_->position.found_names(*params_)}});
  // Not known before a cursor opens if the numbers are computed, which auto is not.
  if (op_->typing.slice != nullptr && !has_open_scalars(*params_)) {
    const Result<Slice> slice = op_->typing.slice(*params_);
    if (slice.ok() && slice->by_rank) sites_.by_rank = true;
  }
  inherit_parts();
  const char* reason =
      op_->position.not_replayable != nullptr ? op_->position.not_replayable(*params_) : nullptr;
  if (reason != nullptr && not_replayable_.empty()) not_replayable_ = concat(op_->name, " ", reason);
  if (op_->position.opens_variables) opens_variables_ = true;
  const EpochNode self{epoch_id_, depth_};
  const bool listed = std::find(epoch_nodes_.begin(), epoch_nodes_.end(), self) != epoch_nodes_.end();
  const bool counts =
      op_->position.counts_openings != nullptr && (dynamic_ || op_->position.counts_openings(*params_));
  if (counts && !listed) epoch_nodes_.push_back(self);
}

// Behind parts, what an operator gives for an element must follow from the element alone, so that another
// rank gives the same.
void Dataset::inherit_parts() {
  if (op_->position.parts != nullptr) {
    sites_.parts = op_->position.parts(*params_);
    sites_.by_rank = true;
    return;
  }
  if (sites_.parts == 0 || !sites_.counts_rank.empty()) return;
  const bool draws = !inputs_.empty() && sites_.draws > inputs_[0]->sites().draws;
  if (!goes_by_element(*op_)) {
    sites_.counts_rank = concat(op_->name, " counts the elements of its rank");
  } else if (draws) {
    sites_.counts_rank = concat(op_->name, kDrawsByNumber);
  } else if (!not_replayable_.empty() && inputs_[0]->not_replayable().empty()) {
    sites_.counts_rank = not_replayable_;
  }
}

int64_t count_elements(const OperatorDef& op, const ParamsBase& params, std::span<const DatasetRef> inputs) {
  if (op.typing.slice == nullptr) return op.typing.cardinality(params, inputs);
  const Result<Slice> slice = op.typing.slice(params);
  return slice.ok() ? slice->count_of(inputs[0]->cardinality()) : kUnknown;
}

void needs_of_elements(const Dataset& node, const Marks& used, size_t input, std::vector<Marks>& needed) {
  const std::vector<int> order = component_order(node.inputs()[input]->spec(), node.spec());
  for (size_t i = 0; i < order.size(); ++i) needed[input][static_cast<size_t>(order[i])] = used[i];
}

void needs_of_first(const Dataset& node, const Marks& used, std::vector<Marks>& needed) {
  needs_of_elements(node, used, 0, needed);
}

Result<Spec> same_spec(const ParamsBase&, std::span<const DatasetRef> inputs) { return inputs[0]->spec(); }
int64_t same_cardinality(const ParamsBase&, std::span<const DatasetRef> inputs) {
  return inputs[0]->cardinality();
}
int64_t unknown_cardinality(const ParamsBase&, std::span<const DatasetRef>) { return kUnknown; }

}  // namespace weir
