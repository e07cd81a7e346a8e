// What C++20 adds: designated initialisers, std::span and ranges. Compiled as C++20; the other files as
// C++17.
#if __cplusplus >= 202002L
#include <ranges>
#include <span>
#endif

#include "support.h"

namespace {

#if __cplusplus >= 202002L
static_assert(std::ranges::input_range<weir::Elements<int64_t>>);
static_assert(std::ranges::borrowed_range<weir::Span<const float>>);
static_assert(std::ranges::contiguous_range<weir::Span<float>>);
static_assert(std::is_convertible_v<weir::Span<const float>, std::span<const float>>);
static_assert(std::is_convertible_v<weir::Span<float>, std::span<float>>);
static_assert(std::is_convertible_v<std::span<const float>, weir::Span<const float>>);
static_assert(std::is_convertible_v<std::span<float>, weir::Span<const float>>);
static_assert(!std::is_convertible_v<std::span<const float>, weir::Span<float>>);

TEST_CASE("options as designated initialisers") {
  const weir::Pipeline pipeline = weir::range(0, 10, {.step = 2})
                                      .map("x -> x", {.num_parallel_calls = weir::automatic})
                                      .shuffle(4, {.seed = 7, .reshuffle_each_iteration = false});
  const weir::Runtime runtime({.thread_count = 1});
  CHECK(pipeline.build(runtime).text() ==
        "range(10, step: 2) | map(x -> x, num_parallel_calls: auto) | "
        "shuffle(4, seed: 7, reshuffle_each_iteration: false)");
  weir::Iterator iterator(runtime, weir::range(weir::Expression("$n")).param("n", "int64"),
                          {.params = {{"n", 2}}});
  CHECK(lines(iterator) == Lines{"0", "1"});
}

TEST_CASE("elements go through views") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(10));
  std::vector<int64_t> seen;
  for (const int64_t x : iterator.elements<int64_t>() | std::views::filter([](int64_t v) {
                           return v % 2 == 0;
                         }) | std::views::transform([](int64_t v) { return v * 10; })) {
    seen.push_back(x);
  }
  CHECK(seen == std::vector<int64_t>{0, 20, 40, 60, 80});
}
#endif

}  // namespace
