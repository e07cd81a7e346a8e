// Functions of the program in pipelines: what they see, what they throw, and that they are destroyed once.

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "support.h"

namespace {

using weir::Array;
using weir::Call;
using weir::Callback;
using weir::Span;

int64_t twice(int64_t x) { return 2 * x; }

TEST_CASE("a function of components") {
  const weir::Runtime runtime;
  const int64_t offset = 100;
  CHECK(lines(runtime, weir::range(3).map([offset](int64_t x) { return x + offset; })) ==
        Lines{"100", "101", "102"});
  CHECK(lines(runtime, weir::range(2).map(&twice)) == Lines{"0", "2"});
  CHECK(lines(runtime, weir::range(4).filter([](int64_t x) { return x % 2 == 1; })) == Lines{"1", "3"});
  CHECK(lines(runtime, weir::range(4).reduce(int64_t{0}, [](int64_t sum, int64_t x) { return sum + x; })) ==
        Lines{"6"});
  CHECK(lines_of(runtime, "range(2) | map(x -> (x, @f(x)))", {{"f", [](int64_t x) {
                                                                 return static_cast<double>(x) / 2;
                                                               }}}) == Lines{"(0, 0.0)", "(1, 0.5)"});
}

TEST_CASE("a function takes strings, spans and arrays, and gives strings, arrays, vectors and tuples") {
  const weir::Runtime runtime;
  const weir::Pipeline source = weir::range(1, 4).map("x -> {s: \"ab\", v: [x, x * x], m: [[x]]}");
  const auto f = [](std::string_view s, Span<const int64_t> v, const Array<int64_t>& m) {
    return std::tuple(std::string(s) + std::to_string(m(0, 0)),
                      std::accumulate(v.begin(), v.end(), int64_t{0}),
                      std::array<float, 2>{0.5F, static_cast<float>(v[0])});
  };
  const Callback callback(f);
  CHECK(callback.result_spec() == "(string, int64, float32[2])");
  CHECK(lines(runtime, source.map(callback)) ==
        Lines{"(\"ab1\", 2, [0.5, 1.0])", "(\"ab2\", 6, [0.5, 2.0])", "(\"ab3\", 12, [0.5, 3.0])"});
  const Callback grows([](int64_t n) { return std::vector<std::string>(static_cast<size_t>(n), "x"); });
  CHECK(grows.result_spec() == "string[?]");
  CHECK(lines(runtime, weir::range(3).map(grows)) == Lines{"[]", "[\"x\"]", "[\"x\", \"x\"]"});
  CHECK(lines(runtime, weir::range(1).map([](int64_t n) { return std::pair(n, n == 0); })) ==
        Lines{"(0, true)"});
  CHECK(lines(runtime, weir::range(1).map([](int64_t n) { return std::tuple(n); })) == Lines{"(0,)"});
}

TEST_CASE("rows of different shapes, and rows that are taken by block") {
  const weir::Runtime runtime;
  const auto sum = [](Span<const int64_t> v) { return std::accumulate(v.begin(), v.end(), int64_t{0}); };
  CHECK(lines(runtime, weir::range(4).map("x -> arange(x)").map(sum)) == Lines{"0", "0", "1", "3"});
  // A batch demands blocks.
  CHECK(lines(runtime, weir::range(4).map("x -> [x, 1]").map(sum).batch(4)) == Lines{"[1, 2, 3, 4]"});
  CHECK(lines(runtime, weir::range(3).map([](int64_t x) { return std::to_string(x); }).batch(3)) ==
        Lines{"[\"0\", \"1\", \"2\"]"});
}

TEST_CASE("a function of a Call") {
  const weir::Runtime runtime;
  const Callback negate(
      [](Call& call) {
        const auto in = call.input<Span<const int64_t>>(0);
        const auto out = call.output<int64_t>(0, {call.rows()});
        CHECK(static_cast<int64_t>(in.size()) == call.rows());
        CHECK(!call.cancelled());
        for (size_t i = 0; i < in.size(); ++i) {
          out[i] = -in[i];
          if (in[i] == 2) call.fail(static_cast<int64_t>(i), WEIR_CODE_ABORTED, "two");
        }
      },
      "int64", WEIR_CALLBACK_BLOCK | WEIR_CALLBACK_PURE);
  CHECK(lines(runtime, weir::range(4).map(negate)) == Lines{"0", "-1", "error: aborted", "-3"});
  const Callback labels(
      [](Call& call) { call.output<weir_string>(0)[0] = call.keep(std::to_string(call.input<int64_t>(0))); },
      "string");
  CHECK(lines(runtime, weir::range(2).map(labels)) == Lines{"\"0\"", "\"1\""});
  // Without a spec, that of the input.
  CHECK(lines(runtime, weir::range(2).map([](Call& call) { call.output<int64_t>(0)[0] = 7; })) ==
        Lines{"7", "7"});
}

TEST_CASE("results of another type are refused") {
  const weir::Runtime runtime;
  weir::Element element;
  const auto message = [&](Callback callback) {
    weir::Iterator iterator(runtime, weir::range(1).map(std::move(callback)));
    const weir::Error error = error_of([&] { iterator.next(element); });
    CHECK(error.code() == WEIR_CODE_INVALID_ARGUMENT);
    return error.message();
  };
  CHECK(holds(message(Callback([](Call& call) { call.output<double>(0, {3})[2] = 1; }, "float32[3]")),
              "float64"));
  CHECK(holds(message(Callback([](Call& call) { call.output<weir_string>(0)[0] = call.keep("a"); }, "int64")),
              "string"));
  CHECK(holds(message(Callback([](Call& call) { call.output<int64_t>(0)[0] = 1; }, "uint64")), "int64"));
  CHECK(holds(message(Callback([](Call& call) { call.output<float>(0, std::vector<int64_t>(256, 1)); },
                               "float32[...]")),
              "rank"));
}

struct Silent {};

TEST_CASE("what a function throws is the error of its element") {
  const weir::Runtime runtime;
  const auto fails = [](int64_t x) -> int64_t {
    if (x == 1) throw weir::Error(WEIR_CODE_PERMISSION_DENIED, "not one");
    if (x == 2) throw std::runtime_error("not two");
    if (x == 3) throw std::bad_alloc();
    if (x == 4) throw Silent();
    if (x == 5) throw std::runtime_error(std::string(100000, 'x'));
    return x;
  };
  const Lines expected{"0",
                       "error: permission_denied",
                       "error: unknown",
                       "error: resource_exhausted",
                       "error: unknown",
                       "error: unknown",
                       "6"};
  CHECK(lines(runtime, weir::range(7).map(fails)) == expected);
  CHECK(lines(runtime, weir::range(7).map(Callback(fails, WEIR_CALLBACK_BLOCKING))) == expected);
  CHECK(lines(runtime, weir::range(7).map([fails](Call& call) {
          call.output<int64_t>(0)[0] = fails(call.input<int64_t>(0));
        })) == expected);
  weir::Iterator iterator(runtime, weir::range(1, 3).map(fails));
  weir::Element element;
  weir::Error error = error_of([&] { iterator.next(element); });
  CHECK(holds(error.message(), "not one"));
  CHECK(error.path() == "map");
  error = error_of([&] { iterator.next(element); });
  CHECK(holds(error.message(), "not two"));
  CHECK(!iterator.next(element));
}

TEST_CASE("elements that do not fit the parameters fail") {
  const weir::Runtime runtime;
  weir::Element element;
  weir::Iterator dtype(runtime, weir::range(2).map([](float x) { return x; }));
  weir::Error error = error_of([&] { dtype.next(element); });
  CHECK(error.element_failed());
  CHECK(holds(error.message(), "component 0: expected a scalar float32, found int64"));
  weir::Iterator more(runtime, weir::range(2).map("x -> (x, x)").map([](int64_t x) { return x; }));
  CHECK(holds(error_of([&] { more.next(element); }).message(), "expected elements of 1 component"));
  weir::Iterator fewer(runtime, weir::range(2).map([](int64_t x, int64_t) { return x; }));
  CHECK(error_of([&] { fewer.next(element); }).element_failed());
  CHECK(lines(runtime, weir::range(4).batch(4).map([](int64_t x) { return x; })) ==
        Lines{"error: invalid_argument"});
}

TEST_CASE("flags") {
  const weir::Runtime runtime;
  const auto same = [](int64_t x) { return x; };
  weir::Iterator impure(runtime, weir::range(2).map(same));
  CHECK(error_of([&] { impure.save(); }).code() == WEIR_CODE_FAILED_PRECONDITION);
  weir::Iterator pure(runtime, weir::range(2).map(Callback(same, WEIR_CALLBACK_PURE)));
  CHECK(!pure.save().empty());
  CHECK(holds(error_of([&] { Callback(same, WEIR_CALLBACK_BLOCK); }).message(), "leave the flag out"));
  CHECK((Callback(same).flags() & WEIR_CALLBACK_BLOCK) != 0);
  CHECK((Callback(same, WEIR_CALLBACK_BLOCKING).flags() & WEIR_CALLBACK_BLOCK) == 0);
}

TEST_CASE("a captured object is destroyed once, with the last that holds it") {
  std::atomic<int> destroyed{0};
  const weir::Runtime runtime;
  const auto make = [&] {
    return Callback([counted = Counted(destroyed)](int64_t x) {
      static_cast<void>(counted);
      return x;
    });
  };
  SECTION("a callback that is never used") {
    { const Callback callback = make(); }
    CHECK(destroyed == 1);
  }
  SECTION("a pipeline that is built twice") {
    std::optional<weir::Pipeline> pipeline = weir::range(3).map(make());
    std::optional<weir::Dataset> first = pipeline->build(runtime);
    std::optional<weir::Iterator> iterator(std::in_place, runtime, pipeline->build(runtime));
    pipeline.reset();
    first.reset();
    CHECK(lines(*iterator) == Lines{"0", "1", "2"});
    CHECK(destroyed == 0);
    iterator.reset();
    CHECK(destroyed == 1);
  }
  SECTION("a document that cannot be built") {
    CHECK_THROWS_AS(weir::parse(runtime, "range(3) | nap(@f)", {{"f", make()}}), weir::Error);
    CHECK(destroyed == 1);
  }
  SECTION("a runtime that was moved from") {
    weir::Runtime gone;
    { const weir::Runtime taken = std::move(gone); }
    CHECK_THROWS_AS(weir::parse(gone, "range(3) | map(@f)", {{"f", make()}}), weir::Error);
    CHECK(destroyed == 1);
  }
  SECTION("one under a name") {
    {
      weir::Runtime own;
      own.add_callback("f", make());
      CHECK(destroyed == 0);
      CHECK(lines_of(own, "range(2) | map(@f)") == Lines{"0", "1"});
      CHECK(error_of([&] { own.add_callback("f", [](int64_t x) { return x; }); }).code() ==
            WEIR_CODE_ALREADY_EXISTS);
      CHECK(destroyed == 0);
    }
    CHECK(destroyed == 1);
  }
  SECTION("a check") {
    CHECK(weir::check(runtime, "range(3) | map(@f)", {{"f", make()}}).view() == "[]");
    CHECK(destroyed == 1);
  }
}

TEST_CASE("a named callback survives as bytes") {
  weir::Runtime runtime;
  runtime.add_callback("twice", &twice);
  const weir::Bytes bytes = weir::parse(runtime, "range(3) | map(@twice)").serialize();
  CHECK(lines(runtime, weir::deserialize(runtime, bytes)) == Lines{"0", "2", "4"});
  const weir::Runtime other;
  CHECK(error_of([&] { weir::deserialize(other, bytes); }).code() == WEIR_CODE_NOT_FOUND);
}

TEST_CASE("a function saves what it remembers, and takes it back") {
  weir::Runtime runtime;
  int64_t sum = 0;
  bool broken = false;
  weir::Callback adds([&](int64_t x) { return sum += x; });
  adds.state(
      [&] {
        if (broken) throw std::runtime_error("broken");
        return std::to_string(sum);
      },
      [&](std::string_view text) { sum = std::stoll(std::string(text)); });
  const weir::Dataset dataset = weir::range(10).map(adds).batch(2).build(runtime);
  std::string saved;
  {
    weir::Iterator iterator(runtime, dataset);
    weir::Element element;
    REQUIRE(iterator.next(element));
    saved = iterator.save().str();
    broken = true;
    CHECK_THROWS_AS(iterator.save(), weir::Error);
    broken = false;
  }
  sum = 1000;
  weir::IteratorOptions options;
  options.checkpoint = saved;
  weir::Iterator restored(runtime, dataset, options);
  weir::Element element;
  REQUIRE(restored.next(element));
  CHECK(element.text() == "[3, 6]");
}

TEST_CASE("a policy saves what cannot be made again by value") {
  weir::Runtime runtime;
  int64_t calls = 0;
  const weir::Dataset dataset = weir::range(10)
                                    .map(weir::Callback([&](int64_t x) { return x * 100 + ++calls; }))
                                    .shuffle(3)
                                    .build(runtime);
  weir::Iterator refused(runtime, dataset);
  CHECK_THROWS_AS(refused.save(), weir::Error);
  weir::IteratorOptions options;
  options.checkpoint_policy = weir::CheckpointPolicy::by_value;
  calls = 0;
  weir::Iterator iterator(runtime, dataset, options);
  weir::Element element;
  REQUIRE(iterator.next(element));
  const std::string saved = iterator.save().str();
  options.checkpoint = saved;
  weir::Iterator restored(runtime, dataset, options);
  while (restored.next(element)) {
  }
  // No row was made a second time.
  CHECK(calls == 10);
}

TEST_CASE("calls come one at a time unless they may be concurrent", "[threads]") {
  const weir::Runtime runtime;
  std::atomic<int> running{0};
  std::atomic<bool> overlapped{false};
  weir::MapOptions options;
  options.num_parallel_calls = 4;
  int64_t calls = 0;
  const auto alone = [&](int64_t x) {
    if (++running > 1) overlapped = true;
    ++calls;
    --running;
    return x;
  };
  int64_t sum = 0;
  const weir::Pipeline pipeline = weir::range(2000).map(alone, options);
  for (const int64_t x : weir::Iterator(runtime, pipeline).elements<int64_t>()) sum += x;
  CHECK(sum == 1999 * 1000);
  CHECK(calls == 2000);
  CHECK(!overlapped);
}

TEST_CASE("a callback that was moved from is refused") {
  const weir::Runtime runtime;
  weir::Callback callback([](int64_t x) { return x + 1; });
  const weir::Callback taken = std::move(callback);
  CHECK(lines(runtime, weir::range(2).map(taken)) == Lines{"1", "2"});
  const auto save = [] { return std::string(); };
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(error_of([&] { weir::Iterator(runtime, weir::range(2).map(callback)); }).code() ==
        WEIR_CODE_INVALID_ARGUMENT);
  CHECK(error_of([&] { callback.state(save, [](std::string_view) {}); }).code() ==
        WEIR_CODE_INVALID_ARGUMENT);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("calls of a callback and its copies come one at a time") {
  weir::RuntimeOptions options;
  options.thread_count = 4;
  const weir::Runtime runtime(options);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  const weir::Callback callback([&](int64_t x) {
    const int now = ++inside;
    if (now > most) most = now;
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    --inside;
    return x + 1;
  });
  const weir::Callback copy = callback;
  int64_t sum = 0;
  weir::Iterator iterator(runtime, weir::range(100).map(callback).prefetch(4).map(copy));
  for (const int64_t x : iterator.elements<int64_t>()) sum += x;
  CHECK(sum == 5150);
  CHECK(most == 1);
}

}  // namespace
