// Positions as bytes and files, and records that are written.
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "support.h"

namespace {

using weir::Span;

TEST_CASE("an iterator goes on from the bytes or the file of another") {
  const weir::Runtime runtime;
  const weir::Dataset dataset = weir::parse(runtime, "range(20) | shuffle(5, seed: 3) | batch(4)");
  weir::Iterator whole(runtime, dataset);
  weir::Element element;
  REQUIRE(whole.next(element));
  REQUIRE(whole.next(element));
  const weir::Bytes position = whole.save();
  const std::string file = WEIR_BINARY_DIR "/cpp_checkpoint";
  whole.save_file(file);
  const Lines rest = lines(whole);
  CHECK(rest.size() == 3);

  weir::IteratorOptions options;
  options.checkpoint = position;
  weir::Iterator from_bytes(runtime, dataset, options);
  CHECK(lines(from_bytes) == rest);
  from_bytes.initialize(dataset, options);
  CHECK(lines(from_bytes) == rest);

  weir::IteratorOptions by_file;
  by_file.checkpoint_file = file;
  weir::Iterator from_file(runtime, dataset, by_file);
  CHECK(lines(from_file) == rest);
  CHECK(error_of([&] { weir::Iterator(runtime, weir::range(3), options); }).code() ==
        WEIR_CODE_FAILED_PRECONDITION);
  std::remove(file.c_str());
}

TEST_CASE("an iterator may begin uninitialised") {
  const weir::Runtime runtime;
  weir::IteratorOptions options;
  options.uninitialized = true;
  weir::Iterator iterator(runtime, weir::range(2), options);
  weir::Element element;
  CHECK(error_of([&] { iterator.next(element); }).code() == WEIR_CODE_FAILED_PRECONDITION);
  iterator.initialize();
  CHECK(lines(iterator) == Lines{"0", "1"});
}

// A new folder for checkpoints, removed at the end.
class Folder {
 public:
  Folder() { REQUIRE(mkdtemp(name_.data()) != nullptr); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    for (const std::string& file : files()) unlink((name_ + "/" + file).c_str());
    rmdir(name_.c_str());
  }
  const std::string& name() const { return name_; }
  Lines files() const {
    Lines out;
    DIR* folder = opendir(name_.c_str());
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') out.push_back(entry->d_name);
    }
    closedir(folder);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::string name_ = WEIR_BINARY_DIR "/cpp_checkpoints_XXXXXX";
};

TEST_CASE("a manager saves when it is due, and a new one goes on there") {
  const weir::Runtime runtime;
  const Folder folder;
  const weir::Dataset dataset = weir::parse(runtime, "range(20) | shuffle(5, seed: 3)");
  const Lines expected = lines(runtime, dataset);
  weir::CheckpointOptions options;
  options.keep = 2;
  options.rank = 1;
  options.every_elements = 3;
  {
    weir::CheckpointManager manager(runtime, folder.name(), options);
    CHECK_FALSE(manager.load().has_value());
    weir::Iterator iterator(runtime, dataset);
    weir::Element element;
    for (int taken = 1; taken <= 10; ++taken) {
      REQUIRE(iterator.next(element));
      const bool due = manager.step();
      CHECK(due == (taken % 3 == 0));
      if (due) manager.save(iterator, "after " + std::to_string(taken) + std::string(1, '\0'));
    }
  }
  CHECK(folder.files() == Lines{"r00001-000000000002.ckpt", "r00001-000000000003.ckpt"});

  weir::CheckpointManager manager(runtime, folder.name(), options);
  const std::optional<weir::Generation> newest = manager.load();
  REQUIRE(newest.has_value());
  CHECK(newest->number == 3);
  CHECK(newest->extra == std::string("after 9\0", 8));
  weir::IteratorOptions from;
  from.checkpoint = newest->position;
  weir::Iterator iterator(runtime, dataset, from);
  CHECK(lines(iterator) == Lines(expected.begin() + 9, expected.end()));
  // A generation is a file that an iterator can begin at, and that says what it is.
  weir::IteratorOptions from_file;
  from_file.checkpoint_file = folder.name() + "/r00001-000000000002.ckpt";
  weir::Iterator earlier(runtime, dataset, from_file);
  CHECK(lines(earlier) == Lines(expected.begin() + 6, expected.end()));
  CHECK(holds(weir::describe_checkpoint(runtime, from_file.checkpoint_file), "\"rank\": 1, \"number\": 2"));
  CHECK(holds(weir::describe_checkpoint(runtime, folder.name(), WEIR_DESCRIBE_FOLDER | WEIR_TEXT),
              "r00001-000000000003.ckpt: "));
  // Without extra bytes, and moved.
  weir::CheckpointManager moved = std::move(manager);
  moved.save(iterator);
  CHECK(moved.load()->extra.empty());
  CHECK(moved.load()->number == 4);
  CHECK(error_of([&] { manager.step(); }).code() == WEIR_CODE_INVALID_ARGUMENT);
}

// Lets all ranks of a job begin where the last one stopped and take `count` elements each, or all if
// negative.
void run_job(const std::string& folder, uint32_t ranks, int count, Lines& delivered) {
  const weir::Runtime runtime;
  const weir::Dataset dataset =
      weir::parse(runtime, "range(30) | partition(6, p -> p | shuffle(8, seed: 2))");
  std::vector<weir::CheckpointManager> managers;
  std::vector<weir::Iterator> iterators;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    weir::CheckpointOptions options;
    options.rank = rank;
    options.world_size = ranks;
    managers.emplace_back(runtime, folder, options);
    weir::IteratorOptions from;
    from.rank = rank;
    from.world_size = ranks;
    const std::vector<weir::Generation> saved = managers.back().load_ranks();
    if (saved.size() == ranks) {
      from.checkpoint = saved[rank].position;
    } else {
      for (const weir::Generation& generation : saved) from.rank_checkpoints.push_back(generation.position);
    }
    iterators.emplace_back(runtime, dataset, from);
    CHECK_FALSE(managers.back().complete());
    managers.back().save(iterators.back());
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    CHECK(managers[rank].complete());
    weir::Element element;
    for (int i = 0; i != count && iterators[rank].next(element); ++i) delivered.push_back(element.text());
    managers[rank].save(iterators[rank]);
  }
}

TEST_CASE("ranks go on as another number of ranks") {
  const Folder folder;
  const std::string job = folder.name() + "/job";
  Lines delivered;
  run_job(job, 2, 3, delivered);
  run_job(job, 3, 2, delivered);
  run_job(job, 1, -1, delivered);
  std::sort(delivered.begin(), delivered.end());
  Lines expected;
  for (int i = 0; i < 30; ++i) expected.push_back(std::to_string(i));
  std::sort(expected.begin(), expected.end());
  CHECK(delivered == expected);
  std::filesystem::remove_all(job);
}

TEST_CASE("a manager says what is due by time, and throws what it refuses") {
  const weir::Runtime runtime;
  const Folder folder;
  weir::Iterator iterator(runtime, weir::range(3));
  weir::CheckpointOptions options;
  options.every = std::chrono::nanoseconds(1);
  weir::CheckpointManager manager(runtime, folder.name(), options);
  while (!manager.step(0)) continue;
  manager.save(iterator, "1");
  CHECK(error_of([&] { manager.step(-1); }).code() == WEIR_CODE_INVALID_ARGUMENT);
  options.every = std::chrono::hours(1);
  CHECK_FALSE(weir::CheckpointManager(runtime, folder.name(), options).step(1000));
  options.keep = -1;
  CHECK(error_of([&] { weir::CheckpointManager(runtime, folder.name(), options); }).code() ==
        WEIR_CODE_INVALID_ARGUMENT);
  // Damage is no empty folder.
  const std::string file = folder.name() + "/" + folder.files().at(0);
  REQUIRE(truncate(file.c_str(), 10) == 0);
  CHECK(error_of([&] { manager.load(); }).code() == WEIR_CODE_DATA_LOSS);
}

TEST_CASE("records are written and read") {
  const weir::Runtime runtime;
  const std::string file = WEIR_BINARY_DIR "/cpp records \"quoted\"";
  weir::RecordWriterOptions compressed;
  compressed.compression = WEIR_COMPRESSION_GZIP;
  weir::RecordWriter writer(runtime, file, compressed);
  weir::ExampleBuilder example;
  const std::vector<float> degrees = {31.5F, -4.5F};
  for (int64_t i = 0; i < 2; ++i) {
    example.set("id", i).set("city", i == 0 ? "Lagos" : "Oslo").set("degrees", degrees);
    example.set("sizes", std::vector<int64_t>{i, 7});
    example.set("names", std::vector<std::string_view>{"x", "y"});
    writer.write(example.serialize());
  }
  writer.close();
  CHECK_THROWS_AS(writer.write("late"), weir::Error);

  weir::TfrecordOptions options;
  options.compression = "gzip";
  weir::Iterator iterator(
      runtime,
      weir::tfrecord(file, options)
          .map("r -> parse_example(r, {id: int64, city: string, degrees: float32[2], sizes: int64[2], "
               "names: string[2]})"));
  auto elements = iterator.elements<int64_t, std::string_view>({"id", "city"});
  std::string seen;
  for (auto [id, city] : elements) {
    seen += std::to_string(id) + std::string(city);
    CHECK(elements.element().origin().file == file);
    CHECK(elements.element().origin().record == id);
    CHECK(holds(elements.element().text(), "sizes: [" + std::to_string(id) + ", 7], names: [\"x\", \"y\"]"));
  }
  CHECK(seen == "0Lagos1Oslo");
  std::remove(file.c_str());
}

// The features of the example, as the library parses them.
std::string parsed(const weir::Runtime& runtime, const weir::ExampleBuilder& example,
                   const std::string& spec) {
  const weir::Bytes bytes = example.serialize();
  return lines(runtime,
               weir::parse(runtime, "from_tensors(@record) | map(r -> parse_example(r, " + spec + "))",
                           {{"record", std::string(bytes.view())}}))
      .at(0);
}

TEST_CASE("an example takes lists in braces, of every kind") {
  const weir::Runtime runtime;
  weir::ExampleBuilder example;
  example.set("x", {1.F, 2.F}).set("one", {0.5F}).set("n", {1, -2, 3}).set("long", {int64_t{1} << 40});
  example.set("words", {"a", "bc"})
      .set("views", {std::string_view("d\0e", 3)})
      .set("texts", {std::string("f")});
  example.set("flags", {true, false});
  CHECK(
      parsed(
          runtime, example,
          "{x: float32[2], one: float32[1], n: int64[3], long: int64[1], words: string[2], views: string[1], "
          "texts: string[1], flags: int64[2]}") ==
      "{x: [1.0, 2.0], one: [0.5], n: [1, -2, 3], long: [1099511627776], words: [\"a\", \"bc\"], "
      "views: [\"d\\x00e\"], texts: [\"f\"], flags: [1, 0]}");
}

TEST_CASE("an example takes values and containers, of every kind") {
  enum class Kind { first, second };
  const weir::Runtime runtime;
  weir::ExampleBuilder example;
  const char* pointer = "p";
  example.set("i", 7)
      .set("b", true)
      .set("u", uint8_t{255})
      .set("ll", 5LL)
      .set("f", 0.5F)
      .set("kind", Kind::second);
  example.set("s", std::string("t")).set("p", pointer);
  example.set("ints", std::vector<int>{1, 2}).set("bits", std::vector<bool>{true, false});
  example.set("floats", std::array<float, 2>{1.F, 2.F});
  const float plain[] = {3.F, 4.F};
  example.set("plain", plain).set("part", Span<const float>(plain, 1)).set("pair", {plain, 2});
  example.set("strings", std::vector<std::string>{"a", ""});
  CHECK(
      parsed(
          runtime, example,
          "{i: int64, b: int64, u: int64, ll: int64, f: float32, kind: int64, s: string, p: string, ints: int64[2], "
          "bits: int64[2], floats: float32[2], plain: float32[2], part: float32[1], pair: float32[2], "
          "strings: string[2]}") ==
      "{i: 7, b: 1, u: 255, ll: 5, f: 0.5, kind: 1, s: \"t\", p: \"p\", ints: [1, 2], bits: [1, 0], "
      "floats: [1.0, 2.0], plain: [3.0, 4.0], part: [3.0], pair: [3.0, 4.0], strings: [\"a\", \"\"]}");
}

}  // namespace
