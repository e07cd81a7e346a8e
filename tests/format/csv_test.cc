#include <catch2/catch_test_macros.hpp>
#include <charconv>
#include <cmath>

#include "deflated.h"
#include "format/csv_reader.h"
#include "format/parse_number.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

// The header has 10 bytes and its line end.
const std::string kTable =
    "id,\"na\rme\"\r\n1,\"a,\"\"b\"\"\"\n2,plain\r\n3,\"two\r\nlines\"\r4,\n\"5\",\"\"\n6,\"x\"y\"\nseven,8\n\n9,a\"b,\n"
    "10,\"last";

CsvFormat format_of(bool header = true) {
  CsvFormat format;
  format.columns.resize(2);
  format.columns[0].dtype = DType::int64;
  format.columns[1].dtype = DType::string;
  const std::string_view none = "none";
  format.columns[1].fallback = Tensor::strings({&none, 1}, Shape());
  format.header = header;
  return format;
}

struct Read {
  std::vector<std::string> rows;
  Status failure;
  // Where each batch ended.
  std::vector<RecordPosition> positions;
};

// Rows as "1|text", failed ones as "error".
void append(const Block& block, std::vector<std::string>& out) {
  for (int row = 0; row < block.rows; ++row) {
    if (block.failed(row)) {
      out.push_back("error");
      continue;
    }
    const Str text = block.columns[1].tensor().as<Str>()[row];
    out.push_back(std::to_string(block.columns[0].tensor().as<int64_t>()[row]) + "|" +
                  std::string(text.view()));
  }
}

Read drain(CsvReader& reader, size_t max_rows = 1000) {
  Read read;
  // Views must stay valid while the reader goes on.
  std::vector<Block> blocks;
  for (;;) {
    Block block;
    const Status status = reader.next_batch(max_rows, 1 << 20, block);
    if (!status.ok()) {
      CHECK(block.rows == 0);
      CHECK(read.failure.ok());
      read.failure = status;
    } else if (block.rows == 0) {
      break;
    }
    read.positions.push_back(reader.position());
    blocks.push_back(std::move(block));
  }
  for (const Block& block : blocks) append(block, read.rows);
  return read;
}

CsvReader open(SimulatedFileSystem& files, const std::string& bytes, size_t block_bytes = kBlockBytes,
               uint64_t limit = kRecordBytesLimit, Compression compression = Compression::none) {
  files.put("f", bytes);
  auto stream = open_stream(files, "f", compression);
  REQUIRE(stream.ok());
  return CsvReader(*std::move(stream), format_of(), limit, block_bytes);
}

Read read_all(const std::string& bytes, size_t block_bytes = kBlockBytes, size_t max_rows = 1000) {
  SimulatedFileSystem files;
  CsvReader reader = open(files, bytes, block_bytes);
  return drain(reader, max_rows);
}

const std::vector<std::string> kRows = {"1|a,\"b\"", "2|plain", "3|two\r\nlines", "4|none", "5|none",
                                        "error",     "error",   "error",          "error",  "error"};

TEST_CASE("csv: rows are the same wherever buffers end") {
  for (size_t block_bytes = 1; block_bytes <= kTable.size() + 1; ++block_bytes) {
    INFO(block_bytes);
    for (size_t max_rows : {1, 2, 1000}) {
      const Read read = read_all(kTable, block_bytes, max_rows);
      CHECK(read.rows == kRows);
      CHECK(read.failure.ok());
    }
  }
}

TEST_CASE("csv: every position leads to the rows that follow") {
  for (const bool gzip : {false, true}) {
    const std::string bytes = gzip ? deflated(kTable, Compression::gzip) : kTable;
    const Compression compression = gzip ? Compression::gzip : Compression::none;
    SimulatedFileSystem files;
    CsvReader reader = open(files, bytes, 7, kRecordBytesLimit, compression);
    const Read all = drain(reader, 1);
    REQUIRE(all.rows.size() == kRows.size());
    for (size_t i = 0; i < all.rows.size(); ++i) {
      INFO(i);
      CHECK(all.positions[i].record == i + 1);
      REQUIRE(reader.seek(all.positions[i]).ok());
      const Read rest = drain(reader, 3);
      CHECK(rest.rows ==
            std::vector<std::string>(all.rows.begin() + static_cast<ptrdiff_t>(i) + 1, all.rows.end()));
    }
    CHECK(reader.seek({kTable.size() + 1, 3}).code() == Code::data_loss);
  }
}

TEST_CASE("csv: a row longer than the limit") {
  const std::string text = "h\n1,abc\n2,abcdefgh\n3,a\n";
  for (size_t block_bytes : {1, 5, 1000}) {
    INFO(block_bytes);
    for (const auto& [limit, rows] : {std::pair<uint64_t, size_t>{11, 3}, {10, 1}}) {
      SimulatedFileSystem files;
      CsvReader reader = open(files, text, block_bytes, limit);
      const Read read = drain(reader);
      CHECK(read.rows.size() == rows);
      CHECK((read.failure.code() == Code::resource_exhausted) == (rows == 1));
    }
  }
  // One that never ends is not read to its end.
  SimulatedFileSystem files;
  CsvReader reader = open(files, "h\n1,\"" + std::string(100000, 'x'), 16, 1000);
  CHECK(drain(reader).failure.code() == Code::resource_exhausted);
  CHECK(reader.position().record == 0);
}

TEST_CASE("csv: damage of every byte and cuts at every length") {
  for (size_t at = 0; at < kTable.size(); ++at) {
    for (const char byte : {'"', ',', '\r', '\n', 'x', '\0'}) {
      std::string damaged = kTable;
      damaged[at] = byte;
      INFO(at << " " << static_cast<int>(byte));
      const Read whole = read_all(damaged);
      CHECK(whole.failure.ok());
      CHECK(read_all(damaged, 3, 2).rows == whole.rows);
    }
    const Read cut = read_all(kTable.substr(0, at), 5);
    // Only a header that is not there fails the file.
    CHECK(cut.failure.ok() == (at != 0));
    CHECK(cut.rows.size() <= kRows.size());
  }
}

TEST_CASE("csv: damaged and cut gzip files give rows, then one error") {
  const std::string bytes = deflated(kTable, Compression::gzip);
  for (size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    SimulatedFileSystem files;
    CsvReader reader = open(files, bytes.substr(0, size), kBlockBytes, kRecordBytesLimit, Compression::gzip);
    const Read read = drain(reader);
    CHECK(read.failure.code() == (size == 0 ? Code::invalid_argument : Code::data_loss));
    CHECK(read.rows.size() <= kRows.size());
  }
}

TEST_CASE("numbers: what is one and what is none") {
  const auto real = [](const char* text) {
    double value = -7;
    return parse_number<double>(text, value) ? value : -77;
  };
  CHECK(real(" +1.5e3\t") == 1500);
  CHECK(real("-.5") == -0.5);
  CHECK(real("5.") == 5);
  CHECK(std::isinf(real("1e999999999999999999999")));
  CHECK(std::isinf(real("123456789e301")));
  CHECK(real("0.000e999999999") == 0);
  CHECK(real("0.0001e-999999999") == 0);
  CHECK(std::isinf(real("0.0001e320")));
  CHECK(std::signbit(real("-1e-999")));
  CHECK(std::isnan(real("NaN")));
  CHECK(std::isinf(real("-INF")));
  CHECK(std::isinf(real("infinity")));
  CHECK(real("-0x1F") == -31);
  for (const char* text : {"", " ", "+", "-", ".", "e5", "1e", "1 2", "--1", "+-1", "-+1", "nan()", "infinit",
                           "1,5", "0x", "0x1.8"}) {
    INFO(text);
    CHECK(real(text) == -77);
  }
  const auto whole = [](const char* text) {
    int32_t value = -7;
    return parse_number<int32_t>(text, value) ? value : -77;
  };
  CHECK(whole(" +2147483647 ") == 2147483647);
  CHECK(whole("-2147483648") == -2147483647 - 1);
  for (const char* text : {"", "2147483648", "-2147483649", "1.0", "+-1", "- 1", "1e3", "0x1"}) {
    INFO(text);
    CHECK(whole(text) == -77);
  }
}

TEST_CASE("numbers: short ones are read as from_chars reads them") {
  // Every text of up to eight of these bytes would take long; each place has each byte in turn.
  const std::string bytes = "0123456789.-+/:e \xb0";
  uint64_t state = 1;
  int64_t numbers = 0;
  for (int i = 0; i < 400000; ++i) {
    std::string text;
    state = state * 6364136223846793005 + 1442695040888963407;
    uint64_t draw = state >> 11;
    const size_t size = 1 + draw % 10;
    // Mostly digits, else hardly any would be a number.
    const bool digits = (draw / 16) % 4 != 0;
    for (size_t k = 0; k < size; ++k) {
      state = state * 6364136223846793005 + 1442695040888963407;
      draw = state >> 33;
      text += bytes[draw % (digits ? (k == size / 2 ? 11 : 10) : bytes.size())];
    }
    CAPTURE(text);
    const bool signs = text.find_first_of("+ ") != std::string::npos;
    if (signs) continue;
    const auto same = [&]<class T>(T) {
      T expected{};
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
      const bool is_number = error == std::errc() && end == text.data() + text.size();
      if (error == std::errc::result_out_of_range && std::is_floating_point_v<T>) return;
      T value{};
      const bool found = parse_number<T>(text, value);
      if (found != is_number || (found && value != expected)) FAIL(value << " " << expected);
      numbers += found;
    };
    same(int64_t{});
    same(int32_t{});
    same(double{});
    same(float{});
  }
  CHECK(numbers > 400000);
}

}  // namespace
}  // namespace weir
