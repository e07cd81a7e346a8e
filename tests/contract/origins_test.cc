// Where elements come from: every operator that keeps rows keeps their origins, and errors name them.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

// Anchors are due by the time that they take, so that with a real clock a checkpoint's size varies.
struct StillClock final : Clock {
  int64_t now_ns() override { return 0; }
};

// Files a and b of 1,500 and 700 records: a's record 7 is "a7".
class Files {
 public:
  Files() {
    runtime->files = &files;
    runtime->clock = &clock;
    write("a", 1500);
    write("b", 700);
  }

  // Where each element came from, as "a 7", or what its error says; all of the rows `rows` at a time.
  std::vector<std::string> origins(const std::string& text, int rows, const std::string* checkpoint = nullptr,
                                   int64_t count = INT64_MAX) {
    if (!iterator || checkpoint) iterator = open_text(*runtime, text, checkpoint);
    std::vector<std::string> out;
    Block block;
    while (static_cast<int64_t>(out.size()) < count &&
           require_value(iterator->next(rows, block)) == PullResult::rows) {
      for (int row = 0; row < block.rows; ++row) {
        if (const ErrorPtr* error = block.error_of(row)) {
          out.push_back((*error)->describe());
          continue;
        }
        const SourceNames::Place place = iterator->source_names()->place(block.origins.of(row));
        out.push_back(place.file.empty()  ? "-"
                      : place.record >= 0 ? concat(place.file, " ", place.record)
                                          : place.file);
      }
    }
    return out;
  }
  // What it prints.
  std::vector<std::string> lines(const std::string& text) { return all_lines(*runtime, text); }

  SimulatedFileSystem files;
  StillClock clock;
  ThreadsRuntime runtime;
  OpenIterator iterator;

 private:
  void write(const std::string& name, int count) {
    auto writer = require_value(RecordWriter::create(files, name, Compression::none));
    for (int i = 0; i < count; ++i) {
      const std::string record = concat(name, i);
      require_ok(writer->write({record.data(), record.size()}));
    }
    require_ok(writer->close());
  }
};

// "\"a7\"" as "a 7".
std::string origin_of(const std::string& printed) {
  const std::string text = printed.substr(1, printed.size() - 2);
  return concat(text.substr(0, 1), " ", text.substr(1));
}

TEST_CASE("origins: rows that are kept keep theirs, whatever the width of a pull") {
  for (
      const char* text : {
          "tfrecord([\"a\", \"b\"])",
          "tfrecord([\"a\", \"b\"], num_parallel_reads: 2)",
          "tfrecord([\"a\", \"b\"]) | map(r -> r)",
          "tfrecord([\"a\", \"b\"]) | map(r -> r, num_parallel_calls: 2)",
          "tfrecord([\"a\", \"b\"]) | filter(r -> string_length(r) != 3)",
          "tfrecord([\"a\", \"b\"]) | shuffle(300, seed: 1)",
          "tfrecord([\"a\", \"b\"]) | shuffle(3000, seed: 1)",
          "tfrecord([\"a\", \"b\"]) | skip(1030) | take(600)",
          "tfrecord([\"a\", \"b\"]) | take(5) | repeat(3)",
          "tfrecord(\"a\") | concatenate(tfrecord(\"b\"))",
          "from_tensors(\"x\") | concatenate(tfrecord(\"b\")) | skip(1)",
          "tfrecord([\"a\", \"b\"]) | prefetch(70)",
          "tfrecord([\"a\", \"b\"]) | ignore_errors()",
          "from_tensor_slices([\"a\", \"b\"]) | flat_map(f -> tfrecord(f))",
          "from_tensor_slices([\"a\", \"b\"]) | interleave(f -> tfrecord(f), cycle_length: 2, block_length: 3)",
          "tfrecord(\"a\") | flat_map(r -> from_tensors(r))",
          "tfrecord(\"a\") | interleave(r -> from_tensors(r) | repeat(2), cycle_length: 3)",
          "zip(range(2000), tfrecord(\"a\")) | map((i, r) -> r)",
          "tfrecord(\"a\") | enumerate() | map((i, r) -> r)",
          "tfrecord([\"a\", \"b\"]) | filter(r -> r > \"a5\" and r != \"b9\") | shuffle(10, seed: 4) | prefetch(3)",
      }) {
    for (int rows : {1, 7, 1024}) {
      CAPTURE(text, rows);
      Files files;
      std::vector<std::string> expected;
      for (const std::string& line : files.lines(text)) expected.push_back(origin_of(line));
      REQUIRE(!expected.empty());
      CHECK(files.origins(text, rows) == expected);
    }
  }
}

TEST_CASE("origins: a group has its first member's, and sources without records have none") {
  Files files;
  CHECK(files.origins("tfrecord([\"a\", \"b\"]) | skip(1498) | batch(4)", 3, nullptr, 3) ==
        std::vector<std::string>{"a 1498", "b 2", "b 6"});
  files.iterator.reset();
  // Taken apart again, the first alone is known; of a batch of one it is all.
  CHECK(files.origins("tfrecord(\"a\") | skip(3) | batch(3) | unbatch() | take(4)", 3) ==
        std::vector<std::string>{"a 3", "-", "-", "a 6"});
  files.iterator.reset();
  CHECK(files.origins("tfrecord(\"a\") | skip(3) | batch(3) | rebatch([2, 1, 2]) | take(4)", 3) ==
        std::vector<std::string>{"a 3", "-", "a 6", "-"});
  files.iterator.reset();
  CHECK(files.origins("tfrecord(\"a\") | skip(3) | batch(2) | flat_map(r -> from_tensor_slices(r)) | take(2)",
                      3) == std::vector<std::string>{"-", "-"});
  files.iterator.reset();
  CHECK(files.origins("tfrecord(\"a\") | skip(3) | batch(1) | unbatch() | take(2)", 3) ==
        std::vector<std::string>{"a 3", "a 4"});
  files.iterator.reset();
  CHECK(files.origins("range(3) | map(x -> x + 1) | shuffle(2, seed: 1)", 2) ==
        std::vector<std::string>{"-", "-", "-"});
  files.iterator.reset();
  CHECK(files.origins("from_tensors(1) | concatenate(tfrecord(\"a\") | take(1) | map(r -> 2))", 4) ==
        std::vector<std::string>{"-", "a 0"});
}

TEST_CASE("origins: an error names file and record, whichever operator failed") {
  for (
      const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
          {"tfrecord(\"a\") | skip(17) | map(r -> assert(false, \"no\", r)) | batch(2)",
           "map: no (a, record 17, in batch/map)"},
          {"tfrecord(\"a\") | skip(17) | map(r -> assert(false, \"no\", r), num_parallel_calls: 2)",
           "map: no (a, record 17, in map)"},
          {"tfrecord(\"a\") | skip(17) | filter(r -> assert(false, \"no\", true))",
           "filter: no (a, record 17, in filter)"},
          {"tfrecord(\"a\") | skip(17) | shuffle(1, seed: 1) | map(r -> assert(false, \"no\", r))",
           "map: no (a, record 17, in map)"},
          {"tfrecord(\"a\") | skip(17) | flat_map(r -> range(assert(string_length(r) > 9, \"no\", 3)))",
           "no (a, record 17, in flat_map"},
          {"tfrecord(\"a\") | skip(17) | interleave(r -> range(assert(string_length(r) > 9, \"no\", 3)), cycle_length: 2)",
           "no (a, record 17, in interleave"},
          {"tfrecord(\"a\") | skip(17) | reduce(0, (s, r) -> assert(s < 3, \"no\", s + 1))",
           "reduce: no (a, record 20, in reduce)"},
          {"tfrecord(\"a\") | skip(99) | map(r -> decode_raw(r, uint8)) | batch(2)",
           "(a, record 99, in batch)"},
          {"tfrecord(\"a\") | skip(17) | map(r -> parse_example(r, {lable: int64}))",
           "(a, record 17, in map)"},
      }) {
    Files files;
    CAPTURE(text);
    const std::string first = files.origins(text, 1, nullptr, 1)[0];
    CAPTURE(first);
    CHECK(first.find(says) != std::string::npos);
  }
}

TEST_CASE("origins: by position elements and errors have those that they have in order") {
  const std::string some = "tfrecord(\"a\") | map(r -> assert(r != \"a7\", \"no\", r))";
  for (const std::string& text : std::vector<std::string>{
           some,
           some + " | enumerate()",
           "zip(range(1500), " + some + ", tfrecord(\"a\"))",
           some + " | batch(4)",
           some + " | batch(4) | batch(2)",
           some + " | concatenate(tfrecord(\"b\")) | repeat(2)",
           "jsonl(\"j\", {n: int64}) | map(e -> assert(e.n != 7, \"no\", e.n))",
           "jsonl(\"k\", {n: int64}) | map(e -> e.n)",
           "mix_datasets([" + some + ", tfrecord(\"b\")], [0.5, 0.5])",
       }) {
    CAPTURE(text);
    Files files;
    files.files.put("j", "{\"n\": 6}\n{\"n\": 7}\n{\"n\": 8}\n{\"n\": \"nine\"}\n{\"n\": 10}\n");
    std::string twelve;
    for (int i = 0; i < 12; ++i) twelve += concat("{\"n\": ", i, "}\n");
    files.files.put("k", twelve);
    std::vector<std::string> in_order = files.origins(text, 1024);
    files.iterator.reset();
    std::vector<std::string> by_position = files.origins(text + " | global_shuffle(seed: 1)", 1024);
    files.iterator.reset();
    // Blocks that are filled again keep nothing of what was in them.
    CHECK(files.origins(text + " | global_shuffle(seed: 1)", 3) == by_position);
    const std::string_view above = "global_shuffle/";
    for (std::string& line : by_position) {
      if (const size_t at = line.find(above); at != std::string::npos) line.erase(at, above.size());
    }
    CHECK(by_position != in_order);
    std::ranges::sort(in_order);
    std::ranges::sort(by_position);
    CHECK(std::ranges::find(in_order, "-") == in_order.end());
    CHECK(by_position == in_order);
  }
}

// Files whose text is their name.
void put_texts(Files& files) {
  for (const char* name : {"p", "q", "r", "s"}) files.files.put(name, name);
}

TEST_CASE("origins: what was read as a whole file has it, whatever the width of a pull") {
  for (
      const char* text : {
          R"(from_tensor_slices(["p", "q", "r", "s"]) | map(f -> read_file(f)))",
          R"(from_tensor_slices(["p", "q", "r", "s"]) | map(f -> read_file(f), num_parallel_calls: 2))",
          R"(from_tensor_slices(["s", "q"]) | map(f -> {a: f, b: read_file(f)}) | map(e -> e.b))",
          R"(from_tensor_slices(["p", "q", "r", "s"]) | map(f -> read_file(f)) | shuffle(3, seed: 1) | map(s -> s))",
          R"(from_tensor_slices(["p", "q", "r", "s"]) | map(f -> read_file(f)) | filter(s -> s != "q") | prefetch(2))",
          R"(from_tensor_slices(["p", "q"]) | map(f -> if f == "q" then read_file(f) else read_file("r")))",
          R"(from_tensor_slices(["p", "q"]) | flat_map(f -> from_tensors(f) | map(g -> read_file(g))))",
          R"(tfrecord("a") | take(2) | map(r -> read_file(if r == "a0" then "q" else "p")) | skip(1))",
          R"(range(4) | map(i -> read_file("r")))",
      }) {
    for (int rows : {1, 3, 1024}) {
      CAPTURE(text, rows);
      Files files;
      put_texts(files);
      std::vector<std::string> expected;
      for (const std::string& line : files.lines(text)) expected.push_back(line.substr(1, line.size() - 2));
      REQUIRE(!expected.empty());
      CHECK(files.origins(text, rows) == expected);
    }
  }
  Files files;
  put_texts(files);
  // Of several files of one row nobody knows which; rows that read none keep their records.
  CHECK(files.origins(R"(from_list([["p", "q"], ["r", "s"]]) | map(v -> read_file(v)))", 2) ==
        std::vector<std::string>{"-", "-"});
  files.iterator.reset();
  CHECK(files.origins(R"(tfrecord("a") | take(3) | map(r -> if r == "a1" then read_file("q") else r))", 2) ==
        std::vector<std::string>{"a 0", "q", "a 2"});
}

TEST_CASE("origins: the error of what is in a file names the file") {
  for (
      const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
          {R"(from_tensor_slices(["p"]) | map(f -> decode_bmp(read_file(f))))", "(p, in map)"},
          {R"(from_tensor_slices(["p"]) | map(f -> read_file(f)) | map(s -> decode_bmp(s)))", "(p, in map)"},
          {R"(from_tensor_slices(["p"]) | map(f -> read_file(f)) | shuffle(2, seed: 1) | map(s -> decode_bmp(s)) | batch(2))",
           "(p, in batch/map)"},
          {R"(from_tensor_slices(["p"]) | map(f -> read_file(f), num_parallel_calls: 2) | map(s -> decode_bmp(s), num_parallel_calls: 2))",
           "(p, in map)"},
          {R"(from_tensor_slices(["p"]) | map(f -> if f == "p" then decode_bmp(read_file(f)) else zeros([1, 1, 1], dtype: uint8)))",
           "(p, in map)"},
          {R"(from_tensors(["r", "p"]) | map(v -> rows(v, f -> assert(read_file(f) == "r", "no", f))))",
           "row 1: no (p, in map)"},
          {R"(tfrecord("a") | map(r -> assert(read_file("q") == "p", "no", r)))", "no (q, in map)"},
          {R"(from_tensor_slices(["gone"]) | map(f -> decode_bmp(read_file(f))))", "(gone, in map)"},
      }) {
    Files files;
    put_texts(files);
    CAPTURE(text);
    const std::string first = files.origins(text, 4, nullptr, 1)[0];
    CAPTURE(first);
    CHECK(first.find(says) != std::string::npos);
  }
}

TEST_CASE("origins: the names of the last files are kept") {
  SourceNames names;
  const Origin first = names.read("first");
  const Origin record(names.number("records"), 4);
  CHECK(names.place(first).file == "first");
  CHECK(names.place(first).record == -1);
  for (size_t i = 1; i < SourceNames::kReadNames; ++i) names.read("other");
  CHECK(names.place(first).file == "first");
  const Origin last = names.read("last");
  CHECK(names.place(first).file.empty());
  CHECK(names.place(last).file == "last");
  CHECK(names.place(last.after(1)).file.empty());
  CHECK(names.place(record).file == "records");
  CHECK(names.place(record).record == 4);
}

TEST_CASE("origins: they are there again after a restore, and cost the checkpoint nothing") {
  for (const char* text : {"tfrecord([\"a\", \"b\"]) | shuffle(200, seed: 3)",
                           "tfrecord([\"a\", \"b\"]) | prefetch(9)", "tfrecord([\"a\", \"b\"]) | batch(3)"}) {
    CAPTURE(text);
    Files files;
    files.origins(text, 1, nullptr, 301);
    const std::string saved = require_value(files.iterator->save());
    const std::vector<std::string> rest = files.origins(text, 1);
    Files again;
    CHECK(again.origins(text, 1, &saved) == rest);
    Files without;
    without.runtime->origins = false;
    without.origins(text, 1, nullptr, 301);
    CHECK(require_value(without.iterator->save()).size() == saved.size());
  }
}

}  // namespace
}  // namespace weir
