#include "ops/files/read_files.h"

#include <atomic>
#include <latch>

#include "core/text.h"
#include "dataset/compose.h"
#include "fs/wrapped_files.h"
#include "ops/list.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// Files of lines: "ab" has "ab", "a" and "b".
class Letters {
 public:
  explicit Letters(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      list_ += concat(list_.empty() ? "[" : ", ", "\"", folder_.at(name), "\"");
      if (name == "missing") continue;
      std::string lines = name + "\n";
      for (const char letter : name) lines.append({letter, '\n'});
      require_ok(local_file_system().write_file_atomically(
          folder_.at(name), {reinterpret_cast<const uint8_t*>(lines.data()), lines.size()}));
    }
  }
  std::string in_turns(const std::string& count) const {
    return concat("text_line(", list_, "], num_parallel_reads: ", count, ")");
  }

 private:
  TemporaryFolder folder_;
  std::string list_;
};

TEST_CASE("files are read in turns, a record of each, and so many at a time") {
  const Letters letters({"ab", "c", "de"});
  const auto read = [&](const std::string& count) {
    Lines lines = run(letters.in_turns(count));
    for (std::string& line : lines) std::erase(line, '"');
    return lines;
  };
  CHECK(read("1") == Lines{"ab", "a", "b", "c", "c", "de", "d", "e"});
  CHECK(read("2") == Lines{"ab", "c", "a", "c", "b", "de", "d", "e"});
  CHECK(read("3") == Lines{"ab", "c", "de", "a", "c", "d", "b", "e"});
  CHECK(read("auto") == read("8"));
}

TEST_CASE("a file that fails is an error in its place, and the others go on") {
  CHECK(run(Letters({"a", "missing", "b"}).in_turns("2")) ==
        Lines{"\"a\"", "error: not_found", "\"a\"", "\"b\"", "\"b\""});
}

TEST_CASE("files read in turns go on where they were saved") {
  const Letters letters({"ab", "missing", "c", "de"});
  const Lines whole = run(letters.in_turns("2"));
  REQUIRE(whole.size() == 9);
  for (size_t count = 0; count <= whole.size(); ++count) {
    INFO(count << " given");
    CHECK(run_restored(letters.in_turns("2"), static_cast<int64_t>(count)) ==
          Lines(whole.begin() + static_cast<ptrdiff_t>(count), whole.end()));
  }
}

// The first openings wait for each other.
class OpenedTogether final : public WrappedFiles {
 public:
  using WrappedFiles::WrappedFiles;
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    if (openings_.fetch_add(1) < kTogether) together_.arrive_and_wait();
    return files_.do_open(name);
  }

  static constexpr int kTogether = 3;

 private:
  std::atomic<int> openings_{0};
  std::latch together_{kTogether};
};

TEST_CASE("files read in turns are opened at once") {
  const Letters letters({"ab", "c", "de", "fgh"});
  const Lines whole = run(letters.in_turns("3"));
  OpenedTogether files(local_file_system());
  ThreadsRuntime runtime;
  runtime->files = &files;
  CHECK(all_lines(*runtime, letters.in_turns("3")) == whole);
}

TEST_CASE("what the reader gives is what the files in turns give") {
  TestRuntime runtime;
  FromTensorsParams one;
  one.value.set = true;
  one.value.values = {Tensor::scalar<int64_t>(1)};
  one.value.spec = Spec::tensor(DType::int64, Shape());
  auto numbers = compose(std::move(one), {}, {&runtime.runtime});
  REQUIRE(numbers.ok());
  // A reader that refuses its input refuses all of it.
  const OperatorDef& reader = *find_operator("tfrecord");
  std::unique_ptr<ParamsBase> params = reader.make_params();
  Fields fields;
  params->fields(fields);
  std::get<FilesParam*>(fields.list[0].slot)->index = 0;
  auto refused = interleave_files(*numbers, 2, reader, std::move(params), {&runtime.runtime});
  REQUIRE(!refused.ok());
  CHECK(contains(refused.status().error().message,
                 "expected the names of files, which are strings, found int64"));
}

}  // namespace
}  // namespace weir::test
