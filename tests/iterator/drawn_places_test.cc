// Random functions draw by their places in the printed text, also in datasets that are put together from
// others: built, printed and serialized, these draw the same.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "graph/same_draws.h"
#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

OpenIterator open_built(Runtime& runtime, const DocumentRef& document,
                        const std::string* checkpoint = nullptr) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  std::vector<ParamValue> params;
  for (const DeclaredParam& param : document->params()) params.push_back({param.name, std::string("5")});
  require_ok(iterator->initialize(document, {params, checkpoint}));
  return iterator;
}

// DRAW draws with a seed, or without one.
std::string drawing(std::string text, bool seeded) {
  const std::string draw =
      concat("random_uniform([], max: 1000000000000, dtype: int64", seeded ? ", seed: 3)" : ")");
  for (size_t at = 0; (at = text.find("DRAW", at)) != std::string::npos; at += draw.size()) {
    text.replace(at, 4, draw);
  }
  return text;
}

// What a text uses of them.
Handed used_of(const Handed& all, const std::string& text) {
  Handed used;
  for (const auto& [name, thing] : all)
    if (text.find("@" + name) != std::string::npos) used.emplace(name, thing);
  return used;
}

// Each is handed to those after it.
const std::pair<const char*, const char*> kMembers[] = {
    {"plain", "range(6)"},
    {"r", "range(6) | map(x -> DRAW)"},
    {"s", "range(5) | map(x -> x + DRAW) | filter(x -> x % 3 != 0)"},
    {"shuffled", "range(4) | shuffle(4, seed: 1)"},
    {"valued", "let x = DRAW range(4) | map(y -> x + y)"},
    {"param", "param n: int64 range($n) | map(x -> x - DRAW)"},
    {"zipped", "zip(@plain, @r)"},
    {"longer", "@zipped | map((x, y) -> y - x) | map(x -> x + DRAW)"},
    {"captured", "range(3) | flat_map(x -> @r)"},
};

const char* const kComposed[] = {
    "zip(@r, @plain)",
    "zip(@plain, @r)",
    "zip({a: @r, b: (@plain, @s)})",
    "zip(@r, @s, @r)",
    "zip(@zipped, @r)",
    "@zipped | map((x, y) -> x + y - DRAW)",
    "zip(@zipped, @longer) | take(4)",
    "@longer | map(x -> x + DRAW)",
    "@longer | concatenate(@longer)",
    "@plain | concatenate(@s)",
    "mix_datasets([@r, @plain], [0.3, 0.7])",
    "sample_from_datasets([@plain, @r], seed: 1)",
    "choose_from_datasets([@s, @r], @r | map(x -> x % 2))",
    "@captured | map(x -> DRAW - x)",
    "range(2) | map(x -> (@plain, DRAW)) | map((d, x) -> x)",
    "range(3) | interleave(x -> @shuffled | map(y -> 10 * x + y), cycle_length: 2)",
    "range(4) | map(x -> @shuffled | reduce(x, (s, e) -> 10 * s + e))",
    "range(4) | partition(2, p -> zip(p, @r))",
    "zip(@valued, range(3) | map(x -> DRAW))",
    "let x = DRAW zip(@valued, @valued | map(y -> x - y))",
    "zip(@plain, @param)",
    "@param | map(x -> x + DRAW) | map(x -> x + 1)",
    "let x = DRAW let x = (x, DRAW) range(3) | map(y -> x)",
};

TEST_CASE("datasets that are put together draw as their printed text") {
  ThreadsRuntime runtime;
  for (const bool seeded : {true, false}) {
    Handed handed;
    for (const auto& [name, text] : kMembers)
      handed.emplace(name,
                     require_value(parse_document(*runtime, drawing(text, seeded), used_of(handed, text))));
    for (const char* const text : kComposed) {
      INFO(text << (seeded ? "" : " without seeds"));
      const auto document =
          require_value(parse_document(*runtime, drawing(text, seeded), used_of(handed, text)));
      const auto read = require_value(deserialize_document(*runtime, require_value(document->serialize())));
      const auto printed = parse_text(*runtime, document->format());
      CHECK(equal(*document, *printed));
      auto iterator = open_built(*runtime, document);
      Lines lines;
      for (int taken = 0;; ++taken) {
        const std::string saved = require_value(iterator->save());
        const Lines rest = all_lines(*open_built(*runtime, document, &saved));
        if (taken == 0) lines = rest;
        CHECK(rest == Lines(lines.begin() + taken, lines.end()));
        CHECK(all_lines(*open_built(*runtime, read, &saved)) == rest);
        CHECK(all_lines(*open_built(*runtime, printed, &saved)) == rest);
        if (take_lines(*iterator, 1) == Lines{"end"}) break;
      }
      CHECK(all_lines(*open_built(*runtime, read)) == lines);
      CHECK((all_lines(*open_built(*runtime, printed)) == lines) == !draws_seeds(document->root()->sites()));
    }
  }
}

}  // namespace
}  // namespace weir
