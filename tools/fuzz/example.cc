// Fuzzes records: parses each input as an Example and as a SequenceExample, with features of every kind,
// alone and in a vector. Values must be whole, strings readable, and a record in a vector fails just if it
// fails alone.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "function.h"

namespace weir {
namespace {

constexpr const char* kFeatures =
    "{n: int64 = 1, d: float32 = 0, t: string = \"\", v: varlen(int64), s: sequence(float32[2]) = 0.5, r: ragged(string), "
    "x: sparse(index_key: \"i\", value_key: \"w\", dtype: string, size: 10)}";
constexpr const char* kLists =
    "{t: sequence(int64[2], allow_missing: true), w: varlen(string), q: ragged(float32)}";

class Parser {
 public:
  Parser(const std::string& body, const Shape& records)
      : function_(fuzz::require(
            fuzz::CompiledLambda::compile("r -> " + body, Spec::tensor(DType::string, records)))) {}

  // Returns whether the row has a value, which must be one.
  bool parse(const Tensor& records) {
    const std::optional<Components> values = function_.call({records});
    if (!values) return false;
    size_t hash = 0;
    for (const Tensor& tensor : *values) {
      if (tensor.dtype != DType::string) continue;
      for (const Str& entry : tensor.entries<const Str>())
        hash ^= std::hash<std::string_view>()(entry.view());
    }
    read_ = hash;
    return true;
  }

 private:
  fuzz::CompiledLambda function_;
  // So that reading strings is not left out.
  volatile size_t read_ = 0;
};

const std::string& example_call() {
  static const std::string call = std::string("parse_example(r, ") + kFeatures + ")";
  return call;
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  static auto& one = *new Parser(example_call(), Shape());
  static auto& several = *new Parser(example_call(), Shape{kUnknownDim});
  static auto& sequence =
      *new Parser(std::string("parse_sequence_example(r, ") + kFeatures + ", " + kLists + ")", Shape());
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  const bool alone = one.parse(Tensor::string(record));
  const std::string_view beside[] = {"", record, record};
  if (several.parse(Tensor::strings(beside, Shape{3})) != alone) std::abort();
  sequence.parse(Tensor::string(record));
  return 0;
}
