// Positions as bytes and files, and records that are written.
#include <cstdio>

#include "support.h"

namespace {

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

}  // namespace
