// without(e, keys) and only(e, keys): a dict with some of its keys. Only structure, so nothing is computed.
#include <algorithm>

#include "core/text.h"
#include "expr/types/kernel.h"
#include "syntax/hints.h"
#include "syntax/printer.h"
#include "syntax/tree.h"

namespace weir {

namespace {

using syntax::Kind;

// A list of strings, or a name that is bound to one.
bool is_literal_keys(const syntax::Node& node) {
  if (node.kind == Kind::name) return true;
  return node.kind == Kind::list &&
         std::all_of(node.items.begin(), node.items.end(), [](const syntax::Item& item) {
           return item.value->kind == Kind::string || item.value->kind == Kind::name;
         });
}

// Where the keys of the second argument are in the dict, in the order of the list.
Result<std::vector<int>> find_keys(KernelCall& call) {
  const Spec& spec = call.spec(0);
  if (spec.kind != Spec::Kind::dict) return call.error(0, expected_found("a dict", spec.to_string()));
  if (!is_literal_keys(call.node(1)) || call.shape(1).rank() != 1)
    return call.error(1, R"(expected a list of keys, written as strings: ["a", "b"])");
  std::vector<int> out;
  for (const Str& entry : call.constant(1)->entries<const Str>()) {
    const std::string key(entry.data, entry.size);
    const int at = spec.find(key);
    if (at < 0) {
      return call.error(1, {concat("there is no key ", syntax::print_key(key), " in ", spec.to_string()),
                            syntax::nearest_hint(key, spec.keys)});
    }
    if (std::find(out.begin(), out.end(), at) != out.end())
      return call.error(1, expected_found("a new key", concat(quote(key), " a second time")));
    out.push_back(at);
  }
  return out;
}

// The result is the members at those places.
Status give(KernelCall& call, const std::vector<int>& members) {
  const Spec& from = call.spec(0);
  Spec out = Spec::tuple({});
  out.kind = Spec::Kind::dict;
  std::vector<int> arguments;
  for (const int i : members) {
    const Spec& child = from.children[static_cast<size_t>(i)];
    out.keys.push_back(from.keys[static_cast<size_t>(i)]);
    out.children.push_back(child);
    for (int k = 0; k < child.component_count(); ++k)
      arguments.push_back(call.argument(0) + from.child_offset(i) + k);
  }
  call.result(std::move(out));
  for (size_t i = 0; i < arguments.size(); ++i) call.alias(static_cast<int>(i), arguments[i]);
  return Status();
}

Status only_infer(KernelCall& call) {
  WEIR_ASSIGN(const std::vector<int> keys, find_keys(call));
  return give(call, keys);
}

Status without_infer(KernelCall& call) {
  WEIR_ASSIGN(const std::vector<int> keys, find_keys(call));
  std::vector<int> others;
  for (int i = 0; i < static_cast<int>(call.spec(0).children.size()); ++i) {
    if (std::find(keys.begin(), keys.end(), i) == keys.end()) others.push_back(i);
  }
  return give(call, others);
}

}  // namespace

extern constinit const Kernel only_kernel{
    .name = "only",
    .params = {{.name = "e", .kind = ParamKind::any, .doc = "A dict."},
               {.name = "keys",
                .kind = ParamKind::constant,
                .type = "string",
                .doc = "A list of strings, known when the dataset is built."}},
    .infer = only_infer,
    .doc =
        "The dict with the listed keys only, in the order of the list. A key that it does not have, and a key "
        "twice, are build errors.",
    .result = "A dict.",
    .cost = "None.",
    .example = R"(range(2) | map(x -> only({a: x, b: x * 2, c: "-"}, ["c", "a"])))",
    .output = R"({c: "-", a: 0}
{c: "-", a: 1})",
    .bench = R"(only({x, n}, ["x"]).x)"};

extern constinit const Kernel without_kernel{
    .name = "without",
    .params = {{.name = "e", .kind = ParamKind::any, .doc = "A dict."},
               {.name = "keys",
                .kind = ParamKind::constant,
                .type = "string",
                .doc = "A list of strings, known when the dataset is built."}},
    .infer = without_infer,
    .doc =
        "The dict without the listed keys; the others keep their order. A key that it does not have, and a key "
        "twice, are build errors.",
    .result = "A dict.",
    .cost = "None.",
    .example = R"(range(2) | map(x -> without({a: x, b: x * 2, c: "-"}, ["b"])))",
    .output = R"({a: 0, c: "-"}
{a: 1, c: "-"})",
    .bench = R"(without({x, n}, ["n"]).x)"};

}  // namespace weir
