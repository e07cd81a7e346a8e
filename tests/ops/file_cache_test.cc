// What a snapshot writes, or does not, when something comes between.
#include <filesystem>
#include <set>

#include "ops/written_folders.h"
#include "support/simulated_files.h"

namespace weir::test {
namespace {

// Positions are kept as often as possible.
struct UnmovedClock final : Clock {
  int64_t now_ns() override { return 0; }
};

TEST_CASE("file cache: what follows a restored position is not taken for the whole") {
  for (const int64_t taken : {0, 1, 20'000}) {
    CAPTURE(taken);
    TemporaryFolder folder;
    ThreadsRuntime runtime;
    UnmovedClock clock;
    runtime->clock = &clock;
    const std::string text = "range(50000) | " + call("snapshot", folder.at("s"));
    std::string saved;
    {
      auto iterator = open_text(*runtime, text);
      take_lines(*iterator, taken);
      saved = require_value(iterator->save());
    }
    CHECK(all_lines(*open_text(*runtime, text, &saved)).size() == static_cast<size_t>(50'000 - taken));
    CHECK(run(text).size() == 50'000);
    CHECK(run(text).size() == 50'000);
  }
}

TEST_CASE("file cache: what somebody else wrote since it was opened stays") {
  TemporaryFolder folder;
  const std::string snapshot = call("snapshot", folder.at("s"));
  // Both are opened at once; the second is asked for nothing before the first has ended.
  const std::string text =
      "let s = range(4) | map(x -> x) | " + snapshot +
      " choose_from_datasets([s, s], from_tensor_slices([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), stop_on_empty: false)";
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  CHECK(take_lines(*iterator, 5) == Lines{"0", "1", "2", "3", "0"});
  const std::vector<std::string> files = files_in(folder.at("s"));
  CHECK(files.size() == 2);
  CHECK(all_lines(*iterator) == Lines{"1", "2", "3"});
  CHECK(files_in(folder.at("s")) == files);
}

// A snapshot in a simulated folder.
struct SimulatedFolder {
  SimulatedFolder() { runtime->files = &files; }
  Lines lines() {
    return all_lines(*runtime,
                     "range(3000) | map(x -> (x, full([400], x))) | snapshot(\"/s\") | map((x, row) -> x)");
  }

  SimulatedFileSystem files;
  ThreadsRuntime runtime;
};

// Checks that all elements come, and one error among them.
void check_one_error(const Lines& lines, bool at_the_end) {
  REQUIRE(lines.size() == 3001);
  size_t errors = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool failed = lines[i].starts_with("error: ");
    if (!failed) REQUIRE(lines[i] == std::to_string(i - errors));
    errors += failed ? 1 : 0;
  }
  CHECK(errors == 1);
  CHECK(lines.back().starts_with("error: ") == at_the_end);
}

TEST_CASE("file cache: a write that fails is one error, wherever it does, and nothing is there to be read") {
  SimulatedFolder clean;
  REQUIRE(clean.lines().size() == 3000);
  const std::vector<std::string> names = require_value(clean.files.list_folder("/s"));
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    for (const uint64_t room : {0, 100}) {
      CAPTURE(name, room);
      SimulatedFolder full;
      full.files.set_faults("/s/" + name, {.append_error_offset = room});
      const bool is_manifest = contains(name, "manifest");
      check_one_error(full.lines(), is_manifest);
      // The next pass has other names for its files, but the same one for what it publishes.
      if (is_manifest) check_one_error(full.lines(), true);
      if (!is_manifest) CHECK(full.lines().size() == 3000);
      CHECK(full.lines().size() == (is_manifest ? 3001 : 3000));
    }
  }
}

TEST_CASE("file cache: a position in the first pass after an error goes on with the input") {
  for (const std::string name : {"snapshot", "cache"}) {
    for (const bool to_the_end : {true, false}) {
      for (const int64_t taken : {1, 2, 3, 5, 6}) {
        CAPTURE(name, to_the_end, taken);
        TemporaryFolder folder;
        ThreadsRuntime runtime;
        const std::string text = "range(6) | map(x -> assert(x != 1, \"bad\", x)) | " +
                                 call(name, folder.at("s")) + " | repeat(2)";
        std::string saved;
        Lines rest;
        {
          auto iterator = open_text(*runtime, text);
          take_lines(*iterator, taken);
          saved = require_value(iterator->save());
          if (to_the_end) rest = all_lines(*iterator);
        }
        const Lines restored = all_lines(*open_text(*runtime, text, &saved));
        const Lines all = {"0", "error: invalid_argument", "2", "3", "4", "5"};
        CHECK(Lines(restored.begin(), restored.begin() + 6 - taken) == Lines(all.begin() + taken, all.end()));
        if (to_the_end) CHECK(restored == rest);
      }
    }
  }
}

TEST_CASE("file cache: a position of another cache over it goes on with the input, too") {
  for (const std::string after : {"", " | ignore_errors() | batch(4)"}) {
    for (const std::string between : {"", " | prefetch(2)"}) {
      for (const bool in_memory : {true, false}) {
        for (int64_t taken = 1;; ++taken) {
          CAPTURE(after, between, in_memory, taken);
          TemporaryFolder folder;
          ThreadsRuntime runtime;
          const std::string text = "range(9) | map(x -> assert(x != 3, \"bad\", x * x)) | " +
                                   call("snapshot", folder.at("s")) + between + " | " +
                                   (in_memory ? "cache()" : call("cache", folder.at("t"))) + " | repeat(2)" +
                                   after;
          auto iterator = open_text(*runtime, text);
          if (take_lines(*iterator, taken).back() == "end") break;
          const std::string saved = require_value(iterator->save());
          const Lines rest = all_lines(*iterator);
          const Lines restored = all_lines(*open_text(*runtime, text, &saved));
          CHECK(restored == rest);
        }
      }
    }
  }
}

TEST_CASE("file cache: a position before the first written element needs the same elements") {
  TemporaryFolder folder;
  ThreadsRuntime runtime;
  const std::string text = "range(9) | " + call("cache", folder.at("s"));
  all_lines(*runtime, text);
  std::string saved;
  {
    auto iterator = open_text(*runtime, text);
    take_lines(*iterator, 2);
    saved = require_value(iterator->save());
  }
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"2", "3", "4", "5", "6", "7", "8"});
  std::filesystem::remove_all(folder.at("s"));
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"error: failed_precondition"});
}

TEST_CASE("file cache: a pass that stops early fills nothing, however far it was read ahead") {
  for (const std::string name : {"snapshot", "cache"}) {
    for (const std::string after :
         {" | take(4) | repeat(3)", " | prefetch(3) | take(4) | repeat(3)", " | take(7) | repeat(2)",
          " | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2) | take(7) | repeat(2)",
          " | batch(2) | prefetch(1) | take(3) | repeat(3)"}) {
      CAPTURE(name, after);
      std::set<Lines> seen;
      for (int i = 0; i < 12; ++i) {
        TemporaryFolder folder;
        seen.insert(run("range(7) | shuffle(4, seed: 1) | " + call(name, folder.at("s")) + after));
        CHECK(files_in(folder.at("s")).empty());
      }
      CHECK(seen.size() == 1);
      // The epochs are those without a folder.
      CHECK(*seen.begin() == run("range(7) | shuffle(4, seed: 1)" + after));
    }
  }
}

TEST_CASE("file cache: a pass to its end fills the folder through whatever runs ahead") {
  for (const std::string after : {" | prefetch(3)", " | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)",
                                  " | batch(2) | prefetch(1)", " | cache() | prefetch(2)"}) {
    CAPTURE(after);
    TemporaryFolder folder;
    const std::string inner = call("snapshot", folder.at("inner"));
    const std::string text = "range(7) | shuffle(4, seed: 1) | " + inner + " | prefetch(2) | " +
                             call("snapshot", folder.at("s")) + after;
    const Lines all = run(text);
    CHECK(files_in(folder.at("inner")).size() == 2);
    CHECK(files_in(folder.at("s")).size() == 2);
    CHECK(run(text) == all);
  }
}

}  // namespace
}  // namespace weir::test
