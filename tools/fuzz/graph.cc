// Fuzzes serialized graphs: builds each input with a correct checksum; what builds must survive being written
// again.
#include <cstdint>
#include <cstdlib>

#include "fuzz.h"
#include "golden/golden.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& runtime = *new weir::ThreadsRuntime(1);
  static const std::string kNow = *weir::parse_text(*runtime, "range(3)")->serialize();
  const auto built = weir::deserialize_document(*runtime, weir::with_right_checksum(kNow, data, size));
  if (!built.ok()) return 0;
  const auto bytes = (*built)->serialize();
  if (!bytes.ok()) return 0;
  const auto again = weir::deserialize_document(*runtime, *bytes);
  if (!again.ok() || !weir::equal(**built, **again)) std::abort();
  return 0;
}
