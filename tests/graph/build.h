// Shared by the tests of this floor: a runtime without threads or files, and texts built with it. A Graph
// must outlive its documents. A text that does not build fails the test.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "graph/document.h"

namespace weir {

// Counts up, so that drawn seeds can be recognised.
class CountingRandom final : public RandomSource {
 public:
  uint64_t draw() override { return ++drawn; }
  uint64_t drawn = 0;
};

struct Graph {
  Graph() { runtime.random = &random; }

  DocumentRef build(std::string_view text, const Handed& handed = {}) {
    auto document = parse_document(runtime, text, handed);
    INFO(text << "\n" << (document.ok() ? "" : document.status().error().message));
    REQUIRE(document.ok());
    return *document;
  }
  // The message of a text that does not build.
  std::string refused(std::string_view text, const Handed& handed = {}) {
    auto document = parse_document(runtime, text, handed);
    INFO(text);
    REQUIRE_FALSE(document.ok());
    REQUIRE(document.status().code() == Code::invalid_argument);
    return document.status().error().message;
  }

  CountingRandom random;
  Runtime runtime;
};

template <class T>
HandedValue vector_of(const std::vector<T>& entries) {
  Shape shape{static_cast<int64_t>(entries.size())};
  Tensor tensor = Tensor::allocate(dtype_of<T>, shape);
  std::copy(entries.begin(), entries.end(), tensor.as<T>());
  return {Spec::tensor(dtype_of<T>, shape), {tensor}};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weir
