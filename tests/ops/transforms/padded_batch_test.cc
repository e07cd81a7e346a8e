#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const char* const kUnevenRows =
    "PROBE | map(x -> (full([x % 4], x), full([2, x % 3], -x))) | padded_batch(4, values: 7)";

const ContractEntries padded_batch_contract(
    "padded_batch",
    {{kUnevenRows, [](int64_t k) { return 4 * k; }, false},
     {"PROBE | map(x -> full([x % 3], if x % 2 == 0 then \"even\" else \"odd\")) | padded_batch(3, drop_remainder: true)",
      [](int64_t k) { return 3 * k; }, false},
     {"PROBE | map(x -> full([x % 6], x)) | padded_batch(2, shapes: [4])", [](int64_t k) { return 2 * k; },
      false},
     {"PROBE | flat_map(x -> range(x) | map(y -> full([y], x)) | padded_batch(3, shapes: [x], values: x))",
      anything, false}},
    kLosesOrder);

const std::string kRows = "from_tensor_slices([1, 3, 2, 0, 4]) | map(n -> full([n], n)) | ";

TEST_CASE("padded_batch pads to the largest of the batch, or to a shape") {
  CHECK(run(kRows + "padded_batch(2)") ==
        Lines{"[[1, 0, 0], [3, 3, 3]]", "[[2, 2], [0, 0]]", "[[4, 4, 4, 4]]"});
  CHECK(run(kRows + "padded_batch(2, shapes: [5], values: -1, drop_remainder: true)") ==
        Lines{"[[1, -1, -1, -1, -1], [3, 3, 3, -1, -1]]", "[[2, 2, -1, -1, -1], [-1, -1, -1, -1, -1]]"});
  CHECK(run("range(2) | padded_batch(2)") == Lines{"[0, 1]"});
}

TEST_CASE("several dimensions are padded each") {
  const std::string text =
      "range(1, 3) | map(x -> reshape(arange(2 * x * 2), [x, 2, 2])) | padded_batch(2, shapes: ";
  CHECK(run(text + "[none, 2, none], values: 9)") ==
        Lines{"[[[[0, 1], [2, 3]], [[9, 9], [9, 9]]], [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]]"});
  CHECK(run(text + "[2, 3, 3], values: 9) | map(b -> b[0])") ==
        Lines{"[[[0, 1, 9], [2, 3, 9], [9, 9, 9]], [[9, 9, 9], [9, 9, 9], [9, 9, 9]]]"});
}

TEST_CASE("strings, bools and floats have paddings of their own") {
  CHECK(
      run("range(1, 3) | map(x -> (full([x], \"ab\"), full([x], true), full([x], 1.5))) | padded_batch(2)") ==
      Lines{"([[\"ab\", \"\"], [\"ab\", \"ab\"]], [[true, false], [true, true]], [[1.5, 0.0], [1.5, 1.5]])"});
  CHECK(run("range(1, 3) | map(x -> {s: full([x], \"ab\"), f: full([x], float16(1))}) | "
            "padded_batch(2, values: {f: 2, s: \"-\"})") ==
        Lines{"{s: [[\"ab\", \"-\"], [\"ab\", \"ab\"]], f: [[1.0, 2.0], [1.0, 1.0]]}"});
  // More strings' owners than a column keeps.
  CHECK(
      run("range(40) | map(x -> full([x % 3], if x % 2 == 0 then \"even\" else \"odd\")) | padded_batch(40) | "
          "map(b -> (b[38], b[39], shape(b)))") == Lines{"([\"even\", \"even\"], [\"\", \"\"], [40, 2])"});
}

TEST_CASE("structure and cardinality of padded batches") {
  CHECK(spec(kRows + "padded_batch(2)") == "int64[?, ?]");
  CHECK(spec(kRows + "padded_batch(2, shapes: [4], drop_remainder: true)") == "int64[2, 4]");
  CHECK(spec("range(3) | map(x -> {a: [x, x], b: x}) | padded_batch(2, shapes: {b: [], a: [none]})") ==
        "{a: int64[?, ?], b: int64[?]}");
  CHECK(cardinality(kRows + "padded_batch(2)") == 3);
  CHECK(cardinality(kRows + "padded_batch(2, drop_remainder: true)") == 2);
}

TEST_CASE("an element that is too large makes its batch an error") {
  CHECK(run("from_tensor_slices([1, 3, 2, 1]) | map(n -> full([n], n)) | padded_batch(2, shapes: [2])") ==
        Lines{"error: data_loss", "[[2, 2], [1, 0]]"});
  CHECK(run("probe(7, errors: \"1\") | map(x -> full([x], x)) | padded_batch(3)") ==
        Lines{"error: data_loss", "[[2, 2, 0, 0], [3, 3, 3, 0], [4, 4, 4, 4]]",
              "[[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]]"});
}

TEST_CASE("shapes and values that do not fit the elements do not build") {
  CHECK(contains(build_error(kRows + "padded_batch(2, shapes: [2, 2])"), "shapes: expected 1 dimensions"));
  CHECK(contains(build_error(kRows + "padded_batch(2, shapes: 4)"), "a list of dimensions"));
  CHECK(contains(build_error(kRows + "padded_batch(2, shapes: [-2])"), "at least 0, or none"));
  CHECK(contains(build_error(kRows + "padded_batch(2, shapes: ([2], [2]))"), "expected one value"));
  CHECK(contains(build_error("range(3) | map(x -> [x, x]) | padded_batch(2, shapes: [1])"),
                 "at least 2 along dimension 0"));
  CHECK(contains(build_error(kRows + "padded_batch(2, values: 0.5)"), "values: expected a value of int64"));
  CHECK(contains(build_error(kRows + "padded_batch(2, values: [1])"), "expected scalars"));
  CHECK(contains(build_error("range(3, dtype: uint8) | map(x -> [x]) | padded_batch(2, values: 256)"),
                 "a value of uint8"));
  CHECK(contains(build_error(kRows + "padded_batch(0)"), "at least 1"));
}

TEST_CASE("shapes and values may be variables") {
  CHECK(
      run("range(2, 4) | flat_map(n -> range(2) | map(x -> full([x], x)) | padded_batch(2, shapes: [n], values: n))") ==
      Lines{"[[2, 2], [1, 2]]", "[[3, 3, 3], [1, 3, 3]]"});
}

TEST_CASE("padded batches are written in buffers of the pool, and never again") {
  CHECK(
      run("range(40) | map(x -> full([x * 300], x)) | padded_batch(10) | map(b -> (shape(b), b[1, 299], sum(b)))") ==
      Lines{"([10, 2700], 1, 85500)", "([10, 5700], 11, 655500)", "([10, 8700], 21, 1825500)",
            "([10, 11700], 31, 3595500)"});
}

}  // namespace
}  // namespace weir::test
