// How much memory idle pipelines hold after some pulls. Counted by malloc (mallinfo2), on one thread that
// runs everything itself, so that the figure is the same each time.
#include <malloc.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "core/text.h"
#include "exec/scheduler.h"
#include "exec/threads.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEIR_OWN_MALLOC 1
#endif

namespace weir {
namespace {

#ifndef WEIR_OWN_MALLOC

constexpr int kPipelines = 64;
constexpr int kSettled = 20'000;

// Calls take no time, so that they become as large as they can.
struct StandingClock final : Clock {
  int64_t now_ns() override { return 0; }
};

// Of the thread that uses it alone.
struct StandingRuntime : ThreadsRuntime {
  StandingRuntime() {
    (*this)->executor = executor.get();
    (*this)->clock = &clock;
  }
  StandingClock clock;
  const std::unique_ptr<Executor> executor =
      make_threads({.compute_threads = 2, .probe = [](int) { return false; }});
};

struct Resting {
  Resting(Runtime& runtime, const Document& document)
      : session(counted(make_session(runtime))),
        context{*session, session->scheduler, &epochs},
        stage(Stage::open(context, {document.root(), nullptr, 0})) {}

  void pull() {
    Demand demand;
    demand.rows = 1;
    REQUIRE(*session->scheduler->drive([&] { return stage->next(context, demand, block); }) ==
            PullResult::rows);
  }
  // Runs everything until all of it has stopped.
  void settle() {
    for (int i = 0; i < kSettled; ++i) {
      REQUIRE(session->scheduler->try_drive([] { return PullResult::pending; }).ok());
    }
  }

  static RefPtr<Session> counted(RefPtr<Session> session) {
    session->keep_stats(make_ref<StatsTree>(0, 0));
    return session;
  }

  RefPtr<Session> session;
  EpochScope epochs;
  Context context;
  std::unique_ptr<Stage> stage;
  Block block;
};

int64_t held_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

TEST_CASE("memory: 64 pipelines at rest hold 8 MB at most") {
  StandingRuntime runtime;
  const DocumentRef document = parse_text(
      *runtime, "range(1000000000) | map(x -> x + 1, num_parallel_calls: auto) | batch(32) | prefetch(auto)");
  for (int pulls : {1, 3, 100}) {
    CAPTURE(pulls);
    std::vector<std::unique_ptr<Resting>> pipelines;
    const int64_t before = held_bytes();
    for (int i = 0; i < kPipelines; ++i) {
      pipelines.push_back(std::make_unique<Resting>(*runtime, *document));
      for (int pull = 0; pull < pulls; ++pull) pipelines.back()->pull();
      pipelines.back()->settle();
    }
    CHECK(held_bytes() - before <= 8'000'000);
    for (const auto& pipeline : pipelines) pipeline->stage.reset();
  }
}

// A window of 512 KiB over each part, another over its reads, and the memory that these keep for the next.
TEST_CASE("memory: 64 parts of a file hold 140 MB at most") {
  StandingRuntime runtime;
  const TemporaryFolder folder;
  std::ofstream(folder.at("zeros")).close();
  std::filesystem::resize_file(folder.at("zeros"), 256'000'000);
  const DocumentRef document = parse_text(*runtime, concat("fixed_length_record(", quote(folder.at("zeros")),
                                                           ", 1000) | partition(64, p -> p, by: \"index\")"));
  const int64_t before = held_bytes();
  Resting reading(*runtime, *document);
  int64_t most = 0;
  for (int round = 0; round < 50; ++round) {
    for (int row = 0; row < 64 * 50; ++row) reading.pull();
    reading.settle();
    most = std::max(most, held_bytes() - before);
  }
  CHECK(most <= 140'000'000);
  reading.stage.reset();
}

#endif

}  // namespace
}  // namespace weir
