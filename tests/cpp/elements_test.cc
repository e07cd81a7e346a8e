// Components read as C++ types: what they give, and what is refused.
#include <poll.h>

#include <chrono>
#include <complex>
#include <map>
#include <thread>
#include <vector>

#include "support.h"

namespace {

using weir::Array;
using weir::Span;

// The first element of a document, as these types.
template <class... T, class Body>
void with_first(std::string_view text, Body&& body) {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::parse(runtime, text));
  int count = 0;
  for (auto&& element : iterator.elements<T...>()) {
    if (count++ == 0) body(element);
  }
  CHECK(count > 0);
}

template <class... T>
weir::Error refusal(std::string_view text, std::initializer_list<std::string_view> paths = {}) {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::parse(runtime, text));
  return error_of([&] { iterator.elements<T...>(paths); });
}

TEST_CASE("one component is the value itself") {
  with_first<int64_t>("range(7, 9)", [](int64_t x) { CHECK(x == 7); });
  with_first<std::string_view>("from_tensors(\"text\")", [](std::string_view x) { CHECK(x == "text"); });
  with_first<bool>("from_tensors(true)", [](bool x) { CHECK(x); });
  with_first<uint8_t>("from_tensors(uint8(200))", [](uint8_t x) { CHECK(x == 200); });
  with_first<double>("from_tensors(float64(0.1))", [](double x) { CHECK(x == 0.1); });
  with_first<weir::Float16>("from_tensors(float16(1.0))", [](weir::Float16 x) { CHECK(x.bits == 0x3c00); });
  with_first<weir::BFloat16>("from_tensors(bfloat16(1.0))",
                             [](weir::BFloat16 x) { CHECK(x.bits == 0x3f80); });
  with_first<std::complex<float>>("from_tensors(complex64(2.0))",
                                  [](std::complex<float> x) { CHECK(x == std::complex<float>(2)); });
}

TEST_CASE("several components are a tuple that can be taken apart") {
  with_first<Span<const float>, int64_t, std::string_view>(
      "from_tensors({x: [[1.0, 2.0], [3.0, 4.0]], y: 5, z: \"six\"})", [](auto& element) {
        auto [x, y, z] = element;
        CHECK(std::vector<float>(x.begin(), x.end()) == std::vector<float>{1, 2, 3, 4});
        CHECK(x.size() == 4);
        CHECK(y == 5);
        CHECK(z == "six");
      });
}

TEST_CASE("an array has dimensions") {
  with_first<Array<int64_t>>("from_tensors([[1, 2, 3], [4, 5, 6]])", [](Array<int64_t> x) {
    CHECK(x.rank() == 2);
    CHECK(x.dim(0) == 2);
    CHECK(x.dims()[1] == 3);
    CHECK(x.size() == 6);
    CHECK(x(1, 0) == 4);
    CHECK(x[5] == 6);
    CHECK(x.row(1).rank() == 1);
    CHECK(x.row(1)(2) == 6);
    CHECK(x.row(1).row(2).rank() == 0);
    CHECK(x.row(1).row(2)() == 6);
  });
  with_first<Array<std::string_view>>("from_tensors([\"a\", \"bc\"])", [](Array<std::string_view> x) {
    std::string all;
    for (const std::string_view text : x) all += text;
    CHECK(all == "abc");
    CHECK(x[1] == "bc");
    CHECK(x.dim(0) == 2);
  });
  with_first<Array<int64_t>>("range(1) | map(x -> reshape([0][:0], [0, 3]))", [](Array<int64_t> x) {
    CHECK(x.size() == 0);
    CHECK(x.begin() == x.end());
  });
}

TEST_CASE("without types, a loop gives elements; a weir_view has any dtype") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(2).map("x -> (x, \"s\")"));
  Lines seen;
  for (weir::Element& element : iterator.elements()) seen.push_back(element.text());
  CHECK(seen == Lines{"(0, \"s\")", "(1, \"s\")"});
  with_first<weir_view>("from_tensors(\"s\")",
                        [](const weir_view& x) { CHECK(x.dtype == WEIR_DTYPE_STRING); });
}

TEST_CASE("a dataset is taken out of an element, and stays") {
  const weir::Runtime runtime;
  weir::Dataset second;
  {
    weir::Iterator windows(runtime, weir::parse(runtime, "range(5) | window(2) | map(w -> (1, w))"));
    weir::Element element;
    REQUIRE(windows.next(element));
    REQUIRE(windows.next(element));
    second = element.dataset(1);
    CHECK(error_of([&] { element.dataset(0); }).code() == WEIR_CODE_INVALID_ARGUMENT);
  }
  CHECK(second.cardinality() == 2);
  weir::Iterator numbers(runtime, second);
  CHECK(lines(numbers) == Lines{"2", "3"});
}

TEST_CASE("components are chosen by path") {
  const weir::Runtime runtime;
  weir::Iterator iterator(
      runtime, weir::parse(runtime, "range(2) | map(x -> {a: x, b: (float32(x), \"s\"), \"c d\": x * 10})"));
  std::vector<int64_t> tens;
  auto chosen = iterator.elements<std::string_view, int64_t>({"b.1", "\"c d\""});
  for (auto [text, ten] : chosen) {
    CHECK(text == "s");
    CHECK(chosen.element().get<int64_t>(0) == ten / 10);
    tens.push_back(ten);
  }
  CHECK(tens == std::vector<int64_t>{0, 10});
  CHECK(error_of([&] { iterator.elements<float>({"b.2"}); }).code() == WEIR_CODE_NOT_FOUND);
}

TEST_CASE("another dtype is refused before the first element") {
  weir::Error error = refusal<Span<const uint8_t>, int64_t>("from_tensors({image: [1.0, 2.0], label: 1})");
  CHECK(error.code() == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(holds(error.message(), "component image: expected uint8, found float32[2]"));
  error = refusal<Array<float>, std::string_view>("from_tensors(([1.0], {b: 2}))");
  CHECK(holds(error.message(), "component 1.b: expected a scalar string, found int64"));
  error = refusal<Array<double>>("from_tensors([1, 2])");
  CHECK(holds(error.message(), "the component: expected float64, found int64[2]"));
}

TEST_CASE("a scalar of another shape is refused") {
  const weir::Error error = refusal<int64_t>("range(4) | batch(2)");
  CHECK(holds(error.message(), "expected a scalar int64, found int64[?]"));
}

TEST_CASE("a scalar of unknown rank is checked where it comes") {
  const weir::Runtime runtime;
  const weir::Callback shapes(
      [](weir::Call& call) {
        const int64_t x = call.input<int64_t>(0);
        const auto out = x == 1 ? call.output<int64_t>(0, {2}) : call.output<int64_t>(0);
        for (int64_t& entry : out) entry = x;
      },
      "int64[...]");
  weir::Iterator iterator(runtime, weir::range(3).map(shapes));
  std::vector<int64_t> seen;
  auto elements = iterator.elements<int64_t>();
  const weir::Error error = error_of([&] {
    for (const int64_t x : elements) seen.push_back(x);
  });
  CHECK(holds(error.message(), "expected a scalar int64, found int64[2]"));
  for (const int64_t x : elements) seen.push_back(x);
  CHECK(seen == std::vector<int64_t>{0, 2});
}

TEST_CASE("a type for each component, or paths") {
  CHECK(holds(refusal<int64_t>("zip(range(1), range(1))").message(), "2, found 1"));
  CHECK(holds(refusal<int64_t, int64_t, int64_t>("zip(range(1), range(1))").message(), "2, found 3"));
  CHECK(
      holds(refusal<int64_t>("zip(range(1), range(1))", {"0", "1"}).message(), "2 of them by path, found 1"));
  CHECK(holds(refusal<>("range(1)", {""}).message(), "expected a type for each path"));
}

TEST_CASE("a temporary iterator lives as long as the loop") {
  const weir::Runtime runtime;
  int64_t sum = 0;
  for (const int64_t x : weir::Iterator(runtime, weir::range(5)).elements<int64_t>()) sum += x;
  CHECK(sum == 10);
  auto kept = weir::Iterator(runtime, weir::range(5)).elements<int64_t>();
  auto moved = std::move(kept);
  for (const int64_t x : moved) sum += x;
  CHECK(sum == 20);
}

TEST_CASE("a range goes on where the last loop left off, and with a dataset that is begun again") {
  const weir::Runtime runtime;
  const weir::Dataset dataset = weir::range(4).build(runtime);
  weir::Iterator iterator(runtime, dataset.spec());
  auto elements = iterator.elements<int64_t>();
  std::vector<int64_t> seen;
  iterator.initialize(dataset);
  for (const int64_t x : elements) {
    seen.push_back(x);
    if (x == 1) break;
  }
  for (const int64_t x : elements) seen.push_back(x);
  for (const int64_t x : elements) seen.push_back(x);
  iterator.initialize();
  for (const int64_t x : elements) seen.push_back(x);
  CHECK(seen == std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("an element gives its parts") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(2).map("x -> {x, y: [1.5, 2.5]}"));
  weir::Element element;
  CHECK(error_of([&] { element.view(0); }).code() == WEIR_CODE_OUT_OF_RANGE);
  REQUIRE(iterator.next(element));
  CHECK(element.get<int64_t>(0) == 0);
  CHECK(element.get<Span<const float>>(1)[1] == 2.5F);
  CHECK(holds(error_of([&] { element.get<float>(1); }).message(),
              "component 1: expected a scalar float32, found float32[2]"));
  CHECK(holds(error_of([&] { element.get<float>(0); }).message(),
              "component 0: expected a scalar float32, found"));
  CHECK(error_of([&] { element.get<float>(2); }).code() == WEIR_CODE_OUT_OF_RANGE);
  CHECK(element.json() == "{\"x\": 0, \"y\": [1.5, 2.5]}");
  CHECK(element.origin().record == -1);
  const weir::Tensor shared = weir::Tensor::from_dlpack(element.dlpack(1));
  CHECK(shared.read<Span<const float>>().data() == element.get<Span<const float>>(1).data());
  CHECK(error_of([&] { element.dlpack(2); }).code() == WEIR_CODE_OUT_OF_RANGE);
  const weir::Tensor kept = element.tensor(1);
  REQUIRE(iterator.next(element));
  element.clear();
  CHECK(kept.read<Array<float>>()[0] == 1.5F);
  CHECK(error_of([&] { kept.read<Array<double>>(); }).code() == WEIR_CODE_INVALID_ARGUMENT);
}

TEST_CASE("blocks, buffers and polling") {
  const weir::Runtime runtime;
  weir::Element element;
  weir::Iterator blocks(runtime, weir::range(5));
  CHECK(blocks.next_block(3, element) == 3);
  CHECK(element.get<Span<const int64_t>>(0)[2] == 2);
  CHECK(blocks.next_block(3, element) == 2);
  CHECK(blocks.next_block(3, element) == 0);
  int64_t none = 0;
  for (const int64_t wrong :
       {int64_t{0}, int64_t{1025}, int64_t{1} << 30, (int64_t{1} << 30) + 4, -(int64_t{1} << 30) + 4}) {
    CHECK(error_of([&] { blocks.next_block(wrong, element); }).code() == WEIR_CODE_INVALID_ARGUMENT);
    CHECK(error_of([&] { blocks.try_next_block(wrong, element, none); }).code() ==
          WEIR_CODE_INVALID_ARGUMENT);
  }

  weir::Iterator copies(runtime, weir::range(1));
  int64_t number = -1;
  weir_buffer buffer = WEIR_BUFFER_INIT;
  buffer.data = &number;
  buffer.capacity = sizeof number;
  CHECK(copies.next_into({&buffer, 1}));
  CHECK(number == 0);
  CHECK(buffer.used == sizeof number);
  CHECK(!copies.next_into({&buffer, 1}));

  weir::Iterator polled(runtime, weir::range(3).prefetch(1));
  int elements = 0;
  for (weir::Next next = weir::Next::pending; next != weir::Next::end;) {
    pollfd ready = {polled.ready_fd(), POLLIN, 0};
    REQUIRE(poll(&ready, 1, -1) == 1);
    while ((next = polled.try_next(element)) == weir::Next::element) ++elements;
  }
  CHECK(elements == 3);
  weir::Iterator tried(runtime, weir::range(5).prefetch(2));
  int64_t rows = 0;
  int64_t count = 0;
  for (weir::Next next = weir::Next::pending; next != weir::Next::end;) {
    pollfd ready = {tried.ready_fd(), POLLIN, 0};
    REQUIRE(poll(&ready, 1, -1) == 1);
    while ((next = tried.try_next_block(2, element, rows)) == weir::Next::element) {
      CHECK(element.get<Span<const int64_t>>(0)[0] == count);
      count += rows;
    }
    CHECK(rows == 0);
  }
  CHECK(count == 5);
}

TEST_CASE("a dataset is read by position") {
  const weir::Runtime runtime;
  const weir::Dataset dataset =
      weir::parse(runtime, "range(10) | map(x -> {x, name: as_string(x), row: [x, x * x]}) | map(e -> e)");
  weir::Element element;
  dataset.at(runtime, 7, element);
  CHECK(element.text() == "{x: 7, name: \"7\", row: [7, 49]}");
  auto rows = weir::random_access<std::string_view, Span<const int64_t>>(runtime, dataset, {"name", "row"});
  CHECK(rows.size() == 10);
  for (const int64_t i : {9, 0, 4}) {
    auto [name, row] = rows[i];
    CHECK(name == std::to_string(i));
    CHECK(row[1] == i * i);
    CHECK(rows.element().get<int64_t>(0) == i);
  }
  weir::RandomAccess<int64_t> values(runtime, weir::range(5, 8).build(runtime));
  CHECK(values[2] == 7);
  weir::RandomAccess<> whole(runtime, dataset);
  CHECK(whole[3].text() == "{x: 3, name: \"3\", row: [3, 9]}");
}

TEST_CASE("a position that has no element is an error") {
  const weir::Runtime runtime;
  weir::Element element;
  const weir::Dataset dataset = weir::parse(runtime, "range(-2, 3) | map(x -> 6 // x)");
  CHECK(error_of([&] { dataset.at(runtime, 5, element); }).code() == WEIR_CODE_OUT_OF_RANGE);
  auto rows = weir::random_access<int64_t>(runtime, dataset);
  for (const int64_t outside : {int64_t{-1}, WEIR_AT_TRY + int64_t{3}, WEIR_AT_TRY / 2, INT64_MIN}) {
    CHECK(error_of([&] { dataset.at(runtime, outside, element); }).code() == WEIR_CODE_OUT_OF_RANGE);
    CHECK(error_of([&] { rows[outside]; }).code() == WEIR_CODE_OUT_OF_RANGE);
  }
  const weir::Error failed = error_of([&] { rows[2]; });
  CHECK(failed.element_failed());
  CHECK(failed.path() == "map");
  CHECK(rows[1] == -6);
  const weir::Dataset shuffled = weir::range(4).shuffle(4).build(runtime);
  const weir::Error refused = error_of([&] { shuffled.at(runtime, 0, element); });
  CHECK(refused.code() == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(!refused.element_failed());
  CHECK(holds(refused.message(), "shuffle"));
  const weir::Error wrong = error_of([&] { weir::random_access<float>(runtime, dataset); });
  CHECK(
      wrong.message() ==
      "the component: expected a scalar float32, found int64; read it as int64, or cast it in the pipeline");
  const weir::Error count = error_of([&] { weir::random_access<int64_t, int64_t>(runtime, dataset); });
  CHECK(holds(count.message(), "random_access: expected a type for each component of int64, 1, found 2"));
}

TEST_CASE("threads read one dataset by position, each with an access of its own", "[threads]") {
  const weir::Runtime runtime;
  const weir::Dataset dataset = weir::range(400).map("x -> x * 2").build(runtime);
  std::vector<int64_t> sums(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&, i] {
      auto rows = weir::random_access<int64_t>(runtime, dataset);
      for (int64_t at = static_cast<int64_t>(i); at < rows.size(); at += 4) sums[i] += rows[at];
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sums[0] + sums[1] + sums[2] + sums[3] == 399 * 400);
}

TEST_CASE("a feedable iterator takes from those that handles name") {
  const weir::Runtime runtime;
  weir::Element element;
  weir::Iterator small(runtime, weir::range(10));
  weir::Iterator large(runtime, weir::range(100, 110));
  const std::string from_small = small.string_handle();
  const std::string from_large = large.string_handle();
  CHECK(from_small == small.string_handle());
  CHECK(from_small != from_large);
  CHECK(small.stats().find(R"("path": "range", "operator": "range", "elements": 0,)") != std::string::npos);
  weir::Iterator feedable(runtime, small.spec(), from_small);
  weir::Iterator second(runtime, small.spec(), from_large);
  REQUIRE(feedable.next(element));
  CHECK(element.get<int64_t>(0) == 0);
  REQUIRE(second.next(element));
  CHECK(element.get<int64_t>(0) == 100);
  CHECK(feedable.try_next(element) == weir::Next::element);
  CHECK(element.get<int64_t>(0) == 1);
  CHECK(second.next_within(std::chrono::seconds(9), element) == weir::Next::element);
  CHECK(element.get<int64_t>(0) == 101);
  CHECK(feedable.next_block(3, element) == 3);
  CHECK(element.get<Span<const int64_t>>(0)[2] == 4);
  int64_t number = -1;
  weir_buffer buffer = WEIR_BUFFER_INIT;
  buffer.data = &number;
  buffer.capacity = sizeof number;
  weir::IteratorOptions named;
  named.string_handle = from_large;
  feedable.initialize(named);
  CHECK(feedable.next_into({&buffer, 1}));
  CHECK(number == 102);
  CHECK(small.next_within(std::chrono::seconds(9), element) == weir::Next::element);
  CHECK(element.get<int64_t>(0) == 5);
  named.string_handle = "nobody";
  CHECK(error_of([&] { feedable.initialize(named); }).code() == WEIR_CODE_NOT_FOUND);
  weir::Iterator other(runtime, weir::range(3).map("x -> cast(x, int32)"));
  const std::string from_other = other.string_handle();
  CHECK(error_of([&] { weir::Iterator(runtime, small.spec(), from_other); }).code() ==
        WEIR_CODE_INVALID_ARGUMENT);
}

TEST_CASE("an iterator is shared by name") {
  const weir::Runtime runtime;
  weir::Element element;
  weir::Iterator named = weir::Iterator(runtime, weir::range(5)).share("numbers");
  weir::Iterator again = weir::Iterator(runtime, weir::range(9)).share("numbers");
  CHECK(named.handle().value == again.handle().value);
  REQUIRE(named.next(element));
  REQUIRE(again.next(element));
  CHECK(element.get<int64_t>(0) == 1);
}

TEST_CASE("loops over one dataset begin with the next epoch each") {
  const weir::Runtime runtime;
  weir::ShuffleOptions shuffle_options;
  shuffle_options.seed = 3;
  const weir::Dataset dataset = weir::range(20).shuffle(20, shuffle_options).build(runtime);
  const weir::Dataset copy = dataset;
  std::vector<std::vector<int64_t>> seen(3);
  for (size_t epoch = 0; epoch < seen.size(); ++epoch) {
    for (int64_t x : weir::elements<int64_t>(runtime, epoch == 1 ? copy : dataset)) seen[epoch].push_back(x);
  }
  CHECK(seen[0] != seen[1]);
  CHECK(seen[1] != seen[2]);
  weir::Iterator iterator(runtime, dataset);
  for (size_t epoch = 0; epoch < seen.size(); ++epoch) {
    if (epoch > 0) iterator.initialize();
    std::vector<int64_t> expected;
    for (int64_t x : iterator.elements<int64_t>()) expected.push_back(x);
    CHECK(seen[epoch] == expected);
  }
}

TEST_CASE("threads share an iterator, each with a range of its own", "[threads]") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(2000).map("x -> x * 2").prefetch(16));
  std::vector<int64_t> sums(4);
  std::vector<int64_t> counts(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&, i] {
      for (const int64_t x : iterator.elements<int64_t>()) {
        sums[i] += x;
        ++counts[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counts[0] + counts[1] + counts[2] + counts[3] == 2000);
  CHECK(sums[0] + sums[1] + sums[2] + sums[3] == 1999 * 2000);
}

}  // namespace
