// A program with its own oneTBB and protobuf that loads the library: nothing changes for either side.
//
//   neighbours LIBRARY first|last
//
// It exports its symbols, so that a library that hid its own badly would find these instead. The word says
// whether the library is loaded before or after the program's first use of both.
#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "format/proto/graph.pb.h"
#include "weir/weir.h"

namespace {

int g_failures = 0;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "expected that %s\n", what);
  ++g_failures;
}

template <typename Function>
void find(void* library, const char* name, Function*& out) {
  out = reinterpret_cast<Function*>(::dlsym(library, name));
  check(out != nullptr, name);
}

// The functions of the library that the program uses; it is not linked with it.
struct Weir {
  decltype(&weir_runtime_create) runtime_create;
  decltype(&weir_runtime_destroy) runtime_destroy;
  decltype(&weir_dataset_parse) dataset_parse;
  decltype(&weir_dataset_serialize) dataset_serialize;
  decltype(&weir_dataset_deserialize) dataset_deserialize;
  decltype(&weir_dataset_unref) dataset_unref;
  decltype(&weir_iterator_create) iterator_create;
  decltype(&weir_iterator_next) iterator_next;
  decltype(&weir_iterator_destroy) iterator_destroy;
  decltype(&weir_element_create) element_create;
  decltype(&weir_element_view) element_view;
  decltype(&weir_element_destroy) element_destroy;
  decltype(&weir_bytes_release) bytes_release;
};

Weir load(const char* file) {
  Weir weir{};
  void* library = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library) std::fprintf(stderr, "%s\n", ::dlerror());
  check(library != nullptr, "the library can be loaded");
  if (!library) return weir;
  find(library, "weir_runtime_create", weir.runtime_create);
  find(library, "weir_runtime_destroy", weir.runtime_destroy);
  find(library, "weir_dataset_parse", weir.dataset_parse);
  find(library, "weir_dataset_serialize", weir.dataset_serialize);
  find(library, "weir_dataset_deserialize", weir.dataset_deserialize);
  find(library, "weir_dataset_unref", weir.dataset_unref);
  find(library, "weir_iterator_create", weir.iterator_create);
  find(library, "weir_iterator_next", weir.iterator_next);
  find(library, "weir_iterator_destroy", weir.iterator_destroy);
  find(library, "weir_element_create", weir.element_create);
  find(library, "weir_element_view", weir.element_view);
  find(library, "weir_element_destroy", weir.element_destroy);
  find(library, "weir_bytes_release", weir.bytes_release);
  return weir;
}

int64_t host_sum() {
  std::atomic<int64_t> sum{0};
  tbb::parallel_for(int64_t{0}, int64_t{1000}, [&](int64_t i) { sum += i; });
  return sum;
}

// The program's work: a parallel sum, and a message through bytes.
void use_host() {
  check(host_sum() == 499500, "the program's own tasks run");
  weir::graph::Graph message;
  message.set_text("the program's own");
  message.add_handed()->set_word("word");
  weir::graph::Graph copy;
  check(copy.ParseFromString(message.SerializeAsString()) && copy.handed_size() == 1 &&
            copy.handed(0).word() == "word" && copy.text() == "the program's own",
        "the program's own messages go through bytes");
}

// The library's work: a graph through bytes, threads, and the program's tasks once more between its elements.
void use_weir(const Weir& weir) {
  weir_runtime runtime{};
  weir_dataset parsed{};
  weir_dataset dataset{};
  weir_iterator iterator{};
  weir_element element{};
  weir_bytes bytes = WEIR_BYTES_INIT;
  const char* text = "range(1000) | map(x -> x * x, num_parallel_calls: 2) | prefetch(4)";
  check(weir.runtime_create(nullptr, &runtime, nullptr) == WEIR_OK &&
            weir.dataset_parse(runtime, text, WEIR_STRLEN, nullptr, 0, &parsed, nullptr) == WEIR_OK &&
            weir.dataset_serialize(parsed, &bytes, nullptr) == WEIR_OK &&
            weir.dataset_deserialize(runtime, bytes.data, bytes.size, nullptr, 0, &dataset, nullptr) ==
                WEIR_OK &&
            weir.iterator_create(runtime, dataset, nullptr, &iterator, nullptr) == WEIR_OK &&
            weir.element_create(&element, nullptr) == WEIR_OK,
        "the library builds a pipeline");
  int64_t count = 0;
  int64_t right = 0;
  while (weir.iterator_next(iterator, element, nullptr) == WEIR_OK) {
    weir_view view = WEIR_VIEW_INIT;
    weir.element_view(element, 0, &view, nullptr);
    right += view.data && *static_cast<const int64_t*>(view.data) == count * count;
    if (++count % 250 == 0) check(host_sum() == 499500, "the program's tasks run between elements");
  }
  check(count == 1000 && right == 1000, "the library gives its elements");
  weir.bytes_release(&bytes);
  weir.element_destroy(element);
  weir.iterator_destroy(iterator);
  weir.dataset_unref(parsed);
  weir.dataset_unref(dataset);
  weir.runtime_destroy(runtime);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  if (std::strcmp(argv[2], "last") == 0) use_host();
  Weir weir = load(argv[1]);
  if (g_failures) return 1;
  use_weir(weir);
  use_host();
  use_weir(weir);
  check(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 2,
        "the program's limit on its threads is as it was");
  return g_failures ? 1 : 0;
}
