// A host that uses the system's shared libraries of what weir has inside: protobuf, oneTBB, spdlog with {fmt}, libjpeg
// and RE2. It is linked with them, so their symbols come before weir's.
//
//   library_host WEIR FOLDER first|last local|global
//
// The words say whether the host uses them before weir is loaded, and how weir is loaded. Prints the hashes of the
// elements with 1 and with 4 threads.
#include <google/protobuf/wrappers.pb.h>
#include <jpeglib.h>
#include <re2/re2.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

extern "C" {
#include "probe.h"
}

namespace {

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "expected that %s\n", what);
  std::exit(1);
}

int64_t parallel_sum() {
  std::atomic<int64_t> sum{0};
  tbb::parallel_for(int64_t{0}, int64_t{1000}, [&](int64_t i) { sum += i; });
  return sum;
}

// Encodes a gray square and decodes it again; returns the pixel in the middle.
int jpeg_pixel() {
  constexpr int kSide = 16;
  unsigned char row[kSide];
  JSAMPROW rows[] = {row};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's
  jpeg_error_mgr errors;
  jpeg_compress_struct out{};
  out.err = jpeg_std_error(&errors);
  jpeg_create_compress(&out);
  jpeg_mem_dest(&out, &bytes, &size);
  out.image_width = out.image_height = kSide;
  out.input_components = 1;
  out.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&out);
  jpeg_start_compress(&out, TRUE);
  std::memset(row, 77, sizeof row);
  while (out.next_scanline < kSide) jpeg_write_scanlines(&out, rows, 1);
  jpeg_finish_compress(&out);
  jpeg_destroy_compress(&out);
  jpeg_decompress_struct in{};
  in.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&in);
  jpeg_mem_src(&in, bytes, size);
  jpeg_read_header(&in, TRUE);
  jpeg_start_decompress(&in);
  for (int i = 0; i < kSide / 2; ++i) jpeg_read_scanlines(&in, rows, 1);
  jpeg_destroy_decompress(&in);
  std::free(bytes);
  return row[kSide / 2];
}

// The host's work with each of its libraries.
void use_host() {
  static std::ostringstream lines;
  check(parallel_sum() == 499500, "the host's tasks run");
  google::protobuf::StringValue message;
  google::protobuf::StringValue copy;
  message.set_value("the host's own");
  check(copy.ParseFromString(message.SerializeAsString()) && copy.value() == message.value(),
        "the host's messages go through bytes");
  check(RE2::FullMatch("the host's own", "the .*'s \\w+"), "the host's pattern matches");
  check(jpeg_pixel() == 77, "the host's image goes through libjpeg");
  if (!spdlog::get("host")) {
    auto logger =
        std::make_shared<spdlog::logger>("host", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
    logger->set_pattern("%v");
    spdlog::register_logger(logger);
  }
  lines.str("");
  spdlog::get("host")->info("{} and {}", 1, "two");
  check(lines.str() == "1 and two\n", "the host's logger writes its line");
  int loggers = 0;
  spdlog::apply_all([&](const auto&) { ++loggers; });
  // The default one, and the host's.
  check(loggers == 2, "spdlog's registry has the host's loggers and no other");
}

std::string state() {
  std::string text(1 << 16, '\0');
  text.resize(probe_state(text.data(), text.size()));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const bool first = std::strcmp(argv[3], "first") == 0;
  if (first) use_host();
  if (probe_load(argv[1], std::strcmp(argv[4], "global") == 0) != 0) return 1;
  if (probe_run(argv[2], 4) == 0) return 1;
  use_host();
  const std::string before = state();
  const uint64_t one = probe_run(argv[2], 1);
  use_host();
  const uint64_t many = probe_run(argv[2], 4);
  use_host();
  check(state() == before, "the process is as it was");
  std::printf("%016" PRIx64 " %016" PRIx64 "\n", one, many);
}
