#include "core/memo.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

TEST_CASE("The first value that is kept for a key stays, where it is") {
  Memo memo;
  int keys[40];
  CHECK(memo.find(&keys[0]) == nullptr);
  const Components& first = memo.keep(&keys[0], {Tensor::scalar<int64_t>(1)});
  for (int& key : keys) memo.keep(&key, {Tensor::scalar<int64_t>(2)});
  CHECK(memo.find(&keys[0]) == &first);
  CHECK(*first[0].as<int64_t>() == 1);
  CHECK(*(*memo.find(&keys[1]))[0].as<int64_t>() == 2);
}

}  // namespace
}  // namespace weir
