#include "iterator/describe_checkpoint.h"

#include <catch2/catch_test_macros.hpp>

#include "core/archive.h"
#include "core/text.h"
#include "core/version.h"
#include "graph/envelope.h"
#include "iterator/checkpoint.h"
#include "iterator/generation.h"
#include "support/pipeline.h"
#include "support/simulated_disk.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

DescribeOptions as_text(int64_t now_ns = 0) {
  return {.now_ns = now_ns, .limit_bytes = 1 << 24, .json = false};
}
const DescribeOptions kJson{.now_ns = 0, .limit_bytes = 1 << 24, .json = true};

// As a Stage writes it.
std::string stage(std::string_view name, int64_t standing, std::string state) {
  Archive archive;
  archive(name, standing);
  archive("state", state);
  return archive.take();
}

// batch, whose input has a list, a state of its own, bytes, and comes after some of its fields.
Checkpoint described() {
  int64_t consumed = 7;
  uint64_t hash = UINT64_MAX;
  std::vector<int64_t> draws = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int64_t> none;
  std::string empty;
  std::string bytes = "bytes";
  Archive inner;
  inner("consumed", consumed);
  std::string open = inner.take();
  Archive range;
  range("hash", hash);
  range("draws", draws);
  range("open", open);
  range("image", bytes);
  range("nothing", none);
  range("empty", empty);
  Archive batch;
  batch("consumed", consumed);
  std::string below = stage("range", 0, range.take());
  Checkpoint checkpoint;
  checkpoint.fingerprint.words = {1, 2};
  checkpoint.params = {{"n", 7}, {"rate", 8}};
  checkpoint.opening = 5;
  checkpoint.held = "held";
  checkpoint.stage = stage("batch", 0, batch.take() + below);
  return checkpoint;
}

std::string text_of(const Checkpoint& checkpoint, const DescribeOptions& options) {
  SimulatedFileSystem files;
  files.put("file", Checkpoint(checkpoint).to_bytes());
  return require_value(describe_checkpoint(files, "file", options));
}

bool has(const std::string& text, std::string_view part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("describe: a checkpoint as text") {
  const size_t size = described().to_bytes().size();
  CHECK(
      text_of(described(), as_text(63 * kSecond)) ==
      concat(
          "file: file\nsize: ", size, " bytes\nage: 1 min 3 s\nkind: checkpoint\nlibrary: ",
          library_version(), "\nfingerprint: ", described().fingerprint.to_string(),
          "\nparams: $n, $rate\nepoch: 5\nheld_size: 4 bytes\nposition:\n"
          "  batch: consumed 7\n"
          "  batch/range: hash 18446744073709551615, draws [1, 2, 3, 4, 5, 6, 7, 8, …] of 9, open.consumed 7, "
          "image 5 bytes\n"));
}

// Not what batch's own position has: that lies before the rows that it makes again.
TEST_CASE("describe: how many elements a mixture has taken of each dataset") {
  ThreadsRuntime runtime;
  const auto iterator =
      open_text(*runtime, "mix_datasets([range(9), range(100, 109)], [0.75, 0.25]) | batch(4)");
  take_lines(*iterator, 2);
  SimulatedFileSystem files;
  files.put("file", require_value(iterator->save()));
  CHECK(has(require_value(describe_checkpoint(files, "file", as_text())),
            "batch/mix_datasets: read 8, of_each [6, 2]\n"));
  CHECK(has(require_value(describe_checkpoint(files, "file", kJson)),
            R"({"path": "batch/mix_datasets", "key": "of_each", "size": 2, "first": [6, 2]})"));
}

TEST_CASE("describe: a checkpoint as JSON") {
  const size_t size = described().to_bytes().size();
  CHECK(text_of(described(), kJson) ==
        concat(R"({"file": "file", "size": )", size,
               R"(, "modified_ns": 0, "kind": "checkpoint", "library": ")", library_version(),
               R"(", "fingerprint": ")", described().fingerprint.to_string(),
               R"(", "params": ["n", "rate"], "epoch": 5, "held_size": 4, "position": [)",
               R"({"path": "batch", "key": "consumed", "value": 7}, )",
               R"({"path": "batch/range", "key": "hash", "value": 18446744073709551615}, )",
               R"({"path": "batch/range", "key": "draws", "size": 9, "first": [1, 2, 3, 4, 5, 6, 7, 8]}, )",
               R"({"path": "batch/range", "key": "open.consumed", "value": 7}, )",
               R"({"path": "batch/range", "key": "image", "bytes": 5}, )",
               R"({"path": "batch/range", "key": "nothing", "size": 0, "first": []}, )",
               R"({"path": "batch/range", "key": "empty", "bytes": 0}], "left_out": 0})"));
}

TEST_CASE("describe: how an operator stands, and states that are none") {
  Checkpoint checkpoint = described();
  checkpoint.stage = stage("range", 1, "");
  CHECK(has(text_of(checkpoint, as_text()), "position:\n  range: ended 1\n"));
  checkpoint.stage = stage("range", -3, "no archive");
  CHECK(has(text_of(checkpoint, as_text()), "position:\n  range: errors_to_come 3, state 10 bytes\n"));
  checkpoint.stage = "no archive";
  CHECK(has(text_of(checkpoint, as_text()), "position:\n  state 10 bytes\n"));
  checkpoint.stage.clear();
  CHECK(has(text_of(checkpoint, as_text()), "position: none\n"));
}

TEST_CASE("describe: text from the file can't write to the terminal") {
  Checkpoint checkpoint = described();
  checkpoint.params = {{"\x1b[2J", 1}};
  CHECK(has(text_of(checkpoint, as_text()), "params: $\"\\x1b[2J\"\n"));
}

TEST_CASE("describe: states within states are shown to a bounded depth, and fields to a bounded size") {
  std::string state;
  for (int i = 0; i < 500; ++i) state = stage("map", 0, state);
  Checkpoint checkpoint = described();
  checkpoint.stage = state;
  CHECK(has(text_of(checkpoint, as_text()), "map/map: state "));
  Archive archive;
  int64_t number = 1;
  constexpr int kFields = 300'000;
  for (int i = 0; i < kFields; ++i) archive("key", number);
  checkpoint.stage = archive.take();
  const std::string text = text_of(checkpoint, as_text());
  CHECK(text.size() < (size_t{1} << 20) + 1000);
  CHECK(has(text.substr(text.size() - 60), "\nleft out: "));
  const std::string json = text_of(checkpoint, kJson);
  CHECK(json.size() < (size_t{1} << 20) + 1000);
  CHECK_FALSE(has(json.substr(json.size() - 60), "\"left_out\": 0}"));
}

TEST_CASE("describe: ages") {
  const auto age = [](int64_t seconds) {
    const std::string text = text_of(described(), as_text(seconds * kSecond));
    const size_t begin = text.find("age: ") + 5;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(age(-5) == "0 s");
  CHECK(age(59) == "59 s");
  CHECK(age(60) == "1 min 0 s");
  CHECK(age(3600) == "1 h 0 min");
  CHECK(age(48 * 3600 - 1) == "47 h 59 min");
  CHECK(age(48 * 3600) == "2 days 0 h");
}

TEST_CASE("describe: a position that an iterator saved names its operators") {
  ThreadsRuntime runtime;
  OpenIterator iterator = open_text(*runtime, "range(9) | shuffle(3, seed: 1) | map(x -> x) | enumerate()");
  take_lines(*iterator, 2);
  SimulatedFileSystem files;
  files.put("file", require_value(iterator->save()));
  const std::string text = require_value(describe_checkpoint(files, "file", as_text()));
  CHECK(has(text, "position:\n  enumerate: "));
  CHECK(has(text, "\n  enumerate/map/shuffle: "));
  CHECK(has(text, ", draws 2, "));
}

TEST_CASE("describe: a generation has rank, number and the size of the extra bytes") {
  SimulatedFileSystem files;
  const GenerationName name{3, 12};
  require_ok(write_generation(files, "dir", name, described().to_bytes(), "extra", 1 << 20));
  const std::string path = path_in("dir", name.to_string());
  CHECK(has(require_value(describe_checkpoint(files, path, as_text())),
            "kind: generation\nrank: 3\nnumber: 12\nextra_size: 5 bytes\nlibrary: "));
  CHECK(has(require_value(describe_checkpoint(files, path, kJson)),
            R"("kind": "generation", "rank": 3, "number": 12, "extra_size": 5, "library": )"));
}

TEST_CASE("describe: what can't be read is an error") {
  SimulatedFileSystem files;
  const auto code = [&](const std::string& bytes) {
    files.put("file", bytes);
    return describe_checkpoint(files, "file", as_text()).status().code();
  };
  std::string bytes = described().to_bytes();
  CHECK(code(bytes) == Code::ok);
  bytes.back() ^= 1;
  CHECK(code(bytes) == Code::data_loss);
  CHECK(code("") == Code::data_loss);
  CHECK(code(enclose({.magic = "weirckpt", .version = 9, .name = "", .origin = ""}, "x")) ==
        Code::failed_precondition);
  CHECK(describe_checkpoint(files, "absent", as_text()).status().code() == Code::not_found);
}

TEST_CASE("describe: a folder lists generations of all ranks, with what is wrong") {
  SimulatedFileSystem files;
  const std::string position = described().to_bytes();
  files.put("dir/notes", "");
  CHECK(require_value(describe_generations(files, "dir", as_text())).empty());
  CHECK(require_value(describe_generations(files, "dir", kJson)) == "[]");
  for (const GenerationName name : {GenerationName{1, 5}, GenerationName{0, 12}, GenerationName{0, 3}})
    require_ok(write_generation(files, "dir", name, position, "", 1 << 20));
  files.put("dir/r00001-000000000006.ckpt", "cut");
  files.put("dir/r00001-000000000007.ckpt", *files.read_file("dir/r00001-000000000005.ckpt", 1 << 20));
  files.put("dir/r00001-000000000008.ckpt", position);
  const size_t size = files.stat("dir/r00000-000000000003.ckpt")->size;
  CHECK(
      require_value(describe_generations(files, "dir", as_text(2 * kSecond))) ==
      concat(
          "r00000-000000000003.ckpt: 2 s old, ", size, " bytes, epoch 5\n",
          "r00000-000000000012.ckpt: 2 s old, ", size, " bytes, epoch 5\n",
          "r00001-000000000005.ckpt: 2 s old, ", size, " bytes, epoch 5\n",
          "r00001-000000000006.ckpt: 2 s old, 3 bytes, unusable: data_loss: expected a generation of checkpoints, "
          "which begins with \"weirgenr\", found \"cut\"; give what a checkpoint manager wrote\n",
          "r00001-000000000007.ckpt: 2 s old, ", size,
          " bytes, unusable: data_loss: expected the generation r00001-000000000007.ckpt, found "
          "r00001-000000000005.ckpt under its name; a copy has to keep the name that it was saved under\n",
          "r00001-000000000008.ckpt: 2 s old, ", position.size(),
          " bytes, unusable: data_loss: expected a generation of checkpoints, which begins with \"weirgenr\", found "
          "\"weirckpt\"; give what a checkpoint manager wrote\n"));
  const std::string json = require_value(describe_generations(files, "dir", kJson));
  CHECK(has(json, R"([
  {"file": "dir/r00000-000000000003.ckpt", "size": )"));
  CHECK(has(json, R"("kind": "generation", "rank": 0, "number": 12, "extra_size": 0)"));
  CHECK(
      has(json, R"("kind": "unusable", "rank": 1, "number": 6, "code": "data_loss", "message": "expected )"));
}

TEST_CASE("describe: a folder lists its groups of ranks, the oldest first, and which of them are complete") {
  SimulatedDisk disk;
  require_ok(disk.create_folders("dir/g00010-of-00001"));
  require_ok(disk.create_folders("dir/g00002-of-00003"));
  require_ok(disk.create_folders("dir/other"));
  const std::string position = described().to_bytes();
  const auto save = [&](const std::string& folder, GenerationName name) {
    require_ok(write_generation(disk, folder, name, position, "", 1 << 20));
  };
  save("dir/g00010-of-00001", {0, 7});
  save("dir/g00002-of-00003", {1, 1});
  save("dir/g00002-of-00003", {1, 2});
  save("dir/g00002-of-00003", {0, 1});
  save("dir/other", {0, 1});
  const std::string rest =
      concat(".ckpt: 0 s old, ", disk.stat("dir/other/r00000-000000000001.ckpt")->size, " bytes, epoch 5\n");
  CHECK(require_value(describe_generations(disk, "dir", as_text())) ==
        concat("g00002-of-00003: 2 of 3 ranks have saved\n",  //
               "g00002-of-00003/r00000-000000000001", rest,   //
               "g00002-of-00003/r00001-000000000001", rest,   //
               "g00002-of-00003/r00001-000000000002", rest,   //
               "g00010-of-00001: all ranks have saved\n",     //
               "g00010-of-00001/r00000-000000000007", rest));
  const std::string json = require_value(describe_generations(disk, "dir", kJson));
  CHECK(has(json, R"([
  {"file": "dir/g00002-of-00003/r00000-000000000001.ckpt", "size": )"));
  CHECK(has(json, R"({"file": "dir/g00010-of-00001/r00000-000000000007.ckpt", "size": )"));
}

}  // namespace
}  // namespace weir
