#include "expr/harness.h"

namespace weir::test {

namespace {

// Adds one; fails for 3. Counts its calls, the rows that it saw, and its destruction.
class AddOne final : public Callback {
 public:
  AddOne(CallbackFlags flags, int* calls, int* destroyed)
      : Callback(flags), calls_(calls), destroyed_(destroyed) {}
  ~AddOne() override { ++*destroyed_; }

  Result<Spec> result(const Spec& input) const override {
    if (!input.is_scalar(DType::int64)) return invalid_argument("takes int64");
    return input;
  }
  Status call(Session&, const Block& in, Block& out) const override {
    ++*calls_;
    CHECK(in.errors.empty());
    int64_t* to = out.columns[0].make_dense<int64_t>(Shape(), in.rows);
    for (int row = 0; row < in.rows; ++row) {
      const Tensor value = in.columns[0].row(row);
      to[row] = *value.as<int64_t>() + 1;
      if (to[row] != 4) continue;
      if (!flags.block) return data_loss("three");
      out.fail_row(row, data_loss("three").pointer());
    }
    return Status();
  }

 private:
  int* const calls_;
  int* const destroyed_;
};

}  // namespace

TEST_CASE("callbacks take rows or blocks, never failed rows, and are destroyed once") {
  for (const bool block : {false, true}) {
    int calls = 0;
    int destroyed = 0;
    {
      Lab lab;
      Spec input;
      Block in = lab.block({"1", "3", "5", "7"}, &input);
      in.fail_row(0, Status(Code::aborted, "before").pointer());
      auto f = make_callback_function(
          make_ref<const AddOne>(CallbackFlags{.block = block}, &calls, &destroyed), input);
      REQUIRE(f.ok());
      CHECK((*f)->takes_blocks() == block);
      CHECK_FALSE((*f)->concurrent());
      CHECK_FALSE((*f)->not_replayable().empty());
      Block out;
      (*f)->call({.session = *lab.world.session}, in, out);
      CHECK(out.rows == 4);
      REQUIRE(out.errors.size() == 2);
      CHECK(out.errors[0].error->code == Code::aborted);
      CHECK(out.errors[1].error->code == Code::data_loss);
      lab.check_row(out.row(2), "6");
      lab.check_row(out.row(3), "8");
      CHECK(calls == (block ? 1 : 3));
      CHECK(destroyed == 0);
    }
    CHECK(destroyed == 1);
  }
}

TEST_CASE("a callback that does not take the elements does not build") {
  int calls = 0;
  int destroyed = 0;
  auto f = make_callback_function(make_ref<const AddOne>(CallbackFlags{}, &calls, &destroyed),
                                  Spec::tensor(DType::string));
  CHECK_FALSE(f.ok());
  CHECK(destroyed == 1);
}

}  // namespace weir::test
