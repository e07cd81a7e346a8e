// Files that cannot be read for a while: what a position saved meanwhile restores where they can be read, and
// where others cannot.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <span>

#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

constexpr int kFiles = 4;
constexpr int kRecords = 12;
// Of a record of three bytes in its frame.
constexpr uint64_t kFramed = 19;

std::string file_name(int file) { return std::string(1, static_cast<char>('a' + file)); }

void write_files(SimulatedFileSystem& files) {
  for (int file = 0; file < kFiles; ++file) {
    auto writer = require_value(RecordWriter::create(files, file_name(file), Compression::none));
    for (int i = 0; i < kRecords; ++i) {
      const std::string record = file_name(file) + (i < 10 ? "0" : "") + std::to_string(i);
      require_ok(writer->write(Str(record)));
    }
    require_ok(writer->close());
  }
}

// Four files of twelve records, which some reads fail to read.
struct FailingWorld {
  explicit FailingWorld(int threads = 2) : runtime(threads) {
    write_files(files);
    runtime->files = &files;
  }
  FailingWorld& fails_at(int file, int record) {
    files.set_faults(file_name(file), {.read_error_offset = kFramed * static_cast<uint64_t>(record)});
    return *this;
  }
  FailingWorld& fails_to_open(int file) {
    files.set_faults(file_name(file), {.fails_to_open = true});
    return *this;
  }
  SimulatedFileSystem files;
  ThreadsRuntime runtime;
};

const std::string kNames = "[\"a\", \"b\", \"c\", \"d\"]";
const std::string kSources[] = {
    "tfrecord(" + kNames + ")",
    "tfrecord(" + kNames + ", num_parallel_reads: 2)",
    "from_tensor_slices(" + kNames + ") | interleave(f -> tfrecord(f), cycle_length: 3, block_length: 2)",
};

// What stands above the files, and gives an error as soon as it meets it.
const char* const kFailingReads[] = {
    "",
    " | batch(4)",
    " | batch(4) | batch(2)",
    " | shuffle(7, seed: 1)",
    " | shuffle(7, seed: 1) | batch(3)",
    " | shuffle(30, seed: 1) | shuffle(7, seed: 2) | map(x -> x)",
    " | filter(x -> x != \"b03\") | shuffle(7, seed: 1)",
    " | map(x -> x, num_parallel_calls: 2) | shuffle(7, seed: 1)",
    " | prefetch(3) | batch(2) | prefetch(2)",
    " | repeat(2) | shuffle(20, seed: 1)",
    " | flat_map(x -> from_tensors(x) | repeat(2)) | shuffle(7, seed: 1)",
    " | interleave(x -> from_tensors(x) | repeat(3), cycle_length: 3) | shuffle(7, seed: 1)",
    " | enumerate() | shuffle(9, seed: 4) | batch(2)",
    " | skip(3) | take(30) | shuffle(7, seed: 1)",
};

Lines tail_of(const Lines& lines, size_t begin) {
  return Lines(lines.begin() + static_cast<int64_t>(std::min(begin, lines.size())), lines.end());
}

bool is_error(const std::string& line) { return line.starts_with("error: "); }

size_t last_error(const Lines& lines) {
  for (size_t i = lines.size(); i > 0; --i) {
    if (is_error(lines[i - 1])) return i - 1;
  }
  return lines.size();
}

// Saves at every position where reads fail, and calls `check` with it, the position where it was saved again
// elsewhere after some rows, and what follows.
template <class Check>
void save_everywhere(const std::string& text, FailingWorld& failing, FailingWorld& other, Check check) {
  const Lines whole = all_lines(*failing.runtime, text);
  auto iterator = open_text(*failing.runtime, text);
  for (size_t position = 0; position <= whole.size(); ++position) {
    INFO("saved after " << position);
    std::string saved = require_value(iterator->save());
    check(position, position, whole, all_lines(*open_text(*other.runtime, text, &saved)));
    // And saved again before and after some rows.
    for (const int64_t later : {0, 1, 9}) {
      INFO("and again " << later << " rows later");
      auto restored = open_text(*other.runtime, text, &saved);
      take_lines(*restored, later);
      const std::string again = require_value(restored->save());
      const Lines rest = all_lines(*open_text(*other.runtime, text, &again));
      check(position, position + static_cast<size_t>(later), whole, rest);
    }
    take_lines(*iterator, 1);
  }
}

template <class Check>
void for_each_text(std::span<const char* const> pipelines, Check check) {
  for (const std::string& source : kSources) {
    for (const char* pipeline : pipelines) {
      const std::string text = source + pipeline;
      INFO(text);
      check(text);
    }
  }
}

TEST_CASE("what a position has met of failed reads is part of it, where the files can be read") {
  for_each_text(kFailingReads, [](const std::string& text) {
    for (const bool twice : {false, true}) {
      INFO((twice ? "two reads fail" : "a read fails"));
      FailingWorld failing;
      failing.fails_at(1, 5);
      if (twice) failing.fails_to_open(2);
      FailingWorld readable(1);
      const Lines clean = all_lines(*readable.runtime, text);
      save_everywhere(text, failing, readable,
                      [&](size_t saved, size_t position, const Lines& whole, const Lines& rest) {
                        const Lines tail = tail_of(whole, position);
                        if (saved > last_error(whole)) CHECK(rest == tail);
                        // What it has not met is read again, and is there.
                        const bool once = std::count_if(whole.begin(), whole.end(), is_error) == 1;
                        if (saved <= last_error(whole) && once)
                          CHECK((rest == tail || rest == tail_of(clean, position)));
                      });
    }
  });
}

TEST_CASE("where other reads fail, a position gives the same rows or one error") {
  for_each_text(kFailingReads, [](const std::string& text) {
    FailingWorld failing;
    failing.fails_at(1, 5);
    const Lines whole = all_lines(*failing.runtime, text);
    for (const int file : {0, 1, 2}) {
      INFO("restored where file " << file << " fails");
      FailingWorld other;
      other.fails_at(file, 2);
      auto iterator = open_text(*failing.runtime, text);
      for (size_t position = 0; position <= whole.size(); ++position) {
        INFO("saved after " << position);
        const std::string saved = require_value(iterator->save());
        const Lines rest = all_lines(*open_text(*other.runtime, text, &saved));
        take_lines(*iterator, 1);
        if (position <= last_error(whole)) continue;
        const Lines tail = tail_of(whole, position);
        for (size_t i = 0; i < rest.size() && !is_error(rest[i]); ++i) {
          REQUIRE(i < tail.size());
          REQUIRE(rest[i] == tail[i]);
        }
      }
    }
  });
}

TEST_CASE("what is left out because a file could not be read stays left out") {
  const char* const pipelines[] = {" | ignore_errors()", " | ignore_errors() | batch(4)",
                                   " | ignore_errors() | shuffle(7, seed: 1)",
                                   " | batch(2) | ignore_errors() | shuffle(7, seed: 1) | batch(3)"};
  for_each_text(pipelines, [](const std::string& text) {
    FailingWorld failing;
    failing.fails_at(1, 5);
    FailingWorld readable(1);
    const Lines whole = all_lines(*failing.runtime, text);
    const Lines clean = all_lines(*readable.runtime, text);
    REQUIRE(whole.size() < clean.size());
    save_everywhere(text, failing, readable, [&](size_t, size_t position, const Lines&, const Lines& rest) {
      CHECK((rest == tail_of(whole, position) || rest == tail_of(clean, position)));
    });
  });
}

TEST_CASE("a read that fails again when a position is restored on other threads changes nothing") {
  const char* const pipelines[] = {
      " | ignore_errors() | filter(x -> x < \"b\" or x > \"c03\") | interleave(x -> from_tensors(x) | repeat(3))",
      " | ignore_errors() | interleave(x -> from_tensors(x) | repeat(3)) | interleave(x -> from_tensors(x), cycle_length: 1)",
      " | ignore_errors() | concatenate(from_tensors(\"e\")) | interleave(x -> from_tensors(x) | repeat(2)) | batch(3)",
  };
  for_each_text(pipelines, [](const std::string& text) {
    for (const int threads : {1, 8}) {
      INFO("saved on " << threads << " threads");
      FailingWorld failing(threads);
      failing.fails_at(1, 5).fails_to_open(2);
      FailingWorld other(9 - threads);
      other.fails_at(1, 5).fails_to_open(2);
      save_everywhere(text, failing, other,
                      [&](size_t, size_t position, const Lines& whole, const Lines& rest) {
                        CHECK(rest == tail_of(whole, position));
                      });
    }
  });
}

}  // namespace
}  // namespace weir
