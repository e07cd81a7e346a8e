#include "ops/access/part_counts.h"

#include <vector>

#include "dataset/operator_def.h"
#include "expr/run/compiled.h"

namespace weir {

namespace {

// Those of `node`, a pipeline over `count` elements.
int64_t count_of_part(const Dataset& node, int64_t count) {
  if (node.op().position.opens_variables) return count;
  if (node.inputs().empty()) return node.cardinality();
  std::vector<DatasetRef> inputs;
  for (const DatasetRef& input : node.inputs())
    inputs.push_back(Dataset::stand_in(*input, count_of_part(*input, count)));
  return node.dynamic() ? kUnknown : count_elements(node.op(), node.params(), inputs);
}

}  // namespace

int64_t count_after(const Function& f, int64_t count) {
  const auto* const compiled = dynamic_cast<const CompiledFunction*>(&f);
  if (!compiled) return kUnknown;
  if (const Dataset* const body = compiled->body()) return count_of_part(*body, count);
  const Program& program = compiled->program();
  const Register& result = program.registers[static_cast<size_t>(program.results[0])];
  return result.source == Register::Source::input ? count : kUnknown;
}

}  // namespace weir
