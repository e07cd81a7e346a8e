// What evaluating allocates: nothing for a row of numbers, once a function has run.
#include "expr/harness.h"
#include "expr/run/row_loop.h"
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

TEST_CASE("large results come from the runtime's pool, and its memory goes to the next ones") {
  Lab lab;
  BufferPool pool(1 << 20);
  lab.world.runtime.pool = &pool;
  Spec spec;
  const Block in = lab.block({"3"}, &spec);
  // The last one is an entry too small.
  const Result<FunctionRef> f =
      lab.compile("x -> (zeros([8192], int64) + x, broadcast_to(x, [8192]), broadcast_to(x, [8191]))", spec);
  REQUIRE(f.ok());
  Block out;
  (*f)->call({.session = *lab.world.session}, in, out);
  const size_t used = pool.used_bytes();
  CHECK(used == 2 * (64 << 10));
  const uint8_t* const first = out.columns[1].tensor().data;
  // The columns are others', with memory that they still hold: nobody looks for the pool there.
  Block kept = out;
  for (Column& column : out.columns) column.make_dense<int64_t>({}, 8192);
  CHECK(pool.used_bytes() == used);
  kept = Block();
  CHECK(pool.used_bytes() == 0);
  CHECK(pool.free_bytes() == used);
  Block again;
  (*f)->call({.session = *lab.world.session}, in, again);
  CHECK(pool.used_bytes() == used);
  CHECK((again.columns[0].tensor().data == first || again.columns[1].tensor().data == first));
}

// weir_allocator says so.
TEST_CASE("the host's memory is for batches, not for results of expressions") {
  Lab lab;
  int asked = 0;
  const Allocator host{[](void* context, size_t, size_t) -> void* {
                         ++*static_cast<int*>(context);
                         return nullptr;
                       },
                       [](void*, void*, size_t) {}, &asked};
  BufferPool pool(1 << 20, host);
  lab.world.runtime.pool = &pool;
  Spec spec;
  const Block in = lab.block({"3"}, &spec);
  const Result<FunctionRef> f = lab.compile("x -> broadcast_to(x, [8192])", spec);
  REQUIRE(f.ok());
  Block out;
  (*f)->call({.session = *lab.world.session}, in, out);
  CHECK(out.errors.empty());
  CHECK(asked == 0);
}

}  // namespace
}  // namespace weir::test
