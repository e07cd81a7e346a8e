#include "ops/pipelines.h"

namespace weir::test {
namespace {

// What it reads is in bindings/python/tests/test_array_record_files.py.
TEST_CASE("array_record: without the extension there is no dataset") {
  ThreadsRuntime runtime;
  const Status refused = parse_document(*runtime, "array_record(\"a\")", {}).status();
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir::test
