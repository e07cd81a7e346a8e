#include "core/host_call.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

namespace weir {
namespace {

TEST_CASE("host_call: a function that returns, and one that throws") {
  int calls = 0;
  CHECK_FALSE(call_host([&] { ++calls; }));
  CHECK(calls == 1);
  const ErrorPtr error = call_host([] { throw std::runtime_error("no"); });
  REQUIRE(error);
  CHECK(error->code == Code::internal);
  CHECK(error->message.find("no") != std::string::npos);
  CHECK(call_host([] { throw std::bad_alloc(); }) == out_of_memory());
  CHECK(notify_host([] { throw 7; })->code == Code::internal);
  CHECK(call_host([] { throw StatusException(data_loss("gone")); })->code == Code::data_loss);
}

// Calls itself inside itself and returns how deep it came.
int nested(int level, ErrorPtr& error) {
  int deepest = level;
  if (ErrorPtr failed = call_host([&] { deepest = nested(level + 1, error); })) error = std::move(failed);
  return deepest;
}

TEST_CASE("host_call: calls inside each other have a bound") {
  for (int again = 0; again < 2; ++again) {
    ErrorPtr error;
    CHECK(nested(0, error) == host_call::kMostDepth);
    REQUIRE(error);
    CHECK(error->code == Code::failed_precondition);
    CHECK(error->message.find("at most 32 calls") != std::string::npos);
  }
  // What throws leaves the depth as it was.
  for (int i = 0; i < 100; ++i) CHECK(call_host([] { throw 1; })->code == Code::internal);
  CHECK_FALSE(call_host([] {}));
}

}  // namespace
}  // namespace weir
