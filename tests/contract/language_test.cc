// What texts can express besides operators and functions: functions of a document, callbacks inside
// expressions, computed seeds, indices of any integer dtype.
#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"

namespace weir {
namespace {

// The same document, to the last byte of its canonical form.
void check_same(const std::string& text, const std::string& by_hand) {
  ThreadsRuntime runtime;
  CAPTURE(text);
  const DocumentRef a = parse_text(*runtime, text);
  const DocumentRef b = parse_text(*runtime, by_hand);
  CHECK(a->format() == b->format());
  CHECK(a->fingerprint() == b->fingerprint());
  CHECK(all_lines(*runtime, text) == all_lines(*runtime, by_hand));
}

TEST_CASE("language: a document's functions are their calls written out") {
  check_same("let half = x -> x / 2  range(4) | map(half)", "range(4) | map(x -> x / 2)");
  check_same("let half = x -> x / 2  range(4) | map(y -> half(y))", "range(4) | map(y -> y / 2)");
  check_same("let prepare = (d, n) -> d | map(x -> x * x) | batch(n)  range(10) | prepare(4)",
             "range(10) | map(x -> x * x) | batch(4)");
  check_same("let even = x -> x % 2 == 0  let evens = d -> d | filter(even)  range(10) | evens() | batch(2)",
             "range(10) | filter(x -> x % 2 == 0) | batch(2)");
  check_same("let total = d -> d | reduce(0, (s, x) -> s + x)  range(5) | total()",
             "range(5) | reduce(0, (s, x) -> s + x)");
  check_same("let squares = n -> range(n) | map(x -> x * x)  squares(3) | concatenate(squares(2))",
             "range(3) | map(x -> x * x) | concatenate(range(2) | map(x -> x * x))");
  check_same("let twice = x -> x + x  range(3) | map(x -> twice(uint8(x) // 2))",
             "range(3) | map(x -> let x_2 = uint8(x) // 2 in x_2 + x_2)");
}

TEST_CASE("language: an argument that draws is drawn once") {
  ThreadsRuntime runtime;
  const std::vector<std::string> lines = all_lines(
      *runtime,
      "let same = x -> x == x  range(50) | map(i -> same(random_uniform([], 0, 1000000, int64, seed: 4)))");
  CHECK(lines == std::vector<std::string>(50, "true"));
}

TEST_CASE("language: an index may be of any integer dtype") {
  ThreadsRuntime runtime;
  const std::vector<std::string> expected = {"7", "5", "3"};
  for (const char* dtype : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}) {
    CAPTURE(dtype);
    CHECK(all_lines(*runtime, std::string("range(3) | map(i -> [7, 5, 3][") + dtype + "(i)])") == expected);
  }
  CHECK(all_lines(*runtime, "range(1) | map(i -> [7, 5, 3][int8(i):int16(2)])") ==
        std::vector<std::string>{"[7, 5]"});
  CHECK(all_lines(*runtime, "range(1) | map(i -> [7, 5, 3][int8(i) - 1])") == std::vector<std::string>{"3"});
  CHECK(all_lines(*runtime, "range(1) | map(i -> [7, 5, 3][uint8(i) + 3])") ==
        std::vector<std::string>{"error: invalid_argument"});
}

TEST_CASE("language: a seed may be computed, and numbers wrap as tf.data's do") {
  ThreadsRuntime runtime;
  const auto order = [&](const std::string& seed) {
    return all_lines(*runtime, "range(30) | shuffle(30, seed: " + seed + ")");
  };
  const std::vector<std::string> seven = order("7");
  CHECK(order("8") != seven);
  // n mod (2^31 - 1), as in Python.
  CHECK(order("2147483654") == seven);
  CHECK(order("-2147483640") == seven);
  CHECK(order("(87654321, 7)") == seven);
  CHECK(order("3 + 4") == seven);
  // A variable.
  const std::string nested = "from_tensors(7) | flat_map(s -> range(30) | shuffle(30, seed: SEED))";
  for (const std::string seed : {"s", "(87654321, s)", "s + 0"}) {
    std::string text = nested;
    text.replace(text.find("SEED"), 4, seed);
    CAPTURE(text);
    CHECK(all_lines(*runtime, text) == seven);
  }
  CHECK(all_lines(*runtime, "from_tensors(0) | flat_map(s -> range(3) | shuffle(3, seed: (s, s)))") ==
        std::vector<std::string>{"error: invalid_argument"});
}

TEST_CASE("language: a computed seed comes back with the checkpoint") {
  ThreadsRuntime runtime;
  const char* text = "range(6) | flat_map(s -> range(30) | shuffle(30, seed: s + 1))";
  auto iterator = open_text(*runtime, text);
  take_lines(*iterator, 77);
  const std::string saved = require_value(iterator->save());
  const std::vector<std::string> rest = all_lines(*iterator);
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == rest);
}

// (a, b) -> (a * 10 + b, "text"), or of one argument a -> a * 10; fails where the first is 3.
class Digits final : public Callback {
 public:
  Digits()
      : Callback({.concurrent = true, .blocking = false, .block = false, .pure = true, .on_caller = false}) {}
  Result<Spec> result(const Spec& input) const override {
    if (input.is_tensor()) return Spec::tensor(DType::int64);
    return Spec::tuple({Spec::tensor(DType::int64), Spec::tensor(DType::string)});
  }
  Status call(Session&, const Block& in, Block& out) const override {
    const int64_t a = *in.columns[0].row(0).as<int64_t>();
    if (a == 3) return data_loss("three");
    const bool two = in.columns.size() == 2;
    const int64_t b = two ? *in.columns[1].row(0).as<int64_t>() : 0;
    out.columns[0].set_row(Tensor::scalar<int64_t>(a * 10 + b));
    if (two) out.columns[1].set_row(Tensor::string("text"));
    return {};
  }
};

TEST_CASE("language: a callback is called like a function inside an expression") {
  ThreadsRuntime runtime;
  Handed handed;
  handed.emplace("f", CallbackRef(make_ref<const Digits>()));
  const auto lines = [&](const char* text) {
    auto document = require_value(parse_document(*runtime, text, handed));
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {{}, nullptr}));
    return all_lines(*iterator);
  };
  CHECK(lines("range(3) | map(x -> (x, @f(x) + 1))") ==
        std::vector<std::string>{"(0, 1)", "(1, 11)", "(2, 21)"});
  CHECK(lines("range(5) | map(x -> if x == 3 then -1 else @f(x))") ==
        std::vector<std::string>{"0", "10", "20", "-1", "40"});
  CHECK(
      lines("range(2, 5) | map(x -> {a: @f(x, x + 1), b: x})") ==
      std::vector<std::string>{"{a: (23, \"text\"), b: 2}", "error: data_loss", "{a: (45, \"text\"), b: 4}"});
  CHECK(lines("range(4) | filter(x -> @f(x) > 5) | batch(2)") ==
        std::vector<std::string>{"[1, 2]", "error: data_loss"});
  const auto refused = [&](const char* text) {
    return parse_document(*runtime, text, handed).status().error().message;
  };
  CHECK(refused("range(3) | map(x -> @g(x))").find("nothing was passed as @g") != std::string::npos);
  CHECK(refused("range(3) | map(x -> @f())").find("expected arguments for @f, found none") !=
        std::string::npos);
  const DocumentRef document =
      require_value(parse_document(*runtime, "range(3) | map(x -> @f(x) + @f(x, 1).0)", handed));
  CHECK(document->format().find("(x) + @") != std::string::npos);
}

}  // namespace
}  // namespace weir
