// A test that every registered operator goes through, and that fails if an operator has no entry.
#include "ops/contract.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "graph/document.h"
#include "graph/schema.h"
#include "ops/files/columns_source.h"
#include "ops/list.h"
#include "support/narrow.h"
#include "support/pipeline.h"
#include "support/probe.h"
#include "support/replace.h"
#include "support/sanitized.h"
#include "support/test_generators.h"

namespace weir {
namespace {

constexpr int kInput = 23;

std::string with_probe(const ContractEntry& entry, const std::string& arguments) {
  std::string text = entry.text;
  replace(text, "PROBE", "probe(" + std::to_string(kInput) + arguments + ")");
  replace(text, "FOLDER", WEIR_SOURCE_DIR);
  return text;
}

template <class Check>
void for_each_entry(Check check) {
  register_probe();
  register_narrow();
  for (const auto& [name, list] : ContractEntries::all()) {
    for (const ContractEntry& entry : list) {
      INFO(name << ": " << entry.text);
      check(entry);
    }
  }
}

bool has_probe(const ContractEntry& entry) { return entry.text.find("PROBE") != std::string::npos; }

using Lines = std::vector<std::string>;

Lines tail_of(const Lines& lines, size_t begin) {
  return Lines(lines.begin() + static_cast<int64_t>(begin), lines.end());
}

bool is_subsequence(const Lines& part, const Lines& whole) {
  size_t at = 0;
  for (const std::string& line : part) {
    while (at < whole.size() && whole[at] != line) ++at;
    if (at++ >= whole.size()) return false;
  }
  return true;
}

bool is_error(const std::string& line) { return line.rfind("error: ", 0) == 0; }

// What is left after `count` elements; errors do not count and are not left out.
Lines skipped(const Lines& lines, int64_t count) {
  Lines out;
  for (const std::string& line : lines) {
    if (is_error(line) || count-- <= 0) out.push_back(line);
  }
  return out;
}

// Which rows of PROBE fail: none, single ones at either end, neighbours, all but a few.
const char* const kErrorSets[] = {
    "", "0", "22", "0,4,5,11,22", "1,2,3", "0,1,2,3,4,5,6,7,8,9,10,12,13,14,15,16,18,19,20,21,22"};

// The entry with each set, where PROBE stands in it.
template <class Check>
void for_each_failing(const ContractEntry& entry, Check check) {
  for (const char* errors : kErrorSets) {
    INFO("errors: " << errors);
    check(with_probe(entry, *errors == '\0' ? "" : ", errors: \"" + std::string(errors) + "\""));
    if (entry.text.find("PROBE") == std::string::npos) return;
  }
}

// Nothing follows a terminal, nor what stands last.
bool is_last(const OperatorDef& op) { return op.kind == OperatorKind::terminal || op.typing.stands_last; }
bool is_last(const Document& document) { return is_last(document.root()->op()); }

size_t probes_in(const ContractEntry& entry) {
  size_t count = 0;
  for (size_t at = 0; (at = entry.text.find("PROBE", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("contract: every operator has an entry, and every entry its operator", "[contract]") {
  register_probe();
  std::set<std::string> named;
  for (const auto& [name, list] : ContractEntries::all()) named.insert(name);
  for (const OperatorDef* def : operators()) {
    INFO(def->name);
    // The operators that tests add.
    const std::string name = def->name;
    if (name == "probe" || name == "narrow" || name == "fives") continue;
    // Its files are read by an extension, which this program has not.
    if (def->typing.columns_source && !def->typing.columns_source->own) continue;
    CHECK(named.erase(def->name) == 1);
    CHECK(std::string_view(def->page.doc).size() > 20);
  }
  CHECK(named.empty());
}

TEST_CASE("contract: spec and cardinality are what comes out", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const ContractEntry& entry) {
    auto iterator = open_text(*runtime, with_probe(entry, ""));
    DocumentRef document = parse_text(*runtime, with_probe(entry, ""));
    std::vector<Component> components = document->spec().components();
    int64_t count = 0;
    Block block;
    while (require_value(iterator->next(3, block)) == PullResult::rows) {
      count += block.rows;
      if (!block.errors.empty()) continue;
      REQUIRE(block.columns.size() == components.size());
      for (size_t i = 0; i < components.size(); ++i) {
        Tensor first = block.columns[i].row(0);
        CHECK(first.dtype == components[i].dtype);
        CHECK(first.shape.compatible(components[i].shape));
      }
    }
    if (document->cardinality() >= 0) CHECK(count == document->cardinality());
  });
}

TEST_CASE("contract: a pipeline survives text, bytes and schema", "[contract]") {
  ThreadsRuntime runtime;
  std::string schemas = schema_json(schema());
  for_each_entry([&](const ContractEntry& entry) {
    DocumentRef document = parse_text(*runtime, with_probe(entry, ""));
    DocumentRef again = parse_text(*runtime, document->format());
    CHECK(equal(*document, *again));
    CHECK(again->format() == document->format());
    std::string bytes = require_value(document->serialize());
    DocumentRef back = require_value(deserialize_document(*runtime, bytes, test_generators()));
    CHECK(equal(*document, *back));
    CHECK(document->fingerprint() == back->fingerprint());
    CHECK(schemas.find('"' + std::string(document->root()->op().name) + '"') != std::string::npos);
  });
}

TEST_CASE("contract: the same elements in blocks of any width", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const ContractEntry& entry) {
    Lines one = all_lines(*runtime, with_probe(entry, ""), 1);
    CHECK(all_lines(*runtime, with_probe(entry, ""), 7) == one);
    CHECK(all_lines(*runtime, with_probe(entry, ""), 128) == one);
  });
}

// Saves at every position and restores into a fresh iterator of a runtime with another number of threads.
void check_saves(const std::string& text, ThreadsRuntime& runtime, ThreadsRuntime& other) {
  Lines whole = all_lines(*runtime, text);
  auto iterator = open_text(*runtime, text);
  constexpr size_t kStep = sanitized_step(4);
  for (size_t position = 0; position <= whole.size() + 1; position += kStep) {
    INFO("saved after " << position);
    std::string saved = require_value(iterator->save());
    auto restored = open_text(*other, text, &saved);
    if (position % 3 == 0) saved = require_value(restored->save());
    if (position % 3 == 0) restored = open_text(*other, text, &saved);
    CHECK(all_lines(*restored) == tail_of(whole, std::min(position, whole.size())));
    take_lines(*iterator, kStep);
  }
}

TEST_CASE("contract: a position saved anywhere gives the same tail", "[contract]") {
  ThreadsRuntime runtime(1);
  ThreadsRuntime other(3);
  for_each_entry([&](const ContractEntry& entry) {
    check_saves(with_probe(entry, ""), runtime, other);
    if (has_probe(entry)) check_saves(with_probe(entry, ", errors: \"0,4,5,11,22\""), runtime, other);
  });
}

TEST_CASE("contract: inside other operators, too, a position saved anywhere gives the same tail",
          "[contract]") {
  ThreadsRuntime runtime(1);
  ThreadsRuntime other(3);
  register_probe();
  for (const auto& [name, list] : ContractEntries::all()) {
    if (is_last(*find_operator(name))) continue;
    // The first entry stands for the others, which differ in parameters.
    const std::string text = with_probe(list.front(), "");
    INFO(name << ": " << text);
    // One that begins with names of its own is no expression.
    if (text.find("let ") == 0) continue;
    check_saves(text + " | repeat(2)", runtime, other);
    check_saves(text + " | prefetch(3)", runtime, other);
    if (has_probe(list.front()))
      check_saves(with_probe(list.front(), ", errors: \"0,1,4,11,12,22\"") + " | prefetch(3)", runtime,
                  other);
    if (find_operator(name)->position.parts != nullptr) continue;
    check_saves("range(2) | flat_map(_ -> " + text + ")", runtime, other);
    check_saves("range(3) | interleave(_ -> " + text + " | take(9), cycle_length: 2)", runtime, other);
  }
}

TEST_CASE("contract: an error anywhere loses nothing else", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const ContractEntry& entry) {
    if (!has_probe(entry)) return;
    Lines clean = all_lines(*runtime, with_probe(entry, ""));
    for (int at = 0; at < kInput; ++at) {
      INFO("error at " << at);
      Lines lines = all_lines(*runtime, with_probe(entry, ", errors: \"" + std::to_string(at) + "\""), 5);
      if (!entry.elementwise) continue;
      Lines values;
      for (const std::string& line : lines) {
        if (line.rfind("error: data_loss", 0) != 0) values.push_back(line);
      }
      CHECK(is_subsequence(values, clean));
      // No more is missing than failed: one element per error, or one per probe where errors are ignored.
      size_t planted = lines.size() - values.size();
      CHECK(values.size() + std::max(planted, probes_in(entry)) >= clean.size());
    }
  });
}

TEST_CASE("contract: pending answers change nothing", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const ContractEntry& entry) {
    if (!has_probe(entry)) return;
    Lines clean = all_lines(*runtime, with_probe(entry, ""));
    for (int seed = 1; seed <= 12; ++seed) {
      INFO("seed " << seed);
      CHECK(all_lines(*runtime, with_probe(entry, ", pending: " + std::to_string(seed)), seed % 4 + 1) ==
            clean);
    }
  });
}

TEST_CASE("contract: of rows that are passed over only the errors are left, and nothing else is lost") {
  ThreadsRuntime runtime;
  size_t skips = 0;
  for_each_entry([&](const ContractEntry& entry) {
    if (is_last(*parse_text(*runtime, with_probe(entry, "")))) return;
    for_each_failing(entry, [&](const std::string& text) {
      const Lines whole = all_lines(*runtime, text);
      const auto size = static_cast<int64_t>(whole.size());
      for (int64_t count : {int64_t{1}, int64_t{2}, int64_t{3}, size / 2, size - 1, size + 2}) {
        INFO("skipped: " << count);
        const std::string skipping = text + " | skip(" + std::to_string(count) + ")";
        for (int rows : {1, 3, 128}) {
          if (++skips % sanitized_step(5) == 0)
            CHECK(all_lines(*runtime, skipping, rows) == skipped(whole, count));
        }
      }
    });
  });
}

TEST_CASE("contract: the same elements however few bytes are asked for at once") {
  ThreadsRuntime runtime;
  size_t limits = 0;
  for_each_entry([&](const ContractEntry& entry) {
    if (is_last(*parse_text(*runtime, with_probe(entry, "")))) return;
    for_each_failing(entry, [&](const std::string& text) {
      const Lines whole = all_lines(*runtime, text);
      for (int64_t bytes : {1, 8, 9, 30, 1000}) {
        if (++limits % sanitized_step(3) != 0) continue;
        INFO("bytes: " << bytes);
        const std::string narrow = text + " | narrow(bytes: " + std::to_string(bytes) + ")";
        CHECK(all_lines(*runtime, narrow, 128) == whole);
        CHECK(all_lines(*runtime, narrow + " | skip(2)", 5) == skipped(whole, 2));
      }
    });
  });
}

TEST_CASE("contract: cancelled and destroyed anywhere, nothing is left", "[contract]") {
  for_each_entry([&](const ContractEntry& entry) {
    if (!has_probe(entry)) return;
    {
      ThreadsRuntime runtime;
      size_t count = all_lines(*runtime, with_probe(entry, "")).size();
      for (size_t position = 0; position <= count; position += 1 + position / 4) {
        auto iterator = open_text(*runtime, with_probe(entry, ""));
        take_lines(*iterator, static_cast<int64_t>(position));
        if (position % 2 == 0) {
          iterator->cancel();
          CHECK(take_lines(*iterator, 1) == Lines{"cancelled"});
        }
      }
    }
    CHECK(probe_counters().open == 0);
  });
}

TEST_CASE("contract: no more is asked of the input than is needed", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const ContractEntry& entry) {
    if (!has_probe(entry) || entry.demand(1) < 0) return;
    for (int64_t k : {1, 2, 3}) {
      auto iterator = open_text(*runtime, with_probe(entry, ""));
      probe_counters().pulled = 0;
      take_lines(*iterator, k);
      CHECK(probe_counters().pulled <= static_cast<int64_t>(probes_in(entry)) * entry.demand(k));
    }
  });
}

}  // namespace
}  // namespace weir
