// How partition cuts by itself: by index where elements have positions without an index, else by files if
// there are enough of them, else by an index.
#include <catch2/catch_test_macros.hpp>

#include "core/text.h"
#include "fs/file_system.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

// Files of lines "a0", "a1" … of these numbers of lines, as a list in a text.
std::string lines_in(const TemporaryFolder& folder, const std::vector<int>& counts) {
  std::string names;
  for (size_t file = 0; file < counts.size(); ++file) {
    const std::string letter(1, static_cast<char>('a' + file));
    std::string text;
    for (int i = 0; i < counts[file]; ++i) text += concat(letter, i, "\n");
    require_ok(local_file_system().write_file_atomically(
        folder.at(letter), {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
    names += concat(names.empty() ? "" : ", ", quote(folder.at(letter)));
  }
  return concat("text_line([", names, "])");
}

// The elements without their quotes, with a blank between.
std::string joined(Runtime& runtime, const std::string& text) {
  std::string out;
  for (const std::string& line : all_lines(runtime, text))
    out += concat(out.empty() ? "" : " ", line.substr(1, line.size() - 2));
  return out;
}

TEST_CASE("parts of files: as many files as parts are cut by files, fewer by their lines") {
  const TemporaryFolder folder;
  ThreadsRuntime runtime;
  const std::string text = lines_in(folder, {3, 1, 2});
  const auto parts = [&](int n) { return joined(*runtime, concat(text, " | partition(", n, ", p -> p)")); };
  CHECK(parts(2) == "a0 b0 a1 a2 c0 c1");
  CHECK(parts(3) == "a0 b0 c0 a1 c1 a2");
  CHECK(parts(4) == "a0 a1 b0 c0 a2 c1");
  // An index is there now, and changes nothing.
  CHECK(parts(3) == "a0 b0 c0 a1 c1 a2");
}

TEST_CASE("parts of files: maps and filters stay, and a list that is computed is read first") {
  const TemporaryFolder folder;
  ThreadsRuntime runtime;
  lines_in(folder, {3, 1, 2});
  CHECK(joined(*runtime, concat("text_line(list_files(", quote(folder.at("?")),
                                ", shuffle: false)) | filter(x -> x != \"a1\") | map(x -> substr(x, 0, 2)) | "
                                "partition(2, p -> p)")) == "a0 b0 a2 c0 c1");
}

}  // namespace
}  // namespace weir
