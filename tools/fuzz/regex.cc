// Fuzzes patterns, rewrites and strings: the first two lines and the others of each input. A pattern that the text of a
// graph has must give what one that comes with the element gives, and build exactly if that one works.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "core/text.h"
#include "support/pipeline.h"

namespace {

using weir::concat;
using weir::quote;

struct Input {
  std::string pattern;
  std::string rewrite;
  std::string text;
};

std::string take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return std::string(line);
}

Input parts_of(std::string_view bytes) {
  Input out;
  out.pattern = take_line(bytes);
  out.rewrite = take_line(bytes);
  out.text = bytes;
  return out;
}

// Nothing if it does not build.
std::optional<std::vector<std::string>> lines(weir::Runtime& runtime, const std::string& text) {
  try {
    return weir::all_lines(runtime, text);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

// Whether both ways of giving the arguments agree; `call` names the pattern p and the rewrite r.
bool agree(weir::Runtime& runtime, const Input& input, const std::string& call) {
  const std::string s = quote(input.text);
  const std::string p = quote(input.pattern);
  const std::string r = quote(input.rewrite);
  const auto with_element = lines(runtime, concat("from_tensor_slices(([", s, ", \"\"], [", p, ", ", p,
                                                  "], [", r, ", ", r, "])) | map((s, p, r) -> ", call, ")"));
  const auto constant = lines(runtime, concat("let p = ", p, " let r = ", r, " from_tensor_slices([", s,
                                              ", \"\"]) | map(s -> ", call, ")"));
  if (!with_element || with_element->size() != 2) return false;
  if (constant) return *constant == *with_element;
  for (const std::string& line : *with_element) {
    if (line.find("error: invalid_argument") != 0) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& runtime = *new weir::ThreadsRuntime(1);
  const Input input = parts_of({reinterpret_cast<const char*>(data), size});
  for (const char* call : {"regex_match(s, p)", "regex_replace(s, p, r)"}) {
    if (!agree(*runtime, input, call)) std::abort();
  }
  return 0;
}
