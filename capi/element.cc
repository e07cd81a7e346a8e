#include "capi/element.h"

#include "capi/dataset_object.h"
#include "capi/json.h"
#include "capi/tensor.h"
#include "capi/view.h"
#include "graph/format_block.h"
#include "iterator/element_dataset.h"
#include "iterator/nested.h"

namespace weir::capi {

Tensor Element::tensor(size_t index) const {
  const Column& column = block.columns[index];
  return batched ? column.tensor() : column.row(0);
}

bool Element::unshared(size_t index) const {
  const Column& column = block.columns[index];
  const Tensor& tensor = column.dense() ? column.tensor() : column.list()[0];
  return tensor.buffer && tensor.buffer->unique() &&
         (!tensor.buffer->lasting() || tensor.buffer->on_device());
}

namespace {

Status no_component(const Element& element, uint32_t index) {
  if (element.empty()) {
    return Status(Code::out_of_range,
                  "expected an element with values, found an empty one; weir_iterator_next fills it");
  }
  return Status(Code::out_of_range,
                expected_found(concat("the number of a component below ", element.block.columns.size()),
                               concat(index)));
}

bool has_component(const Element& element, uint32_t index) {
  return !element.empty() && index < element.block.columns.size();
}

// Apart from the way of the usual views, which it would slow down.
[[gnu::cold, gnu::noinline]] int32_t view_rarely(const Element* found, uint64_t handle, uint32_t index,
                                                 weir_view* out, weir_error* error) {
  return guarded(error, [&]() -> Status {
    WEIR_TRY(check_view(out));
    if (!found) return bad_handle("an element", handle);
    if (!has_component(*found, index)) return no_component(*found, index);
    const Column& column = found->block.columns[index];
    if (column.dtype() == DType::dataset) {
      return invalid_argument(
          "expected a tensor to view, found a nested dataset; take it with weir_element_dataset");
    }
    if (found->lease && bytes_of_struct(out->struct_size, kViewBytes) < sizeof(weir_view)) {
      return invalid_argument(expected_found("a weir_view with device_type, for memory of a device",
                                             concat("one of ", out->struct_size, " bytes"),
                                             "begin with WEIR_VIEW_INIT, or read before to_device"));
    }
    fill_view(*out, column, found->batched);
    return Status();
  });
}

template <class Body>
Status with_component(weir_element element, uint32_t index, Body&& body) {
  ExclusivePin<Element> pinned(element.value);
  if (!pinned) return pin_error(pinned, "an element", element.value);
  if (!has_component(*pinned, index)) return no_component(*pinned, index);
  return body(*pinned);
}

// The structure of component `index` of the flat list.
const Spec& component_spec(const Spec& spec, int index) {
  if (spec.kind == Spec::Kind::optional) {
    return index == 0 ? spec : component_spec(spec.children[0], index - 1);
  }
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) return spec;
  size_t child = 0;
  while (index >= spec.children[child].component_count()) index -= spec.children[child++].component_count();
  return component_spec(spec.children[child], index);
}

Result<DocumentRef> dataset(const Element& element, uint32_t index) {
  if (!has_component(element, index)) return no_component(element, index);
  if (element.block.columns[index].dtype() != DType::dataset) {
    return invalid_argument(
        expected_found("a nested dataset", "a tensor", "take it with weir_element_tensor"));
  }
  if (element.batched) {
    return invalid_argument(expected_found("one element", "the rows of weir_iterator_next_block",
                                           "fill the element with weir_iterator_next"));
  }
  const Tensor value = element.tensor(index);
  if (value.shape.rank() > 0) {
    return invalid_argument(expected_found("one nested dataset", concat("a batch of ", value.count()),
                                           "unbatch() after the batch gives one at a time"));
  }
  return element_dataset(element.host->runtime(), element.host,
                         component_spec(*element.spec, static_cast<int>(index)), value);
}

Result<std::string> format(const Element& element, uint32_t flags) {
  WEIR_TRY(check_flags(flags, WEIR_TEXT, "0 or WEIR_TEXT"));
  if (element.empty()) return failed_precondition("expected an element with values, found an empty one");
  Components values;
  for (size_t i = 0; i < element.block.columns.size(); ++i) {
    WEIR_ASSIGN(Tensor value, on_host(element.tensor(i)));
    values.push_back(std::move(value));
  }
  const Spec& spec = *element.spec;
  if (element.batched) {
    const int rows = element.block.rows;
    return flags & WEIR_TEXT ? format_block(spec, values, rows) : json_of_block(spec, values, rows);
  }
  if (!(flags & WEIR_TEXT)) return json_of(spec, values, element.host);
  if (!element.host) return format_element(spec, values);
  NestedDrainer drainer(element.host->runtime(), element.host);
  return format_element(spec, values, &drainer);
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_element_create(weir_element* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    out->value = publish(HandleKind::element, std::make_unique<Element>());
    return Status();
  });
}

void weir_element_destroy(weir_element element) {
  released([&] { drop_owner(HandleKind::element, element.value); });
}

void weir_element_clear(weir_element element) {
  released([&] {
    Block values;
    RefPtr<RefCounted> reading;
    ExclusivePin<Element> pinned(element.value);
    if (!pinned) return;
    pinned->release();
    std::swap(pinned->block, values);
    std::swap(pinned->reading, reading);
  });
}

// The only function besides next that runs once per element: it resolves without a pin.
int32_t weir_element_view(weir_element element, uint32_t index, weir_view* out, weir_error* error) {
  const auto* found = static_cast<const Element*>(resolve(HandleKind::element, element.value));
  if (found && out && out->struct_size >= kViewBytes && out->reserved == 0 && !found->lease &&
      has_component(*found, index) && found->block.columns[index].dtype() != DType::dataset) [[likely]] {
    fill_view(*out, found->block.columns[index], found->batched);
    return WEIR_OK;
  }
  return view_rarely(found, element.value, index, out, error);
}

int32_t weir_element_origin(weir_element element, uint32_t row, weir_origin* out, weir_error* error) {
  return guarded(error, [&]() -> Status {
    if (!out) return invalid_argument(expected_found("a weir_origin", "NULL"));
    WEIR_TRY(check_out_struct("weir_origin", out->struct_size, sizeof(weir_origin)));
    WEIR_TRY(check_reserved("weir_origin", out->reserved));
    ExclusivePin<Element> found(element.value);
    if (!found) return pin_error(found, "an element", element.value);
    if (row >= static_cast<uint32_t>(found->block.rows)) {
      return Status(Code::out_of_range,
                    expected_found(concat("a row below ", found->block.rows), concat(row)));
    }
    const Origin origin = found->block.origins.of(static_cast<int>(row));
    SourceNames::Place place;
    if (origin.known()) place = found->source_names->place(origin);
    found->file = std::move(place.file);
    out->file = to_string_struct(found->file);
    out->record = place.record;
    return Status();
  });
}

int32_t weir_element_tensor(weir_element element, uint32_t index, weir_tensor* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    return with_component(element, index, [&](const Element& found) -> Status {
      Tensor tensor = found.tensor(index);
      if (lease_of(tensor))
        return failed_precondition(
            "expected memory of the CPU, found memory of a device; take it with weir_element_dlpack_on");
      if (tensor.dtype == DType::dataset)
        return invalid_argument(
            "expected a tensor, found a nested dataset; take it with weir_element_dataset");
      *out = publish_tensor(found.handed_out.has(tensor) ? deep_copy(tensor) : std::move(tensor));
      return Status();
    });
  });
}

int32_t weir_element_release_on(weir_element element, int64_t stream, weir_error* error) {
  return guarded(error, [&]() -> Status {
    WEIR_TRY(check_stream(stream));
    ExclusivePin<Element> pinned(element.value);
    if (!pinned) return pin_error(pinned, "an element", element.value);
    pinned->stream = stream;
    pinned->thread = this_thread();
    pinned->release();
    pinned->block = Block();
    return Status();
  });
}

int32_t weir_element_dlpack(weir_element element, uint32_t index, uint32_t flags,
                            struct DLManagedTensorVersioned** out, weir_error* error) {
  return weir_element_dlpack_on(element, index, flags, WEIR_STREAM_NONE, out, error);
}

int32_t weir_element_dlpack_on(weir_element element, uint32_t index, uint32_t flags, int64_t stream,
                               struct DLManagedTensorVersioned** out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    if (flags != 0 && flags != WEIR_DLPACK_WRITABLE && flags != WEIR_DLPACK_READ_ONLY) {
      return invalid_argument(expected_found("0 or one of the flags WEIR_DLPACK_...", concat(flags)));
    }
    return with_component(element, index, [&](Element& found) -> Status {
      // Asked before the tensor is taken out, which makes one more owner.
      const bool unshared = found.unshared(index);
      WEIR_ASSIGN(*out, to_dlpack(found.tensor(index), flags, unshared, found.handed_out, stream));
      return Status();
    });
  });
}

int32_t weir_element_dataset(weir_element element, uint32_t index, weir_dataset* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    ExclusivePin<Element> pinned(element.value);
    if (!pinned) return pin_error(pinned, "an element", element.value);
    WEIR_ASSIGN(DocumentRef document, dataset(*pinned, index));
    *out = publish_dataset(std::move(document));
    return Status();
  });
}

int32_t weir_element_format(weir_element element, uint32_t flags, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    ExclusivePin<Element> pinned(element.value);
    if (!pinned) return pin_error(pinned, "an element", element.value);
    WEIR_ASSIGN(std::string text, format(*pinned, flags));
    *out = make_bytes(std::move(text));
    return Status();
  });
}
