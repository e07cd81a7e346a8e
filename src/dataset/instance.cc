#include "dataset/instance.h"

#include "core/text.h"

namespace weir {

namespace {

// splitmix64's finaliser: every bit of the input reaches every bit of the output.
uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

bool reads_alike(const Dataset& node) {
  const auto asked = node.op().position.reads_alike;
  return asked != nullptr && asked(node.params());
}

}  // namespace

uint64_t derive_key(uint64_t key, uint64_t index) { return mix(mix(key + 0x9e3779b97f4a7c15u) ^ index); }

std::string PathNode::to_string() const {
  std::string out = parent ? parent->to_string() : "";
  if (parent && input >= 0) out += concat("[", input, "]");
  if (parent) out += "/";
  return out + operator_name;
}

Instance::Instance(DatasetRef dataset, EnvRef variables, uint64_t instance_key, PathRef parent, int input)
    : node(std::move(dataset)),
      env(std::move(variables)),
      key(instance_key),
      path(node->op().internal && parent
               ? std::move(parent)
               : PathRef(make_ref<PathNode>(std::move(parent), node->name(), input, reads_alike(*node)))) {}

Instance Opening::input(int index) const {
  const auto& inputs = node->inputs();
  return {inputs[static_cast<size_t>(index)], env, key, path, inputs.size() > 1 ? index : -1};
}

}  // namespace weir
