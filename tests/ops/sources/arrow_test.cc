#include "ops/pipelines.h"

namespace weir::test {
namespace {

// What it reads is in tests/conformance/own_arrow.cases.
TEST_CASE("arrow: without the extension there is no dataset") {
  ThreadsRuntime runtime;
  const Status refused = parse_document(*runtime, "arrow(\"a.arrow\")", {}).status();
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir::test
