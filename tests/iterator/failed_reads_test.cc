// Files that cannot be read for a while: what a position saved meanwhile restores where they can be read, and
// where others cannot.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>

#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/sanitized.h"
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
  // The checksum of a record's length is wrong.
  FailingWorld& damaged_at(int file, int record) {
    std::string bytes = require_value(files.read_file(file_name(file), kRecords * kFramed));
    bytes[kFramed * static_cast<size_t>(record) + 8] ^= 1;
    files.put(file_name(file), bytes);
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
    " | cache()",
    " | cache() | repeat(2)",
    " | map(x -> assert(x != \"a03\", \"three\", x)) | cache() | repeat(2) | batch(3)",
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

// How many positions further the next one is saved.
constexpr size_t kStep = sanitized_step(3);

// Saves at every position where reads fail, and calls `check` with it, the position where it was saved again
// elsewhere after some rows, and what follows.
template <class Check>
void save_everywhere(const std::string& text, FailingWorld& failing, FailingWorld& other, Check check) {
  const Lines whole = all_lines(*failing.runtime, text);
  auto iterator = open_text(*failing.runtime, text);
  for (size_t position = 0; position <= whole.size(); position += kStep) {
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
    take_lines(*iterator, kStep);
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
    for (const std::string fails : {"a read", "two reads", "a damaged record"}) {
      INFO(fails);
      FailingWorld failing;
      if (fails == "a damaged record") {
        failing.damaged_at(1, 5);
      } else {
        failing.fails_at(1, 5);
      }
      if (fails == "two reads") failing.fails_to_open(2);
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
      for (size_t position = 0; position <= whole.size(); position += kStep) {
        INFO("saved after " << position);
        const std::string saved = require_value(iterator->save());
        const Lines rest = all_lines(*open_text(*other.runtime, text, &saved));
        take_lines(*iterator, kStep);
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

TEST_CASE("a cache that is filled again at restore loses no rows of a file that is gone") {
  const char* const pipelines[] = {
      " | cache()",
      " | map(x -> assert(x != \"a03\" and x != \"c05\", \"no\", x)) | cache()",
      " | map(x -> assert(x != \"a03\", \"no\", x)) | cache() | ignore_errors()",
  };
  for (const char* const pipeline : pipelines) {
    const std::string one = kSources[0] + pipeline;
    const std::string text = one + " | repeat(2)";
    INFO(text);
    for (int file = 0; file < kFiles; ++file) {
      INFO("file " << file << " is gone");
      FailingWorld world(1);
      FailingWorld gone;
      require_ok(gone.files.remove(file_name(file)));
      const Lines whole = all_lines(*world.runtime, text);
      const Lines without = all_lines(*gone.runtime, text);
      const size_t epoch = all_lines(*world.runtime, one).size();
      // The cache is not filled, so that the second epoch reads its files.
      Lines lost = all_lines(*gone.runtime, one);
      lost.insert(lost.begin(), "error: not_found");
      const auto begun = std::find(whole.begin(), whole.end(), "\"" + file_name(file) + "00\"");
      auto iterator = open_text(*world.runtime, text);
      for (size_t position = 0; position < whole.size(); ++position) {
        INFO("saved after " << position);
        const std::string saved = require_value(iterator->save());
        const Lines rest = all_lines(*open_text(*gone.runtime, text, &saved));
        if (position <= static_cast<size_t>(begun - whole.begin())) {
          CHECK(rest == tail_of(without, position));
        } else {
          CHECK(rest == (position > epoch ? Lines{"error: not_found"} : lost));
        }
        take_lines(*iterator, 1);
      }
    }
  }
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

// The same files as both inputs.
std::string zipped(const std::string& source) { return "zip(" + source + ", " + source + ")"; }

TEST_CASE("failed reads that take one row are part of a position") {
  // b fails after five records and c at once, which are rows 17 and 18.
  const auto check = [](const std::string& text) {
    INFO(text);
    FailingWorld failing;
    failing.fails_at(1, 5).fails_to_open(2);
    FailingWorld again(1);
    again.fails_at(1, 5).fails_to_open(2);
    FailingWorld other(1);
    other.fails_at(0, 2).fails_at(1, 5).fails_to_open(2);
    FailingWorld readable(1);
    save_everywhere(text, failing, again, [](size_t, size_t position, const Lines& whole, const Lines& rest) {
      CHECK(rest == tail_of(whole, position));
    });
    save_everywhere(text, failing, readable,
                    [](size_t saved, size_t position, const Lines& whole, const Lines& rest) {
                      if (saved > last_error(whole)) CHECK(rest == tail_of(whole, position));
                    });
    // A file that was read and fails now is no quiet end.
    save_everywhere(text, failing, other,
                    [](size_t saved, size_t position, const Lines& whole, const Lines& rest) {
                      if (saved == position && rest != tail_of(whole, position))
                        CHECK(std::any_of(rest.begin(), rest.end(), is_error));
                    });
  };
  const char* const pipelines[] = {
      " | window(4) | flat_map(w -> w | batch(4))",
      " | window(4) | flat_map(w -> w | batch(4)) | prefetch(3) | batch(2)",
      " | window(7, shift: 2) | flat_map(w -> w | batch(7))",
      " | window(5, shift: 3, stride: 1) | map(w -> w | reduce(\"\", (s, x) -> s + x)) | shuffle(3, seed: 2)",
      " | map_and_batch(x -> x, 4)",
      " | map_and_batch(x -> x, 4, num_parallel_calls: 2) | shuffle(3, seed: 2)",
      " | map_and_batch(x -> x, 20) | batch(2)",
  };
  for_each_text(pipelines, check);
  for (const std::string& source : kSources) {
    check(zipped(source));
    check(zipped(source) + " | batch(2) | prefetch(2)");
    check("zip(" + source + ", " + source + " | skip(1)) | shuffle(5, seed: 2)");
  }
}

TEST_CASE("a failed read between windows is part of a position") {
  const char* const pipelines[] = {
      " | window(1, shift: 3) | flat_map(w -> w)",
      " | window(2, shift: 5) | flat_map(w -> w) | shuffle(4, seed: 3)",
      " | window(4, shift: 4, stride: 3) | flat_map(w -> w | batch(4))",
      " | window(4, shift: 2, stride: 2) | flat_map(w -> w | batch(4)) | prefetch(2)",
      " | window(5, shift: 6, stride: 2) | flat_map(w -> w | batch(5)) | batch(2)",
  };
  for_each_text(pipelines, [](const std::string& text) {
    FailingWorld failing;
    failing.fails_at(1, 5);
    FailingWorld again(1);
    again.fails_at(1, 5);
    FailingWorld readable(1);
    const Lines clean = all_lines(*readable.runtime, text);
    save_everywhere(text, failing, again, [](size_t, size_t position, const Lines& whole, const Lines& rest) {
      CHECK(rest == tail_of(whole, position));
    });
    save_everywhere(text, failing, readable,
                    [&](size_t, size_t position, const Lines& whole, const Lines& rest) {
                      CHECK((rest == tail_of(whole, position) || rest == tail_of(clean, position)));
                    });
  });
}

TEST_CASE("a position behind a failed read that no window has leaves its file out") {
  // b fails at row 17; windows begin at 15 and 18.
  const std::string text =
      kSources[0] + " | window(1, shift: 3) | map(w -> w | reduce(\"\", (s, x) -> s + x))";
  FailingWorld failing;
  failing.fails_at(1, 5);
  FailingWorld readable;
  FailingWorld other;
  other.fails_at(0, 2);
  const Lines whole = all_lines(*failing.runtime, text);
  REQUIRE(std::none_of(whole.begin(), whole.end(), is_error));
  auto iterator = open_text(*failing.runtime, text);
  take_lines(*iterator, 7);
  for (size_t position = 7; position < whole.size(); ++position) {
    const std::string saved = require_value(iterator->save());
    CHECK(all_lines(*open_text(*readable.runtime, text, &saved)) == tail_of(whole, position));
    // What was read and can't be read again is an error, also if its row is between windows.
    const Lines rest = all_lines(*open_text(*other.runtime, text, &saved));
    CHECK((rest == tail_of(whole, position) || (rest.size() == 1 && is_error(rest[0]))));
    take_lines(*iterator, 1);
  }
}

// What was read ahead of the first element and failed is read again, where it can be.
void check_reads_again(FailingWorld& failing, const std::string& text) {
  FailingWorld readable;
  auto iterator = open_text(*failing.runtime, text);
  take_lines(*iterator, 1);
  const std::string saved = require_value(iterator->save());
  CHECK(all_lines(*open_text(*readable.runtime, text, &saved)) ==
        tail_of(all_lines(*readable.runtime, text), 1));
}

TEST_CASE("a failed read that shares its row's error is read again where the row was not reached") {
  const std::string text = kSources[0] + " | window(4) | flat_map(w -> w | batch(4)) | prefetch(30)";
  FailingWorld failing;
  failing.fails_at(1, 5).fails_to_open(2);
  check_reads_again(failing, text);
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

// What reads files: each source, with and without compression, alone, in turns and as the dataset of an
// element.
struct FileKind {
  std::string source;
  // The bytes of a file with a record of three letters for each number.
  std::string (*bytes)(int file);
  // Reads fail from this offset on.
  uint64_t fails_at;
};

std::string lines_of_file(int file) {
  std::string out;
  for (int i = 0; i < kRecords; ++i) out += file_name(file) + (i < 10 ? "0" : "") + std::to_string(i) + "\n";
  return out;
}

std::string letters_of_file(int file) {
  std::string out = lines_of_file(file);
  std::erase(out, '\n');
  return out;
}

std::string gzip_of_file(int file) {
  SimulatedFileSystem files;
  auto writer = require_value(RecordWriter::create(files, "x", Compression::gzip));
  for (int i = 0; i < kRecords; ++i) {
    // It does not compress, so that a part of the file has a part of the records.
    std::string record = file_name(file) + std::to_string(i);
    for (uint64_t bits = static_cast<uint64_t>(16 * file + i) + 1; record.size() < 20'000;) {
      bits = bits * 6364136223846793005u + 1442695040888963407u;
      record += static_cast<char>(bits >> 56);
    }
    require_ok(writer->write(Str(record)));
  }
  require_ok(writer->close());
  return require_value(files.read_file("x", uint64_t{1} << 30));
}

const FileKind kKinds[] = {
    {"text_line(" + kNames + ")", lines_of_file, 22},
    {"text_line(" + kNames + ", num_parallel_reads: 3)", lines_of_file, 22},
    {"from_list(" + kNames + ") | interleave(f -> text_line(f), cycle_length: 2, block_length: 3)",
     lines_of_file, 22},
    {"from_list(" + kNames + ") | interleave(f -> text_line(f), cycle_length: 3, num_parallel_calls: 2)",
     lines_of_file, 22},
    {"from_list(" + kNames + ") | flat_map(f -> text_line(f))", lines_of_file, 22},
    {"csv(" + kNames + ", [string])", lines_of_file, 22},
    {"fixed_length_record(" + kNames + ", 3)", letters_of_file, 16},
    {"tfrecord(" + kNames + ", compression: \"gzip\") | map(r -> substr(r, 0, 3))", gzip_of_file, 100'000},
    {"from_list(" + kNames + ") | map(f -> read_file(f))", letters_of_file, 16},
};

const char* const kKeeping[] = {"",
                                " | batch(3)",
                                " | shuffle(9, seed: 3)",
                                " | shuffle(9, seed: 3) | batch(2)",
                                " | prefetch(4) | shuffle(5, seed: 1)",
                                " | repeat(2) | shuffle(40, seed: 2)"};

TEST_CASE(
    "a file that failed before the save fails again at restore, though it can be read, for each source") {
  for (const FileKind& kind : kKinds) {
    for (const char* keeping : kKeeping) {
      const std::string text = kind.source + keeping;
      for (const bool opens : {true, false}) {
        INFO(text << (opens ? ", fails in the middle" : ", fails to open"));
        SimulatedFileSystem failing_files;
        SimulatedFileSystem files;
        for (int file = 0; file < kFiles; ++file) {
          failing_files.put(file_name(file), kind.bytes(file));
          files.put(file_name(file), kind.bytes(file));
        }
        if (opens) {
          failing_files.set_faults(file_name(1), {.read_error_offset = kind.fails_at});
        } else {
          failing_files.set_faults(file_name(1), {.fails_to_open = true});
        }
        ThreadsRuntime failing;
        failing->files = &failing_files;
        ThreadsRuntime readable(1);
        readable->files = &files;
        const Lines whole = all_lines(*failing, text);
        REQUIRE(std::any_of(whole.begin(), whole.end(), is_error));
        REQUIRE(whole != all_lines(*readable, text));
        const size_t last = last_error(whole);
        auto iterator = open_text(*failing, text);
        for (size_t position = 0; position <= whole.size(); position += kStep) {
          INFO("saved after " << position);
          const std::string saved = require_value(iterator->save());
          take_lines(*iterator, kStep);
          if (position <= last) continue;
          CHECK(all_lines(*open_text(*readable, text, &saved)) == tail_of(whole, position));
        }
      }
    }
  }
}

TEST_CASE("a file that failed is read again in the next epoch, as without a restore") {
  const std::string text = kSources[0] + " | repeat(2) | shuffle(5, seed: 1) | batch(2)";
  FailingWorld world;
  world.fails_at(1, 5);
  auto iterator = open_text(*world.runtime, text);
  Lines begun;
  while (begun.empty() || !is_error(begun.back())) begun.push_back(take_lines(*iterator, 1)[0]);
  // It can be read now.
  world.files.set_faults(file_name(1), {});
  const std::string saved = require_value(iterator->save());
  const Lines rest = all_lines(*iterator);
  CHECK(std::none_of(rest.begin(), rest.end(), is_error));
  CHECK(all_lines(*open_text(*world.runtime, text, &saved)) == rest);
}

TEST_CASE("a file that failed ahead of the position is read again at restore") {
  const std::string text = kSources[0];
  FailingWorld failing;
  failing.fails_at(1, 5);
  check_reads_again(failing, text);
}

TEST_CASE("a restored position lists the files that failed when it is saved again") {
  const std::string text = kSources[0] + " | shuffle(60, seed: 1)";
  FailingWorld failing;
  failing.fails_at(1, 5);
  FailingWorld readable;
  const Lines whole = all_lines(*failing.runtime, text);
  auto iterator = open_text(*failing.runtime, text);
  take_lines(*iterator, static_cast<int64_t>(last_error(whole)) + 1);
  std::string saved = require_value(iterator->save());
  for (size_t position = last_error(whole) + 1; position < whole.size(); ++position) {
    INFO("saved after " << position);
    auto restored = open_text(*readable.runtime, text, &saved);
    CHECK(take_lines(*restored, 1)[0] == whole[position]);
    saved = require_value(restored->save());
  }
}

}  // namespace
}  // namespace weir
