#include "dataset/found_names.h"

#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

std::vector<std::string> numbered(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

std::string difference(const std::vector<std::string>& then, const std::vector<std::string>& now) {
  return FoundNames("list_files(\"*\")", now).difference(FoundNames("", then).digest());
}

TEST_CASE("equal names have no difference, others are counted and the first is named") {
  CHECK(difference(numbered(3), numbered(3)).empty());
  CHECK(difference({}, {}).empty());
  CHECK(
      difference({"a", "c"}, {"a", "b", "c"}) ==
      "expected the 2 names that list_files(\"*\") gave when the position was saved, found 3, the first difference at \"b\"; restore the files that were removed and remove those that were added, or start from the beginning");
  CHECK(difference({"a", "b"}, {"a"}).find("those at the end missing") != std::string::npos);
  // The boundaries between names count.
  CHECK_FALSE(difference({"ab", "c"}, {"a", "bc"}).empty());
  CHECK_FALSE(FoundNames("", {"a"}).difference({}).empty());
}

TEST_CASE("a digest stays small, and every name counts") {
  std::vector<std::string> names = numbered(100000);
  CHECK(FoundNames("", names).digest().size() <= 1024);
  std::vector<std::string> other = names;
  other[54321] += "x";
  CHECK(difference(names, other).find("the first difference at") != std::string::npos);
  CHECK(difference(names, numbered(99999)).find("found 99999") != std::string::npos);
}

}  // namespace
}  // namespace weir
