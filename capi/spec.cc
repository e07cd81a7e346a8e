#include "capi/spec.h"

#include <optional>

#include "core/text.h"
#include "syntax/hints.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "syntax/spec.h"

namespace weir::capi {

weir_spec publish_spec(SpecRef spec) {
  return weir_spec{publish(HandleKind::spec, std::make_unique<SpecObject>(std::move(spec)))};
}

Result<SpecRef> spec_of(weir_spec spec) {
  Pin<SpecObject> pinned(spec.value);
  if (!pinned) return pin_error(pinned, "a spec", spec.value);
  return pinned->spec;
}

namespace {

constexpr uint64_t kMaxPathBytes = 1 << 16;

// The names of the parts of a spec, as paths write them.
std::vector<std::string> part_names(const Spec& spec) {
  std::vector<std::string> out;
  switch (spec.kind) {
    case Spec::Kind::tuple:
      for (size_t i = 0; i < spec.children.size(); ++i) out.push_back(std::to_string(i));
      break;
    case Spec::Kind::dict:
      for (const std::string& key : spec.keys) out.push_back(syntax::print_key(key));
      break;
    case Spec::Kind::sparse:
      return {"indices", "values", "shape"};
    case Spec::Kind::ragged:
      return {"values", "row_splits"};
    default:
      break;
  }
  return out;
}

// Removes `word` and the dot after it from the front of the path, if it begins with them.
bool take_word(std::string_view& path, std::string_view word) {
  if (path.substr(0, word.size()) != word) return false;
  if (path.size() > word.size() && path[word.size()] != '.') return false;
  path.remove_prefix(std::min(path.size(), word.size() + 1));
  return true;
}

// Removes the first word of the path and returns the part of the spec that it names, if any. Keys need no
// quotes.
std::optional<size_t> take_part(const Spec& spec, const std::vector<std::string>& names,
                                std::string_view& path) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (take_word(path, names[i])) return i;
    if (spec.kind == Spec::Kind::dict && take_word(path, spec.keys[i])) return i;
  }
  return std::nullopt;
}

Status no_such_part(const Spec& spec, const std::vector<std::string>& names, std::string_view path) {
  if (names.empty()) {
    return Status(Code::not_found,
                  expected_found(concat("a path that ends at ", spec.to_string(), ", which has no parts"),
                                 concat(quote(path), " after it")));
  }
  std::string list;
  for (const std::string& name : names) list += concat(list.empty() ? "" : ", ", name);
  const std::string_view word = path.substr(0, path.find('.'));
  // Numbers are all alike.
  const std::string hint = spec.kind == Spec::Kind::tuple ? "" : syntax::nearest_hint(word, names);
  return Status(Code::not_found,
                expected_found(concat("a part of ", spec.to_string(), " (", list, ")"), quote(word), hint));
}

Result<uint32_t> component_at(const Spec& root, std::string_view path) {
  const Spec* spec = &root;
  int index = 0;
  while (!path.empty()) {
    const std::vector<std::string> names = part_names(*spec);
    const std::string_view rest = path;
    const std::optional<size_t> part = take_part(*spec, names, path);
    if (!part) return no_such_part(*spec, names, rest);
    if (spec->children.empty()) {
      if (!path.empty()) return no_such_part(Spec::tensor(spec->dtype), {}, path);
      return static_cast<uint32_t>(index) + static_cast<uint32_t>(*part);
    }
    index += spec->child_offset(static_cast<int>(*part));
    spec = &spec->children[*part];
  }
  if (spec->component_count() == 1) return static_cast<uint32_t>(index);
  const std::vector<std::string> names = part_names(*spec);
  return invalid_argument(concat("expected the path of one component, found that of ", spec->to_string(),
                                 ", which has ", spec->component_count(),
                                 names.empty() ? "" : concat("; go on to a part of it, such as ", names[0])));
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_spec_parse(const char* text, uint64_t text_size, weir_spec* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(std::string_view given, read_string(text, text_size, "a spec", syntax::kMaxSourceBytes));
    WEIR_ASSIGN(Spec spec, syntax::read_spec(given));
    *out = publish_spec(std::make_shared<const Spec>(std::move(spec)));
    return Status();
  });
}

int32_t weir_spec_ref(weir_spec spec, weir_error* error) {
  return guarded(error, [&]() -> Status { return share(HandleKind::spec, "a spec", spec.value); });
}

void weir_spec_unref(weir_spec spec) { drop_owner(HandleKind::spec, spec.value); }

int32_t weir_spec_view(weir_spec spec, weir_spec_info* out, weir_error* error) {
  return guarded(error, [&]() -> Status {
    if (!out) return invalid_argument("expected a weir_spec_info to fill, found NULL");
    WEIR_TRY(check_out_struct("weir_spec_info", out->struct_size, sizeof(weir_spec_info)));
    Pin<SpecObject> pinned(spec.value);
    if (!pinned) return pin_error(pinned, "a spec", spec.value);
    const Spec& tree = *pinned->spec;
    bool has_dtype =
        tree.kind == Spec::Kind::tensor || tree.kind == Spec::Kind::sparse || tree.kind == Spec::Kind::ragged;
    out->kind = static_cast<int32_t>(tree.kind);
    out->dtype = has_dtype ? static_cast<int32_t>(tree.dtype) : 0;
    // The shape of a dataset is that of a batch of them.
    out->rank = !has_dtype && !tree.is_dataset() ? 0 : tree.shape.rank_known() ? tree.shape.rank() : -1;
    out->dims = tree.shape.dims().data();
    out->child_count = static_cast<uint32_t>(tree.children.size());
    out->component_count = static_cast<uint32_t>(pinned->components.size());
    return Status();
  });
}

int32_t weir_spec_child(weir_spec spec, uint32_t index, weir_spec* out, weir_string* key, weir_error* error) {
  if (key) *key = weir_string{"", 0};
  return guarded(error, out, [&]() -> Status {
    Pin<SpecObject> pinned(spec.value);
    if (!pinned) return pin_error(pinned, "a spec", spec.value);
    const Spec& tree = *pinned->spec;
    if (index >= tree.children.size()) {
      return Status(
          Code::out_of_range,
          expected_found(concat("the number of a child below ", tree.children.size()), concat(index)));
    }
    *out = publish_spec(SpecRef(pinned->spec, &tree.children[index]));
    if (key && tree.kind == Spec::Kind::dict) *key = to_string_struct(tree.keys[index]);
    return Status();
  });
}

int32_t weir_spec_component(weir_spec spec, const char* path, uint64_t path_size, uint32_t* out,
                            weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(SpecRef tree, spec_of(spec));
    WEIR_ASSIGN(std::string_view given, read_string(path, path_size, "a path", kMaxPathBytes));
    WEIR_ASSIGN(*out, component_at(*tree, given));
    return Status();
  });
}

int32_t weir_spec_format(weir_spec spec, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(SpecRef tree, spec_of(spec));
    *out = make_bytes(tree->to_string());
    return Status();
  });
}
