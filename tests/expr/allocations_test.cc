// What evaluating allocates: nothing for a row of numbers, once a function has run.
#include "expr/harness.h"
#include "expr/row_loop.h"
#include "support/failing_new.h"

namespace weir::test {
namespace {

template <class F>
int64_t allocations(F f) {
  Scarcity counted;
  const Scarce scarce(counted);
  f();
  return counted.made;
}

const char* const kScalars[] = {
    "x -> (x + 7) * 3 - x",
    "x -> (x, float32(x) / 3.0, if x > 5 then x else -x)",
    "x -> where(x > 5 and x < 100, x, 0)",
};

TEST_CASE("a scalar lambda allocates nothing, neither for a row nor for a block") {
  Lab lab;
  for (const char* lambda : kScalars) {
    INFO(lambda);
    Spec spec;
    std::vector<std::string> rows;
    for (int i = 0; i < 128; ++i) rows.push_back(std::to_string(i));
    const Block block = lab.block(rows, &spec);
    const Result<FunctionRef> f = lab.compile(lambda, spec);
    REQUIRE(f.ok());
    for (const int width : {1, 128}) {
      const Block in = block.slice(0, width);
      Block out;
      const auto call = [&] { (*f)->call({.session = *lab.world.session}, in, out); };
      for (int i = 0; i < 3; ++i) call();
      CHECK(allocations([&] {
              for (int i = 0; i < 100; ++i) call();
            }) == 0);
    }
  }
}

TEST_CASE("a fold allocates nothing for a row") {
  Lab lab;
  Spec spec;
  const Block rows = lab.block(std::vector<std::string>(200, "(0, 5)"), &spec);
  const Result<FunctionRef> f = lab.compile("(s, x) -> s + x * 3 - 1", spec);
  REQUIRE(f.ok());
  const std::unique_ptr<RowLoop> loop = (*f)->row_loop(1);
  REQUIRE(loop);
  Block in;
  in.rows = rows.rows;
  in.columns.push_back(rows.columns[1]);
  REQUIRE(loop->takes(in));
  const int64_t zero = 0;
  loop->set_state(0, reinterpret_cast<const uint8_t*>(&zero));
  ErrorPtr error;
  int done = 0;
  CHECK(allocations([&] { done = loop->run({.session = *lab.world.session}, in, 0, in.rows, {}, error); }) ==
        0);
  CHECK(done == 200);
  CHECK(*reinterpret_cast<const int64_t*>(loop->state(0)) == 200 * 14);
}

}  // namespace
}  // namespace weir::test
