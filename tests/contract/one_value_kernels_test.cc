// Every function of the registry gives the same bytes whatever the width of the blocks and the instruction
// set. What it is called with is its own `bench`, for many rows of numbers that are not tame, then in each
// dtype that it takes, then with arguments whose lengths differ.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "expr/types/kernel.h"
#include "support/row_bytes.h"
#include "support/sanitized.h"

namespace weir {
namespace {

// The arguments of Kernel::bench, another for each row: signs, fractions, subnormals, zeros, infinities and
// nan in x; words and base64 in s; an Example, damaged now and then, in e.
std::string rows(int count) {
  // The longer ones are the 28 * 28 pixels of a picture as well.
  return concat(R"(let words = s -> let twice = s + s in let eight = twice + twice + twice + twice in
      if string_length(s) % 2 == 0 then s else substr(eight + eight + eight + eight + eight + eight, 0, 784)
    range()",
                count, R"() | map(r -> (r, (arange(784) * 7919 + r * 31) % 784))
    | map((r, n) -> (r, n, where(n % 53 == 7, [nan, inf, -inf, 1e-42, -0.0, 3.4e38][r % 6],
                                 (float32(n) - 391.5) * 0.0371 * float32(r % 9))))
    | map((r, n, x) -> (x, n, (n + r) % 3 == 0,
                        if r % 3 == 0 then encode_base64(as_string(r * r)) else words(as_string(r) + " the,quick\tAbc z"),
                        substr(example({a: x[r % 9], b: n[:r % 5], s: ["", "a"]}), 0, if r % 11 == 5 then 9 else 1000))))");
}

std::string over(int count, const std::string& arguments, const Kernel& kernel) {
  return concat(rows(count), " | map((x, n, b, s, e) -> ", arguments, ") | map((x, n, b, s, e) -> ",
                kernel.bench, ")");
}

bool builds(Runtime& runtime, const std::string& text) { return parse_document(runtime, text).ok(); }

// Rows one by one at the baseline are what is expected. Under a sanitizer there is one width on each level.
bool is_left_out(CpuLevel level, int width) {
  if (kSanitized) return width != (level == CpuLevel::baseline ? 7 : 128);
  return level == CpuLevel::baseline && width == 1;
}

// The number of rows that did not fail.
size_t check_widths(Runtime& runtime, const std::string& text) {
  INFO(text);
  limit_cpu_level(CpuLevel::baseline);
  const std::vector<std::string> expected = bytes_of(runtime, text, 1);
  for (const CpuLevel level : {CpuLevel::baseline, CpuLevel::avx2}) {
    limit_cpu_level(level);
    for (const int width : {1, 7, 128}) {
      if (is_left_out(level, width)) continue;
      const std::vector<std::string> found = bytes_of(runtime, text, width);
      REQUIRE(found.size() == expected.size());
      for (size_t row = 0; row < found.size(); ++row) {
        INFO("row " << row << " of width " << width << " at level " << static_cast<int>(level));
        REQUIRE((found[row] == expected[row]));
      }
    }
  }
  size_t made = 0;
  for (const std::string& row : expected) made += row.rfind("error: ", 0) != 0;
  return made;
}

TEST_CASE("one value: every function, by its own arguments", "[contract]") {
  LevelScope scope;
  ThreadsRuntime runtime(1);
  for (const Kernel* kernel : kernels()) {
    INFO(kernel->name);
    const std::string text = over(130, "(x, n, b, s, e)", *kernel);
    REQUIRE(builds(*runtime, text));
    CHECK(check_widths(*runtime, text) > 0);
  }
}

TEST_CASE("one value: every function, in every dtype that it takes", "[contract]") {
  LevelScope scope;
  ThreadsRuntime runtime(1);
  size_t texts = 0;
  for (const Kernel* kernel : kernels()) {
    INFO(kernel->name);
    for (const char* dtype : {"bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64",
                              "float16", "bfloat16", "float64", "complex64", "complex128"}) {
      // Integers of any dtype stand for x as well as for n.
      for (const char* entries : {"x", "n"}) {
        const std::string as = concat("cast(", entries, ", ", dtype, ")");
        const std::string text = over(11,
                                      concat("(", entries == std::string_view("x") ? as : "x", ", ",
                                             entries == std::string_view("n") ? as : "n", ", b, s, e)"),
                                      *kernel);
        if (!builds(*runtime, text)) continue;
        if (++texts % sanitized_step(7) == 0) check_widths(*runtime, text);
      }
    }
  }
  CHECK(texts > 1000);
}

TEST_CASE("one value: every function, on arguments of unequal lengths", "[contract]") {
  LevelScope scope;
  ThreadsRuntime runtime(1);
  for (const Kernel* kernel : kernels()) {
    INFO(kernel->name);
    const std::string text =
        over(20, "let k = n[0] % 5 * 192 + 16 in (x[:k], n[:k] % k, b[:k], s, e)", *kernel);
    if (builds(*runtime, text)) check_widths(*runtime, text);
  }
}

}  // namespace
}  // namespace weir
