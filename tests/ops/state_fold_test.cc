// A loop over rows in fixed places (expr/run/row_loop.h) gives what calls of the function give.
#include "core/text.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

struct Fold {
  const char* initial;
  const char* pattern;
  const char* next;
  const char* result;
};

const Fold kFolds[] = {
    {"0", "s", "s + x", "s"},
    {"(0, 1)", "(a, b)", "(b, a)", "(a, b, x)"},
    {"(0, 1, 2)", "(a, b, c)", "(x, a, b)", "(c, a + b)"},
    {"(0, float64(0.5))", "(n, m)", "(n + 1, m * 0.75 + float64(x))", "m"},
    {"0", "s", "if x % 3 == 0 then s + x else if s > 50 then 0 else s - 1", "s"},
    {"(0, 0)", "(s, n)", "if x > 9 then (n, s) else (s + 1, x)", "if s > n then s else x"},
    {"[0, 0, 0]", "s", "s * 2 + [x, 1, x % 7]", "sum(s)"},
    {"zeros([0], int64)", "s", "s", "size(s) + x"},
    {"uint8(250)", "s", "s + 1", "(s, x)"},
    {"true", "s", "not s", "if s then 1 else 2"},
    {"0", "s", "s + 100 // (x % 6 - 2)", "s"},
    {"0", "s", "s + 1", "assert(s % 5 != 3, \"three\", s)"},
    {"0", "s", "x", "7"},
    {"0", "s", "s", "s"},
};

TEST_CASE("fold: a loop gives what calls give") {
  for (const Fold& f : kFolds) {
    // A string in the state makes each row a call.
    const std::string calls = concat("range(40) | scan((", f.initial, ", \"\"), ((", f.pattern,
                                     ", t), x) -> ((", f.next, ", t), ", f.result, "))");
    const std::string loop =
        concat("range(40) | scan(", f.initial, ", (", f.pattern, ", x) -> (", f.next, ", ", f.result, "))");
    INFO(loop);
    const Lines expected = run(calls, 7);
    REQUIRE(expected.size() == 40);
    for (int rows : {1, 7, 128}) CHECK(run(loop, rows) == expected);
    const std::string failing = "probe(40, errors: \"0,4,5,11,39\")" + loop.substr(loop.find(' '));
    const std::string failing_calls = "probe(40, errors: \"0,4,5,11,39\")" + calls.substr(calls.find(' '));
    CHECK(run(failing, 16) == run(failing_calls, 16));
  }
}

TEST_CASE("fold: a variable of the enclosing scope, and each row's own random numbers") {
  CHECK(run("range(1, 4) | map(n -> range(5) | reduce(n, (s, x) -> s * n + x))") == Lines{"11", "90", "787"});
  const std::string drawn =
      "range(40) | scan(0, (s, x) -> (random_uniform([], 0, 1000000, int64, seed: 3), s))";
  const Lines expected = run(drawn, 1);
  CHECK(run(drawn, 64) == expected);
  CHECK(expected[5] != expected[6]);
  CHECK(run_restored(drawn, 20) == Lines(expected.begin() + 20, expected.end()));
}

}  // namespace
}  // namespace weir::test
