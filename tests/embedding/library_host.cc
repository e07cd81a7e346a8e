// A host that uses the system's shared libraries of what weir has inside: protobuf, oneTBB, spdlog with
// {fmt}, libjpeg, RE2, SQLite, libpng, zlib and giflib. It is linked with them, so their symbols come before
// weir's.
//
//   library_host WEIR FOLDER first|last local|global LIBRARY|all
//
// The words say whether the host uses them before weir is loaded, how weir is loaded, and which the host
// uses. Prints the hashes of the elements with 1 and with 4 threads.
#include <gif_lib.h>
#include <google/protobuf/wrappers.pb.h>
#include <jpeglib.h>
#include <png.h>
#include <re2/re2.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sqlite3.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
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

void use_tbb() { check(parallel_sum() == 499500, "the host's tasks run"); }

void use_protobuf() {
  google::protobuf::StringValue message;
  google::protobuf::StringValue copy;
  message.set_value("the host's own");
  check(copy.ParseFromString(message.SerializeAsString()) && copy.value() == message.value(),
        "the host's messages go through bytes");
}

void use_re2() { check(RE2::FullMatch("the host's own", "the .*'s \\w+"), "the host's pattern matches"); }

void use_jpeg() { check(jpeg_pixel() == 77, "the host's image goes through libjpeg"); }

// Of a database of its own, with what weir has left out.
void use_sqlite() {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_open(":memory:", &database) == SQLITE_OK &&
            sqlite3_exec(database, "create table t (k); insert into t values (40), (2)", nullptr, nullptr,
                         nullptr) == SQLITE_OK &&
            sqlite3_prepare_v2(database, "select sum(k) from t", -1, &statement, nullptr) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 42,
        "the host's database gives its rows");
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

// Encodes a gray square and decodes it again.
void use_png() {
  constexpr unsigned kSide = 16;
  unsigned char pixels[kSide * kSide];
  unsigned char again[kSide * kSide] = {};
  unsigned char bytes[4096];
  std::memset(pixels, 77, sizeof pixels);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = kSide;
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = sizeof bytes;
  const bool written = png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, nullptr) != 0;
  image = {};
  image.version = PNG_IMAGE_VERSION;
  const bool begun = written && png_image_begin_read_from_memory(&image, bytes, size) != 0;
  image.format = PNG_FORMAT_GRAY;
  check(begun && png_image_finish_read(&image, nullptr, again, 0, nullptr) != 0 &&
            std::memcmp(pixels, again, sizeof pixels) == 0,
        "the host's image goes through libpng");
}

void use_zlib() {
  const std::string text(1000, 'x');
  Bytef packed[256];
  Bytef again[1000];
  uLongf packed_size = sizeof packed;
  uLongf size = sizeof again;
  check(compress(packed, &packed_size, reinterpret_cast<const Bytef*>(text.data()), text.size()) == Z_OK &&
            uncompress(again, &size, packed, packed_size) == Z_OK && size == text.size() &&
            std::memcmp(again, text.data(), size) == 0,
        "the host's text goes through zlib");
}

// A GIF of one pixel.
void use_gif() {
  static const unsigned char kBytes[] =
      "GIF89a\x01\0\x01\0\x80\0\0\x0a\x14\x1e\xff\xfe\xfd,\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;";
  struct Source {
    const unsigned char* at;
    size_t left;
  } source{kBytes, sizeof kBytes - 1};
  const auto read = [](GifFileType* file, GifByteType* out, int size) {
    auto* from = static_cast<Source*>(file->UserData);
    const size_t count = std::min(from->left, static_cast<size_t>(size));
    std::memcpy(out, from->at, count);
    from->at += count;
    from->left -= count;
    return static_cast<int>(count);
  };
  int error = 0;
  GifFileType* file = DGifOpen(&source, read, &error);
  check(file != nullptr && DGifSlurp(file) == GIF_OK && file->ImageCount == 1 &&
            file->SavedImages[0].RasterBits[0] == 1,
        "the host's image goes through giflib");
  DGifCloseFile(file, &error);
}

void use_spdlog() {
  static std::ostringstream lines;
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

constexpr struct {
  const char* name;
  void (*use)();
} kLibraries[] = {{"tbb", use_tbb},   {"protobuf", use_protobuf}, {"re2", use_re2},
                  {"jpeg", use_jpeg}, {"sqlite", use_sqlite},     {"png", use_png},
                  {"zlib", use_zlib}, {"gif", use_gif},           {"spdlog", use_spdlog}};

// The host's work with one of its libraries, or with each.
void use_host(const char* name) {
  bool found = false;
  for (const auto& library : kLibraries) {
    if (std::strcmp(name, "all") != 0 && std::strcmp(name, library.name) != 0) continue;
    library.use();
    found = true;
  }
  check(found, "the library is one of the host's");
}

std::string state() {
  std::string text(1 << 16, '\0');
  text.resize(probe_state(text.data(), text.size()));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const bool first = std::strcmp(argv[3], "first") == 0;
  const char* const used = argv[5];
  if (first) use_host(used);
  if (probe_load(argv[1], std::strcmp(argv[4], "global") == 0) != 0) return 1;
  if (probe_run(argv[2], 4) == 0) return 1;
  use_host(used);
  const std::string before = state();
  const uint64_t one = probe_run(argv[2], 1);
  use_host(used);
  const uint64_t many = probe_run(argv[2], 4);
  use_host(used);
  check(state() == before, "the process is as it was");
  std::printf("%016" PRIx64 " %016" PRIx64 "\n", one, many);
}
