#include "format/tfrecord.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "deflated.h"
#include "format/crc32c.h"
#include "support/simulated_files.h"
#include "support/test_data.h"

namespace weir {
namespace {

using Records = std::vector<std::string>;

struct RecordsRead {
  Records records;
  Status failure;
};

void append(const RecordBatch& batch, Records& out) {
  for (const Str& record : batch.records) out.emplace_back(record.data, record.size);
}

// Everything a reader gives; after an error it must report the end.
RecordsRead drain(RecordReader& reader, size_t max_records = 1000) {
  RecordsRead read;
  RecordBatch batch;
  for (;;) {
    batch.clear();
    const Status status = reader.next_batch(max_records, 1 << 20, batch);
    append(batch, read.records);
    if (!status.ok()) {
      CHECK(batch.records.empty());
      CHECK(read.failure.ok());
      read.failure = status;
    } else if (batch.records.empty()) {
      return read;
    }
  }
}

RecordsRead drain(FileSystem& files, const std::string& name, Compression compression,
                  size_t max_records = 1000) {
  auto reader = RecordReader::open(files, name, compression);
  if (!reader.ok()) return {{}, reader.status()};
  return drain(**reader, max_records);
}

RecordsRead drain_data(const std::string& name, Compression compression = Compression::none) {
  return drain(local_file_system(), test_data("records/" + name), compression);
}

Records numbered(int count) {
  Records records;
  for (int i = 0; i < count; ++i) records.push_back("record " + std::to_string(i));
  return records;
}

std::string written(const Records& records, Compression compression) {
  SimulatedFileSystem files;
  auto writer = RecordWriter::create(files, "f", compression);
  REQUIRE(writer.ok());
  for (const std::string& record : records) REQUIRE((*writer)->write({record.data(), record.size()}).ok());
  REQUIRE((*writer)->close().ok());
  return *files.read_file("f", 1 << 30);
}

std::string compressed(const std::string& text, Compression compression) {
  return compression == Compression::none ? text : deflated(text, compression);
}

TEST_CASE("tfrecord: files of other software") {
  CHECK(drain_data("five.tfrecord").records == numbered(5));
  CHECK(drain_data("five.tfrecord.gz", Compression::gzip).records == numbered(5));
  CHECK(drain_data("five.tfrecord.zlib", Compression::zlib).records == numbered(5));
  for (const char* name : {"five.tfrecord", "five.tfrecord.gz", "five.tfrecord.zlib"}) {
    const RecordsRead read = drain_data(name, Compression::automatic);
    CHECK(read.records == numbered(5));
    CHECK(read.failure.ok());
  }
  CHECK(drain_data("three.tfrecord").records == Records{"x", "", std::string("\x00\x01\xff", 3)});
  const RecordsRead big = drain_data("big.tfrecord");
  REQUIRE(big.records.size() == 60);
  CHECK(big.records[1].size() == 37);
  CHECK(big.records[59].size() == 83);
}

TEST_CASE("tfrecord: damaged files of other software give what is before the damage, then data_loss") {
  for (const char* name :
       {"bad_data.tfrecord", "bad_length.tfrecord", "bad_length_crc.tfrecord", "cut_body.tfrecord",
        "cut_footer.tfrecord", "cut_header.tfrecord", "cut_header_crc.tfrecord"}) {
    INFO(name);
    const RecordsRead read = drain_data(name);
    CHECK(read.records == numbered(2));
    REQUIRE(read.failure.code() == Code::data_loss);
    CHECK(read.failure.error().file == test_data(std::string("records/") + name));
    CHECK(read.failure.error().offset == 48);
    CHECK(read.failure.error().record == 2);
  }
  CHECK(drain_data("bad_data_crc.tfrecord").records == numbered(4));
  CHECK(drain_data("bad_data_crc.tfrecord").failure.error().record == 4);
  CHECK(drain_data("not_a_record.tfrecord").failure.code() == Code::data_loss);
  CHECK(drain_data("five.tfrecord.gz").failure.code() == Code::data_loss);
  CHECK(drain_data("cut.tfrecord.gz", Compression::gzip).failure.code() == Code::data_loss);
  CHECK(drain_data("five.tfrecord", Compression::gzip).failure.code() == Code::data_loss);
  CHECK(drain_data("no-such.tfrecord").failure.code() == Code::not_found);
}

TEST_CASE("tfrecord: what is written is read, in batches of any size") {
  Records records;
  for (size_t i = 0; i < 300; ++i) records.push_back(std::string((i * i * 37) % 5000, static_cast<char>(i)));
  records.push_back(std::string(700'000, 'L'));
  records.push_back("");
  for (Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
    SimulatedFileSystem files;
    files.put("f", written(records, compression));
    for (size_t max_records : {size_t{1}, size_t{64}, size_t{1000}}) {
      const RecordsRead read = drain(files, "f", compression, max_records);
      CHECK(read.failure.ok());
      CHECK(read.records == records);
    }
  }
}

TEST_CASE("tfrecord: the writer gives the bytes that other software gives") {
  const std::string expected = *local_file_system().read_file(test_data("records/five.tfrecord"), 1000);
  CHECK(written(numbered(5), Compression::none) == expected);
}

TEST_CASE("tfrecord: a batch ends at its count or with the record that reaches its bytes") {
  SimulatedFileSystem files;
  files.put("f", written(Records(10, std::string(100, 'a')), Compression::none));
  auto reader = RecordReader::open(files, "f", Compression::none);
  REQUIRE(reader.ok());
  RecordBatch batch;
  REQUIRE((*reader)->next_batch(3, 1 << 20, batch).ok());
  CHECK(batch.records.size() == 3);
  REQUIRE((*reader)->next_batch(100, 150, batch).ok());
  CHECK(batch.records.size() == 5);
  CHECK((*reader)->position().record == 5);
  CHECK((*reader)->position().offset == 5 * 116);
  REQUIRE((*reader)->next_batch(100, 0, batch).ok());
  CHECK(batch.records.size() == 6);
  CHECK(batch.owners.size() == 1);
}

TEST_CASE("tfrecord: records stay while their owners are held, each owner is listed once") {
  SimulatedFileSystem files;
  Records records;
  for (int i = 0; i < 500; ++i) records.push_back(std::string(20'000, static_cast<char>(i)));
  files.put("f", written(records, Compression::gzip));
  RecordBatch batch;
  {
    auto reader = RecordReader::open(files, "f", Compression::gzip);
    REQUIRE(reader.ok());
    while ((*reader)->position().record < 500) REQUIRE((*reader)->next_batch(7, 1 << 20, batch).ok());
  }
  Records found;
  append(batch, found);
  CHECK(found == records);
  for (size_t i = 0; i < batch.owners.size(); ++i) {
    for (size_t k = 0; k < i; ++k) CHECK(batch.owners[i] != batch.owners[k]);
  }
}

TEST_CASE("tfrecord: a cut at any byte is data_loss, except between records, and loses nothing before it") {
  const Records records = numbered(4);
  const std::string plain = written(records, Compression::none);
  const std::string gzip = written(records, Compression::gzip);
  SimulatedFileSystem files;
  for (size_t size = 0; size <= plain.size(); ++size) {
    files.put("f", plain.substr(0, size));
    const RecordsRead read = drain(files, "f", Compression::none);
    INFO(size);
    CHECK(read.records == Records(records.begin(), records.begin() + static_cast<ptrdiff_t>(size / 24)));
    CHECK(read.failure.code() == (size % 24 == 0 ? Code::ok : Code::data_loss));
  }
  for (size_t size = 1; size < gzip.size(); ++size) {
    files.put("f", gzip.substr(0, size));
    const RecordsRead read = drain(files, "f", Compression::gzip);
    INFO(size);
    CHECK(read.failure.code() == Code::data_loss);
    CHECK(std::equal(read.records.begin(), read.records.end(), records.begin()));
  }
}

TEST_CASE("tfrecord: any flipped bit is data_loss and loses nothing before it") {
  // All different, so that damaged compression can't repeat a whole record, checksum and all.
  const Records records{"alpha beta!", "Gamma=Delta", "EPSILONZETA", "eta/thetaXY"};
  const std::string plain = written(records, Compression::none);
  const std::string gzip = written(records, Compression::gzip);
  SimulatedFileSystem files;
  for (size_t bit = 0; bit < 8 * plain.size(); ++bit) {
    std::string damaged = plain;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    files.put("f", damaged);
    const RecordsRead read = drain(files, "f", Compression::none);
    INFO(bit);
    CHECK(read.records == Records(records.begin(), records.begin() + static_cast<ptrdiff_t>(bit / 8 / 27)));
    CHECK(read.failure.code() == Code::data_loss);
  }
  size_t undetected = 0;
  for (size_t bit = 0; bit < 8 * gzip.size(); ++bit) {
    std::string damaged = gzip;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    files.put("f", damaged);
    const RecordsRead read = drain(files, "f", Compression::gzip);
    INFO(bit);
    // Nothing guards a gzip header's time, level and system, nor the padding bits of the last byte.
    if (read.failure.ok()) {
      CHECK(read.records == records);
      ++undetected;
    } else {
      CHECK(read.failure.code() == Code::data_loss);
    }
    CHECK(std::equal(read.records.begin(), read.records.end(), records.begin()));
  }
  CHECK(undetected <= 8 * 7 + 7);
}

TEST_CASE(
    "tfrecord: the limit lets a record of its size pass, and none that is longer, in each compression") {
  const Records records{"ab", std::string(100, 'a'), "", std::string(99, 'b')};
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
    SimulatedFileSystem files;
    files.put("f", written(records, compression));
    for (const uint64_t limit : {uint64_t{1}, uint64_t{2}, uint64_t{99}, uint64_t{100}, UINT64_MAX}) {
      auto reader = RecordReader::open(files, "f", compression, limit);
      REQUIRE(reader.ok());
      const RecordsRead read = drain(**reader);
      INFO("limit " << limit);
      const size_t good = limit < 2 ? 0 : limit < 100 ? 1 : 4;
      CHECK(read.records == Records(records.begin(), records.begin() + static_cast<ptrdiff_t>(good)));
      if (good == 4) {
        CHECK(read.failure.ok());
        continue;
      }
      REQUIRE(read.failure.code() == Code::resource_exhausted);
      const std::string found = "found one of " + std::to_string(records[good].size());
      CHECK(read.failure.error().message.find("the limit record_bytes") != std::string::npos);
      CHECK(read.failure.error().message.find(found) != std::string::npos);
      CHECK(read.failure.error().record == static_cast<int64_t>(good));
      CHECK(read.failure.error().offset == static_cast<int64_t>(good * 18));
      CHECK(read.failure.error().file == "f");
    }
  }
}

// A file that claims a record of 2^30 bytes, of which only `size` exist, and they compress well.
std::string claims_a_gigabyte(size_t size) {
  const std::string header("\0\0\0\x40\0\0\0\0\xcb\x61\xcc\x52", 12);
  return header + std::string(size, '\0');
}

TEST_CASE("tfrecord: a claim of 1 GiB is refused by default, and takes no memory where it is allowed") {
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    SimulatedFileSystem files;
    files.put("f", compressed(claims_a_gigabyte(1000), compression));
    CHECK(drain(files, "f", compression).failure.code() == Code::resource_exhausted);
    auto reader = RecordReader::open(files, "f", compression, uint64_t{1} << 30);
    REQUIRE(reader.ok());
    const RecordsRead read = drain(**reader);
    CHECK(read.failure.code() == Code::data_loss);
    CHECK(read.failure.error().message.find("truncated record") != std::string::npos);
  }
}

TEST_CASE("tfrecord: from each position the rest comes again") {
  Records records;
  for (size_t i = 0; i < 100; ++i)
    records.push_back(std::string(i * 97 % 3000, static_cast<char>('a' + i % 26)));
  for (Compression compression : {Compression::none, Compression::gzip}) {
    SimulatedFileSystem files;
    files.put("f", written(records, compression));
    auto reader = RecordReader::open(files, "f", compression);
    REQUIRE(reader.ok());
    std::vector<RecordPosition> positions{(*reader)->position()};
    RecordBatch batch;
    while (positions.size() <= records.size()) {
      REQUIRE((*reader)->next_batch(1, 1, batch).ok());
      positions.push_back((*reader)->position());
    }
    for (size_t step = 0; step <= records.size(); ++step) {
      const size_t at = step * 37 % (records.size() + 1);
      auto fresh = RecordReader::open(files, "f", compression);
      REQUIRE(fresh.ok());
      for (RecordReader* each : {reader->get(), fresh->get()}) {
        REQUIRE(each->seek(positions[at]).ok());
        CHECK(each->position().record == at);
        CHECK(drain(*each, 10).records ==
              Records(records.begin() + static_cast<ptrdiff_t>(at), records.end()));
      }
    }
  }
}

TEST_CASE("tfrecord: a position behind the end is an error, one at the end is not") {
  SimulatedFileSystem files;
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    files.put("f", written(numbered(5), compression));
    auto reader = RecordReader::open(files, "f", compression);
    REQUIRE(reader.ok());
    CHECK((*reader)->seek({5 * 24, 5}).ok());
    CHECK(drain(**reader).records.empty());
    const Status beyond = (*reader)->seek({5 * 24 + 1, 5});
    CHECK(beyond.code() == Code::data_loss);
    CHECK(beyond.error().file == "f");
    CHECK(drain(**reader).records.empty());
    CHECK((*reader)->seek({4 * 24, 4}).ok());
    CHECK(drain(**reader).records.size() == 1);
  }
}

TEST_CASE("tfrecord: the record number of an error counts from the file's beginning after a seek") {
  SimulatedFileSystem files;
  std::string bytes = written(numbered(5), Compression::none);
  bytes[3 * 24 + 13] ^= 1;
  files.put("f", bytes);
  auto reader = RecordReader::open(files, "f", Compression::none);
  REQUIRE(reader.ok());
  REQUIRE((*reader)->seek({24, 1}).ok());
  const RecordsRead read = drain(**reader);
  CHECK(read.records.size() == 2);
  CHECK(read.failure.error().record == 3);
  CHECK(read.failure.error().offset == 72);
}

TEST_CASE("tfrecord: a file that can't be read further gives its records up to there and its own error") {
  SimulatedFileSystem files;
  files.put("f", written(numbered(100), Compression::none));
  files.set_faults("f", {.read_error_offset = 500, .longest_read = 50});
  const RecordsRead read = drain(files, "f", Compression::none);
  CHECK(read.records == numbered(20));
  CHECK(read.failure.code() == Code::data_loss);
  CHECK(read.failure.error().message.find("planted fault") != std::string::npos);
  CHECK(read.failure.error().record == 20);
}

// What a reader gives that goes on after damage: the records, and offset and length of each damaged stretch.
struct Resynced {
  Records records;
  std::vector<std::pair<int64_t, std::string>> stretches;
};

Resynced resync(const std::string& bytes, size_t max_records, Compression compression = Compression::none) {
  SimulatedFileSystem files;
  files.put("f", compressed(bytes, compression));
  auto stream = open_stream(files, "f", compression);
  REQUIRE(stream.ok());
  RecordReader reader(*std::move(stream), 1000, OnCorrupt::resync);
  Resynced found;
  RecordBatch batch;
  for (;;) {
    batch.clear();
    const RecordPosition at = reader.position();
    // Going back to where it stands must change nothing.
    if (reader.goes_on()) REQUIRE(reader.seek(at).ok());
    const Status status = reader.next_batch(max_records, 1 << 20, batch);
    append(batch, found.records);
    if (!status.ok()) {
      CHECK(status.code() == Code::data_loss);
      const std::string& message = status.error().message;
      found.stretches.emplace_back(status.error().offset, message.substr(0, message.find(':')));
      CHECK(status.error().record == static_cast<int64_t>(found.records.size()));
    } else if (batch.records.empty()) {
      return found;
    }
  }
}

std::string stretch(size_t length) { return "damaged stretch of " + std::to_string(length) + " bytes"; }

TEST_CASE("tfrecord: resync loses only the record with a flipped byte, or the one that is cut") {
  const Records records{"", "a", "thirteen byte", std::string(300, 'q'), "", "the end"};
  const std::string plain = written(records, Compression::none);
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    for (const size_t max_records : {size_t{1}, size_t{1000}}) {
      size_t begin = 0;
      for (size_t i = 0; i < records.size(); ++i) {
        const size_t whole = records[i].size() + 16;
        Records rest = records;
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
        for (size_t at = begin; at < begin + whole; ++at) {
          INFO(at);
          std::string damaged = plain;
          damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
          const Resynced flipped = resync(damaged, max_records, compression);
          CHECK(flipped.records == rest);
          REQUIRE(flipped.stretches.size() == 1);
          CHECK(flipped.stretches[0] == std::pair(static_cast<int64_t>(begin), stretch(whole)));
          const Resynced cut = resync(plain.substr(0, at), max_records, compression);
          CHECK(cut.records == Records(records.begin(), records.begin() + static_cast<ptrdiff_t>(i)));
          REQUIRE(cut.stretches.size() == (at == begin ? 0 : 1));
          if (at > begin)
            CHECK(cut.stretches[0] == std::pair(static_cast<int64_t>(begin), stretch(at - begin)));
        }
        begin += whole;
      }
    }
  }
}

TEST_CASE("tfrecord: resync gives an error for each stretch, and passes over what looks like a header") {
  const std::string good = written({"good"}, Compression::none);
  // Its header is whole, its data is not.
  std::string header = written({"other"}, Compression::none);
  header[14] ^= 1;
  const std::string bytes = "x" + header + good + good + header.substr(0, 12) + "yz" + good + "end";
  const Resynced found = resync(bytes, 1000);
  CHECK(found.records == Records(3, "good"));
  REQUIRE(found.stretches.size() == 3);
  CHECK(found.stretches[0] == std::pair(int64_t{0}, stretch(22)));
  CHECK(found.stretches[1] == std::pair(int64_t{62}, stretch(14)));
  CHECK(found.stretches[2] == std::pair(int64_t{96}, stretch(3)));
}

TEST_CASE("tfrecord: resync takes nothing for records that lies inside of a damaged one") {
  const std::string inner = written({"inner one", "inner two"}, Compression::none);
  std::string damaged = written({inner}, Compression::none);
  // Of the data of its first record, so that the second one is whole.
  damaged[12 + 12] ^= 1;
  const std::string good = written({"good"}, Compression::none);
  for (const std::string& after : {good, std::string()}) {
    const Resynced found = resync(good + damaged + after, 1000);
    CHECK(found.records == Records(after.empty() ? 1 : 2, "good"));
    REQUIRE(found.stretches.size() == 1);
    CHECK(found.stretches[0] == std::pair(static_cast<int64_t>(good.size()), stretch(damaged.size())));
  }
  // Where its end is damaged, too, nothing tells whose the inner ones are.
  CHECK(resync(good + damaged + "x" + good, 1000).records == Records{"good", "inner two", "good"});
}

TEST_CASE("tfrecord: resync goes on over several blocks and read buffers") {
  Records records;
  for (size_t i = 0; i < 3000; ++i)
    records.push_back(std::string(i * 37 % 900, static_cast<char>('a' + i % 26)) + std::to_string(i));
  std::string bytes = written(records, Compression::none);
  Records rest;
  std::vector<std::pair<int64_t, std::string>> stretches;
  size_t begin = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t whole = records[i].size() + 16;
    if (i == 1023 || i == 1025 || i == 2500) {
      bytes[begin + 3] ^= 1;
      stretches.emplace_back(static_cast<int64_t>(begin), stretch(whole));
    } else {
      rest.push_back(records[i]);
    }
    begin += whole;
  }
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    const Resynced found = resync(bytes, 1024, compression);
    CHECK(found.records == rest);
    CHECK(found.stretches == stretches);
  }
}

// A header with the right checksum.
std::string header_of(uint64_t length) {
  std::string out(12, '\0');
  std::memcpy(out.data(), &length, 8);
  const uint32_t crc = mask_crc32c(crc32c(out.data(), 8));
  std::memcpy(out.data() + 8, &crc, 4);
  return out;
}

TEST_CASE("tfrecord: resync hashes a file a bounded number of times, whatever lengths it claims") {
  constexpr size_t kHeaders = 5000;
  const std::string good = written({"", ""}, Compression::none).substr(16);
  for (const bool with_records : {false, true}) {
    // Each header claims all bytes up to one of the last, or one more than the header before did.
    for (const bool growing : {false, true}) {
      INFO(with_records << growing);
      const size_t each = with_records ? 28 : 12;
      std::string bytes;
      for (size_t i = 0; i < kHeaders; ++i) {
        const size_t end = growing ? kHeaders * each / 2 + i * each / 3 : kHeaders * each + 50;
        if (with_records) bytes += good;
        const size_t begin = bytes.size() + 16;
        bytes += header_of(end > begin ? end - begin : 0);
      }
      bytes += std::string(100, 'x');
      SimulatedFileSystem files;
      files.put("f", bytes);
      auto stream = open_stream(files, "f", Compression::none);
      REQUIRE(stream.ok());
      RecordReader reader(*std::move(stream), 1 << 20, OnCorrupt::resync);
      size_t records = 0;
      RecordBatch batch;
      Status status;
      do {
        batch.clear();
        status = reader.next_batch(100, 1 << 20, batch);
        CHECK((status.ok() || status.code() == Code::data_loss));
        records += batch.records.size();
      } while (!status.ok() || !batch.records.empty());
      // A growing one may end where a record begins: then those inside of it are its own.
      if (with_records && !growing) CHECK(records == kHeaders);
      // One pass for the marks, one for the first damaged record, and two steps of 256 bytes for each header
      // that is tried.
      CHECK(reader.searched_bytes() <= 2 * bytes.size() + 3 * 512 * kHeaders);
    }
  }
}

TEST_CASE("tfrecord: the search for a record ends when it is cancelled") {
  SimulatedFileSystem files;
  files.put("f", std::string(200'000, 'x'));
  auto stream = open_stream(files, "f", Compression::none);
  REQUIRE(stream.ok());
  RecordReader reader(*std::move(stream), 1000, OnCorrupt::resync);
  const std::atomic<bool> cancelled = true;
  reader.stop_when(cancelled);
  RecordBatch batch;
  CHECK(reader.next_batch(10, 1000, batch).code() == Code::cancelled);
  CHECK(reader.position().offset < 200'000);
}

TEST_CASE("record writer: flush lets a reader see whole records") {
  for (Compression compression : {Compression::none, Compression::gzip, Compression::zlib, Compression::zstd,
                                  Compression::lz4, Compression::bz2, Compression::xz}) {
    SimulatedFileSystem files;
    auto writer = RecordWriter::create(files, "f", compression);
    REQUIRE(writer.ok());
    for (const std::string& record : numbered(3))
      REQUIRE((*writer)->write({record.data(), record.size()}).ok());
    CHECK(files.read_file("f", 1000)->empty());
    REQUIRE((*writer)->flush().ok());
    CHECK(drain(files, "f", compression).records == numbered(3));
  }
}

TEST_CASE("record writer: an error stays") {
  SimulatedFileSystem files;
  files.set_faults("f", {.append_error_offset = 100});
  auto writer = RecordWriter::create(files, "f", Compression::none);
  REQUIRE(writer.ok());
  const std::string record(200, 'a');
  CHECK((*writer)->write({record.data(), record.size()}).ok());
  CHECK((*writer)->flush().code() == Code::resource_exhausted);
  CHECK((*writer)->write({record.data(), 1}).code() == Code::resource_exhausted);
  CHECK((*writer)->close().code() == Code::resource_exhausted);
}

TEST_CASE("record writer: refuses what it can't write") {
  SimulatedFileSystem files;
  CHECK(RecordWriter::create(files, "f", Compression::automatic).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::gzip, 10).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::gzip, -2).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::none, 3).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::zstd, 23).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::lz4, 13).status().code() == Code::invalid_argument);
  CHECK(RecordWriter::create(files, "f", Compression::bz2, 0).status().code() == Code::invalid_argument);
}

}  // namespace
}  // namespace weir
