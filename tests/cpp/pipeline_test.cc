// Documents as chained calls: their text, and that they are the same datasets.
#include <locale.h>

#include <limits>

#include "support.h"

namespace {

using weir::Expression;
using weir::Tensor;
using weir::Value;

// The canonical text of the dataset.
std::string text(const weir::Pipeline& pipeline) {
  const weir::Runtime runtime;
  return pipeline.build(runtime).text();
}

TEST_CASE("calls are written as the notation has them") {
  CHECK(text(weir::range(10).map("x -> x * 2").batch(4)) == "range(10) | map(x -> x * 2) | batch(4)");
  weir::RangeOptions range;
  range.step = 3;
  range.dtype = weir::DType::int32;
  CHECK(text(weir::range(-2, 10, range)) == "range(-2, 10, step: 3, dtype: int32)");
  weir::MapOptions map;
  map.num_parallel_calls = weir::automatic;
  map.deterministic = false;
  CHECK(text(weir::range(1).map("x -> x", map)) ==
        "range(1) | map(x -> x, num_parallel_calls: auto, deterministic: false)");
  map.deterministic = weir::none;
  map.num_parallel_calls = {};
  CHECK(text(weir::range(1).map("x -> x", map)) == "range(1) | map(x -> x)");
  weir::ShuffleOptions shuffle;
  shuffle.seed = {1, 2};
  CHECK(text(weir::range(4).shuffle(4, shuffle).repeat()) ==
        "range(4) | shuffle(4, seed: (1, 2)) | repeat()");
  CHECK(text(weir::empty("{x: int64}").repeat(3).enumerate(5)) ==
        "empty({x: int64}) | repeat(3) | enumerate(5)");
  CHECK(text(weir::empty(weir::Spec("int64[?]"))) == "empty(int64[?])");
  CHECK(text(weir::tfrecord(std::vector<std::string>{"a", "b"})) == "tfrecord([\"a\", \"b\"])");
  CHECK(text(weir::tfrecord(weir::from_tensors("x"))) == "tfrecord(from_tensors(\"x\"))");
}

// The value comes out as it went in.
std::string printed(const Value& value) {
  const weir::Runtime runtime;
  return lines(runtime, weir::from_tensors(value)).at(0);
}

TEST_CASE("values are written as literals") {
  CHECK(printed(7) == "7");
  CHECK(printed(std::numeric_limits<int64_t>::min()) == "-9223372036854775808");
  CHECK(printed(true) == "true");
  CHECK(printed(1.0F) == "1.0");
  CHECK(printed(1e30) == "1e+30");
  CHECK(printed(-0.1F) == "-0.1");
  CHECK(printed(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(printed(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(printed(std::numeric_limits<float>::quiet_NaN()) == "nan");
  CHECK(printed("a \"b\" \\ {c}") == "\"a \\\"b\\\" \\\\ {c}\"");
  CHECK(printed(std::string("\0\n\xff", 3)) == "\"\\x00\\n\\xff\"");
  CHECK(printed(Expression("float64(0.1)")) == "0.1");
  CHECK(printed(Tensor::copy({1, 2})) == "[1, 2]");
  CHECK(printed(Value::dict({{"a", 1}, {"b/c", "x"}})) == "{a: 1, \"b/c\": \"x\"}");
  // A key with the text of its value.
  for (const char* const word : {"1", "0", "-1", "true", "inf", "nan", "[1]"}) {
    const std::string key = word;
    const std::string shown = key[0] >= 'a' && key[0] <= 'z' ? key : '"' + key + '"';
    CHECK(printed(Value::dict({{key, Expression(key)}})) == "{" + shown + ": " + key + "}");
  }
  CHECK(printed(Value::tuple({1, Value::tuple({2.5})})) == "(1, (2.5,))");
}

TEST_CASE("literals do not depend on the locale") {
  const locale_t german = newlocale(LC_ALL_MASK, "de_DE.UTF-8", nullptr);
  const locale_t before = german ? uselocale(german) : nullptr;
  CHECK(text(weir::from_tensors(0.5)) == "from_tensors(0.5)");
  CHECK(text(weir::range(1234567)) == "range(1234567)");
  if (german) {
    uselocale(before);
    freelocale(german);
  }
}

TEST_CASE("a chain gives the dataset of the text") {
  const weir::Runtime runtime;
  weir::ShuffleOptions seeded;
  seeded.seed = 7;
  const weir::Dataset chained = weir::zip({{"x", weir::range(10)}, {"y", weir::range(10).map("x -> x * x")}})
                                    .shuffle(4, seeded)
                                    .batch(3)
                                    .build(runtime);
  const weir::Dataset parsed = weir::parse(
      runtime, "zip({x: range(10), y: range(10) | map(x -> x * x)}) | shuffle(4, seed: 7) | batch(3)");
  CHECK(chained.fingerprint() == parsed.fingerprint());
  CHECK(chained.text() == parsed.text());
}

TEST_CASE("pipelines and datasets are operands") {
  const weir::Runtime runtime;
  const weir::Dataset dataset = weir::range(2).build(runtime);
  const weir::Pipeline pipeline = weir::range(5, 7);
  CHECK(lines(runtime, weir::Pipeline(dataset).concatenate(pipeline).concatenate(dataset)) ==
        Lines{"0", "1", "5", "6", "0", "1"});
  CHECK(lines(runtime, weir::zip({dataset, pipeline})) == Lines{"(0, 5)", "(1, 6)"});
  CHECK(lines(runtime, weir::zip({pipeline})) == Lines{"(5,)", "(6,)"});
  CHECK(lines(runtime, weir::choose_from_datasets({dataset, pipeline}, weir::range(2))) == Lines{"0", "5"});
  weir::SampleFromDatasetsOptions weighted;
  weighted.weights = weir::range(3).map("x -> [0.0, 1.0]");
  CHECK(lines(runtime, weir::sample_from_datasets({dataset, pipeline}, weighted)) == Lines{"5", "6"});
  CHECK(lines(runtime, weir::from_list({5, 7})) == Lines{"5", "7"});
  CHECK(lines(runtime, weir::zip({{"a b", pipeline}, {"c", dataset}})) ==
        Lines{"{\"a b\": 5, c: 0}", "{\"a b\": 6, c: 1}"});
}

TEST_CASE("operators are applied by name") {
  const weir::Runtime runtime;
  const weir::Dataset numbers = weir::range(6).build(runtime);
  const weir::Dataset batches =
      weir::apply(runtime, "batch", {numbers}, {{"", "4"}, {"drop_remainder", "true"}});
  CHECK(batches.text() == "range(6) | batch(4, drop_remainder: true)");
  CHECK(lines(runtime, batches) == Lines{"[0, 1, 2, 3]"});
  CHECK(weir::apply(runtime, "concatenate", {numbers, numbers}).cardinality() == 12);
  CHECK(weir::apply(runtime, "range", {}, {{"", "3"}}).cardinality() == 3);
  const std::string file = "a \"b\"";
  CHECK(weir::apply(runtime, "text_line", {}, {{"files", Value(file)}}).text() ==
        "text_line(\"a \\\"b\\\"\")");
  const int64_t offset = 100;
  const weir::Dataset moved =
      weir::apply(runtime, "map", {numbers}, {{"f", [offset](int64_t x) { return x + offset; }}});
  CHECK(lines(runtime, moved).at(5) == "105");
  CHECK(lines(runtime, weir::apply(runtime, "from_tensor_slices", {}, {{"value", Tensor::copy({7, 8})}})) ==
        Lines{"7", "8"});

  const weir::Error unknown = error_of([&] { weir::apply(runtime, "bach", {numbers}); });
  CHECK(unknown.code() == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(holds(unknown.message(), "batch"));
  // What was handed over is destroyed even then.
  std::atomic<int> destroyed{0};
  auto counted = std::make_shared<Counted>(destroyed);
  CHECK_THROWS_AS(weir::apply(runtime, "batch", {numbers}, {{"n", [counted](int64_t x) { return x; }}}),
                  weir::Error);
  counted.reset();
  CHECK(destroyed == 1);
}

TEST_CASE("a pipeline is not changed by what is added to it") {
  const weir::Pipeline base = weir::range(4);
  const weir::Pipeline more = base.take(2).with("x", "5").param("n", "int64");
  CHECK(text(base) == "range(4)");
  CHECK(text(more) == "param n: int64\nrange(4) | take(2)");
}

TEST_CASE("parameters and named things") {
  const weir::Runtime runtime;
  const weir::Pipeline pipeline = weir::range(Expression("$n"))
                                      .param("n", "int64")
                                      .map("x -> (x + @five, @word, @f(x), $s)")
                                      .param("s", "string")
                                      .with("five", Tensor::scalar(int64_t{5}))
                                      .with("word", "a\"b")
                                      .with("f", [](int64_t x) { return -x; });
  weir::IteratorOptions options;
  options.params = {{"n", 2}, {"s", "1 \"x\""}};
  weir::Iterator iterator(runtime, pipeline, options);
  CHECK(lines(iterator) ==
        Lines{"(5, \"a\\\"b\", 0, \"1 \\\"x\\\"\")", "(6, \"a\\\"b\", -1, \"1 \\\"x\\\"\")"});
  // Both parts need the same parameter.
  const weir::Pipeline part = weir::range(Expression("$n")).param("n", "int64");
  weir::Iterator both(runtime, weir::zip({part, part}), {{{"n", Tensor::scalar(int64_t{1})}}});
  CHECK(lines(both) == Lines{"(0, 0)"});
  CHECK(error_of([&] { weir::range(1).with("x", "1").with("x", "2").build(runtime); }).code() ==
        WEIR_CODE_INVALID_ARGUMENT);
  // A text is one value: it cannot end the call around it.
  const weir::Error more = error_of([&] { weir::range(1).map("x -> x) | skip(1").build(runtime); });
  CHECK(holds(more.message(), "map: expected one value, found \"x -> x) | skip(1\""));
}

TEST_CASE("mistakes are found when it is built") {
  const weir::Runtime runtime;
  const weir::Error error = error_of([&] { weir::range(3).batch(0).build(runtime); });
  CHECK(error.code() == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(holds(error.message(), "batch"));
}

TEST_CASE("arrays are read where they are") {
  const weir::Runtime runtime;
  const std::vector<float> points = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> labels = {3, 1, 4};
  const int64_t* moved = labels.data();
  int row = 0;
  weir::Iterator iterator(runtime, weir::from_arrays({{"point", Tensor::wrap(points.data(), {3, 2})},
                                                      {"label", Tensor::own(std::move(labels))}}));
  for (auto [point, label] :
       iterator.elements<weir::Span<const float>, weir::Span<const int64_t>>({"point", "label"})) {
    CHECK(point.data() == points.data() + 2 * row);
    CHECK(point.size() == 2);
    CHECK(label.data() == moved + row);
    ++row;
  }
  CHECK(row == 3);
  CHECK(lines(runtime, weir::from_arrays(Tensor::wrap(points))).size() == 6);
}

TEST_CASE("a wrapped array is released once, when nothing uses it") {
  const weir::Runtime runtime;
  std::atomic<int> released{0};
  const std::vector<int64_t> values = {1, 2};
  {
    std::optional<weir::Iterator> iterator;
    {
      const Tensor tensor = Tensor::wrap(values.data(), {2}, [&released] { ++released; });
      iterator.emplace(runtime, weir::from_arrays(tensor));
    }
    CHECK(lines(*iterator) == Lines{"1", "2"});
    CHECK(released == 0);
  }
  CHECK(released == 1);
  CHECK_THROWS_AS(Tensor::wrap(values.data(), std::vector<int64_t>(9, 1), [&released] { ++released; }),
                  weir::Error);
  CHECK(released == 2);
}

TEST_CASE("tensors are made of values") {
  const std::vector<std::string> words = {"a", "bc"};
  CHECK(Tensor::copy(words).read<weir::Array<std::string_view>>()[1] == "bc");
  CHECK(Tensor::copy({1.5, 2.5}).read<weir::Array<double>>()[1] == 2.5);
  CHECK(Tensor::scalar(uint8_t{7}).read<uint8_t>() == 7);
  CHECK(Tensor::scalar("text").read<std::string_view>() == "text");
  const std::vector<double> six(6, 1.0);
  CHECK(Tensor::own(six, {2, 3}).read<weir::Array<double>>()(1, 2) == 1.0);
  CHECK(error_of([&] { Tensor::own(six, {2, 2}); }).code() == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(error_of([&] { Tensor::copy(six.data(), {-1}); }).code() == WEIR_CODE_INVALID_ARGUMENT);
}

}  // namespace
