#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

// Its elements come from the extension: tests/conformance/{new,own}_parquet*.cases, which are also run in
// blocks.
const ContractEntries parquet_contract("parquet", {});

TEST_CASE("parquet: without the extension there is no dataset") {
  ThreadsRuntime runtime;
  const Status refused = parse_document(*runtime, "parquet(\"a.parquet\")", {}).status();
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir::test
