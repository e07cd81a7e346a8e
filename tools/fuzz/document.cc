// Fuzzes the parser and the checker of types: a text that builds must print as one that builds the same
// graph, and be the same after it was written and read again. An error must say something. Nothing is run.
#include "graph/document.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/pipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  static auto& runtime = *new ThreadsRuntime(1);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto built = parse_document(*runtime, text);
  if (!built.ok()) {
    if (built.status().error().lead_and_message().empty()) std::abort();
    return 0;
  }
  const auto again = parse_document(*runtime, (*built)->format());
  if (!again.ok() || !equal(**built, **again) || (*built)->fingerprint() != (*again)->fingerprint())
    std::abort();
  const auto bytes = (*built)->serialize();
  if (!bytes.ok()) return 0;
  const auto read = deserialize_document(*runtime, *bytes);
  if (!read.ok() || !equal(**built, **read)) std::abort();
  return 0;
}
