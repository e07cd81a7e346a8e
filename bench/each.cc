// One row per operator and per function of expressions: its cost per element, as `ns`. Operators run over
// numbers, so `limit_ns` is what a number costs through `range` alone; functions run over vectors of 784
// entries, so it is what copying such a vector costs. Each definition says what to run (`bench` in
// dataset/operator.h and expr/types/kernel.h); WRITTEN stands for a folder of written elements, SCRATCH for
// one that is removed afterwards.
#include <string>

#include "expr/types/kernel.h"
#include "ops/list.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int kRows = 128;
constexpr size_t kVector = 784;

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

void run_operator(benchmark::State& state, const OperatorDef* def) {
  std::string text = def->page.bench;
  replace(text, "NAMES", folder() + "/*");
  if (text.find("RECORDS") != std::string::npos) replace(text, "RECORDS", record_file(1024));
  if (text.find("TABLE") != std::string::npos) replace(text, "TABLE", table_file());
  if (text.find("ARRAYS") != std::string::npos) replace(text, "ARRAYS", archive_file());
  if (text.find("ARRAY") != std::string::npos) replace(text, "ARRAY", array_file());
  if (text.find("OBJECTS") != std::string::npos) replace(text, "OBJECTS", object_file());
  if (text.find("ARCHIVE") != std::string::npos) replace(text, "ARCHIVE", tar_file());
  replace(text, "SCRATCH", folder() + ".written");
  if (text.find("WRITTEN") != std::string::npos) {
    const std::string numbers = folder() + ".written/numbers-of-each";
    Drain(parse("range(200000) | save(\"" + numbers + "\")")).run(1);
    replace(text, "WRITTEN", numbers);
  }
  drain(state, text, range_ns());
}

void run_function(benchmark::State& state, const Kernel* kernel) {
  const std::string bytes(kVector, 'a');
  drain(state,
        "from_tensors((ones([784]), zeros([784], int64), ones([784]) > 0.5, \"" + bytes +
            "\", \"\")) | repeat(20000) | map((x, n, b, s, e) -> " + kernel->bench + ")",
        1e9 * kVector * sizeof(float) / memcpy_rate(kVector * sizeof(float)));
}

[[maybe_unused]] const bool registered = [] {
  for (const OperatorDef* def : operators()) {
    benchmark::RegisterBenchmark((std::string("operator/") + def->name).c_str(), run_operator, def)
        ->Unit(benchmark::kMillisecond);
  }
  for (const Kernel* kernel : kernels()) {
    benchmark::RegisterBenchmark((std::string("function/") + kernel->name).c_str(), run_function, kernel)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace weir::bench
