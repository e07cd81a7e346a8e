// Files and records: beside pread and the checksum of the same bytes, and beside zlib.
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "format/crc32c.h"
#include "format/record_index.h"
#include "format/tfrecord.h"
#include "fs/file_system.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr size_t kFileBytes = size_t{192} << 20;

void must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "weir_bench: %s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

std::string record_file(size_t record_bytes) {
  std::string name = folder() + "/" + std::to_string(record_bytes) + ".tfrecord";
  if (access(name.c_str(), R_OK) == 0) return name;
  auto writer = RecordWriter::create(local_file_system(), name, Compression::none);
  must(writer.status());
  std::mt19937_64 random(1);
  std::vector<uint64_t> record((record_bytes + 7) / 8);
  for (uint64_t& word : record) word = random();
  for (size_t written = 0; written < kFileBytes; written += record_bytes) {
    record[0] = written;
    must((*writer)->write(Str(reinterpret_cast<const char*>(record.data()), record_bytes)));
  }
  must((*writer)->close());
  return name;
}

namespace {

// Seconds for reading the file in pieces of 256 KiB and computing the checksum of every byte.
double pread_and_crc(const std::string& name) {
  int file = open(name.c_str(), O_RDONLY);
  std::vector<char> buffer(256 << 10);
  uint32_t sum = 0;
  auto begin = std::chrono::steady_clock::now();
  off_t offset = 0;
  for (;;) {
    ssize_t got = pread(file, buffer.data(), buffer.size(), offset);
    if (got <= 0) break;
    sum ^= crc32c(buffer.data(), static_cast<size_t>(got));
    offset += got;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  benchmark::DoNotOptimize(sum);
  close(file);
  return seconds;
}

void tfrecord_large(benchmark::State& state) {
  std::string name = record_file(110'000);
  DocumentRef document = parse("tfrecord(\"" + name + "\")");
  double reference = 1e9;
  double ours = 1e9;
  for (auto _ : state) {
    auto begin = std::chrono::steady_clock::now();
    Drain(document).run(64);
    ours = std::min(ours, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    state.PauseTiming();
    reference = std::min(reference, pread_and_crc(name));
    state.ResumeTiming();
  }
  report_rate(state, static_cast<double>(kFileBytes) / ours / 1e9,
              static_cast<double>(kFileBytes) / reference / 1e9, 0.8);
}
BENCHMARK(tfrecord_large)->Unit(benchmark::kMillisecond)->UseRealTime();

void tfrecord_small(benchmark::State& state) {
  const std::string name = record_file(1024);
  DocumentRef document = parse("tfrecord(\"" + name + "\")");
  // What reading and checking the bytes of a record takes.
  Reference reference{1e9, 120};
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    const int64_t records = Drain(document).run(kMaxBlockRows);
    rounds.add(watch.seconds(), records);
    state.PauseTiming();
    reference.found_ns =
        std::min(reference.found_ns, pread_and_crc(name) * 1e9 / static_cast<double>(records));
    state.ResumeTiming();
  }
  rounds.report(state, 1e9 / 3e6, reference);
}
BENCHMARK(tfrecord_small)->Unit(benchmark::kMillisecond)->UseRealTime();

// The reader alone, whose next record must not wait for the last one's.
void record_reader_small(benchmark::State& state) {
  std::string name = record_file(1024);
  double reference = 1e9;
  double ours = 1e9;
  RecordBatch batch;
  for (auto _ : state) {
    Stopwatch watch;
    auto reader = RecordReader::open(local_file_system(), name, Compression::none);
    must(reader.status());
    do {
      batch.clear();
      must((*reader)->next_batch(kMaxBlockRows, kMaxBlockBytes, batch));
    } while (!batch.records.empty());
    ours = std::min(ours, watch.seconds());
    state.PauseTiming();
    reference = std::min(reference, pread_and_crc(name));
    state.ResumeTiming();
  }
  report_rate(state, static_cast<double>(kFileBytes) / ours / 1e9,
              static_cast<double>(kFileBytes) / reference / 1e9, 0.85);
}
BENCHMARK(record_reader_small)->Unit(benchmark::kMillisecond)->UseRealTime();

// A gzip file of records of 1 KB that are words, 64 MiB of them.
const std::string& gzip_file() {
  static const std::string name = [] {
    std::string file = folder() + "/words.tfrecord.gz";
    auto writer = RecordWriter::create(local_file_system(), file, Compression::gzip, 6);
    must(writer.status());
    std::mt19937_64 random(3);
    std::vector<std::string> words;
    for (int i = 0; i < 4000; ++i) {
      std::string word;
      for (uint64_t left = 2 + random() % 8; left > 0; --left) word += static_cast<char>('a' + random() % 26);
      words.push_back(word + " ");
    }
    for (int i = 0; i < 64 << 10; ++i) {
      std::string record;
      while (record.size() < 1024) record += words[random() % words.size()];
      must((*writer)->write(Str(record)));
    }
    must((*writer)->close());
    return file;
  }();
  return name;
}

// Bytes per second of zlib's inflate over the file, which lies in memory.
double zlib_rate() {
  auto file = local_file_system().read_file(gzip_file(), int64_t{1} << 30);
  must(file.status());
  std::vector<uint8_t> out(256 << 10);
  z_stream zlib = {};
  if (inflateInit2(&zlib, MAX_WBITS + 16) != Z_OK) std::exit(1);
  zlib.next_in = reinterpret_cast<Bytef*>(file->data());
  zlib.avail_in = static_cast<uInt>(file->size());
  const Stopwatch watch;
  int result = Z_OK;
  while (result == Z_OK) {
    zlib.next_out = out.data();
    zlib.avail_out = static_cast<uInt>(out.size());
    result = inflate(&zlib, Z_NO_FLUSH);
  }
  const double rate = static_cast<double>(zlib.total_out) / watch.seconds();
  inflateEnd(&zlib);
  if (result != Z_STREAM_END) std::exit(1);
  return rate;
}

// Both checksums of the records and that of gzip included.
void tfrecord_gzip(benchmark::State& state) {
  DocumentRef document = parse("tfrecord(\"" + gzip_file() + "\", compression: \"gzip\")");
  std::vector<double> ratios;
  double ours = 0;
  for (auto _ : state) {
    const Stopwatch watch;
    Drain drain(document);
    double bytes = 0;
    for (int rows; (rows = drain.next(256)) > 0;) {
      for (int row = 0; row < rows; ++row)
        bytes += 16 + static_cast<double>(drain.block().columns[0].tensor().as<const Str>()[row].size);
    }
    ours = bytes / watch.seconds();
    ratios.push_back(ours / zlib_rate());
  }
  report_ratios(state, ratios, 2);
  state.counters["MBs"] = ours / 1e6;
}
BENCHMARK(tfrecord_gzip)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);

// A file of 1.9 million records with an index.
const std::string& indexed_file() {
  static const std::string name = [] {
    std::string file = record_file(100);
    auto index = RecordIndex::make(local_file_system(), file, nullptr);
    must(index.status());
    must((*index)->save(local_file_system(), file));
    return file;
  }();
  return name;
}

// Seconds from opening to the first record, the least of several.
double first_after(int64_t skipped) {
  DocumentRef document =
      parse("tfrecord(\"" + indexed_file() + "\") | skip(" + std::to_string(skipped) + ")");
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const Stopwatch watch;
    Drain drain(document);
    drain.next(1);
    best = std::min(best, watch.seconds());
  }
  return best;
}

// The time to the first record after a thousand over that after a million: 1 where it is constant.
void skip_indexed(benchmark::State& state) {
  std::vector<double> ratios;
  double far = 0;
  for (auto _ : state) {
    const double near = first_after(1'000);
    far = first_after(1'000'000);
    ratios.push_back(near / far);
  }
  report_ratios(state, ratios, 0.8);
  state.counters["us"] = far * 1e6;
}
BENCHMARK(skip_indexed)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);

// All records in random order, each read by itself, beside pread of the same bytes in the same order.
void global_shuffle_records(benchmark::State& state) {
  DocumentRef document =
      parse("tfrecord(\"" + indexed_file() + "\") | global_shuffle(seed: 1) | take(300000)");
  double ours = 0;
  double reference = 0;
  for (auto _ : state) {
    const Stopwatch watch;
    const int64_t rows = Drain(document).run(128);
    ours = std::max(ours, static_cast<double>(rows) / watch.seconds());
    state.PauseTiming();
    const int file = open(indexed_file().c_str(), O_RDONLY);
    std::mt19937_64 random(2);
    char bytes[128];
    uint32_t sum = 0;
    const Stopwatch direct;
    for (int64_t i = 0; i < rows; ++i) {
      const auto record = static_cast<off_t>(random() % 1'700'000);
      if (pread(file, bytes, 116, record * 116) != 116) std::exit(1);
      sum ^= crc32c(bytes, 116);
    }
    reference = std::max(reference, static_cast<double>(rows) / direct.seconds());
    benchmark::DoNotOptimize(sum);
    close(file);
    state.ResumeTiming();
  }
  report_rate(state, ours, reference, 0.3);
}
BENCHMARK(global_shuffle_records)->Unit(benchmark::kMillisecond)->UseRealTime();

// Batches of large rows that lie in memory, copied by two threads, over the same copied by one.
void batch_parallel(benchmark::State& state) {
  const std::string rows =
      "range(1024) | map(x -> full([37632], float32(x))) | cache() | repeat(4) | batch(64";
  DocumentRef alone = parse(rows + ")");
  DocumentRef both = parse(rows + ", num_parallel_calls: 2)");
  const auto seconds = [](const DocumentRef& document) {
    Drain drain(document);
    drain.run(1, 16);
    const Stopwatch watch;
    drain.run(1);
    return watch.seconds();
  };
  std::vector<double> ratios;
  for (auto _ : state) ratios.push_back(seconds(alone) / seconds(both));
  report_ratios(state, ratios, 1.0);
}
BENCHMARK(batch_parallel)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

void slices_shuffle_batch(benchmark::State& state) {
  Tensor images = Tensor::allocate(DType::float32, Shape{150'000, 784});
  for (float& value : images.entries<float>()) value = 1.0f;
  Handed handed;
  handed["images"] = HandedValue{Spec::tensor(DType::float32, images.shape), {images}};
  DocumentRef document = parse("from_tensor_slices(@images) | shuffle(10000, seed: 1) | batch(128)", handed);
  double ours = 0;
  for (auto _ : state) {
    auto begin = std::chrono::steady_clock::now();
    Drain(document).run(1);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ours = std::max(ours, static_cast<double>(images.byte_size()) / seconds);
  }
  report_rate(state, ours / 1e9, memcpy_rate(784 * sizeof(float)) / 1e9, 0.6);
}
BENCHMARK(slices_shuffle_batch)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace weir::bench
