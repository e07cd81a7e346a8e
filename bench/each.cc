// One row for each operator and each function of expressions: what it costs an element, as `ns`. Operators
// stand over numbers, so `limit_ns` is what a number costs through `range` alone; functions over vectors of
// 784 entries, so it is what copying such a vector costs. One that has no row fails.
#include <map>
#include <string>

#include "expr/kernel.h"
#include "ops/list.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int kRows = 128;
constexpr size_t kVector = 784;

// NAMES: the files of a folder; RECORDS: a file of records.
const std::map<std::string, std::string> kOperators = {
    {"batch", "range(1000000) | batch(128)"},
    {"concatenate", "range(500000) | concatenate(range(500000))"},
    {"empty", "empty(int64)"},
    {"enumerate", "range(1000000) | enumerate()"},
    {"filter", "range(1000000) | filter(x -> x % 2 == 0)"},
    {"flat_map", "range(50000) | flat_map(x -> range(10))"},
    {"from_tensor_slices", "from_tensor_slices(zeros([1000000], int64))"},
    {"from_tensors", "from_tensors(1) | repeat(200000)"},
    {"ignore_errors", "range(1000000) | ignore_errors()"},
    {"interleave", "range(5000) | interleave(x -> range(100), cycle_length: 8, block_length: 16)"},
    {"list_files", "list_files(\"NAMES\") | repeat(1000)"},
    {"map", "range(1000000) | map(x -> x + 1)"},
    {"prefetch", "range(1000000) | prefetch(1024)"},
    {"range", "range(1000000)"},
    {"reduce", "range(200000) | reduce(0, (s, x) -> s + x)"},
    {"repeat", "range(1000) | repeat(1000)"},
    {"shuffle", "range(1000000) | shuffle(10000, seed: 1)"},
    {"skip", "range(1000000) | skip(500000)"},
    {"take", "range(2000000) | take(1000000)"},
    {"tfrecord", "tfrecord(\"RECORDS\")"},
    {"zip", "zip(range(1000000), range(1000000))"},
};

// Expressions over x: float32[784], n: int64[784], b: bool[784], s: string, e: a serialized example.
const std::map<std::string, std::string> kFunctions = {
    {"!=", "x != 1.0"},
    {"%", "n % 7"},
    {"*", "x * 2.0"},
    {"**", "x ** 3.0"},
    {"+", "x + 1.0"},
    {"-", "x - 1.0"},
    {"/", "x / 3.0"},
    {"//", "n // 7"},
    {"<", "x < 1.0"},
    {"<=", "x <= 1.0"},
    {"==", "x == 1.0"},
    {">", "x > 1.0"},
    {">=", "x >= 1.0"},
    {"[]", "[x, x]"},
    {"abs", "abs(x)"},
    {"all", "all(b)"},
    {"and", "b and b"},
    {"any", "any(b)"},
    {"arange", "arange(784)"},
    {"argmax", "argmax(x)"},
    {"argmin", "argmin(x)"},
    {"assert", "assert(b[0], \"never\", x)"},
    {"bitcast", "bitcast(x, int32)"},
    {"cast", "cast(n, float32)"},
    {"ceil", "ceil(x)"},
    {"clip", "clip(x, 0.0, 1.0)"},
    {"concat", "concat([x, x])"},
    {"decode_raw", "decode_raw(s, uint8)"},
    {"exp", "exp(x)"},
    {"expand_dims", "expand_dims(x, 0)"},
    {"floor", "floor(x)"},
    {"full", "full([784], x[0])"},
    {"log", "log(x)"},
    {"max", "max(x)"},
    {"maximum", "maximum(x, 0.5)"},
    {"mean", "mean(x)"},
    {"min", "min(x)"},
    {"minimum", "minimum(x, 0.5)"},
    {"negative", "negative(x)"},
    {"not", "not b"},
    {"one_hot", "one_hot(n[0], 784)"},
    {"ones", "ones([n[0] + 784])"},
    {"ones_like", "ones_like(x)"},
    {"or", "b or b"},
    {"parse_example", "parse_example(e, {a: float32 = 0.0})"},
    {"pow", "pow(x, 3.0)"},
    {"prod", "prod(x)"},
    {"random_uniform", "random_uniform([784], seed: 1)"},
    {"rank", "rank(x)"},
    {"reshape", "reshape(x, [28, 28])"},
    {"round", "round(x)"},
    {"shape", "shape(x)"},
    {"sign", "sign(x)"},
    {"size", "size(x)"},
    {"sqrt", "sqrt(x)"},
    {"square", "square(x)"},
    {"squeeze", "squeeze(expand_dims(x, 0))"},
    {"stack", "stack([x, x])"},
    {"string_length", "string_length(s)"},
    {"sum", "sum(x)"},
    {"where", "where(b, x, 0.0)"},
    {"zeros", "zeros([n[0] + 784])"},
    {"zeros_like", "zeros_like(x)"},
};

void replace(std::string& text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

void drain(benchmark::State& state, const std::string& text, double limit_ns) {
  DocumentRef document = parse(text);
  int64_t elements = 0;
  Stopwatch watch;
  for (auto _ : state) elements += Drain(document).run(kRows);
  state.counters["ns"] = watch.seconds() * 1e9 / static_cast<double>(elements > 0 ? elements : 1);
  state.counters["limit_ns"] = limit_ns;
}

double range_ns() {
  static const double ns = [] {
    DocumentRef document = parse("range(10000000)");
    Stopwatch watch;
    const int64_t elements = Drain(document).run(kRows);
    return watch.seconds() * 1e9 / static_cast<double>(elements);
  }();
  return ns;
}

void run_operator(benchmark::State& state, const std::string& name) {
  auto row = kOperators.find(name);
  if (row == kOperators.end()) return state.SkipWithError("has no row in bench/each.cc");
  std::string text = row->second;
  replace(text, "NAMES", folder() + "/*");
  replace(text, "RECORDS", record_file(1024));
  drain(state, text, range_ns());
}

void run_function(benchmark::State& state, const std::string& name) {
  auto row = kFunctions.find(name);
  if (row == kFunctions.end()) return state.SkipWithError("has no row in bench/each.cc");
  const std::string bytes(kVector, 'a');
  drain(state,
        "from_tensors((ones([784]), zeros([784], int64), ones([784]) > 0.5, \"" + bytes +
            "\", \"\")) | repeat(20000) | map((x, n, b, s, e) -> " + row->second + ")",
        1e9 * kVector * sizeof(float) / memcpy_rate(kVector * sizeof(float)));
}

[[maybe_unused]] const bool registered = [] {
  for (const OperatorDef* def : operators()) {
    benchmark::RegisterBenchmark((std::string("operator/") + def->name).c_str(), run_operator, def->name)
        ->Unit(benchmark::kMillisecond);
  }
  for (const Kernel* kernel : kernels()) {
    benchmark::RegisterBenchmark((std::string("function/") + kernel->name).c_str(), run_function,
                                 kernel->name)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace weir::bench
