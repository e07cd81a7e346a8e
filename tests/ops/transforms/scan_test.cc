#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/failing_new.h"

namespace weir::test {
namespace {

const ContractEntries scan_contract(
    "scan",
    {{"PROBE | scan(0, (s, x) -> (s + x, s))", [](int64_t k) { return k; }, false},
     {"PROBE | scan((0, \"\"), ((n, last), x) -> ((n + 1, if x % 2 == 0 then \"even\" else last), (n, last)))",
      [](int64_t k) { return k; }, false},
     {"PROBE | scan(zeros([0], int64), (s, x) -> (concat([s, [x]])[-3:], s))", [](int64_t k) { return k; },
      false},
     {"PROBE | flat_map(x -> range(x) | scan(x, (s, y) -> (s + y, s)))", anything, false},
     {"PROBE | scan(1, (s, x) -> (s + 6 // (x % 5 - 2), s)) | scan(0, (s, x) -> (s + x, s))",
      [](int64_t k) { return k; }, false}},
    kRemembers);

TEST_CASE("scan gives what the function returns beside the state") {
  CHECK(run("range(1, 6) | scan(0, (s, x) -> (s + x, s + x))") == Lines{"1", "3", "6", "10", "15"});
  CHECK(run("range(6) | scan((0, 1), ((a, b), _) -> ((b, a + b), {a, b}))", 4).back() == "{a: 5, b: 8}");
  CHECK(run("range(0) | scan(0, (s, x) -> (s, x))").empty());
  CHECK(run("range(3) | scan(initial_state: 5, scan_func: (s, x) -> (s - x, s))") == Lines{"5", "5", "4"});
}

TEST_CASE("scan has as many elements as its input, of the result's structure") {
  CHECK(cardinality("range(5) | scan(0, (s, x) -> (s + x, s))") == 5);
  CHECK(cardinality("range(5) | repeat() | scan(0, (s, x) -> (s + x, s))") == -1);
  CHECK(spec("range(5) | scan(0, (s, x) -> (s + x, {x, half: x / 2}))") == "{x: int64, half: float64}");
  CHECK(spec("range(4) | scan(zeros([0], int64), (s, x) -> (concat([s, [x]]), s))") == "int64[?]");
}

TEST_CASE("a function that returns no pair, or another state, does not build") {
  CHECK(contains(build_error("range(5) | scan(0, (s, x) -> s)"), "expected a pair of state and element"));
  CHECK(
      contains(build_error("range(5) | scan(0, (s, x) -> (float32(s), x))"), "a state keeps its structure"));
}

TEST_CASE("an error keeps the state") {
  CHECK(run("range(5) | scan(0, (s, x) -> (s + 10 // (x - 2), s))") ==
        Lines{"0", "-5", "error: invalid_argument", "-15", "-5"});
  CHECK(run("probe(5, errors: \"0,3\") | scan(0, (s, x) -> (s + x, s + x))") ==
        Lines{"error: data_loss", "1", "3", "error: data_loss", "7"});
  // Strings, which the loop over fixed places does not take.
  CHECK(run("range(4) | scan(\"a\", (s, x) -> (assert(x != 1, \"no\", if x == 2 then \"b\" else s), s))") ==
        Lines{"\"a\"", "error: invalid_argument", "\"a\"", "\"b\""});
}

TEST_CASE("a saved position has the state") {
  CHECK(run_restored("range(1, 6) | scan(0, (s, x) -> (s + x, s + x))", 3) == Lines{"10", "15"});
  CHECK(run_restored("range(4) | scan(zeros([0], int64), (s, x) -> (concat([s, [x]]), s))", 2) ==
        Lines{"[0, 1]", "[0, 1, 2]"});
}

TEST_CASE("a state that grows and one that changes its shape") {
  CHECK(run("range(4) | scan(zeros([0], int64), (s, x) -> (concat([s, [x]]), s))") ==
        Lines{"[]", "[0]", "[0, 1]", "[0, 1, 2]"});
}

TEST_CASE("values of the highest rank, which no column joins") {
  CHECK(
      run("range(2) | scan(zeros([1, 1, 1, 1, 1, 1, 1, 1], int64), (s, x) -> (s + 1, s)) | map(s -> sum(s))") ==
      Lines{"0", "1"});
}

TEST_CASE("results that nobody wants still move the state") {
  CHECK(run("range(2000) | scan(0, (s, x) -> (s + 1, s)) | skip(1998)") == Lines{"1998", "1999"});
  CHECK(run("range(2000) | scan(\"\", (s, x) -> (if x == 5 then \"five\" else s, s)) | skip(1999)") ==
        Lines{"\"five\""});
}

}  // namespace
}  // namespace weir::test
