// Functions of strings over a million strings, beside loops written by hand with the same libraries.
#include <fast_float/fast_float.h>

#include <charconv>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "support.h"

#ifdef WEIR_HAVE_FARMHASH
#include <farmhash.h>
#endif

namespace weir::bench {
namespace {

constexpr size_t kStrings = 1'000'000;
constexpr size_t kRows = 128;

// Strings that lie one after the other, as views and as a tensor that is handed to a document.
struct Strings {
  template <class Make>
  explicit Strings(size_t count, Make make) {
    std::vector<std::string> made;
    std::vector<std::string_view> from;
    for (size_t i = 0; i < count; ++i) made.push_back(make());
    from.assign(made.begin(), made.end());
    tensor = Tensor::strings(from, Shape{static_cast<int64_t>(count)});
    for (const Str& each : tensor.entries<const Str>()) {
      views.push_back(each.view());
      bytes += each.size;
    }
  }
  Handed handed() const {
    Handed out;
    out["s"] = HandedValue{Spec::tensor(DType::string, tensor.shape), {tensor}};
    return out;
  }
  Tensor tensor;
  std::vector<std::string_view> views;
  size_t bytes = 0;
};

std::string word(std::mt19937_64& random) {
  std::string out(2 + random() % 9, ' ');
  for (char& c : out) c = static_cast<char>('a' + random() % 26);
  return out;
}

// Runs `f` over the strings one by one, and beside it `loop` over blocks of views. Returns the least seconds.
template <class Loop>
double beside_loop(benchmark::State& state, const Strings& strings, const std::string& f, Loop loop) {
  DocumentRef document = parse("from_tensor_slices(@s) | map(s -> " + f + ")", strings.handed());
  return alternate(
      state, [&] { Drain(document).run(kRows); },
      [&] {
        for (size_t i = 0; i < strings.views.size(); i += kRows) {
          loop(std::span(strings.views).subspan(i, std::min(kRows, strings.views.size() - i)));
          benchmark::ClobberMemory();
        }
      },
      0.5);
}

// Eight words each.
void split_strings(benchmark::State& state, const std::string& f, const char* separators) {
  std::mt19937_64 random(1);
  const Strings strings(kStrings, [&] {
    std::string out = word(random);
    for (int i = 1; i < 8; ++i) out += " " + word(random);
    return out;
  });
  const double seconds = beside_loop(state, strings, f, [&](std::span<const std::string_view> rows) {
    std::vector<std::vector<std::string_view>> out;
    for (const std::string_view row : rows) {
      std::vector<std::string_view>& parts = out.emplace_back();
      for (size_t begin = 0; begin < row.size();) {
        const size_t end = std::min(row.find_first_of(separators, begin), row.size());
        parts.push_back(row.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    benchmark::DoNotOptimize(out.data());
  });
  state.counters["ns"] = seconds * 1e9 / static_cast<double>(kStrings);
}
BENCHMARK_CAPTURE(split_strings, words, "string_split(s)", " \t\n\r\v\f")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(7);
BENCHMARK_CAPTURE(split_strings, separator, "string_split(s, sep: \" \")", " ")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(7);

void numbers(benchmark::State& state) {
  std::mt19937_64 random(2);
  const Strings strings(kStrings,
                        [&] { return std::to_string(static_cast<double>(random() % 1000000) / 1000.0); });
  std::vector<float> out(kRows);
  const double seconds =
      beside_loop(state, strings, "to_number(s)", [&](std::span<const std::string_view> rows) {
        for (size_t i = 0; i < rows.size(); ++i) {
          fast_float::from_chars(rows[i].data(), rows[i].data() + rows[i].size(), out[i]);
        }
      });
  state.counters["ns"] = seconds * 1e9 / static_cast<double>(kStrings);
}
BENCHMARK(numbers)->Name("to_number")->Unit(benchmark::kMillisecond)->Iterations(11);

#ifdef WEIR_HAVE_FARMHASH
void hashes(benchmark::State& state) {
  std::mt19937_64 random(3);
  const Strings strings(kStrings, [&] { return word(random) + word(random); });
  std::vector<int64_t> out(kRows);
  uint64_t buckets = 100'003;
  benchmark::DoNotOptimize(buckets);
  const double seconds =
      beside_loop(state, strings, "hash_bucket(s, 100003)", [&](std::span<const std::string_view> rows) {
        for (size_t i = 0; i < rows.size(); ++i) {
          out[i] = static_cast<int64_t>(util::Fingerprint64(rows[i].data(), rows[i].size()) % buckets);
        }
      });
  state.counters["ns"] = seconds * 1e9 / static_cast<double>(kStrings);
}
BENCHMARK(hashes)->Name("hash_bucket")->Unit(benchmark::kMillisecond)->Iterations(11);
#endif

// A vocabulary of 10,000 words, of which nine in ten strings are one.
void positions(benchmark::State& state) {
  std::mt19937_64 random(4);
  std::unordered_map<std::string, int64_t> known;
  std::string table;
  std::vector<std::string> words;
  while (words.size() < 10'000) {
    const std::string next = word(random) + word(random);
    if (!known.emplace(next, static_cast<int64_t>(words.size())).second) continue;
    table += (words.empty() ? "\"" : ", \"") + next + "\"";
    words.push_back(next);
  }
  const Strings strings(
      kStrings, [&] { return random() % 10 == 0 ? word(random) + "!" : words[random() % words.size()]; });
  std::unordered_map<std::string_view, int64_t> map;
  for (size_t i = 0; i < words.size(); ++i) map.emplace(words[i], static_cast<int64_t>(i));
  std::vector<int64_t> out(kRows);
  const double seconds = beside_loop(state, strings, "lookup(s, [" + table + "], -1)",
                                     [&](std::span<const std::string_view> rows) {
                                       for (size_t i = 0; i < rows.size(); ++i) {
                                         const auto found = map.find(rows[i]);
                                         out[i] = found == map.end() ? -1 : found->second;
                                       }
                                     });
  state.counters["ns"] = seconds * 1e9 / static_cast<double>(kStrings);
}
BENCHMARK(positions)->Name("lookup")->Unit(benchmark::kMillisecond)->Iterations(11);

// Ten numbers of eight characters in a row, five of them fractions, beside a loop over the same bytes.
void decode_csv(benchmark::State& state) {
  constexpr size_t kLines = 200'000;
  constexpr double kRate = 0.3;
  constexpr size_t kFields = 10;
  std::mt19937_64 random(5);
  const Strings strings(kLines, [&] {
    std::string out;
    for (size_t i = 0; i < kFields; ++i) {
      std::string field = std::to_string(10'000'000 + random() % 90'000'000);
      if (i % 2 == 1) field[4] = '.';
      out += (i > 0 ? "," : "") + field;
    }
    return out;
  });
  std::vector<int64_t> whole(kRows * kFields);
  std::vector<float> real(kRows * kFields);
  const double seconds = beside_loop(
      state, strings,
      "decode_csv(s, [int64, float32, int64, float32, int64, float32, int64, float32, int64, float32])",
      [&](std::span<const std::string_view> rows) {
        for (size_t i = 0; i < rows.size(); ++i) {
          const char* at = rows[i].data();
          const char* const end = at + rows[i].size();
          for (size_t field = 0; field < kFields; ++field) {
            const void* comma = std::memchr(at, ',', static_cast<size_t>(end - at));
            const char* const stop = comma == nullptr ? end : static_cast<const char*>(comma);
            if (field % 2 == 0) {
              std::from_chars(at, stop, whole[field * kRows + i]);
            } else {
              fast_float::from_chars(at, stop, real[field * kRows + i]);
            }
            at = stop + 1;
          }
        }
      });
  report_rate(state, static_cast<double>(strings.bytes) / seconds / 1e9, kRate, 1);
}
BENCHMARK(decode_csv)->Unit(benchmark::kMillisecond)->Iterations(15);

}  // namespace
}  // namespace weir::bench
