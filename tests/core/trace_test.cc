#include "core/trace.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/test_runtime.h"

namespace weir {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("trace: a slice has a name, a time from the first one on, and a thread") {
  test::FakeClock clock;
  TraceLog log;
  clock.advance(1'000'000);
  {
    const TraceSlice slice(&log, &clock, "call", "map");
    clock.advance(2'500);
  }
  log.add("read", "file", 1'003'001, 1'004'001);
  const std::string json = log.to_json();
  CHECK(json.find(R"("name": "map call", "cat": "call", "ph": "X", "ts": 0.000, "dur": 2.500)") !=
        std::string::npos);
  CHECK(json.find(R"("name": "file read", "cat": "read", "ph": "X", "ts": 3.000, "dur": 1.000)") !=
        std::string::npos);
  CHECK(count_of(json, R"("ph": "M")") == 1);
  CHECK(json.find(R"("dropped": 0)") != std::string::npos);
}

TEST_CASE("trace: a full log keeps the newest slices, and says how many it dropped") {
  TraceLog log(4);
  for (int64_t i = 0; i < 10; ++i) log.add("pull", "map", 1000 * i, 1000 * i + 1);
  const std::string json = log.to_json();
  CHECK(count_of(json, R"("ph": "X")") == 4);
  CHECK(json.find(R"("dropped": 6)") != std::string::npos);
  // Those from 6 on.
  CHECK(json.find(R"("ts": 3.000)") != std::string::npos);
  CHECK(json.find(R"("ts": 4.000)") == std::string::npos);
}

TEST_CASE("trace: without a log or a clock nothing happens") {
  test::FakeClock clock;
  TraceLog log;
  { const TraceSlice slice(nullptr, &clock, "call", "map"); }
  { const TraceSlice slice(&log, nullptr, "call", "map"); }
  CHECK(count_of(log.to_json(), R"("ph": "X")") == 0);
}

}  // namespace
}  // namespace weir
