// check_lasting: checks that a source of constants marks their memory as lasting, so that nobody copies it.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string_view>
#include <vector>

#include "ops/list.h"
#include "support/test_runtime.h"

namespace weir::test {

inline void check_lasting(const char* source) {
  Tensor words = Tensor::strings(std::vector<std::string_view>{"x", "y"}, Shape{2});
  ValueParam value;
  value.set = true;
  value.spec = Spec::tensor(words.dtype, words.shape);
  value.values = {words};
  TestRuntime runtime;
  auto stage = runtime.open(Build(*find_operator(source)).set("value", value).node());
  Block out;
  Context ctx = runtime.context();
  REQUIRE(stage->next(ctx, Demand(), out) == PullResult::rows);
  CHECK(out.columns[0].row(0).buffer->lasting());
}

}  // namespace weir::test
