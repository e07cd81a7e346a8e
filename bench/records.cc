// Files and records: over pread and the checksum of the same bytes, and over inflating alone.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "abi/opened.h"
#include "format/codec.h"
#include "format/crc32c.h"
#include "format/record_index.h"
#include "format/tfrecord.h"
#include "fs/file_system.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr size_t kFileBytes = size_t{192} << 20;

void must_be_ok(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "weir_bench: %s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

std::string record_file(size_t record_bytes) {
  std::string name = folder() + "/" + std::to_string(record_bytes) + ".tfrecord";
  if (access(name.c_str(), R_OK) == 0) return name;
  auto writer = RecordWriter::create(local_file_system(), name, Compression::none);
  must_be_ok(writer.status());
  std::mt19937_64 random(1);
  std::vector<uint64_t> record((record_bytes + 7) / 8);
  for (uint64_t& word : record) word = random();
  for (size_t written = 0; written < kFileBytes; written += record_bytes) {
    record[0] = written;
    must_be_ok((*writer)->write(Str(reinterpret_cast<const char*>(record.data()), record_bytes)));
  }
  must_be_ok((*writer)->close());
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

// Elements until the end, as a program takes them.
void drain_blocks(Opened& it) {
  int64_t rows = 0;
  int32_t result = 0;
  do {
    result = weir_iterator_next_block(it.iterator, 64, it.element, &rows, &it.error);
    must(result, it.error);
  } while (result != WEIR_END);
}

// The file read once, and again and again, for longer than it takes to find out which threads read best.
void tfrecord_large(benchmark::State& state, int times) {
  const std::string name = record_file(110'000);
  const std::string text = "tfrecord(\"" + name + "\") | repeat(" + std::to_string(times) + ")";
  double reference = 1e9;
  double ours = 1e9;
  for (auto _ : state) {
    Opened it(text.c_str());
    const Stopwatch watch;
    drain_blocks(it);
    ours = std::min(ours, watch.seconds() / times);
    state.PauseTiming();
    reference = std::min(reference, pread_and_crc(name));
    state.ResumeTiming();
  }
  report_rate(state, static_cast<double>(kFileBytes) / ours / 1e9,
              static_cast<double>(kFileBytes) / reference / 1e9, 0.9);
}
BENCHMARK_CAPTURE(tfrecord_large, once, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(tfrecord_large, repeated, 10)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

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

// Records of 16 files in turns, by processor time, over the files one after the other.
void records_interleaved(benchmark::State& state, size_t record_bytes, double least) {
  const std::string records = "tfrecord(\"" + record_file(record_bytes) + "\") | take(" +
                              std::to_string((size_t{16} << 20) / record_bytes) + ")";
  const std::string turns = "range(16) | interleave(i -> " + records + ", cycle_length: 16)";
  const std::string sequence = "range(16) | flat_map(i -> " + records + ")";
  alternate(
      state, [&] { Drain(parse(turns)).run(kMaxBlockRows); },
      [&] { Drain(parse(sequence)).run(kMaxBlockRows); }, least);
}
BENCHMARK_CAPTURE(records_interleaved, 100, 100, 0.1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(7);
BENCHMARK_CAPTURE(records_interleaved, 1000, 1000, 0.25)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(7);
BENCHMARK_CAPTURE(records_interleaved, 4000, 4000, 0.6)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(7);

// The reader alone, whose next record must not wait for the last one's.
void record_reader(benchmark::State& state, size_t record_bytes, double least) {
  std::string name = record_file(record_bytes);
  double reference = 1e9;
  double ours = 1e9;
  RecordBatch batch;
  for (auto _ : state) {
    Stopwatch watch;
    auto reader = RecordReader::open(local_file_system(), name, Compression::none);
    must_be_ok(reader.status());
    do {
      batch.clear();
      must_be_ok((*reader)->next_batch(kMaxBlockRows, kMaxBlockBytes, batch));
    } while (!batch.records.empty());
    ours = std::min(ours, watch.seconds());
    state.PauseTiming();
    reference = std::min(reference, pread_and_crc(name));
    state.ResumeTiming();
  }
  report_rate(state, static_cast<double>(kFileBytes) / ours / 1e9,
              static_cast<double>(kFileBytes) / reference / 1e9, least);
}
BENCHMARK_CAPTURE(record_reader, small, 1024, 0.85)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(record_reader, large, 110'000, 0.9)->Unit(benchmark::kMillisecond)->UseRealTime();

constexpr size_t kGzipBytes = size_t{64} << 20;

// A record of words, which compress as text does, to two fifths.
std::string words_record(size_t record_bytes, std::mt19937_64& random) {
  static const std::vector<std::string> words = [&random] {
    std::vector<std::string> made;
    for (int i = 0; i < 4000; ++i) {
      std::string word;
      for (uint64_t left = 2 + random() % 8; left > 0; --left) word += static_cast<char>('a' + random() % 26);
      made.push_back(word + " ");
    }
    return made;
  }();
  std::string record;
  while (record.size() < record_bytes) record += words[random() % words.size()];
  return record;
}

// A record of lines that differ in a few digits, which compress to an eighth.
std::string lines_record(size_t record_bytes, std::mt19937_64& random) {
  std::string record;
  while (record.size() < record_bytes) {
    char line[160];
    const int size = std::snprintf(
        line, sizeof line,
        "{\"user\": \"%06u\", \"item\": \"%06u\", \"event\": \"click\", \"country\": \"de\", \"score\": 0.%06u}\n",
        static_cast<unsigned>(random() % 1'000'000), static_cast<unsigned>(random() % 1'000'000),
        static_cast<unsigned>(random() % 1'000'000));
    record.append(line, static_cast<size_t>(size));
  }
  return record;
}

using MakeRecord = std::string (*)(size_t record_bytes, std::mt19937_64& random);

// A compressed file of such records, 64 MiB of them.
std::string compressed_file(Compression compression, size_t record_bytes, MakeRecord make) {
  std::string file = folder() + "/" + (make == words_record ? "words" : "lines") +
                     std::to_string(record_bytes) + ".tfrecord." + std::string(compression_name(compression));
  if (access(file.c_str(), R_OK) == 0) return file;
  auto writer = RecordWriter::create(local_file_system(), file, compression);
  must_be_ok(writer.status());
  std::mt19937_64 random(3);
  for (size_t written = 0; written < kGzipBytes; written += record_bytes)
    must_be_ok((*writer)->write(Str(make(record_bytes, random))));
  must_be_ok((*writer)->close());
  return file;
}

// Bytes per second of a decoder alone over a file that lies in memory, or 0 if there is no such decoder.
double decoder_rate(std::unique_ptr<Decoder> decoder, const std::string& name) {
  if (!decoder) return 0;
  auto file = local_file_system().read_file(name, int64_t{1} << 30);
  must_be_ok(file.status());
  std::string in = std::string(kDecoderBack, '\0') + *file;
  std::vector<uint8_t> out(256 << 10);
  Decoder::Io io;
  io.next_in = reinterpret_cast<const uint8_t*>(in.data()) + kDecoderBack;
  io.avail_in = file->size();
  size_t total = 0;
  const Stopwatch watch;
  while (io.avail_in != 0) {
    decoder->begin();
    Decoder::Answer answer = Decoder::Answer::more;
    while (answer == Decoder::Answer::more) {
      io.next_out = out.data();
      io.avail_out = out.size();
      answer = decoder->run(io);
      total += out.size() - io.avail_out;
    }
    if (answer != Decoder::Answer::end) std::exit(1);
  }
  return static_cast<double>(total) / watch.seconds();
}

// Both checksums of the records and those of the compression included, over a decoder alone.
void compressed_rate(benchmark::State& state, Compression compression, const std::string& file,
                     std::unique_ptr<Decoder> (*decoder)(), double least) {
  DocumentRef document = parse("tfrecord(\"" + file + "\", compression: \"" +
                               std::string(compression_name(compression)) + "\")");
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
    const double alone = decoder_rate(decoder(), file);
    if (alone == 0) return state.SkipWithError("the library to compare with is not installed");
    ratios.push_back(ours / alone);
  }
  report_ratios(state, ratios, least);
  state.counters["MBs"] = ours / 1e6;
}

// Over zlib alone, and over the library that is the fastest there is, alone.
void tfrecord_gzip(benchmark::State& state, size_t record_bytes, MakeRecord make, bool over_zlib,
                   double least) {
  const Codec& codec = codec_of(Compression::gzip);
  compressed_rate(state, Compression::gzip, compressed_file(Compression::gzip, record_bytes, make),
                  over_zlib ? codec.decoder : codec.fast_decoder, least);
}
BENCHMARK_CAPTURE(tfrecord_gzip, words, 1024, words_record, true, 2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(9);
// tf.data's own way takes as long as zlib alone or longer.
BENCHMARK_CAPTURE(tfrecord_gzip, lines_small, 1024, lines_record, false, 0.9)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(15);
BENCHMARK_CAPTURE(tfrecord_gzip, lines_large, 110'000, lines_record, false, 0.9)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(15);

void tfrecord_codec(benchmark::State& state, Compression compression, double least) {
  compressed_rate(state, compression, compressed_file(compression, 1024, lines_record),
                  codec_of(compression).decoder, least);
}
BENCHMARK_CAPTURE(tfrecord_codec, zstd, Compression::zstd, 0.8)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(9);
BENCHMARK_CAPTURE(tfrecord_codec, lz4, Compression::lz4, 0.5)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(9);

// A file of 1.9 million records with an index.
const std::string& indexed_file() {
  static const std::string name = [] {
    std::string file = record_file(100);
    auto index = RecordIndex::make(local_file_system(), file, IndexedFormat(), nullptr);
    must_be_ok(index.status());
    must_be_ok((*index)->save(local_file_system(), index_beside(file)));
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

// Seconds for copying the rows of a matrix in random order, side by side into a buffer that stays.
double copy_shuffled(const Tensor& rows, std::vector<uint8_t>& target) {
  static std::vector<uint32_t> order;
  const auto count = static_cast<size_t>(rows.shape[0]);
  const size_t row_bytes = rows.byte_size() / count;
  if (order.size() != count) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  }
  target.resize(128 * row_bytes);
  const Stopwatch watch;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(target.data() + i % 128 * row_bytes, rows.data + order[i] * row_bytes, row_bytes);
    benchmark::ClobberMemory();
  }
  return watch.seconds();
}

// Vectors of 784 float32 drawn from a buffer of so many, or of all, over memcpy of the same rows in random
// order.
void slices_shuffle_batch(benchmark::State& state, const char* buffer) {
  static const Tensor images = [] {
    Tensor made = Tensor::allocate(DType::float32, Shape{150'000, 784});
    for (float& value : made.entries<float>()) value = 1.0f;
    return made;
  }();
  Handed handed;
  handed["images"] = HandedValue{Spec::tensor(DType::float32, images.shape), {images}};
  DocumentRef document = parse(
      std::string("from_tensor_slices(@images) | shuffle(") + buffer + ", seed: 1) | batch(128)", handed);
  std::vector<uint8_t> target;
  std::vector<double> ratios;
  for (auto _ : state) {
    const Stopwatch watch;
    Drain(document).run(1);
    const double ours = watch.seconds();
    state.PauseTiming();
    ratios.push_back(copy_shuffled(images, target) / ours);
    state.ResumeTiming();
  }
  report_ratios(state, ratios, 0.9);
}
BENCHMARK_CAPTURE(slices_shuffle_batch, 10000, "10000")->Unit(benchmark::kMillisecond)->Iterations(15);
BENCHMARK_CAPTURE(slices_shuffle_batch, all, "150000")->Unit(benchmark::kMillisecond)->Iterations(15);

}  // namespace
}  // namespace weir::bench
