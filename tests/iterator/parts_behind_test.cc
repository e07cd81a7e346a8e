// What stands behind parts and depends on the number of ranks: positions fit as many ranks only.
#include <catch2/catch_test_macros.hpp>

#include "iterator/rank_positions.h"
#include "support/pipeline.h"

namespace weir {
namespace {

TEST_CASE("parts: draws behind them continue for as many ranks only, those inside for any number") {
  ThreadsRuntime runtime;
  const auto continued = [&](const std::string& text) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {.params = {}}));
    take_lines(*iterator, 3);
    const std::string saved = require_value(iterator->save());
    const std::vector<std::string_view> ranks{saved};
    CHECK(position_of_rank(*document, ranks, World{0, 1, {}}).ok());
    return position_of_rank(*document, ranks, World{0, 2, {}}).status();
  };
  const std::string drawn = "map(x -> random_uniform([], seed: 3))";
  CHECK(continued("range(30) | partition(6, p -> p | " + drawn + ") | map(x -> x + 1.0)").ok());
  const Status refused = continued("range(30) | partition(6, p -> p | " + drawn + ") | " + drawn);
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("map draws by the number of the element in its rank") !=
        std::string::npos);
  CHECK(!continued("range(30) | partition(6, p -> p) | filter(x -> random_bool(0.5, seed: (1, 2)))").ok());
  const std::string behind = "range(30) | partition(6, p -> p) | map(x -> ";
  const std::string drained = " | reduce(x, (s, y) -> 3 * s + y))";
  CHECK(continued(behind + "range(x) | shuffle(9, seed: 2)" + drained).ok());
  CHECK(continued("let d = range(4) | cache() " + behind + "d" + drained).ok());
  for (const std::string& by_call :
       {behind + "range(x) | shuffle(9)" + drained, behind + "random() | take(3)" + drained}) {
    INFO(by_call);
    CHECK(continued(by_call).error().message.find("map draws by the number of the element in its rank") !=
          std::string::npos);
  }
  const Status shared = continued(
      "range(30) | partition(6, p -> p) | map(x -> range(x) | shard(auto, auto) | reduce(x, (s, y) -> s + y))");
  CHECK(shared.error().message.find("map has a share of its rank inside") != std::string::npos);
}

}  // namespace
}  // namespace weir
