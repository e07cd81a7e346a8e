#include "core/exception.h"

#include <catch2/catch_test_macros.hpp>
#include <new>
#include <stdexcept>

namespace weir {
namespace {

template <class T>
ErrorPtr thrown(const T& exception) {
  try {
    throw exception;
  } catch (...) {
    return error_of_exception();
  }
}

TEST_CASE("An exception is an error that says what it says") {
  CHECK(thrown(std::bad_alloc())->code == Code::resource_exhausted);
  CHECK(thrown(std::bad_alloc()) == thrown(std::bad_alloc()));
  CHECK(thrown(std::runtime_error("boom"))->code == Code::internal);
  CHECK(thrown(std::runtime_error("boom"))->message == "unexpected exception: boom");
  CHECK(thrown(1)->code == Code::internal);
}

}  // namespace
}  // namespace weir
