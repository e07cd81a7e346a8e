// A hash of elements: docs/digest.md says of which bytes.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "iterator.h"

namespace weirpy {

namespace {

struct Digest {
  XXH64_state_t state;
  Digest() { XXH64_reset(&state, 0); }
};

// Not inlined: gcc 12 takes the branch for long inputs for one of a number.
[[gnu::noinline]] void feed(Digest& digest, const void* data, size_t size) {
  XXH64_update(&digest.state, data, size);
}

template <class Number>
void put(Digest& digest, Number number) {
  feed(digest, &number, sizeof number);
}

void put_strings(Digest& digest, const weir_view& view) {
  const auto* entries = static_cast<const weir_string*>(view.data);
  for (uint64_t i = 0; i < view.byte_size / sizeof(weir_string); ++i) {
    put(digest, entries[i].size);
    if (entries[i].size) feed(digest, entries[i].data, entries[i].size);
  }
}

void put_view(Digest& digest, const weir_view& view) {
  put(digest, static_cast<uint8_t>(view.dtype));
  put(digest, static_cast<uint8_t>(view.rank));
  for (int32_t i = 0; i < view.rank; ++i) put(digest, view.dims[i]);
  if (view.dtype == WEIR_DTYPE_STRING) {
    put_strings(digest, view);
  } else if (view.byte_size) {
    feed(digest, view.data, view.byte_size);
  }
}

// Which components of a plan are nested datasets.
void find_datasets(const Plan& plan, std::vector<bool>& out) {
  if (plan.kind == WEIR_SPEC_DATASET) {
    out[plan.first] = true;
    return;
  }
  for (const Plan& child : plan.children) find_datasets(child, out);
}

struct Source {
  weir_runtime runtime;
  weir_iterator iterator;
};

int32_t drain(Digest& digest, const Source& from, int64_t limit, int64_t& taken, bool& ended, Error& error);

int32_t put_nested(Digest& digest, weir_runtime runtime, weir_element element, uint32_t index, Error& error) {
  put(digest, static_cast<uint8_t>(WEIR_DTYPE_DATASET));
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  int32_t result = weir_element_dataset(element, index, &dataset, error);
  if (result == WEIR_OK) result = weir_iterator_create(runtime, dataset, nullptr, &iterator, error);
  int64_t taken = 0;
  bool ended = false;
  if (result == WEIR_OK) result = drain(digest, {runtime, iterator}, INT64_MAX, taken, ended, error);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return result;
}

int32_t put_element(Digest& digest, weir_runtime runtime, weir_element element,
                    const std::vector<bool>& datasets, Error& error) {
  put(digest, 'e');
  for (uint32_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i]) {
      const int32_t result = put_nested(digest, runtime, element, i, error);
      if (result != WEIR_OK) return result;
      continue;
    }
    weir_view view = host_view();
    const int32_t result = weir_element_view(element, i, &view, error);
    if (result != WEIR_OK) return result;
    put_view(digest, view);
  }
  return WEIR_OK;
}

// Up to `limit` elements, failed ones too. Runs without the GIL; kInterrupted with the exception of a signal.
int32_t drain(Digest& digest, const Source& from, int64_t limit, int64_t& taken, bool& ended, Error& error) {
  OwnedSpec spec;
  OwnedElement element;
  int32_t result = weir_iterator_spec(from.iterator, spec.out(), error);
  if (result == WEIR_OK) result = weir_element_create(element.out(), error);
  if (result != WEIR_OK) return result;
  std::vector<bool> datasets;
  with_gil([&] {
    const Plan plan = Plan::of(spec.get());
    datasets.resize(plan.count);
    find_datasets(plan, datasets);
  });
  SignalWatch watch;
  while (taken < limit) {
    if (watch.interrupted(result == WEIR_PENDING)) return kInterrupted;
    result = weir_iterator_next_within(from.iterator, kSignalSlice, element.get(), error);
    if (result == WEIR_PENDING) continue;
    if (result == WEIR_END) {
      put(digest, 'z');
      ended = true;
      return WEIR_OK;
    }
    ++taken;
    if (result == WEIR_ELEMENT_FAILED) {
      if (was_interrupted()) return kInterrupted;
      put(digest, 'f');
      put(digest, static_cast<int32_t>(static_cast<weir_error*>(error)->code));
      continue;
    }
    if (result == WEIR_OK) result = put_element(digest, from.runtime, element.get(), datasets, error);
    if (result != WEIR_OK) return result;
  }
  return WEIR_OK;
}

// Returns how many elements it took, failed ones included, and whether the sequence ended.
nb::object update(Digest& self, Iterator& iterator, int64_t limit) {
  check_outside();
  const Source from = {nb::cast<Runtime&>(iterator.leaving.runtime).handle.get(), iterator.handle.get()};
  int64_t taken = 0;
  bool ended = false;
  iterator.settled = false;
  checked_without_gil([&](Error& error) { return drain(self, from, limit, taken, ended, error); });
  iterator.settled = true;
  return nb::make_tuple(taken, ended);
}

std::string hex(const Digest& self) {
  char text[17];
  snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(XXH64_digest(&self.state)));
  return text;
}

}  // namespace

void define_digest(nb::module_& module) {
  nb::class_<Digest>(module, "Digest")
      .def(nb::init<>())
      .def("_update", update, nb::arg("iterator"), nb::arg("limit"))
      .def("hexdigest", hex);
}

}  // namespace weirpy
