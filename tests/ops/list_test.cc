#include "ops/list.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "support/no_params.h"

namespace weir {
namespace {

bool by_name(const OperatorDef* a, const OperatorDef* b) { return std::string_view(a->name) < b->name; }

TEST_CASE("Every operator of the list is found by its name, and nothing else is") {
  REQUIRE(operators().size() > 20);
  for (const OperatorDef* op : operators()) CHECK(find_operator(op->name) == op);
  for (const char* name : {"", "a", "Take", "tak", "take ", "takes", "zz"})
    CHECK(find_operator(name) == nullptr);
}

TEST_CASE("The list is sorted, and no name stands twice") {
  CHECK(std::is_sorted(operators().begin(), operators().end(), by_name));
  auto same = [](const OperatorDef* a, const OperatorDef* b) { return std::string_view(a->name) == b->name; };
  CHECK(std::adjacent_find(operators().begin(), operators().end(), same) == operators().end());
}

class Nothing final : public Cursor {
 public:
  Nothing(Opening&, const NoParams&) {}
  Step next(Context&, const Demand&, Block&) override { return PullResult::end; }
  void state(Archive&) override {}
};

// Between "filter" and "flat_map".
const OperatorDef& fives_operator() {
  static const OperatorDef def = define<NoParams, Nothing>({
      .name = "fives",
      .kind = OperatorKind::source,
      .page = {.doc = "Gives nothing."},
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = unknown_cardinality},
  });
  return def;
}

TEST_CASE("An operator that is added takes its place among the others") {
  const size_t before = operators().size();
  add_operator(fives_operator());
  CHECK(operators().size() == before + 1);
  CHECK(find_operator("fives") == &fives_operator());
  CHECK(find_operator("filter") != nullptr);
  CHECK(find_operator("flat_map") != nullptr);
  CHECK(std::is_sorted(operators().begin(), operators().end(), by_name));
}

TEST_CASE("Every operator says what it is") {
  for (const OperatorDef* op : operators()) {
    INFO(op->name);
    CHECK(op->page.doc[0] != 0);
    CHECK(op->typing.spec != nullptr);
    CHECK(op->typing.cardinality != nullptr);
    CHECK(op->open != nullptr);
    std::unique_ptr<ParamsBase> params = op->make_params();
    Fields fields;
    params->fields(fields);
    for (const Field& field : fields.list) {
      INFO(field.name);
      CHECK(field.doc[0] != 0);
    }
  }
}

}  // namespace
}  // namespace weir
