// Fuzzes records: parses each input as an Example and as a SequenceExample, with features of every kind, alone and in
// a vector. Values must be whole, strings readable, and a record in a vector fails just if it fails alone.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "core/values.h"
#include "expr/compile.h"
#include "expr/kernel.h"
#include "support/test_runtime.h"
#include "syntax/parser.h"

namespace weir {
namespace {

constexpr const char* kFeatures =
    "{n: int64 = 1, v: varlen(int64), s: sequence(float32[2]) = 0.5, r: ragged(string), "
    "x: sparse(index_key: \"i\", value_key: \"w\", dtype: string, size: 10)}";
constexpr const char* kLists =
    "{t: sequence(int64[2], allow_missing: true), w: varlen(string), q: ragged(float32)}";

// Goes on where a result stands, and ends the process where there is none.
template <class T>
T require(Result<T> result) {
  if (!result.ok()) std::abort();
  return *std::move(result);
}

class Parser {
 public:
  Parser(const std::string& body, const Shape& records) {
    syntax::SignatureTable table;
    add_kernel_signatures(table);
    const syntax::Tree tree = require(syntax::parse_document("source() | map(r -> " + body + ")", table));
    Scope scope;
    const syntax::Node& lambda = tree.root->items.back().value->child(1).child(0);
    function_ = require(compile_lambda({.runtime = &world_.runtime}, scope, lambda,
                                       Spec::tensor(DType::string, records), "fuzz"));
  }

  // Returns whether the row has a value, which must be one.
  bool parse(const Tensor& records) {
    Block in, out;
    in.set_row({records});
    function_->call({.session = *world_.session, .key = 1}, in, out);
    if (out.failed(0)) return false;
    const Components values = out.row(0);
    if (!check_value(function_->result(), values).ok()) std::abort();
    size_t hash = 0;
    for (const Tensor& tensor : values) {
      if (tensor.dtype != DType::string) continue;
      for (const Str& entry : tensor.entries<const Str>())
        hash ^= std::hash<std::string_view>()(entry.view());
    }
    read_ = hash;
    return true;
  }

 private:
  test::TestRuntime world_;
  FunctionRef function_;
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
