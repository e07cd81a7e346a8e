// Opened: an iterator over a text through the C ABI, with an element to fill.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "weir/weir.h"

namespace weir::bench {

// Ends the program with the error.
inline void must(int32_t result, const weir_error& error) {
  if (result >= 0) return;
  std::fprintf(stderr, "weir_bench: %.*s\n", static_cast<int>(error.line.size), error.line.data);
  std::exit(1);
}

struct Opened {
  explicit Opened(const char* text, const weir_argument* argument = nullptr) {
    must(weir_runtime_create(nullptr, &runtime, &error), error);
    must(weir_dataset_parse(runtime, text, WEIR_STRLEN, argument, argument ? 1 : 0, &dataset, &error), error);
    must(weir_iterator_create(runtime, dataset, nullptr, &iterator, &error), error);
    must(weir_element_create(&element, &error), error);
  }
  ~Opened() {
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
  }
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime runtime{};
  weir_dataset dataset{};
  weir_iterator iterator{};
  weir_element element{};
};

}  // namespace weir::bench
