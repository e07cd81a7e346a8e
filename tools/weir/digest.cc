#include "digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdio>

#include "weir/weir.h"

namespace weir::command {

namespace {

constexpr char kElement = 'e';
constexpr char kFailed = 'f';
constexpr char kEnd = 'z';

// The bytes that docs/digest.md describes, hashed as they come.
class Digest {
 public:
  explicit Digest(weir_runtime runtime) : runtime_(runtime) { XXH64_reset(&state_, 0); }

  // Takes up to `count` rows of the iterator, or all if it is negative, and then the end if it has come.
  // Fails as weir_iterator_next does when the iterator can't go on.
  int32_t add_rows(weir_iterator iterator, int64_t count, weir_error* error) {
    weir_element element{};
    int32_t result = weir_element_create(&element, error);
    uint32_t components = 0;
    if (result == WEIR_OK) result = count_components(iterator, components, error);
    while (result == WEIR_OK && count != 0) {
      result = weir_iterator_next(iterator, element, error);
      if (result == WEIR_OK) result = add_element(element, components, error);
      if (result == WEIR_ELEMENT_FAILED) {
        add(kFailed);
        add(error->code);
        result = WEIR_OK;
      } else if (result == WEIR_END) {
        add(kEnd);
      }
      if (count > 0) --count;
    }
    weir_element_destroy(element);
    return result == WEIR_END ? WEIR_OK : result;
  }

  uint64_t value() const { return XXH64_digest(&state_); }

 private:
  template <class T>
  void add(const T& value) {
    add_bytes(&value, sizeof(value));
  }

  // Apart, since inlined for one byte gcc warns of what xxhash does with longer inputs.
  [[gnu::noinline]] void add_bytes(const void* data, size_t size) { XXH64_update(&state_, data, size); }

  static int32_t count_components(weir_iterator iterator, uint32_t& out, weir_error* error) {
    weir_spec spec{};
    weir_spec_info info = WEIR_SPEC_INFO_INIT;
    int32_t result = weir_iterator_spec(iterator, &spec, error);
    if (result == WEIR_OK) result = weir_spec_view(spec, &info, error);
    weir_spec_unref(spec);
    out = info.component_count;
    return result;
  }

  int32_t add_element(weir_element element, uint32_t components, weir_error* error) {
    add(kElement);
    for (uint32_t i = 0; i < components; ++i) {
      weir_view view = WEIR_VIEW_INIT;
      // What lies on a device can't be hashed here, and is an error of the view.
      view.struct_size = offsetof(weir_view, device_type);
      weir_dataset nested{};
      if (weir_element_view(element, i, &view, error) == WEIR_OK) {
        add_view(view);
      } else if (weir_element_dataset(element, i, &nested, nullptr) == WEIR_OK) {
        const int32_t result = add_nested(nested, error);
        if (result != WEIR_OK) return result;
      } else {
        return -error->code;
      }
    }
    return WEIR_OK;
  }

  void add_view(const weir_view& view) {
    add(static_cast<uint8_t>(view.dtype));
    add(static_cast<uint8_t>(view.rank));
    add_bytes(view.dims, sizeof(int64_t) * static_cast<size_t>(view.rank));
    if (view.dtype != WEIR_DTYPE_STRING) {
      add_bytes(view.data, view.byte_size);
      return;
    }
    const auto* strings = static_cast<const weir_string*>(view.data);
    for (uint64_t i = 0; i < view.byte_size / sizeof(weir_string); ++i) {
      add(strings[i].size);
      add_bytes(strings[i].data, strings[i].size);
    }
  }

  int32_t add_nested(weir_dataset nested, weir_error* error) {
    add(static_cast<uint8_t>(WEIR_DTYPE_DATASET));
    weir_iterator iterator{};
    int32_t result = weir_iterator_create(runtime_, nested, nullptr, &iterator, error);
    weir_dataset_unref(nested);
    if (result == WEIR_OK) result = add_rows(iterator, -1, error);
    weir_iterator_destroy(iterator);
    return result;
  }

  weir_runtime runtime_;
  XXH64_state_t state_;
};

}  // namespace

int digest(const Arguments& arguments, Handles& handles) {
  Digest hash(handles.runtime);
  int32_t result = begin(arguments, handles, {});
  if (result == WEIR_OK) result = hash.add_rows(handles.iterator, arguments.count, &handles.error);
  if (result != WEIR_OK) return report(handles);
  std::printf(arguments.json ? "{\"digest\": \"%016llx\"}\n" : "%016llx\n",
              static_cast<unsigned long long>(hash.value()));
  return 0;
}

}  // namespace weir::command
