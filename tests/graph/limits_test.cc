#include "build.h"
#include "graph/document.h"

namespace weir {
namespace {

TEST_CASE("A document cannot double a structure, or the typing of its lets, without end", "[graph]") {
  Graph graph;
  constexpr int kSteps = 60;
  std::string maps = "range(1)", empties = "range(1) | map(x -> ())",
              inner = "range(1) | map(x -> let a0 = x in ";
  std::string lets = "let a0 = (1, 1) ", zips = "let a0 = range(1) ", sums = "let a0 = 1 + 1 ";
  for (int i = 0; i < kSteps; ++i) {
    const std::string old = "a" + std::to_string(i), made = "a" + std::to_string(i + 1);
    maps += " | map(x -> (x, x))";
    empties += " | map(x -> (x, x))";
    inner += "let " + made + " = (" + old + ", " + old + ") in ";
    lets += "let " + made + " = (" + old + ", " + old + ") ";
    zips += "let " + made + " = zip((" + old + ", " + old + ")) ";
    sums += "let " + made + " = " + old + " + " + old + " ";
  }
  const std::string last = "a" + std::to_string(kSteps);
  for (const std::string& text :
       {maps, empties, inner + last + ")", lets + "from_tensors(" + last + ")", zips + last}) {
    CHECK(contains(graph.refused(text), "expected a structure of at most 4096 tensors, tuples and dicts"));
  }
  CHECK(contains(graph.refused(sums + "from_tensors(" + last + ")"), "expected `let` values of at most"));
}

TEST_CASE("Lets that stand within one another have a bound, as lists of lists have", "[graph]") {
  Graph graph;
  std::string chain = "let a0 = 1 + 1 ";
  for (int i = 0; i < 1000; ++i) {
    chain += "let a" + std::to_string(i + 1) + " = a" + std::to_string(i) + " + 1 ";
  }
  CHECK(contains(graph.refused(chain + "range(a1000)"), "expected `let` values of at most 400 levels"));

  auto list = [](const std::string& member) {
    std::string out = "[" + member;
    for (int i = 1; i < 200; ++i) out += ", " + member;
    return out + "] ";
  };
  const std::string lists = "let a = " + list("1") + "let b = " + list("a") + "let c = " + list("b");
  CHECK(contains(graph.refused(lists + "from_tensors(c)"), "a list of at most 1048576 numbers"));
}

TEST_CASE("A dataset cannot be opened without end by a few names", "[graph]") {
  Graph graph;
  const auto doubled = [](int times) {
    std::string text = "let a0 = range(1) ";
    for (int i = 0; i < times; ++i) {
      const std::string old = "a" + std::to_string(i);
      text += "let a" + std::to_string(i + 1) + " = " + old + " | concatenate(" + old + ") ";
    }
    return text + "a" + std::to_string(times);
  };
  // 2^18 sources and one operator less.
  graph.build(doubled(18));
  CHECK(contains(graph.refused(doubled(19)), "expected at most 1000000 operators"));
  CHECK(contains(graph.refused(doubled(80)), "expected at most 1000000 operators"));
}

TEST_CASE("zip takes a structure, which a list is not", "[graph]") {
  Graph graph;
  CHECK(contains(graph.refused("zip([range(2), range(3)])"), "found a list; write (a, b)"));
  CHECK(contains(graph.refused("zip({x: [range(2)]})"), "found a list"));
  graph.build("zip((range(2), range(3)))");
}

}  // namespace
}  // namespace weir
