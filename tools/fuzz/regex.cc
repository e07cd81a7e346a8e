// Fuzzes patterns, rewrites and strings: the first two lines and the others of each input. A pattern that the
// text of a graph has must give what one that comes with the element gives, and build exactly if that one
// works.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "function.h"

namespace weir {

namespace {

using fuzz::CompiledLambda;
using fuzz::require;

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

Tensor strings(const std::vector<std::string_view>& values) {
  return Tensor::strings(values, Shape{static_cast<int64_t>(values.size())});
}

bool same(const std::optional<Components>& a, const std::optional<Components>& b) {
  if (!a || !b) return !a && !b;
  const Tensor& left = (*a)[0];
  const Tensor& right = (*b)[0];
  if (left.dtype != right.dtype || left.count() != right.count()) return false;
  for (int64_t i = 0; i < left.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (left.dtype != DType::string
            ? left.entries<const bool>()[at] != right.entries<const bool>()[at]
            : left.entries<const Str>()[at].view() != right.entries<const Str>()[at].view())
      return false;
  }
  return true;
}

// A function of strings, a pattern and, if it replaces, a rewrite.
class Call {
 public:
  Call(std::string function, bool replaces)
      : function_(std::move(function)),
        replaces_(replaces),
        with_element_(require(CompiledLambda::compile(concat("(s, p, r) -> ", call("p", "r")), element()))) {}

  // Whether arguments that come with the element and ones that stand in the text give the same.
  bool agrees(const Input& input) const {
    const Tensor texts = strings({input.text, "", input.text});
    const Tensor pattern = Tensor::string(input.pattern);
    const Tensor rewrite = Tensor::string(input.rewrite);
    const auto expected = with_element_.call({texts, pattern, rewrite});
    const auto constant = CompiledLambda::compile(
        concat("(s, p, r) -> ", call(quote(input.pattern), quote(input.rewrite))), element());
    if (!constant.ok()) return constant.status().code() == Code::invalid_argument && !expected;
    return expected && same((*constant).call({texts, pattern, rewrite}), expected);
  }

 private:
  static Spec element() {
    const Spec text = Spec::tensor(DType::string, Shape());
    return Spec::tuple({Spec::tensor(DType::string, Shape{3}), text, text});
  }
  std::string call(const std::string& pattern, const std::string& rewrite) const {
    return concat(function_, "(s, ", pattern, replaces_ ? ", " + rewrite : "", ")");
  }

  std::string function_;
  bool replaces_;
  CompiledLambda with_element_;
};

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  static const auto& match = *new Call("regex_match", false);
  static const auto& replace = *new Call("regex_replace", true);
  const Input input = parts_of({reinterpret_cast<const char*>(data), size});
  if (!match.agrees(input) || !replace.agrees(input)) std::abort();
  return 0;
}
