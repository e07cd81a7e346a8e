#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries enumerate_contract("enumerate",
                                         {{"PROBE | enumerate(start: 5)", [](int64_t k) { return k; }, true}},
                                         kLosesOrder);

TEST_CASE("enumerate numbers elements") {
  CHECK(run("range(5, 7) | enumerate()") == Lines{"(0, 5)", "(1, 6)"});
  CHECK(run("range(5, 7) | enumerate(start: -1)") == Lines{"(-1, 5)", "(0, 6)"});
  CHECK(run("range(0) | enumerate()").empty());
  CHECK(spec("zip(range(2), range(2)) | enumerate()") == "(int64, (int64, int64))");
  CHECK(cardinality("range(7) | enumerate()") == 7);
}

TEST_CASE("elements after the largest number are errors") {
  const std::string text = "range(4) | enumerate(start: 9223372036854775806)";
  const std::string error = "error: out_of_range";
  const Lines all = {"(9223372036854775806, 0)", "(9223372036854775807, 1)", error, error};
  for (int width : {1, 2, 3, 1000}) CHECK(run(text, width) == all);
  for (size_t given = 0; given <= 4; ++given)
    CHECK(run_restored(text, static_cast<int>(given)) ==
          Lines(all.begin() + static_cast<long>(given), all.end()));
  CHECK(run(text + " | skip(1)") == Lines{all[1], error, error});
  CHECK(run("range(2) | enumerate(-9223372036854775808) | map((i, x) -> i)") ==
        Lines{"-9223372036854775808", "-9223372036854775807"});
  CHECK(run("probe(3, errors: \"1\") | enumerate(9223372036854775806)") ==
        Lines{"(9223372036854775806, 0)", "error: data_loss", error});
}

TEST_CASE("an error spends a number") {
  CHECK(run("probe(3, errors: \"1\") | enumerate()") == Lines{"(0, 0)", "error: data_loss", "(2, 2)"});
}

TEST_CASE("an error that is skipped over spends a number too") {
  const std::string text = "probe(9, errors: \"0,3,4,8\") | enumerate(start: 10)";
  const Lines errors(4, "error: data_loss");
  CHECK(run(text + " | skip(1)") ==
        Lines{errors[0], "(12, 2)", errors[0], errors[0], "(15, 5)", "(16, 6)", "(17, 7)", errors[0]});
  CHECK(run(text + " | skip(3)", 1) ==
        Lines{errors[0], errors[0], errors[0], "(16, 6)", "(17, 7)", errors[0]});
  CHECK(run(text + " | skip(4)", 64) == Lines{errors[0], errors[0], errors[0], "(17, 7)", errors[0]});
  CHECK(run(text + " | skip(9)", 2) == errors);
  // Restoring drops what was given.
  CHECK(run_restored(text + " | shuffle(1, seed: 1)", 6) == run_restored(text, 6));
}

TEST_CASE("numbers go on behind what was skipped and where it was saved") {
  CHECK(run("range(9) | enumerate() | skip(7)") == Lines{"(7, 7)", "(8, 8)"});
  CHECK(run_restored("range(4) | enumerate(start: 10)", 2) == Lines{"(12, 2)", "(13, 3)"});
}

}  // namespace
}  // namespace weir::test
