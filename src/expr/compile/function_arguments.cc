#include "expr/compile/function_arguments.h"

#include <string>

#include "core/text.h"
#include "syntax/hints.h"

namespace weir {

using syntax::Item;
using syntax::Node;

namespace {

// True if the call's only argument without a name is that of Kernel::single_argument. In `f(x, single: y)`
// the unnamed one is the first parameter, as always.
bool is_single(const Kernel& kernel, const Node& call) {
  size_t positional = 0;
  bool out = kernel.single_argument != nullptr;
  for (const Item& item : call.items) {
    positional += item.name.empty() ? 1 : 0;
    out = out && item.name != kernel.single_argument;
  }
  return out && positional == 1;
}

size_t find(const Kernel& kernel, std::string_view name) {
  size_t at = 0;
  while (at < kernel.params.size() && name != kernel.param(at).name) ++at;
  return at;
}

Mistake unknown_argument(const Kernel& kernel, std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kernel.params.size());
  for (const KernelParam& param : kernel.params) names.emplace_back(param.name);
  return {concat(kernel.name, " has no argument '", name, "'"), syntax::nearest_hint(name, names)};
}

}  // namespace

FunctionArguments match_arguments(const Kernel& kernel, const Node& call) {
  const auto& params = kernel.params;
  FunctionArguments out{.values = std::vector<syntax::NodePtr>(params.size()), .mistake = {}};
  const auto refuse = [&](const Node& where, Mistake mistake) {
    out.where = &where;
    out.mistake.emplace(std::move(mistake));
    return std::move(out);
  };
  const bool single = is_single(kernel, call);
  for (size_t i = 0; i < call.items.size(); ++i) {
    const Item& item = call.items[i];
    size_t at = i;
    if (!item.name.empty() || single) {
      const std::string_view wanted =
          item.name.empty() ? std::string_view(kernel.single_argument) : item.name;
      at = find(kernel, wanted);
      if (at == params.size()) return refuse(*item.value, unknown_argument(kernel, wanted));
    } else if (at >= params.size()) {
      return refuse(*item.value, concat(kernel.name, " takes at most ", params.size(), " arguments"));
    }
    if (out.values[at] != nullptr) {
      return refuse(*item.value,
                    concat("the argument '", kernel.param(at).name, "' of ", kernel.name, " is given twice"));
    }
    out.values[at] = item.value;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (out.values[i] == nullptr && kernel.param(i).fallback == nullptr) {
      return refuse(call, concat(kernel.name, " needs the argument '", kernel.param(i).name, "'"));
    }
  }
  return out;
}

}  // namespace weir
