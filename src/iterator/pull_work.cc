#include "iterator/pull_work.h"

#include <unordered_set>
#include <utility>

#include "expr/run/compiled.h"
#include "expr/types/generator.h"
#include "graph/reorder.h"
#include "ops/functions/native.h"

namespace weir {

namespace {

// Visits each node and each function once.
class Walk {
 public:
  void dataset(const Dataset& node) {
    if (!seen_.insert(&node).second) return;
    for (const DatasetRef& input : node.inputs()) dataset(*input);
    // It counts the elements of its files when it is opened.
    if (node.op().access.reads_by_position && node.lane() == Lane::blocking) found.opens_slowly = true;
    const std::unique_ptr<ParamsBase> params = node.params().clone();
    Fields fields;
    params->fields(fields);
    for (const Field& field : fields.list)
      std::visit([&](const auto* slot) { parameter(*slot); }, field.slot);
  }

  PullWork found;

 private:
  template <class Slot>
  void parameter(const Slot& slot) {
    if constexpr (requires { slot.function.get(); }) {
      if (slot.function) traits(*slot.function);
    } else if constexpr (requires { slot.expression.get(); }) {
      if (!slot.expression) return;
      const bool ran_before = std::exchange(found.runs_datasets, false);
      traits(slot.expression->traits());
      found.opens_slowly = found.opens_slowly || found.runs_datasets;
      found.runs_datasets = found.runs_datasets || ran_before;
    }
  }

  void traits(const RefCounted& given) {
    if (const auto* function = dynamic_cast<const Function*>(&given)) this->function(*function);
  }

  void function(const Function& given) {
    if (!seen_.insert(&given).second) return;
    if (const auto* compiled = dynamic_cast<const CompiledFunction*>(&given))
      return program(compiled->program());
    if (const Function* inner = reordered(given)) return function(*inner);
    if (const auto* native = dynamic_cast<const Native*>(&given)) {
      if (native->inner()) function(*native->inner());
      return;
    }
    found.calls_host = found.calls_host || given.is_host() || dynamic_cast<const GeneratorFunction*>(&given);
  }

  void program(const Program& given) {
    for (const Instruction& instruction : given.code) {
      found.runs_datasets = found.runs_datasets || instruction.kind == Instruction::Kind::terminal;
      if (instruction.function) function(*instruction.function);
      if (instruction.dataset) dataset(*instruction.dataset);
      if (instruction.then_program) program(*instruction.then_program);
      if (instruction.else_program) program(*instruction.else_program);
    }
  }

  std::unordered_set<const void*> seen_;
};

}  // namespace

PullWork work_of(const Dataset& root) {
  Walk walk;
  walk.dataset(root);
  return walk.found;
}

}  // namespace weir
