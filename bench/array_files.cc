// Arrays in files: tokens in random windows, and rows of .npy in order and in random order, beside memcpy and
// pread of the same bytes. The file is 1 GiB, on a warm page cache.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "support.h"
#include "support/npy_files.h"

namespace weir::bench {
namespace {

constexpr size_t kFileBytes = size_t{1} << 30;
// How much of it a run reads.
constexpr size_t kRunBytes = size_t{64} << 20;
// Where windows are copied to, again and again.
constexpr size_t kTargetBytes = size_t{1} << 20;
// A header that numpy.save would write, and the bytes of the numbers.
constexpr size_t kHeaderBytes = 128;

std::string npy_header(const std::string& descr, const std::string& shape) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.resize(kHeaderBytes - 11, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text;
}

// An array of float32 with rows of so many numbers.
std::string array_of(size_t columns) {
  const std::string path = folder() + "/" + std::to_string(columns) + ".npy";
  if (access(path.c_str(), R_OK) == 0) return path;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return path;
  const size_t rows = (kFileBytes - kHeaderBytes) / (4 * columns);
  const std::string header =
      npy_header("<f4", "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  std::fwrite(header.data(), 1, header.size(), file);
  std::vector<float> numbers(columns);
  std::mt19937_64 random(1);
  for (size_t row = 0; row < rows; ++row) {
    numbers[row % columns] = static_cast<float>(random() % 1000);
    std::fwrite(numbers.data(), sizeof(float), columns, file);
  }
  std::fclose(file);
  return path;
}

// The bytes of the file as memory that is not the file's.
const std::vector<char>& memory_of(const std::string& file) {
  static std::vector<char> bytes(kFileBytes);
  static std::string filled;
  if (filled == file) return bytes;
  filled = file;
  const int number = open(file.c_str(), O_RDONLY);
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(number, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got <= 0) break;
    at += static_cast<size_t>(got);
  }
  close(number);
  return bytes;
}

// Calls copy(to, offset) for windows of so many bytes, in order or at random.
template <class Copy>
double seconds_of(size_t window_bytes, bool random_order, Copy copy) {
  static std::vector<char> target(kTargetBytes);
  std::mt19937_64 random(2);
  const size_t windows = kRunBytes / window_bytes;
  const size_t places = kFileBytes / window_bytes - 1;
  Stopwatch watch;
  for (size_t i = 0; i < windows; ++i) {
    const size_t place = random_order ? random() % places : i;
    copy(target.data() + i * window_bytes % (kTargetBytes - window_bytes + 1), place * window_bytes);
  }
  return watch.seconds();
}

// Reports GB/s, how much of memcpy that is, and how much of pread.
void read_windows(benchmark::State& state, const std::string& file, const std::string& text,
                  size_t window_bytes, bool random_order, double of_memcpy) {
  const std::vector<char>& memory = memory_of(file);
  const int opened = open(file.c_str(), O_RDONLY);
  DocumentRef document = parse(text);
  const auto elements = static_cast<int64_t>(kRunBytes / window_bytes);
  double ours = 1e9;
  double copied = 1e9;
  double read = 1e9;
  Drain drain(document);
  drain.next(kMaxBlockRows);
  for (auto _ : state) {
    Stopwatch watch;
    const int64_t given = drain.run(kMaxBlockRows, elements);
    ours = std::min(ours, watch.seconds() * static_cast<double>(elements) / static_cast<double>(given));
    state.PauseTiming();
    copied = std::min(copied, seconds_of(window_bytes, random_order, [&](char* to, size_t at) {
                        std::memcpy(to, memory.data() + at, window_bytes);
                      }));
    read = std::min(read, seconds_of(window_bytes, random_order, [&](char* to, size_t at) {
                      benchmark::DoNotOptimize(pread(opened, to, window_bytes, static_cast<off_t>(at)));
                    }));
    state.ResumeTiming();
  }
  close(opened);
  const double rate = static_cast<double>(kRunBytes) / ours / 1e9;
  report_rate(state, rate, of_memcpy * static_cast<double>(kRunBytes) / copied / 1e9, 1.0);
  state.counters["of_memcpy"] = copied / ours;
  state.counters["of_pread"] = read / ours;
}

// Tokens of uint16: the header of the file counts as some.
void tokens_at_random(benchmark::State& state) {
  const auto length = static_cast<size_t>(state.range(0));
  const std::string file = array_of(1024);
  read_windows(
      state, file,
      "tokens(\"" + file + "\", " + std::to_string(length) + ", uint16) | global_shuffle(seed: 1) | repeat()",
      2 * length, true, 0.8);
}
BENCHMARK(tokens_at_random)->Arg(1024)->Arg(4096)->Arg(32768)->Unit(benchmark::kMillisecond)->UseRealTime();

void npy_at_random(benchmark::State& state) {
  const auto columns = static_cast<size_t>(state.range(0));
  const std::string file = array_of(columns);
  read_windows(state, file, "npy(\"" + file + "\") | global_shuffle(seed: 1) | repeat()", 4 * columns, true,
               0.9);
}
BENCHMARK(npy_at_random)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond)->UseRealTime();

void npy_in_order(benchmark::State& state) {
  const auto columns = static_cast<size_t>(state.range(0));
  const std::string file = array_of(columns);
  read_windows(state, file, "npy(\"" + file + "\") | repeat()", 4 * columns, false, 0.9);
}
BENCHMARK(npy_in_order)->Arg(16)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

std::string array_file() { return array_of(1024); }

std::string archive_file() {
  const std::string path = folder() + "/rows.npz";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return path;
  const std::string bytes =
      test::zip_bytes({{"x.npy", npy_header("|u1", "(1000, 512)") + std::string(512000, 'x'), true},
                       {"y.npy", npy_header("<i8", "(1000,)") + std::string(8000, '\0'), true}});
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  return path;
}

}  // namespace weir::bench
