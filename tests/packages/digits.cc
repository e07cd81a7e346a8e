// digits.c again, through weir.hpp.
//
//   digits_cpp FOLDER
#include <cstdint>
#include <cstdio>
#include <string>
#include <weir/weir.hpp>

namespace {

const char kDocument[] = R"(list_files(@files, shuffle: false)
  | flat_map(f -> tfrecord(f, compression: "gzip"))
  | map(r -> parse_example(r, {image: string, label: int64}))
  | map({image, label} -> (sum(cast(decode_raw(image, uint8), int64)), label), num_parallel_calls: 2)
  | prefetch(2))";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  weir::Runtime runtime;
  weir::Iterator iterator(
      runtime, weir::parse(runtime, kDocument, {{"files", std::string(argv[1]) + "/*.tfrecord.gz"}}));
  int64_t count = 0;
  int64_t all_labels = 0;
  int64_t all_pixels = 0;
  for (auto [pixels, label] : iterator.elements<int64_t, int64_t>()) {
    ++count;
    all_pixels += pixels;
    all_labels += label;
  }
  std::printf("%d digits, labels %d, pixels %d\n", int(count), int(all_labels), int(all_pixels));
}
