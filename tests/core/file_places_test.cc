#include "core/file_places.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace weir {
namespace {

std::string place(const std::vector<std::string_view>& names, Naming what = Naming::files) {
  return names.empty() ? "" : std::string(names[0].substr(0, place_size(names, what)));
}

TEST_CASE("file places: the folder that all names share") {
  CHECK(place_size({}) == 0);
  CHECK(place({"a"}).empty());
  CHECK(place({"/data/a"}) == "/data/");
  CHECK(place({"/data/train/a", "/data/test/a"}) == "/data/");
  CHECK(place({"/data/x1/a", "/data/x2/a"}) == "/data/");
  CHECK(place({"/data/x/a", "/data/x/y/a"}) == "/data/x/");
  CHECK(place({"/data/x/y/a", "/data/x/a"}) == "/data/x/");
  CHECK(place({"/data/a", "b"}).empty());
  CHECK(place({"data/", "data/"}) == "data/");
  CHECK(place({""}).empty());
  CHECK(placeless_name("/data/train/a") == "a");
}

TEST_CASE("file places: a scheme is part of the place, a query of the name") {
  CHECK(place({"s3://bucket/data/a", "s3://bucket/data/b"}) == "s3://bucket/data/");
  CHECK(place({"s3://one/a", "s3://other/a"}) == "s3://");
  CHECK(place({"s3://bucket/a", "gs://bucket/a"}).empty());
  CHECK(placeless_name("http://host/a?part=1/2") == "a?part=1/2");
  CHECK(placeless_name("what?/a") == "a");
}

TEST_CASE("file places: of a pattern what stands before the first character that matches others") {
  CHECK(place({"/data/*/part-*"}, Naming::patterns) == "/data/");
  CHECK(place({"/data/a?/b"}, Naming::patterns) == "/data/");
  CHECK(place({"/data/[ab]/b", "/data/c/*"}, Naming::patterns) == "/data/");
  CHECK(place({"/data/a\\[1\\]/*"}, Naming::patterns) == "/data/");
  CHECK(place({"s3://bucket/*/a"}, Naming::patterns) == "s3://bucket/");
  CHECK(place({"*/a"}, Naming::patterns).empty());
}

}  // namespace
}  // namespace weir
