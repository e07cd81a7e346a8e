#include "capi/spec.h"

#include "syntax/parser.h"
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
    out->rank = !has_dtype ? 0 : tree.shape.rank_known() ? tree.shape.rank() : -1;
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

int32_t weir_spec_format(weir_spec spec, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(SpecRef tree, spec_of(spec));
    *out = make_bytes(tree->to_string());
    return Status();
  });
}
