#include "ops/pipelines.h"

namespace weir::test {
namespace {

// What it reads is in tests/conformance/{new,own}_parquet*.cases.
TEST_CASE("parquet: without the extension there is no dataset") {
  ThreadsRuntime runtime;
  const Status refused = parse_document(*runtime, "parquet(\"a.parquet\")", {}).status();
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir::test
