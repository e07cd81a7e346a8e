// Lines, rows of tables and records of one length, read by their positions.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ops/files/record_access.h"
#include "ops/pipelines.h"
#include "ops/written_folders.h"
#include "support/npy_files.h"
#include "support/sanitized.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

class TextFiles {
 public:
  std::string at(const std::string& name) const { return folder_.at(name); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  std::string read(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(at(name), std::ios::binary).rdbuf();
    return out.str();
  }
  // Other bytes, as if nothing had changed.
  void replace(const std::string& name, const std::string& bytes) const {
    const auto time = fs::last_write_time(at(name));
    write(name, bytes);
    fs::last_write_time(at(name), time);
  }
  // A call of an operator with a list of files.
  std::string call(const std::string& op, const std::vector<std::string>& names,
                   const std::string& more = "") const {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + at(name) + "\"";
    return op + "([" + text + "]" + more + ")";
  }

 private:
  TemporaryFolder folder_;
};

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Errors pass, and are not counted.
Lines every(const Lines& lines, size_t first, size_t step = 1) {
  Lines out;
  size_t number = 0;
  for (const std::string& line : lines) {
    const bool failed = line.starts_with("error: ");
    if (failed || (number >= first && (number - first) % step == 0)) out.push_back(line);
    if (!failed) ++number;
  }
  return out;
}

// By position there is what there is one after another. The first such reading makes the indices.
void check_positions(const std::string& text) {
  INFO(text);
  const Lines all = run(text);
  CHECK(sorted(run(text + " | global_shuffle(seed: 3)")) == sorted(all));
  for (const int rows : {1, 3, 64}) {
    CHECK(run(text + " | skip(0)", rows) == all);
    CHECK(run(text + " | skip(2)", rows) == every(all, 2));
    CHECK(run(text + " | shard(3, 1)", rows) == every(all, 1, 3));
  }
}

const char* const kDefects[] = {
    "", "x", "a\n", "a\nb", "\n\n", "a\r\nb\r\n", "\r", "a\n\r\r", "a\rb\n\rc\r\r\nd"};

TEST_CASE("lines by position are those that are read one after another") {
  const TextFiles files;
  std::string many;
  for (int i = 0; i < 2000; ++i)
    many += std::to_string(i) + std::string(static_cast<size_t>(i % 7), '.') + "\n";
  files.write("many", many);
  files.write("long", std::string(300000, 'y') + "\r\nz");
  files.write("none", "");
  check_positions(files.call("text_line", {"many", "none", "long"}));
  for (const char* text : kDefects) {
    files.write("a", text);
    files.write("b", text);
    fs::remove(index_beside(files.at("a")));
    fs::remove(index_beside(files.at("b")));
    check_positions(files.call("text_line", {"a", "none", "b"}));
  }
}

TEST_CASE("rows by position are those that are read one after another, those with mistakes too") {
  const TextFiles files;
  const std::string columns = ", [int64, string]";
  files.write("a", "1,a\n2,\"b\nb\"\r\nx,c\n4\n\n5,\"d\"\"\r\",\r6,\"e\"e\"\n7,f");
  files.write("none", "");
  std::string wide;
  for (int i = 0; i < 3000; ++i)
    wide += std::to_string(i) + ",\"" + std::string(static_cast<size_t>(i % 300), '\n') + "\"\"\"\r\n";
  files.write("wide", wide);
  for (const char* more : {"", ", quote: false", ", delim: \";\"", ", na_value: \"x\""})
    check_positions(files.call("csv", {"a", "none", "a"}, columns + more));
  check_positions(files.call("csv", {"wide"}, columns));
  check_positions(files.call("csv", {"a"}, ", [0, \"n\"]"));
  check_positions(files.call("csv", {"a"}, ", [string], select: [1]"));
  files.write("m",
              "\xef\xbb\xbf"
              "1,a\n2,b");
  files.write("mark", "\xef\xbb\xbf");
  check_positions(files.call("csv", {"m", "mark", "m"}, columns));
  files.write("h", "\xef\xbb\xbf\"n\no\",s\r\n1,a\n2,b");
  files.write("only", "\"n\no\",s");
  check_positions(files.call("csv", {"h", "only", "h"}, columns + ", header: true"));
}

TEST_CASE("objects by position are those that are read one after another, those with mistakes too") {
  const TextFiles files;
  files.write(
      "a", "\xef\xbb\xbf\n{\"n\": 1}\r\n  \n\t{\"n\": 2, \"s\": \"\\u00e9\"}\n{\"n\": }\n\xff\n\n{\"n\": 3}");
  files.write("none", "");
  files.write("blank", " \n\n\r\n");
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    many += "{\"n\": " + std::to_string(i) + ", \"s\": \"" + std::string(static_cast<size_t>(i % 300), 'x') +
            (i % 3 == 0 ? "\"}\n\n" : "\"}\n");
  }
  files.write("many", many);
  const std::string fields = ", {n: int64, s: string = \"none\"}";
  check_positions(files.call("jsonl", {"a", "none", "blank", "a"}, fields));
  check_positions(files.call("jsonl", {"many"}, fields));
  for (const char* text : {"{}", "{}\n{}", "\n{}\n\n", "{}\n  ", "\xef\xbb\xbf{}", "\xef\xbb\xbf", "x\ny"}) {
    INFO(text);
    files.write("b", text);
    fs::remove(index_beside(files.at("b")));
    check_positions(files.call("jsonl", {"b", "none"}, ", {}"));
  }
}

TEST_CASE("elements of archives by position are those that are read one after another") {
  const std::string folder = kConformanceData + "new/webdataset/";
  const TextFiles files;
  for (const char* name : {"keys-and-files", "a-second-member-of-one-extension", "leading-dots",
                           "meta-folders", "pax-long-names", "gnu-long-names", "empty", "without-an-end-mark",
                           "folders-and-links-are-passed-over", "bytes-behind-the-end-mark"}) {
    fs::copy_file(folder + name + ".tar", files.at(name));
    check_positions(
        files.call("webdataset", {name, "keys-and-files", name},
                   ", {\"__key__\": string, \"__url__\": string, t: optional(string), cls: string = \"\"}"));
  }
}

TEST_CASE("records of one length by position are those that are read one after another, without an index") {
  const TextFiles files;
  files.write("a", "hhAAABBBCCCf");
  files.write("none", "hhf");
  files.write("plain", std::string(5000 * 3, 'p'));
  check_positions(files.call("fixed_length_record", {"a", "none", "a"}, ", 3, 2, 1"));
  check_positions(files.call("fixed_length_record", {"plain"}, ", 3"));
  CHECK_FALSE(fs::exists(index_beside(files.at("a"))));
  // One that doesn't fit is one error among the others.
  files.write("odd", "hhAAABf");
  const std::string text = files.call("fixed_length_record", {"a", "odd", "gone", "a"}, ", 3, 2, 1");
  check_positions(text);
  CHECK(run(text + " | global_shuffle(seed: 1)").size() == 8);
  // It became shorter after it was looked at.
  TestRuntime world;
  Context ctx = world.context();
  auto access = record_access(ctx, {files.at("plain")}, Compression::none, fixed_rows(),
                              [](FileSystem&, const std::string&) {
                                return Result<RefPtr<RecordIndex>>(RecordIndex::of_records(0, 3, 5000));
                              });
  REQUIRE(access.ok());
  files.write("plain", "pppqqq");
  Block block;
  const std::vector<int64_t> positions = {4999, 1, 0, 2};
  (*access)->read(ctx, positions, block);
  REQUIRE(block.rows == 4);
  CHECK(block.errors.size() == 4);
  CHECK(block.error_of(0)->get()->code == Code::failed_precondition);
}

TEST_CASE("a position of a shuffle of all lines is refused if there are others") {
  const TextFiles files;
  const auto write_numbers = [&](int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += std::to_string(i) + "\n";
    files.write("a", lines);
  };
  write_numbers(3000);
  const std::string text = files.call("text_line", {"a"}) + " | global_shuffle(seed: 1) | batch(7)";
  ThreadsRuntime runtime;
  const auto iterator = open_text(*runtime, text);
  take_lines(*iterator, 300);
  const std::string saved = require_value(iterator->save());
  const Lines rest = all_lines(*iterator);
  CHECK(all_lines(*open_text(*runtime, text, &saved)) == rest);
  for (const int other : {2999, 3001}) {
    write_numbers(other);
    CHECK(all_lines(*open_text(*runtime, text, &saved)) == Lines{"error: data_loss"});
  }
}

TEST_CASE("a position that reads by position has the error of a file that is missing for a while") {
  const TextFiles files;
  std::string lines;
  for (int i = 100; i < 400; ++i) lines += std::to_string(i) + "\n";
  for (const std::string& text : {files.call("fixed_length_record", {"a"}, ", 4") + " | shard(2, 0)",
                                  files.call("fixed_length_record", {"a"}, ", 4") + " | partition(3, p -> p)",
                                  files.call("text_line", {"a"}) + " | skip(1)",
                                  files.call("text_line", {"a"}) + " | global_shuffle(seed: 1)",
                                  files.call("text_line", {"a"}) + " | partition(3, p -> p)"}) {
    for (const int64_t taken : {1, 20}) {
      INFO(text << " after " << taken);
      files.write("a", lines);
      ThreadsRuntime runtime;
      const auto iterator = open_text(*runtime, text);
      take_lines(*iterator, taken);
      const std::string saved = require_value(iterator->save());
      const Lines rest = all_lines(*iterator);
      fs::remove(files.at("a"));
      const auto missing = open_text(*runtime, text, &saved);
      Block block;
      REQUIRE(require_value(missing->next(1, block)) == PullResult::rows);
      REQUIRE(block.errors.size() == 1);
      CHECK(block.errors[0].error->code == Code::not_found);
      CHECK(block.errors[0].error->file == files.at("a"));
      CHECK(all_lines(*missing).empty());
      files.write("a", lines);
      CHECK(all_lines(*open_text(*runtime, text, &saved)) == rest);
    }
  }
}

TEST_CASE("a missing or damaged file is one error among the others, by position too") {
  const TextFiles files;
  files.write("a", "{}\n{}\n");
  files.write("b", "{}\n{}\n{}");
  files.write("no text", std::string("\x1f\x8b\x08\x00\x00", 5));
  files.write("other", "x\n");
  files.write("n", "m,n\n1,2\n3,4\n");
  const std::string archive = kConformanceData + "new/webdataset/without-an-end-mark.tar";
  fs::copy_file(archive, files.at("whole"));
  const std::string bytes = files.read("whole");
  files.write("cut", bytes.substr(0, bytes.size() - 600));
  for (const std::string& text :
       {files.call("text_line", {"a", "gone", "no text", "b"}),
        files.call("jsonl", {"a", "gone", "no text", "b"}, ", {}"),
        files.call("csv", {"a", "gone", "other", "b"}, ", [string], header: true"),
        files.call("csv", {"n", "gone", "other", "n"}, ", {\"n\": int64}, header: true"),
        files.call("webdataset", {"whole", "gone", "cut", "whole"}, ", {\"__key__\": string}")}) {
    check_positions(text);
    const Lines all = run(text);
    const auto errors = std::count_if(all.begin(), all.end(),
                                      [](const std::string& line) { return line.starts_with("error"); });
    CHECK(errors == 2);
    const std::string by_position = text + " | partition(1, p -> p, by: \"index\")";
    CHECK(run(by_position) == all);
    for (size_t position = 0; position <= all.size(); ++position)
      CHECK(run_restored(by_position, static_cast<int64_t>(position)) ==
            Lines(all.begin() + static_cast<ptrdiff_t>(position), all.end()));
    CHECK_THAT(first_error(by_position), Catch::Contains(files.at("gone")));
  }
  CHECK(fs::exists(index_beside(files.at("b"))));
  CHECK_FALSE(fs::exists(index_beside(files.at("cut"))));
}

TEST_CASE("no damage of an index gives a wrong line or row") {
  const TextFiles files;
  const std::string table = "1,a\n2,\"\nb\n\"\n33,c\r\n4,\"d\"\n5,e";
  files.write("lines", "one\ntwo\n\nfour\r\nfive");
  files.write("rows", table);
  files.write("crs", "1,a\r2,b\r3,c\r");
  for (const std::string& text :
       {files.call("text_line", {"lines"}), files.call("csv", {"rows"}, ", [int64, string]"),
        files.call("csv", {"crs"}, ", [int64, string]")}) {
    const Lines all = run(text);
    run(text + " | global_shuffle(seed: 1)");
    const std::string name = text.find("text_line") == 0             ? "lines"
                             : text.find("crs") == std::string::npos ? "rows"
                                                                     : "crs";
    const std::string kept = files.read(name + ".weir-index");
    REQUIRE(kept.size() == 40 + 8 * (all.size() + 1));
    size_t errors = 0;
    for (size_t bit = 0; bit < 8 * kept.size(); bit += sanitized_step(3)) {
      std::string damaged = kept;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      files.write(name + ".weir-index", damaged);
      const Lines found = run(text + " | partition(1, p -> p, by: \"index\")", 64);
      REQUIRE(found.size() == all.size());
      for (size_t i = 0; i < found.size(); ++i) {
        const bool failed = found[i].starts_with("error: ");
        errors += failed ? 1 : 0;
        INFO(text << " " << bit << " " << i << " " << found[i]);
        CHECK((failed || found[i] == all[i]));
      }
    }
    CHECK(errors * sanitized_step(3) > 8 * 8 * (all.size() - 1));
  }
}

TEST_CASE("offsets that no file can have are errors") {
  const TextFiles files;
  files.write("a", "one\ntwo\nthree\n");
  const std::string text = files.call("text_line", {"a"});
  run(text + " | global_shuffle(seed: 1)");
  const std::string kept = files.read("a.weir-index");
  for (const uint64_t offset : {UINT64_MAX, uint64_t{1} << 62, uint64_t{15}, uint64_t{1} << 27}) {
    std::string forged = kept;
    for (size_t entry = 1; entry < 4; ++entry) std::memcpy(&forged[40 + 8 * entry], &offset, sizeof offset);
    files.write("a.weir-index", forged);
    CHECK(run(text + " | skip(0)", 64) == Lines(3, "error: data_loss"));
  }
}

TEST_CASE("a changed file has another index, also when it changes under an open reader") {
  const TextFiles files;
  files.write("a", "one\ntwo\n");
  const std::string text = files.call("text_line", {"a"});
  check_positions(text);
  files.write("a", "one\ntwo\nthree");
  check_positions(text);
  // Other lines in as many bytes, and fewer of them: what is no line any more is an error in its place.
  files.replace("a", "one\nt\no\nthree");
  CHECK(run(text + " | skip(0)", 64) == Lines{"\"one\"", "error: data_loss", "\"three\""});
  files.replace("a", "one\ntwo\nth\nee");
  CHECK(run(text + " | skip(0)", 1) == Lines{"\"one\"", "\"two\"", "error: data_loss"});
  TestRuntime world;
  Context ctx = world.context();
  files.write("a", "one\ntwo\nthree");
  auto access = indexed_access(ctx, {files.at("a")}, {.kind = IndexedFormat::Kind::lines}, line_rows());
  REQUIRE(access.ok());
  files.write("a", "one\ntw");
  Block block;
  const std::vector<int64_t> positions = {2, 0, 1};
  (*access)->read(ctx, positions, block);
  REQUIRE(block.errors.size() == 3);
  CHECK(block.errors[1].error->code == Code::failed_precondition);
}

TEST_CASE("a line or row above record_bytes is one error in its place") {
  const TextFiles files;
  files.write("a", "1\n" + std::string(10, '2') + "\n" + std::string(11, '3') + "\n4");
  for (const std::string& text : {files.call("text_line", {"a"}), files.call("csv", {"a"}, ", [string]")}) {
    ThreadsRuntime runtime;
    (*runtime).limits.record_bytes = text.starts_with("csv") ? 11 : 10;
    CHECK(all_lines(*runtime, text).back() == "error: resource_exhausted");
    all_lines(*runtime, text + " | global_shuffle(seed: 1)");
    const Lines found = all_lines(*runtime, text + " | partition(1, p -> p, by: \"index\")");
    REQUIRE(found.size() == 4);
    CHECK(found[2] == "error: resource_exhausted");
    CHECK(contains(found[3], "4"));
  }
}

TEST_CASE("the options of a table that tell where its rows begin have an index of their own") {
  const TextFiles files;
  files.write("a", "1,\"a\n2\",b\n3,c\n");
  const std::string plain = files.call("csv", {"a"}, ", [string, string], select: [0, 1]");
  const std::string bare = files.call("csv", {"a"}, ", [string], quote: false, select: [0]");
  const std::string headed = files.call("csv", {"a"}, ", [string, string], select: [0, 1], header: true");
  const std::string lines = files.call("text_line", {"a"});
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::string& text : {plain, bare, headed, lines}) check_positions(text);
  }
}

TEST_CASE("texts without positions say why") {
  const TextFiles files;
  files.write("a", "1\n");
  for (const char* op : {"text_line", "csv", "fixed_length_record"}) {
    const std::string more = std::string(op) == "csv"         ? ", [int64]"
                             : std::string(op) == "text_line" ? ""
                                                              : ", 1";
    const auto refusal = [&](const std::string& option) {
      return build_error(files.call(op, {"a"}, more + option) + " | global_shuffle()");
    };
    CHECK(contains(refusal(", compression: \"auto\""), "expected files without compression"));
    CHECK(contains(refusal(", num_parallel_reads: 2"), "expected num_parallel_reads: 1"));
    CHECK(run(files.call(op, {"none"}, more) + " | global_shuffle()") == Lines{"error: not_found"});
  }
  files.write("z", std::string("\x1f\x8b\x08\x00\x00\x00", 6));
  files.write("h", "a\"b\n1\n");
  CHECK(run(files.call("text_line", {"z"}) + " | global_shuffle()") == Lines{"error: invalid_argument"});
  CHECK(run(files.call("csv", {"h"}, ", [int64], header: true") + " | global_shuffle()") ==
        Lines{"error: invalid_argument"});
  CHECK(run(files.call("csv", {"h"}, ", [int64], header: true")) == Lines{"error: invalid_argument", "(1,)"});
}

// Seeking opens each file once; what fails to open then is an error of every slice.
TEST_CASE("a file that fails when it is opened again is one error of skip and of every shard") {
  std::string ints;
  for (int i = 0; i < 20; ++i) ints += bytes_of<int32_t>({i});
  const std::string few = ints.substr(0, 28);
  const auto lines = [&](const std::string& text, uint64_t openings, int64_t restored_after = 0) {
    SimulatedFileSystem files;
    files.put("a", few);
    files.put("b", ints);
    files.put("a.npy", npy_bytes("<i4", "(7,)", few));
    files.put("b.npy", npy_bytes("<i4", "(20,)", ints));
    for (const char* name : {"a", "a.npy"}) files.set_faults(name, {.openings = openings});
    ThreadsRuntime runtime;
    runtime->files = &files;
    if (restored_after == 0) return all_lines(*runtime, text);
    auto iterator = open_text(*runtime, text);
    Lines out = take_lines(*iterator, restored_after);
    const std::string saved = require_value(iterator->save());
    for (const bool again : {true, false}) {
      INFO(again);
      if (!again) files.set_faults("a", {});
      Lines rest = all_lines(*open_text(*runtime, text, &saved));
      if (again) out.insert(out.end(), rest.begin(), rest.end());
      CHECK(rest == Lines(out.begin() + restored_after, out.end()));
    }
    return out;
  };
  for (const std::string text : {R"(fixed_length_record(["a", "b"], 4))",
                                 R"(tokens(["a", "b"], 1, dtype: int32))", R"(npy(["a.npy", "b.npy"]))"}) {
    INFO(text);
    // npy opens its files to build the pipeline, too.
    const uint64_t first = text.starts_with("npy") ? 2 : 1;
    const Lines all = lines(text, first - 1);
    REQUIRE(all.size() == 21);
    CHECK(lines(text + " | skip(5)", first) == every(all, 5));
    CHECK(lines(text + " | shard(2, 0)", first) == every(all, 0, 2));
    CHECK(lines(text + " | shard(2, 1)", first) == every(all, 1, 2));
    CHECK(lines(text + " | skip(3) | shard(2, 1)", first) == every(every(all, 3), 1, 2));
    if (first == 1) CHECK(lines(text + " | shard(3, 1)", first, 4) == every(all, 1, 3));
  }
}

}  // namespace
}  // namespace weir::test
