#include "ops/pipelines.h"

namespace weir::test {
namespace {

// What it reads is in bindings/python/tests/test_hdf5_files.py.
TEST_CASE("hdf5: without the extension there is no dataset") {
  ThreadsRuntime runtime;
  const Status refused = parse_document(*runtime, "hdf5(\"a\")", {}).status();
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir::test
