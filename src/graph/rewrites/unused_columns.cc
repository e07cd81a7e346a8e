#include "graph/rewrites/unused_columns.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/runtime.h"
#include "dataset/field_in.h"
#include "expr/compile/composed_function.h"
#include "expr/run/compiled.h"
#include "graph/rewrites/unused_fields.h"
#include "ops/files/columns_source.h"
#include "ops/functions/apply.h"

namespace weir {

namespace {

// Whether something besides its inputs may open a dataset that a variable holds.
[[gnu::noinline]] bool may_open_more(const Dataset& node) {
  Fields fields;
  // Lists the members and changes none.
  const_cast<ParamsBase&>(node.params()).fields(fields);
  return node.dynamic() || std::any_of(fields.list.begin(), fields.list.end(), [](const Field& field) {
           FunctionParam* const* slot = std::get_if<FunctionParam*>(&field.slot);
           return slot && (*slot)->function && !only_computes(function_of(**slot));
         });
}

class Pruner {
 public:
  DatasetRef operator()(const DatasetRef& node, const Marks& used) {
    const auto known = done_.find({node->id(), used});
    if (known != done_.end()) return known->second;
    DatasetRef made = make(node, used);
    done_.emplace(std::make_pair(node->id(), used), made);
    return made;
  }

 private:
  DatasetRef make(const DatasetRef& node, const Marks& used) {
    const OperatorTyping& typing = node->op().typing;
    if (part_ && node->op().position.opens_variables) {
      join(*part_, used);
      return node;
    }
    if (part_ && may_open_more(*node)) part_->assign(part_->size(), true);
    std::vector<DatasetRef> inputs = node->inputs();
    // Its expansion is built with it.
    if (typing.expand && !node->dynamic()) inputs.pop_back();
    std::unique_ptr<ParamsBase> params;
    std::vector<Marks> needed;
    bool changed = prepare(node, used, inputs, params, needed);
    for (size_t i = 0; i < inputs.size(); ++i) {
      DatasetRef other = (*this)(inputs[i], needed[i]);
      changed = changed || other != inputs[i];
      inputs[i] = std::move(other);
    }
    return changed ? built(node, std::move(params), std::move(inputs)) : node;
  }

  // Parts of make() that take stack, which the nodes below need not have on top of theirs.

  // Sets what is used of each input. Returns whether `params` were changed, which may be set anyway.
  [[gnu::noinline]] bool prepare(const DatasetRef& node, const Marks& used,
                                 const std::vector<DatasetRef>& inputs, std::unique_ptr<ParamsBase>& params,
                                 std::vector<Marks>& needed) {
    const OperatorTyping& typing = node->op().typing;
    bool changed = false;
    if (typing.columns_source && !node->dynamic() && !all(used)) {
      params = node->params().clone();
      changed = typing.columns_source->leave_unread(*params, used);
    }
    for (const DatasetRef& input : inputs) needed.emplace_back(input->components().size(), true);
    if (typing.needs) {
      typing.needs(*node, used, needed);
    } else if (inputs.size() == 1) {
      needed[0] = needed_fields(*node, used);
    }
    if (typing.columns == Columns::inner && !node->dynamic()) {
      params = node->params().clone();
      auto* const f = const_cast<FunctionParam*>(field_in<FunctionParam>(*params, "f"));
      FunctionRef other = f && f->function ? followed(*f, used, needed) : nullptr;
      if (other) {
        f->function = RefPtr<const RefCounted>(other.get());
        changed = true;
      }
    }
    return changed;
  }

  [[gnu::noinline]] static DatasetRef built(const DatasetRef& node, std::unique_ptr<ParamsBase> params,
                                            std::vector<DatasetRef> inputs) {
    if (!params) params = node->params().clone();
    // What it learned from a runtime it keeps.
    Runtime none;
    Result<DatasetRef> made = Dataset::build(node->op(), std::move(params), std::move(inputs),
                                             {.runtime = &none,
                                              .depth = node->depth(),
                                              .on_behalf_of = node->epoch_id(),
                                              .digest = node->digest(),
                                              .called = node->name()});
    return made.ok() ? *std::move(made) : node;
  }

  // The function whose dataset has the elements `used`, which reads less; null if it stays. If it takes the
  // input, `needed` gets what it uses of it.
  FunctionRef followed(const FunctionParam& f, const Marks& used, std::vector<Marks>& needed) {
    const auto* const function = dynamic_cast<const CompiledFunction*>(&function_of(f));
    if (!function) return nullptr;
    const bool of_input = f.takes == FunctionParam::Takes::dataset;
    if (of_input && function->passes(0) == 0) {
      needed[0] = used;
      return nullptr;
    }
    bool reached = false;
    const auto follow = [&](const DatasetRef& made) {
      reached = true;
      return (*this)(made, used);
    };
    if (!of_input || !function->body()) return with_result_dataset(*function, follow);
    // What it uses is found each time that it is followed.
    Marks part(needed[0].size(), false);
    Marks* const outer_part = std::exchange(part_, &part);
    auto outer_done = std::exchange(done_, {});
    FunctionRef out = with_result_dataset(*function, follow);
    part_ = outer_part;
    done_ = std::move(outer_done);
    if (reached) needed[0] = std::move(part);
    return out;
  }

  // Marks also those of `more`; all if that is of another structure.
  static void join(Marks& marks, const Marks& more) {
    for (size_t i = 0; i < marks.size(); ++i) marks[i] = marks[i] || more.size() != marks.size() || more[i];
  }

  // In the function of an operator that takes its input as a dataset, what it uses of that; else null.
  Marks* part_ = nullptr;
  std::map<std::pair<uint64_t, Marks>, DatasetRef> done_;
};

}  // namespace

DatasetRef without_unused_columns(const DatasetRef& root) {
  return Pruner()(root, Marks(root->components().size(), true));
}

}  // namespace weir
