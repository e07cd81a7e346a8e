// Written elements: reading them beside pread of the same bytes, with and without the checksum of every byte,
// and writing them beside write and fsync of as many bytes.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "format/crc32c.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

// Elements of 150,528 bytes, or numbers.
const char* const kLarge = "from_tensors(zeros([224, 224, 3], uint8)) | repeat(1300)";
const char* const kSmall = "range(24000000)";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The folder with the elements of a pipeline, written once per run.
std::string written(const std::string& name, const std::string& pipeline) {
  std::string path = folder() + ".written/" + name;
  if (!std::filesystem::exists(path)) Drain(parse(pipeline + " | save(\"" + path + "\")")).run(1);
  return path;
}

std::string shard_of(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".shard") return entry.path();
  }
  return "";
}

double pread_seconds(const std::string& file, bool checksum) {
  const int opened = open(file.c_str(), O_RDONLY);
  std::vector<char> buffer(kPiece);
  uint32_t sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  off_t offset = 0;
  for (ssize_t got = 1; got > 0; offset += got) {
    got = pread(opened, buffer.data(), buffer.size(), offset);
    if (checksum && got > 0) sum ^= crc32c(buffer.data(), static_cast<size_t>(got));
  }
  const double seconds = seconds_since(begin);
  benchmark::DoNotOptimize(sum);
  close(opened);
  return seconds;
}

double write_seconds(size_t bytes) {
  const std::string file = folder() + ".written.plain";
  const std::vector<char> buffer(kPiece, 1);
  const auto begin = std::chrono::steady_clock::now();
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (size_t done = 0; done < bytes; done += kPiece) {
    if (write(opened, buffer.data(), buffer.size()) < 0) break;
  }
  fsync(opened);
  close(opened);
  const double seconds = seconds_since(begin);
  unlink(file.c_str());
  return seconds;
}

void replay(benchmark::State& state, const char* name, const char* pipeline, int rows) {
  const std::string path = written(name, pipeline);
  const std::string shard = shard_of(path);
  const auto gigabytes = static_cast<double>(std::filesystem::file_size(shard)) / 1e9;
  DocumentRef document = parse("load(\"" + path + "\")");
  double ours = 1e9, plain = 1e9, checked = 1e9;
  for (auto _ : state) {
    plain = std::min(plain, pread_seconds(shard, false));
    checked = std::min(checked, pread_seconds(shard, true));
    const auto begin = std::chrono::steady_clock::now();
    Drain(document).run(rows);
    ours = std::min(ours, seconds_since(begin));
  }
  state.counters["GB/s"] = gigabytes / ours;
  state.counters["pread_GB/s"] = gigabytes / plain;
  state.counters["pread_crc_GB/s"] = gigabytes / checked;
  state.counters["share_of_pread"] = plain / ours;
}

void write(benchmark::State& state, const char* name, const char* pipeline) {
  const std::string path = folder() + ".written/new-" + name;
  DocumentRef document = parse(std::string(pipeline) + " | save(\"" + path + "\")");
  double ours = 1e9, plain = 1e9, gigabytes = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    Drain(document).run(1);
    ours = std::min(ours, seconds_since(begin));
    const auto bytes = std::filesystem::file_size(shard_of(path));
    gigabytes = static_cast<double>(bytes) / 1e9;
    plain = std::min(plain, write_seconds(bytes));
    std::filesystem::remove_all(path);
  }
  state.counters["GB/s"] = gigabytes / ours;
  state.counters["write_GB/s"] = gigabytes / plain;
}

BENCHMARK_CAPTURE(replay, large, "large", kLarge, 64)->Unit(benchmark::kMillisecond)->Iterations(9);
BENCHMARK_CAPTURE(replay, numbers, "numbers", kSmall, 1024)->Unit(benchmark::kMillisecond)->Iterations(9);
BENCHMARK_CAPTURE(write, large, "large", kLarge)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK_CAPTURE(write, numbers, "numbers", kSmall)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace weir::bench
