// From a JPEG to a network's input, beside libjpeg-turbo alone.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "format/image/image.h"
#include "format/image/jpeg_trap.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int kWidth = 500;
constexpr int kHeight = 375;

// An image with smooth parts, edges and noise, which takes about 110 KB as photographs of this size do.
std::string photograph(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double wave = 60 * std::sin(x * 0.05 + seed) * std::cos(y * 0.03);
      const double edge = (x / 40 + y / 30) % 3 == 0 ? 40 : 0;
      for (int c = 0; c < 3; ++c) {
        const double noise = static_cast<double>(random() % 61) - 30;
        pixels.push_back(static_cast<uint8_t>(std::clamp(100 + wave + edge + 20 * c + noise, 0.0, 255.0)));
      }
    }
  }
  auto made = encode_jpeg(pixels.data(), {.height = kHeight, .width = kWidth, .channels = 3}, 92);
  return made.ok() ? *std::move(made) : std::string();
}

// What libjpeg-turbo's users write: all rows to one buffer, with the settings that decode_jpeg has.
void decode(std::string_view bytes, std::vector<uint8_t>& out) {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.dct_method = JDCT_IFAST;
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  out.resize(size_t{3} * info.output_width * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = out.data() + size_t{3} * info.output_width * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
}

void jpeg_images(benchmark::State& state, const std::string& f, double least) {
  constexpr size_t kImages = 8;
  constexpr int kRepeats = 4;
  std::vector<std::string> files;
  size_t bytes = 0;
  for (unsigned i = 0; i < kImages; ++i) bytes += files.emplace_back(photograph(i)).size();
  const std::vector<std::string_view> views(files.begin(), files.end());
  const Tensor tensor = Tensor::strings(views, Shape{kImages});
  Handed handed;
  handed["files"] = HandedValue{Spec::tensor(DType::string, tensor.shape), {tensor}};
  DocumentRef document = parse("from_tensor_slices(@files) | repeat(4) | map(s -> " + f + ")", handed);
  std::vector<uint8_t> out;
  const double seconds = alternate(
      state, [&] { Drain(document).run(1); },
      [&] {
        for (int round = 0; round < kRepeats; ++round) {
          for (const std::string_view view : views) decode(view, out);
        }
        benchmark::ClobberMemory();
      },
      least);
  state.counters["images/s"] = kRepeats * kImages / seconds;
  state.counters["KB"] = static_cast<double>(bytes) / kImages / 1e3;
}
BENCHMARK_CAPTURE(jpeg_images, decode, "decode_jpeg(s, channels: 3)", 0.95)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(11);
BENCHMARK_CAPTURE(jpeg_images, standardized, "standardize(resize(decode_jpeg(s, channels: 3), [224, 224]))",
                  0.9)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(11);

}  // namespace
}  // namespace weir::bench
