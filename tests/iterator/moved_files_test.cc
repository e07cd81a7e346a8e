// Positions continue over copies of the same files in another folder.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "format/tfrecord.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

constexpr int kCopiedRecords = 9;
// Of a record of five bytes in its frame.
constexpr uint64_t kCopiedFramed = 21;
const char* const kCopiedFiles[] = {"x/a", "x/b", "y/a", "y/c"};

std::string replaced(std::string text, std::string_view place) {
  for (size_t at = text.find("HERE"); at != std::string::npos; at = text.find("HERE", at))
    text.replace(at, 4, place);
  return text;
}

std::string record(const char* file, int i) { return concat(file, "-", i); }

// The same files in two folders.
class Copies {
 public:
  Copies() {
    for (const std::string& place : {here, there}) {
      for (const char* folder : {"x", "y"}) fs::create_directories(concat(place, "/", folder));
      for (const char* file : kCopiedFiles) {
        const std::string name = concat(place, "/", file);
        auto writer = require_value(RecordWriter::create(local_file_system(), name, Compression::none));
        std::ofstream lines(name + ".txt", std::ios::binary);
        for (int i = 0; i < kCopiedRecords; ++i) {
          require_ok(writer->write(Str(record(file, i))));
          lines << record(file, i) << "\n";
        }
        require_ok(writer->close());
      }
    }
  }

 private:
  TemporaryFolder folder_;

 public:
  const std::string here = folder_.at("here");
  // Sorts on the other side of what it is compared with.
  const std::string there = folder_.at("a/much/longer/place");
};

Lines moved_rest(const Lines& lines, size_t begin) {
  return Lines(lines.begin() + static_cast<int64_t>(std::min(begin, lines.size())), lines.end());
}

const char* const kCopiedTexts[] = {
    R"(tfrecord(["HERE/x/a", "HERE/x/b", "HERE/y/a"]) | shuffle(7, seed: 1) | batch(2))",
    R"(tfrecord(["HERE/x/a", "HERE/y/a", "HERE/y/c"], num_parallel_reads: 2))",
    R"(from_tensor_slices(["HERE/x/a", "HERE/y/c"]) | shuffle(2, seed: 3) | repeat(2)
  | interleave(f -> tfrecord(f), cycle_length: 2, block_length: 2))",
    R"(list_files("HERE/*/*.txt", seed: 4) | flat_map(f -> text_line(f)) | shuffle(5, seed: 1))",
    R"(list_files(["HERE/y/*.txt", "HERE/x/*.txt"], shuffle: false) | flat_map(f -> text_line(f)) | batch(4))",
    R"(from_tensors("HERE/?/*.txt") | repeat(2) | flat_map(p -> list_files(p, seed: 2)) | flat_map(f -> text_line(f)))",
    R"(list_files("HERE/*/a", shuffle: false) | map(f -> read_file(f + ".txt")) | repeat(3) | shuffle(4, seed: 1))",
    R"(tfrecord(["HERE/x/a", "HERE/x/b", "HERE/y/a", "HERE/y/c"])
  | partition(4, p -> p | shuffle(3, seed: 2) | batch(2)))",
    R"(tfrecord(["HERE/x/a", "HERE/x/b"]) | partition(3, p -> p | batch(2), by: "index"))",
    R"(tfrecord(["HERE/x/a", "HERE/x/b", "HERE/y/a"]) | global_shuffle(seed: 5) | batch(4))",
    R"(text_line(["HERE/x/a.txt", "HERE/x/b.txt"]) | window(4, 2) | flat_map(w -> w | batch(3)))",
    R"(let root = "HERE" text_line([root + "/x/a.txt", root + "/x/b.txt"]) | cache() | repeat(2) | shuffle(6, seed: 1))",
    R"(csv(["HERE/x/a.txt", "HERE/x/b.txt"], [string], header: false) | map((s,) -> s) | prefetch(2))",
};

TEST_CASE("a position continues over copies of the files elsewhere, and back") {
  const Copies copies;
  ThreadsRuntime runtime;
  for (const char* text : kCopiedTexts) {
    INFO(text);
    const std::string here = replaced(text, copies.here);
    const std::string there = replaced(text, copies.there);
    const Lines whole = all_lines(*runtime, here);
    REQUIRE(whole.size() > 4);
    REQUIRE(all_lines(*runtime, there) == whole);
    const auto iterator = open_text(*runtime, here);
    for (size_t position = 0; position + 4 < whole.size(); position += position < 4 ? 1 : 5) {
      INFO("saved after " << position);
      const std::string saved = require_value(iterator->save());
      const auto moved = open_text(*runtime, there, &saved);
      const Lines some = take_lines(*moved, 3);
      const std::string again = require_value(moved->save());
      const Lines rest = moved_rest(whole, position);
      CHECK(Lines(rest.begin(), rest.begin() + static_cast<int64_t>(some.size())) == some);
      CHECK(all_lines(*moved) == moved_rest(rest, 3));
      CHECK(all_lines(*open_text(*runtime, here, &again)) == moved_rest(rest, 3));
      take_lines(*iterator, position < 4 ? 1 : 5);
    }
  }
}

Status refused_params(Runtime& runtime, const std::string& text, const std::vector<ParamValue>& params,
                      const std::string& checkpoint) {
  const DocumentRef document = parse_text(runtime, text);
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  return iterator->initialize(document, {.params = params, .checkpoint = &checkpoint});
}

TEST_CASE("a $param that names files, or their folder, may name copies elsewhere") {
  const Copies copies;
  ThreadsRuntime runtime;
  const auto check = [&](const std::string& text, const std::string& name, const std::string& other) {
    INFO(text);
    const std::string document = "param p: string " + text;
    const auto given = [&](const std::string& place, const std::string& rest) {
      return std::vector<ParamValue>{{"p", quote(place + rest)}};
    };
    const auto iterator = open_text(*runtime, document, nullptr, given(copies.here, name));
    take_lines(*iterator, 2);
    const std::string saved = require_value(iterator->save());
    const Lines rest = all_lines(*iterator);
    CHECK(all_lines(*open_text(*runtime, document, &saved, given(copies.there, name))) == rest);
    if (other.empty()) return;
    const Status refused = refused_params(*runtime, document, given(copies.here, other), saved);
    CHECK(refused.code() == Code::failed_precondition);
    CHECK(refused.error().message.find("$p") != std::string::npos);
  };
  check("text_line($p) | batch(2)", "/x/a.txt", "/x/b.txt");
  check("range(2) | flat_map(i -> list_files($p, shuffle: false)) | flat_map(f -> text_line(f))", "/x/*.txt",
        "/x/a*");
  check(R"(text_line($p + "/x/a.txt") | shuffle(3, seed: 1))", "", "");
  // One that is an element, too, is compared as it is.
  const std::string both = "param p: string text_line($p) | map(l -> (l, $p))";
  const auto iterator = open_text(*runtime, both, nullptr, {{"p", quote(copies.here + "/x/a.txt")}});
  const std::string saved = require_value(iterator->save());
  CHECK(refused_params(*runtime, both, {{"p", quote(copies.there + "/x/a.txt")}}, saved).code() ==
        Code::failed_precondition);
}

TEST_CASE("iterators of one document share no cache if a $param names other copies") {
  const Copies copies;
  ThreadsRuntime runtime;
  fs::copy_file(copies.here + "/x/b.txt", copies.there + "/x/a.txt", fs::copy_options::overwrite_existing);
  const DocumentRef document = parse_text(*runtime, "param p: string text_line($p) | cache()");
  for (const std::string& place : {copies.here, copies.there}) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec(), document, true));
    const std::vector<ParamValue> params = {{"p", quote(place + "/x/a.txt")}};
    require_ok(iterator->initialize(document, {.params = params}));
    CHECK(take_lines(*iterator, 1)[0] == (place == copies.here ? "\"x/a-0\"" : "\"x/b-0\""));
    all_lines(*iterator);
  }
}

Status refused(Runtime& runtime, const std::string& text, const std::string& checkpoint) {
  return refused_params(runtime, text, {}, checkpoint);
}

TEST_CASE("a position is refused over other names, with the difference") {
  const Copies copies;
  ThreadsRuntime runtime;
  const auto difference = [&](const std::string& one, const std::string& other) {
    const auto iterator = open_text(*runtime, replaced(one, copies.here));
    take_lines(*iterator, 2);
    const std::string saved = require_value(iterator->save());
    const Status status = refused(*runtime, replaced(other, copies.there), saved);
    CHECK(status.code() == Code::failed_precondition);
    return status.ok() ? "" : status.error().message;
  };
  CHECK(difference(R"(text_line("HERE/x/a.txt"))", R"(text_line("HERE/x/b.txt"))")
            .find("text_line: parameter files differs") != std::string::npos);
  CHECK(difference(R"(text_line(["HERE/x/a.txt", "HERE/y/a.txt"]))",
                   R"(text_line(["HERE/y/a.txt", "HERE/x/a.txt"]))")
            .find("parameter files differs") != std::string::npos);
  CHECK(difference(R"(list_files("HERE/x/*.txt"))", R"(list_files("HERE/*/a.txt"))")
            .find("list_files: parameter pattern differs") != std::string::npos);
  const std::string added = copies.there + "/y/b.txt";
  fs::copy_file(copies.there + "/x/b.txt", added);
  const std::string message = difference(R"(list_files("HERE/*/*.txt"))", R"(list_files("HERE/*/*.txt"))");
  CHECK(message.find("expected the 4 names") != std::string::npos);
  CHECK(message.find("found 5, the first difference at " + quote(added)) != std::string::npos);
  // The folder that a pattern matches counts, also if it is one.
  fs::rename(copies.there + "/x", copies.there + "/z");
  CHECK(difference(R"(list_files("HERE/[xz]/*.txt"))", R"(list_files("HERE/[xz]/*.txt"))")
            .find("the first difference at") != std::string::npos);
}

TEST_CASE("in the middle of a file that is no copy, the position is an error") {
  const Copies copies;
  ThreadsRuntime runtime;
  const auto write = [](const std::string& name, int count) {
    std::ofstream out(name, std::ios::binary);
    for (int i = 0; i < count; ++i) out << 100'000 + i << "\n";
  };
  write(copies.here + "/x/a.txt", 20'000);
  for (const int count : {19'999, 20'001}) {
    write(copies.there + "/x/a.txt", count);
    for (const std::string text : {R"(text_line(["HERE/x/a.txt", "HERE/x/b.txt"]))",
                                   R"(text_line(["HERE/x/a.txt", "HERE/x/b.txt"]) | batch(2))"}) {
      INFO(text);
      const int64_t batch = text.ends_with("batch(2)") ? 2 : 1;
      const auto iterator = open_text(*runtime, replaced(text, copies.here));
      take_lines(*iterator, 15'000 / batch, 64);
      const std::string saved = require_value(iterator->save());
      const auto moved = open_text(*runtime, replaced(text, copies.there), &saved);
      Block block;
      REQUIRE(require_value(moved->next(1, block)) == PullResult::rows);
      REQUIRE(block.error_of(0) != nullptr);
      const Error error = **block.error_of(0);
      CHECK(error.code == Code::failed_precondition);
      CHECK(error.file == copies.there + "/x/a.txt");
      CHECK(error.message.find("a copy of the file that the position is in, of 140000 bytes") !=
            std::string::npos);
      CHECK(all_lines(*moved).empty());
    }
  }
  // A file may grow where it is.
  const std::string text = R"(text_line("HERE/x/b.txt"))";
  const auto iterator = open_text(*runtime, replaced(text, copies.here));
  take_lines(*iterator, 2);
  const std::string saved = require_value(iterator->save());
  std::ofstream(copies.here + "/x/b.txt", std::ios::app) << "x\n";
  CHECK(all_lines(*open_text(*runtime, replaced(text, copies.here), &saved)).size() ==
        kCopiedRecords - 2 + 1);
}

TEST_CASE("what could not be read stays an error in its place over copies elsewhere") {
  SimulatedFileSystem files;
  for (const std::string place : {"here/", "there/"}) {
    for (const char* file : {"a", "b", "c"}) {
      auto writer = require_value(RecordWriter::create(files, place + file, Compression::none));
      for (int i = 0; i < kCopiedRecords; ++i) require_ok(writer->write(Str(concat("xx", file, "-", i))));
      require_ok(writer->close());
    }
  }
  files.set_faults("here/b", {.read_error_offset = kCopiedFramed * 4});
  ThreadsRuntime runtime;
  runtime->files = &files;
  for (const std::string text :
       {R"(tfrecord(["HERE/a", "HERE/b", "HERE/c"]) | shuffle(4, seed: 1) | batch(2))",
        R"(from_list(["HERE/a", "HERE/b", "HERE/c"]) | flat_map(f -> tfrecord(f)) | shuffle(20, seed: 1))",
        R"(from_list(["HERE/a", "HERE/b", "HERE/c"]) | map(f -> read_file(f)) | shuffle(9, seed: 1))"}) {
    INFO(text);
    const Lines whole = all_lines(*runtime, replaced(text, "here"));
    const auto failed = std::find_if(whole.begin(), whole.end(),
                                     [](const std::string& line) { return line.starts_with("error: "); });
    REQUIRE(failed != whole.end());
    const auto begin = static_cast<size_t>(failed - whole.begin()) + 1;
    const auto iterator = open_text(*runtime, replaced(text, "here"));
    take_lines(*iterator, static_cast<int64_t>(begin));
    const std::string saved = require_value(iterator->save());
    CHECK(all_lines(*open_text(*runtime, replaced(text, "there"), &saved)) == moved_rest(whole, begin));
  }
}

TEST_CASE("ranks that read copies in different places continue together with another number of ranks") {
  const Copies copies;
  ThreadsRuntime runtime;
  const std::string text = R"(tfrecord(["HERE/x/a", "HERE/x/b", "HERE/y/a", "HERE/y/c"])
  | partition(4, p -> p | shuffle(3, seed: 2)))";
  const auto open_rank = [&](const std::string& place, const World& world, const Lines& saved) {
    const DocumentRef document = parse_text(*runtime, replaced(text, place));
    const std::vector<std::string_view> ranks(saved.begin(), saved.end());
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {.params = {}, .rank_checkpoints = ranks, .world = &world}));
    return iterator;
  };
  const World alone{0, 1, {}};
  const Lines whole = all_lines(*open_rank(copies.here, alone, {}));
  Lines saved;
  for (int64_t rank = 0; rank < 2; ++rank) {
    const World world{rank, 2, {}};
    const auto iterator = open_rank(rank == 0 ? copies.here : copies.there, world, {});
    take_lines(*iterator, 5);
    saved.push_back(require_value(iterator->save()));
  }
  CHECK(all_lines(*open_rank(copies.there, alone, saved)) == moved_rest(whole, 10));
}

}  // namespace
}  // namespace weir
