// Text files: lines of 100 bytes, and tables of ten columns of numbers, beside pread of the same bytes.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <vector>

#include "support.h"

namespace weir::bench {
namespace {

constexpr size_t kLineBytes = 100;
constexpr size_t kTextBytes = size_t{192} << 20;
constexpr size_t kTableBytes = size_t{64} << 20;
// What the rows must reach, in bytes a second.
constexpr double kLinesRate = 1e9;
constexpr double kTableRate = 250e6;

// Writes `next` again and again until the file has `bytes` bytes; once per run.
template <class Next>
std::string text_file(const char* name, size_t bytes, Next next) {
  const std::string path = folder() + "/" + name;
  if (access(path.c_str(), R_OK) == 0) return path;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return path;
  for (size_t written = 0; written < bytes;) {
    const std::string line = next();
    written += std::fwrite(line.data(), 1, line.size(), file);
  }
  std::fclose(file);
  return path;
}

std::string line_file() {
  std::mt19937_64 random(1);
  return text_file("lines.txt", kTextBytes, [&] {
    std::string line(kLineBytes, '\n');
    for (size_t i = 0; i + 1 < kLineBytes; ++i) line[i] = static_cast<char>('a' + random() % 26);
    return line;
  });
}

double pread_seconds(const std::string& name) {
  const int file = open(name.c_str(), O_RDONLY);
  std::vector<char> buffer(256 << 10);
  Stopwatch watch;
  for (off_t offset = 0;;) {
    const ssize_t got = pread(file, buffer.data(), buffer.size(), offset);
    if (got <= 0) break;
    offset += got;
  }
  const double seconds = watch.seconds();
  close(file);
  return seconds;
}

// Reports GB/s beside what the row must reach, and how much of pread that is.
void read_text(benchmark::State& state, const std::string& file, const std::string& text, double rate) {
  DocumentRef document = parse(text);
  std::FILE* opened = std::fopen(file.c_str(), "r");
  std::fseek(opened, 0, SEEK_END);
  const auto bytes = static_cast<double>(std::ftell(opened));
  std::fclose(opened);
  double ours = 1e9;
  double reference = 1e9;
  for (auto _ : state) {
    Stopwatch watch;
    Drain(document).run(kMaxBlockRows);
    ours = std::min(ours, watch.seconds());
    state.PauseTiming();
    reference = std::min(reference, pread_seconds(file));
    state.ResumeTiming();
  }
  report_rate(state, bytes / ours / 1e9, rate / 1e9, 1.0);
  state.counters["of_pread"] = reference / ours;
}

void text_lines(benchmark::State& state) {
  const std::string file = line_file();
  read_text(state, file, "text_line(\"" + file + "\")", kLinesRate);
}
BENCHMARK(text_lines)->Unit(benchmark::kMillisecond)->UseRealTime();

void csv_numbers(benchmark::State& state) {
  const std::string file = table_file();
  read_text(state, file,
            "csv(\"" + file +
                "\", [int64, int64, int64, int64, int64, float32, float32, float32, float32, float32])",
            kTableRate);
}
BENCHMARK(csv_numbers)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

std::string table_file() {
  std::mt19937_64 random(2);
  return text_file("table.csv", kTableBytes, [&] {
    char line[256];
    const auto whole = [&] { return static_cast<long>(random() % 1000000); };
    const auto real = [&] { return static_cast<double>(random() % 1000000) / 1000.0; };
    const int size =
        std::snprintf(line, sizeof line, "%ld,%ld,%ld,%ld,%ld,%.3f,%.3f,%.3f,%.3f,%.3f\n", whole(), whole(),
                      whole(), whole(), whole(), real(), real(), real(), real(), real());
    return std::string(line, static_cast<size_t>(size));
  });
}

}  // namespace weir::bench
