// Errors as exceptions: their fields, and that an iterator goes on after an element that failed.
#include <cstdio>
#include <fstream>
#include <type_traits>

#include "support.h"

namespace {

static_assert(std::is_base_of_v<std::runtime_error, weir::Error>);
static_assert(std::is_nothrow_copy_constructible_v<weir::Error>);

TEST_CASE("an error of a document says where") {
  const weir::Runtime runtime;
  const weir::Error error = error_of([&] { weir::parse(runtime, "range(3) | bach(2)"); });
  CHECK(error.code() == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(std::string_view(error.code_name()) == "invalid_argument");
  CHECK(holds(error.message(), "batch"));
  CHECK(holds(error.message(), "^"));
  CHECK(!error.element_failed());
  CHECK(error.line() == error.what());
  CHECK(error.offset() == -1);
  CHECK(error.record() == -1);
}

TEST_CASE("an element that fails names its operator, file and record") {
  const weir::Runtime runtime;
  const std::string file = WEIR_BINARY_DIR "/cpp_errors.tfrecord";
  weir::RecordWriter writer(runtime, file);
  writer.write("first");
  writer.write("second");
  writer.close();
  {
    // Damages a byte of the second record.
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(16 + 5 + 12);
    bytes.put('X');
  }
  weir::Iterator iterator(runtime, weir::tfrecord(file));
  weir::Element element;
  REQUIRE(iterator.next(element));
  const weir::Error error = error_of([&] { iterator.next(element); });
  CHECK(error.element_failed());
  CHECK(error.code() == WEIR_CODE_DATA_LOSS);
  CHECK(error.path() == "tfrecord");
  CHECK(error.file() == file);
  CHECK(error.record() == 1);
  CHECK(error.offset() >= 16 + 5);
  CHECK(holds(error.line(), file));
  CHECK(!iterator.next(element));
  std::remove(file.c_str());
}

TEST_CASE("next goes on after a failed element") {
  const weir::Runtime runtime;
  CHECK(lines_of(runtime, "range(-2, 3) | map(x -> 6 // x)") ==
        Lines{"-3", "-6", "error: invalid_argument", "6", "3"});
}

TEST_CASE("a loop throws at a failed element, and another one goes on") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::parse(runtime, "range(-2, 3) | map(x -> 6 // x)"));
  std::vector<int64_t> seen;
  auto elements = iterator.elements<int64_t>();
  const weir::Error error = error_of([&] {
    for (const int64_t x : elements) seen.push_back(x);
  });
  CHECK(error.element_failed());
  CHECK(error.path() == "map");
  CHECK(seen == std::vector<int64_t>{-3, -6});
  SECTION("over the same range") {
    for (const int64_t x : elements) seen.push_back(x);
  }
  SECTION("over the same iterator") {
    for (const int64_t x : iterator.elements<int64_t>()) seen.push_back(x);
  }
  CHECK(seen == std::vector<int64_t>{-3, -6, 6, 3});
}

TEST_CASE("a failed call is no failed element") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(3));
  iterator.cancel();
  weir::Element element;
  const weir::Error error = error_of([&] { iterator.next(element); });
  CHECK(error.code() == WEIR_CODE_CANCELLED);
  CHECK(!error.element_failed());
}

TEST_CASE("an error keeps its texts after what gave it is gone") {
  std::optional<weir::Error> kept;
  {
    const weir::Runtime runtime;
    weir::Iterator iterator(runtime, weir::parse(runtime, "range(1) | map(x -> 1 // x) | batch(2)"));
    weir::Element element;
    kept = error_of([&] { iterator.next(element); });
  }
  const weir::Error copy = *kept;
  kept.reset();
  CHECK(copy.path() == "batch/map");
  CHECK(holds(copy.what(), "division by zero"));
}

TEST_CASE("check gives the mistakes of a document") {
  const weir::Runtime runtime;
  CHECK(weir::check(runtime, "range(3)").view() == "[]");
  CHECK(holds(weir::check(runtime, "range(3) | take(@n)", {{"n", "x"}}).view(), "\"operator\""));
}

TEST_CASE("the library says what it is") {
  CHECK(!weir::version().empty());
  CHECK(holds(weir::schema().view(), "\"operators\""));
  CHECK(holds(weir::schema("batch", WEIR_TEXT).view(), "batch(n"));
  CHECK(error_of([] { weir::schema("bach"); }).code() == WEIR_CODE_NOT_FOUND);
}

}  // namespace
