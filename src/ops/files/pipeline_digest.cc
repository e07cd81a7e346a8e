#include "ops/files/pipeline_digest.h"

#include <map>

#include "core/text.h"

namespace weir {

namespace {

// The whole tensor counts.
uint64_t hash_of_values(const Tensor& tensor, uint64_t hash) {
  hash = hash_of(concat(dtype_name(tensor.dtype), tensor.shape.to_string()), hash);
  if (tensor.dtype != DType::string)
    return hash_of({reinterpret_cast<const char*>(tensor.data), tensor.byte_size()}, hash);
  for (const Str& text : tensor.entries<const Str>()) hash = hash_of(text.view(), hash + text.size);
  return hash;
}

class Collector {
 public:
  // Inputs first. A node that several operators share is listed once.
  void visit(const Dataset& node) {
    if (const auto [known, added] = numbers_.try_emplace(&node, numbers_.size()); !added) {
      out.nodes.push_back({"again", {{"operator", known->second}}});
      return;
    }
    size_t inputs = node.inputs().size();
    // What an operator stands for follows from its parameters.
    if (node.op().typing.expand != nullptr && !node.dynamic() && inputs > 0) --inputs;
    for (size_t i = 0; i < inputs; ++i) visit(*node.inputs()[i]);
    if (node.digest() != nullptr) {
      out.nodes.push_back(*node.digest());
    } else if (inputs == 0) {
      unwritten = unwritten == nullptr ? node.op().name : unwritten;
    }
  }

  GraphDigest out;
  // The first source that was not made from text.
  const char* unwritten = nullptr;

 private:
  std::map<const Dataset*, uint64_t> numbers_;
};

void add_found_names(const Dataset& node, GraphDigest& out) {
  NodeDigest digest{"the names of files", {}};
  for (const auto& names : node.sites().names)
    digest.parameters.push_back({concat("pattern ", digest.parameters.size() + 1), names->checksum()});
  if (!digest.parameters.empty()) out.nodes.push_back(std::move(digest));
}

}  // namespace

GraphDigest digest_of_pipeline(const Dataset& node) {
  Collector collector;
  collector.visit(node);
  add_found_names(node, collector.out);
  return std::move(collector.out);
}

uint64_t hash_of_pipeline(const Dataset& node) {
  Archive archive;
  digest_of_pipeline(node).state(archive);
  return hash_of(archive.take());
}

Result<GraphDigest> digest_of_instance(const Session& session, const Instance& instance) {
  Collector collector;
  collector.visit(*instance.node);
  if (collector.unwritten != nullptr) {
    return failed_precondition(
        expected_found("a pipeline that was built from text",
                       concat("one with a ", collector.unwritten, " of other making")));
  }
  GraphDigest out = std::move(collector.out);
  add_found_names(*instance.node, out);
  NodeDigest variables{"the variables around it", {}};
  for (const Env* env = instance.env.get(); env != nullptr; env = env->parent.get()) {
    for (const Tensor& value : env->values) {
      if (value.dtype == DType::dataset) {
        return failed_precondition(
            {"what is written depends on a variable that is a dataset, which has no name to know it by",
             "write elements outside the lambda"});
      }
      const std::string name = concat("variable ", variables.parameters.size() + 1);
      variables.parameters.push_back({name, hash_of_values(value, 0)});
    }
  }
  if (!variables.parameters.empty()) out.nodes.push_back(std::move(variables));
  if (instance.node->sites().by_rank) {
    const World& world = session.world();
    out.nodes.push_back(
        {"the process",
         {{"rank", static_cast<uint64_t>(world.rank)}, {"size", static_cast<uint64_t>(world.size)}}});
  }
  return out;
}

}  // namespace weir
