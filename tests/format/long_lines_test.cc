// What a line or row of record_bytes takes while it is read: counted by the bytes that are written into
// buffers.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "deflated.h"
#include "format/csv_reader.h"
#include "format/text_lines.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr uint64_t kMost = uint64_t{24} << 20;

// What the buffers of one run hold: when it moves, what there was is in two of them.
struct Written {
  const uint8_t* next = nullptr;
  uint64_t bytes = 0;
  uint64_t most = 0;
};

// Counts what is read of another stream.
class Counted final : public ByteStream {
 public:
  Counted(std::unique_ptr<ByteStream> stream, Written* written)
      : stream_(std::move(stream)), written_(*written) {}

  Result<size_t> read(std::span<uint8_t> out) override {
    if (out.data() != written_.next) written_.most = std::max(written_.most, 2 * written_.bytes);
    Result<size_t> got = stream_->read(out);
    if (!got.ok()) return got;
    written_.next = out.data() + *got;
    written_.bytes += *got;
    written_.most = std::max(written_.most, written_.bytes);
    return got;
  }
  Status seek(uint64_t offset) override { return stream_->seek(offset); }
  const std::string& file() const override { return stream_->file(); }

 private:
  const std::unique_ptr<ByteStream> stream_;
  Written& written_;
};

uint64_t most_for_line(std::unique_ptr<ByteStream> stream) {
  Written written;
  LineReader reader(std::make_unique<Counted>(std::move(stream), &written), kMost);
  RecordBatch batch;
  REQUIRE(reader.next_batch(1, 1, batch).ok());
  REQUIRE(batch.records.size() == 1);
  CHECK(batch.records[0].size == kMost);
  return written.most;
}

uint64_t most_for_row(std::unique_ptr<ByteStream> stream) {
  Written written;
  CsvFormat format;
  format.columns.resize(1);
  format.columns[0].dtype = DType::string;
  CsvReader reader(std::make_unique<Counted>(std::move(stream), &written), format, kMost + 1);
  Block rows;
  REQUIRE(reader.next_batch(1, 1, rows).ok());
  REQUIRE(rows.value_rows() == 1);
  CHECK(rows.columns[0].tensor().as<Str>()->size == kMost);
  return written.most;
}

TEST_CASE("a line or row of record_bytes takes little more than its bytes") {
  const std::string lines = std::string(kMost, 'a') + "\nb\n";
  SimulatedFileSystem files;
  files.put("plain", lines);
  files.put("packed", deflated(lines, Compression::gzip, 1));
  for (const auto& [name, compression] :
       {std::pair("plain", Compression::none), std::pair("packed", Compression::gzip)}) {
    INFO(name);
    const auto open = [&] {
      Result<std::unique_ptr<ByteStream>> stream = open_stream(files, name, compression);
      REQUIRE(stream.ok());
      return *std::move(stream);
    };
    CHECK(most_for_line(open()) <= kMost + kMost / 5);
    CHECK(most_for_row(open()) <= kMost + kMost / 5);
  }
}

}  // namespace
}  // namespace weir
