#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "fs/file_system.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

struct Match {
  const char* pattern;
  const char* name;
  bool matches;
};

TEST_CASE("glob: one part of a path") {
  const Match cases[] = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"a", "ab", false},
      {"*", "", true},
      {"*", "abc", true},
      {"*", ".hidden", true},
      {"a*", "a", true},
      {"*a", "banana", true},
      {"*an*an*", "banana", true},
      {"*an*an*an*", "banana", false},
      {"?", "a", true},
      {"?", "", false},
      {"??", "a", false},
      {"a?c", "abc", true},
      {"[abc]", "b", true},
      {"[abc]", "d", false},
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a-c]", "d", true},
      {"[!a-c]", "b", false},
      {"[^a]", "b", true},
      {"[]a]", "]", true},
      {"[!]]", "]", false},
      {"[a-]", "-", true},
      {"[", "[", true},
      {"[ab", "[ab", true},
      {"[ab", "a", false},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"[\\]]", "]", true},
      {"a\\", "a\\", true},
      {"*.txt", ".txt", true},
      {"[\x80-\xff]", "\xc3", true},
      {"part-*-of-?", "part-10-of-3", true},
      {"?", "\u00e9", true},
      {"??", "\u00e9", false},
      {"?.txt", "\u20ac.txt", true},
      {"*??cd", "\u20accd", false},
      {"*?cd", "x\u20accd", true},
      {"[\u00e0-\u00ff]", "\u00e9", true},
      {"[\u00e0-\u00ff]", "\u00df", false},
      {"[\u00e9\u20ac]x", "\u20acx", true},
      {"[!a]", "\u00e9", true},
      {"[!\u00e9]", "\u00e8", true},
      {"[!\u00e9]", "\u00e9", false},
      {"\\\u00e9", "\u00e9", true},
      // What is not UTF-8 is byte by byte.
      {"?", "\xe9", true},
      {"??", "\xe9\xe9", true},
      {"\u00e9?", "\u00e9\xa9", true},
      {"?", "\xe2\x82", false},
      {"?", "\xc3\xa9\xa9", false},
  };
  for (const Match& each : cases) {
    INFO(each.pattern << " against " << each.name);
    CHECK(matches_pattern(each.pattern, each.name) == each.matches);
  }
}

TEST_CASE("glob: many stars take no more than quadratic time") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  CHECK(!matches_pattern(pattern + "b", std::string(2000, 'a')));
}

TEST_CASE("glob: paths, sorted, in the form of the pattern") {
  SimulatedFileSystem files;
  for (const char* name : {"data/b.txt", "data/a.txt", "data/a.md", "data/sub/c.txt", "data2/d.txt",
                           "top.txt", "/abs/e.txt", "/abs/x/f.txt", "we*ird"}) {
    files.put(name, "");
  }
  using Names = std::vector<std::string>;
  const auto glob = [&](std::string_view pattern) { return *files.glob(pattern); };
  CHECK(glob("data/*.txt") == Names{"data/a.txt", "data/b.txt"});
  CHECK(glob("data/[ab].?d") == Names{"data/a.md"});
  CHECK(glob("data*/*.txt") == Names{"data/a.txt", "data/b.txt", "data2/d.txt"});
  CHECK(glob("*/sub/c.txt") == Names{"data/sub/c.txt"});
  CHECK(glob("*.txt") == Names{"top.txt"});
  CHECK(glob("data/*") == Names{"data/a.md", "data/a.txt", "data/b.txt", "data/sub"});
  CHECK(glob("data/*/") == Names{"data/sub/"});
  CHECK(glob("/abs/*.txt") == Names{"/abs/e.txt"});
  CHECK(glob("/a*/*/f.txt") == Names{"/abs/x/f.txt"});
  CHECK(glob("data/a.txt") == Names{"data/a.txt"});
  CHECK(glob("we\\*ird") == Names{"we*ird"});
  CHECK(glob("").empty());
  CHECK(glob("data/no").empty());
  CHECK(glob("no/*").empty());
  CHECK(glob("data/a.txt/*").empty());
  CHECK(glob("*/no/*").empty());
}

TEST_CASE("glob: local files") {
  CHECK(*local_file_system().glob("/pro[c]/self/statu?") == std::vector<std::string>{"/proc/self/status"});
  CHECK(*local_file_system().glob("/proc//self/statu?") == std::vector<std::string>{"/proc//self/status"});
  CHECK(local_file_system().glob("/proc/self/no-such*")->empty());
}

TEST_CASE("glob: links that lead to nothing, or in a circle, are passed over like what is no folder") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    fs::create_directory(folder.at(name));
    std::ofstream(folder.at(name) + "/x.txt") << name;
  }
  fs::create_symlink("circle", folder.at("circle"));
  fs::create_symlink("nowhere", folder.at("dangling"));
  const std::vector<std::string> expected = {folder.at("a/x.txt"), folder.at("b/x.txt")};
  CHECK(*local_file_system().glob(folder.at("*/*.txt")) == expected);
  CHECK(*local_file_system().glob(folder.at("*/x.txt")) == expected);
}

}  // namespace
}  // namespace weir
