#include "ops/list.h"

#include <algorithm>
#include <vector>

namespace weir {

namespace {

bool by_name(const OperatorDef* a, const OperatorDef* b) { return std::string_view(a->name) < b->name; }

std::vector<const OperatorDef*>& table() {
  static std::vector<const OperatorDef*> sorted = [] {
    std::vector<const OperatorDef*> list = {
#define WEIR_OPERATOR(name) &name##_op::definition(),
#include "ops/list.inc"
#undef WEIR_OPERATOR
    };
    std::sort(list.begin(), list.end(), by_name);
    return list;
  }();
  return sorted;
}

}  // namespace

std::span<const OperatorDef* const> operators() { return table(); }

void add_operator(const OperatorDef& def) {
  auto& list = table();
  list.insert(std::upper_bound(list.begin(), list.end(), &def, by_name), &def);
}

const OperatorDef* find_operator(std::string_view name) {
  const auto& list = table();
  auto at = std::lower_bound(list.begin(), list.end(), name,
                             [](const OperatorDef* op, std::string_view key) { return op->name < key; });
  return at != list.end() && (*at)->name == name ? *at : nullptr;
}

}  // namespace weir
