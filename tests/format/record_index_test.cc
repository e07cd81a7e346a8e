#include "format/record_index.h"

#include <catch2/catch_test_macros.hpp>

#include "format/csv_reader.h"
#include "format/text_lines.h"
#include "format/tfrecord.h"
#include "fs/remote_files.h"
#include "fs/wrapped_files.h"
#include "support/counting_store.h"
#include "support/simulated_files.h"
#include "support/tar_bytes.h"

namespace weir {
namespace {

const std::string kFile = "a.tfrecord";
const std::string kIndex = index_beside(kFile);

Result<RefPtr<RecordIndex>> open(FileSystem& files, const IndexedFormat& format = {}) {
  return RecordIndex::open(files, kFile, format, kIndex);
}
Result<RefPtr<RecordIndex>> make(FileSystem& files, const IndexedFormat& format = {}) {
  auto made = RecordIndex::make(files, kFile, format, nullptr);
  if (made.ok() && !(*made)->failure().ok()) return (*made)->failure();
  return made;
}

std::string read(FileSystem& files, const std::string& name) {
  auto bytes = files.read_file(name, 1 << 30);
  REQUIRE(bytes.ok());
  return *bytes;
}

void write(FileSystem& files, const std::string& name, const std::string& bytes) {
  auto file = files.create(name);
  REQUIRE(file.ok());
  REQUIRE((*file)->append({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}).ok());
  REQUIRE((*file)->close().ok());
}

// Records of these sizes, and where each begins, with the end.
std::vector<uint64_t> write_records(FileSystem& files, const std::vector<size_t>& sizes) {
  auto writer = RecordWriter::create(files, kFile, Compression::none);
  REQUIRE(writer.ok());
  std::vector<uint64_t> offsets = {0};
  for (size_t size : sizes) {
    const std::string record(size, static_cast<char>('a' + size % 26));
    REQUIRE((*writer)->write(Str(record)).ok());
    offsets.push_back(offsets.back() + size + 16);
  }
  REQUIRE((*writer)->close().ok());
  return offsets;
}

std::vector<uint64_t> all_offsets(RecordIndex& index) {
  std::vector<uint64_t> out;
  REQUIRE(index.offsets(0, index.count(), out).ok());
  return out;
}

// Short ones, long ones that are stepped over, and both in turns.
std::vector<size_t> some_sizes() {
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 1100; ++i) sizes.push_back(i % 37);
  for (size_t i = 0; i < 9; ++i) sizes.push_back(i % 2 == 0 ? 300000 + i : i);
  for (size_t i = 0; i < 30; ++i) sizes.push_back(8000 * (i % 3));
  return sizes;
}

TEST_CASE("an index knows where each record begins, made or kept") {
  for (const std::vector<size_t>& sizes : {some_sizes(),
                                           std::vector<size_t>{},
                                           std::vector<size_t>{0},
                                           {5},
                                           std::vector<size_t>(511, 1),
                                           std::vector<size_t>(512, 1),
                                           std::vector<size_t>(1024, 1)}) {
    SimulatedFileSystem files;
    const std::vector<uint64_t> offsets = write_records(files, sizes);
    auto made = make(files);
    REQUIRE(made.ok());
    CHECK((*made)->count() == static_cast<int64_t>(sizes.size()));
    CHECK(all_offsets(**made) == offsets);
    auto none = open(files);
    REQUIRE(none.ok());
    CHECK(*none == nullptr);
    REQUIRE((*made)->save(files, kIndex).ok());
    auto kept = open(files);
    REQUIRE((kept.ok() && *kept));
    CHECK((*kept)->count() == static_cast<int64_t>(sizes.size()));
    CHECK(all_offsets(**kept) == offsets);
    std::vector<uint64_t> part;
    for (int64_t first = 0; first < (*kept)->count(); first += 97) {
      const int64_t count = std::min<int64_t>(3, (*kept)->count() - first);
      REQUIRE((*kept)->offsets(first, count, part).ok());
      CHECK(part == std::vector<uint64_t>(offsets.begin() + first, offsets.begin() + first + count + 1));
    }
  }
}

TEST_CASE("an index of a remote file is made of parts that are asked for ahead, unless records are long") {
  const auto scan = [](std::string bytes, const IndexedFormat& format, int64_t count) {
    const auto store = make_ref<test::CountingStore>();
    store->files[kFile] = {std::move(bytes), "1"};
    RemoteFiles files(store, make_ref<BlockCache>());
    const auto made = make(files, format);
    REQUIRE(made.ok());
    CHECK((*made)->count() == count);
    CHECK(store->used_bytes <= store->files[kFile].bytes.size());
    return concat(store->used_ahead.load(), " ahead, ", store->used_last.load(), " last");
  };
  SimulatedFileSystem local;
  write_records(local, std::vector<size_t>(30, 400'001));
  CHECK(scan(read(local, kFile), {}, 30) == "9 ahead, 3 last");
  write_records(local, std::vector<size_t>(3, 5'000'001));
  CHECK(scan(read(local, kFile), {}, 3) == "0 ahead, 3 last");
  std::string archive;
  for (int i = 0; i < 30; ++i) archive += test::tar_member(concat("m", i, ".txt"), std::string(400'001, 'x'));
  CHECK(scan(archive + std::string(1024, 0), {.kind = IndexedFormat::Kind::elements}, 30) ==
        "9 ahead, 3 last");
}

TEST_CASE("an index of many pages, the later of them read as a whole, says the same in any order") {
  SimulatedFileSystem files;
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 10'001; ++i) sizes.push_back(i % 37);
  const std::vector<uint64_t> offsets = write_records(files, sizes);
  auto made = make(files);
  REQUIRE(made.ok());
  REQUIRE((*made)->save(files, kIndex).ok());
  auto kept = open(files);
  REQUIRE((kept.ok() && *kept));
  std::vector<uint64_t> found;
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t first = i * 7919 % 10'001;
    REQUIRE((*kept)->offsets(first, 1, found).ok());
    const auto at = static_cast<size_t>(first);
    CHECK(found == std::vector<uint64_t>{offsets[at], offsets[at + 1]});
  }
  CHECK(all_offsets(**kept) == offsets);
}

TEST_CASE("an index belongs to one state of its file") {
  SimulatedFileSystem files;
  write_records(files, {3, 4, 5});
  auto index = make(files);
  REQUIRE((index.ok() && (*index)->save(files, kIndex).ok()));
  const std::string kept = read(files, kIndex);
  write_records(files, {3, 4, 5, 6});
  write(files, kIndex, kept);
  auto opened = open(files);
  REQUIRE(opened.ok());
  CHECK(*opened == nullptr);
}

// Files that have these versions by what stat and opening say, and no time of change.
class Versioned final : public WrappedFiles {
 public:
  explicit Versioned(FileSystem& files) : WrappedFiles(files) {}

  Result<FileInfo> stat(const std::string& name) override {
    WEIR_ASSIGN(FileInfo info, WrappedFiles::stat(name));
    info.modified_ns = modified_ns;
    info.version = stated;
    return info;
  }
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    WEIR_ASSIGN(RefPtr<RandomAccessFile> file, WrappedFiles::do_open(name));
    return RefPtr<RandomAccessFile>(make_ref<File>(std::move(file), opened));
  }

  int64_t modified_ns = 0;
  std::string stated;
  std::string opened;

 private:
  class File final : public RandomAccessFile {
   public:
    File(RefPtr<RandomAccessFile> file, std::string version)
        : RandomAccessFile(file->name()), file_(std::move(file)), version_(std::move(version)) {}
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      return file_->do_read_at(offset, out);
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }
    Result<FileInfo> do_info() override {
      WEIR_ASSIGN(FileInfo info, file_->do_info());
      info.version = version_;
      return info;
    }

   private:
    const RefPtr<RandomAccessFile> file_;
    const std::string version_;
  };
};

TEST_CASE("an index belongs to one version of its file, by whichever name a server calls it") {
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    SimulatedFileSystem memory;
    Versioned files(memory);
    const IndexedFormat format{.compression = compression};
    auto writer = RecordWriter::create(files, kFile, compression);
    REQUIRE((writer.ok() && (*writer)->write(Str("abc")).ok() && (*writer)->write(Str("d")).ok()));
    REQUIRE((*writer)->close().ok());
    const auto kept = [&](const char* stated, const char* opened) {
      files.stated = stated;
      files.opened = opened;
      auto index = open(files, format);
      REQUIRE(index.ok());
      if (*index) CHECK((*index)->file().version == (*opened ? opened : stated));
      return *index != nullptr;
    };
    for (const auto& [stated, opened] : {std::pair("v1", "v1"), {"", "v1"}, {"v1", ""}, {"w1", "v1"}}) {
      files.stated = stated;
      files.opened = opened;
      auto made = make(files, format);
      REQUIRE((made.ok() && (*made)->save(files, kIndex).ok()));
      CHECK(kept(stated, opened));
      CHECK(kept("v1", "v1"));
      CHECK_FALSE(kept("v2", "v2"));
      CHECK_FALSE(kept("", "v2"));
      CHECK_FALSE(kept("v2", ""));
      CHECK_FALSE(kept("", ""));
      files.modified_ns = 5;
      CHECK_FALSE(kept("v1", "v1"));
      files.modified_ns = 0;
    }
  }
}

TEST_CASE("an index of a file of which neither time nor version is known is not kept") {
  SimulatedFileSystem memory;
  Versioned files(memory);
  write_records(files, {3, 4});
  auto made = make(files);
  REQUIRE(made.ok());
  CHECK((*made)->save(files, kIndex).code() == Code::failed_precondition);
  CHECK((*open(files)) == nullptr);
}

TEST_CASE("a header with a changed bit, or another size, is none; offsets are taken as they stand") {
  SimulatedFileSystem files;
  write_records(files, {3, 4, 5});
  auto index = make(files);
  REQUIRE((index.ok() && (*index)->save(files, kIndex).ok()));
  const std::string kept = read(files, kIndex);
  REQUIRE(kept.size() == 40 + 4 * 8);
  for (size_t bit = 0; bit < 8 * 40; ++bit) {
    std::string damaged = kept;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write(files, kIndex, damaged);
    auto opened = open(files);
    REQUIRE(opened.ok());
    CHECK(*opened == nullptr);
  }
  for (size_t size = 0; size <= kept.size() + 8; size += size < kept.size() ? 1 : 8) {
    write(files, kIndex, (kept + std::string(8, '\0')).substr(0, size));
    auto opened = open(files);
    REQUIRE(opened.ok());
    CHECK((*opened != nullptr) == (size == kept.size()));
  }
}

TEST_CASE("no index is made of a damaged file") {
  SimulatedFileSystem files;
  const std::vector<uint64_t> offsets = write_records(files, {3, 400000, 5});
  const std::string bytes = read(files, kFile);
  for (size_t size = 1; size < bytes.size();
       size = size < 40 || size + 40 > bytes.size() ? size + 1 : size + 99991) {
    if (size == offsets[1] || size == offsets[2]) continue;
    write(files, kFile, bytes.substr(0, size));
    auto made = make(files);
    INFO(size);
    REQUIRE(made.status().code() == Code::data_loss);
    CHECK(made.status().error().record == (size < offsets[1] ? 0 : size < offsets[2] ? 1 : 2));
    CHECK(made.status().error().offset == static_cast<int64_t>(size < offsets[1]   ? 0
                                                               : size < offsets[2] ? offsets[1]
                                                                                   : offsets[2]));
  }
  for (int byte = 0; byte < 12; ++byte) {
    std::string damaged = bytes;
    damaged[offsets[1] + static_cast<size_t>(byte)] ^= 1;
    write(files, kFile, damaged);
    CHECK(make(files).status().code() == Code::data_loss);
  }
  std::atomic<bool> cancelled{true};
  write(files, kFile, bytes);
  CHECK(RecordIndex::make(files, kFile, IndexedFormat(), &cancelled).status().code() == Code::cancelled);
  CHECK(RecordIndex::make(files, "nowhere", IndexedFormat(), nullptr).status().code() == Code::not_found);
}

constexpr IndexedFormat kLines{.kind = IndexedFormat::Kind::lines};

IndexedFormat rows(bool header, bool quotes, char delimiter = ',') {
  return {.kind = IndexedFormat::Kind::rows, .header = header, .quotes = quotes, .delimiter = delimiter};
}

// Where the lines begin that are read one after another, and where the last one ends.
std::vector<uint64_t> line_offsets(FileSystem& files) {
  auto stream = open_stream(files, kFile, Compression::none);
  REQUIRE(stream.ok());
  LineReader reader(*std::move(stream));
  std::vector<uint64_t> out;
  for (RecordBatch batch;; batch.clear()) {
    out.push_back(reader.position().offset);
    REQUIRE(reader.next_batch(1, 1, batch).ok());
    if (batch.records.empty()) return out;
  }
}

// The same of rows; nothing if the header has a mistake. A header is passed over with the first row, whose
// offset is UINT64_MAX then.
std::vector<uint64_t> row_offsets(FileSystem& files, const IndexedFormat& format) {
  auto stream = open_stream(files, kFile, Compression::none);
  REQUIRE(stream.ok());
  CsvFormat table;
  table.columns = {{DType::string, {}}};
  table.select = {0};
  table.header = format.header;
  table.quotes = format.quotes;
  table.delimiter = format.delimiter;
  CsvReader reader(*std::move(stream), table);
  std::vector<uint64_t> out;
  for (Block block;;) {
    const RecordPosition before = reader.position();
    if (!reader.next_batch(1, 1, block).ok()) return {};
    // A mistake in the header is a row of its own.
    if (block.rows > 0 && reader.position().record == out.size()) return {};
    out.push_back(block.rows == 0                       ? reader.position().offset
                  : format.header && before.offset == 0 ? UINT64_MAX
                                                        : before.offset);
    if (block.rows == 0) return out;
  }
}

// All texts of up to `length` of these bytes.
template <class Do>
void each_text(std::string_view letters, size_t length, Do what) {
  std::vector<std::string> texts = {""};
  for (size_t size = 0; size <= length; ++size) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      what(text);
      for (const char letter : letters) longer.push_back(text + letter);
    }
    texts.swap(longer);
  }
}

TEST_CASE("an index of lines has the lines that are read one after another") {
  SimulatedFileSystem files;
  each_text("a\r\n", 7, [&](const std::string& text) {
    write(files, kFile, text);
    auto index = make(files, kLines);
    REQUIRE(index.ok());
    INFO(text);
    // What ends no line behind the last one is passed over by the reader as well.
    CHECK(all_offsets(**index) == line_offsets(files));
  });
  // Longer than what is read at once, with the ends of lines around that.
  for (const size_t size : {262143u, 262144u, 262145u, 600000u}) {
    for (const char* end : {"", "\n", "\r\n", "\n\r", "\nb"}) {
      write(files, kFile, std::string(size, 'x') + end);
      auto index = make(files, kLines);
      REQUIRE(index.ok());
      CHECK(all_offsets(**index) == line_offsets(files));
    }
  }
}

TEST_CASE("an index of rows has the rows that are read one after another") {
  SimulatedFileSystem files;
  for (const IndexedFormat& format : {rows(false, true), rows(false, false), rows(true, true),
                                      rows(true, false), rows(false, false, '"')}) {
    each_text("a,\"\r\n", 6, [&](const std::string& text) {
      write(files, kFile, text);
      auto index = make(files, format);
      INFO(text << " " << format.number());
      const std::vector<uint64_t> expected = row_offsets(files, format);
      REQUIRE(index.ok() == !expected.empty());
      if (!index.ok()) {
        CHECK(index.status().code() == Code::invalid_argument);
        return;
      }
      const std::vector<uint64_t> found = all_offsets(**index);
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) CHECK((expected[i] == UINT64_MAX || found[i] == expected[i]));
    });
  }
  // A quoted field over several reads, and a mark before the header.
  const std::string field = "\"" + std::string(300000, '\n') + "\"";
  write(files, kFile, "\xef\xbb\xbf\"a\nb\"\r\n" + field + "\r\n1\r2\n3");
  auto index = make(files, rows(true, true));
  REQUIRE(index.ok());
  CHECK(all_offsets(**index) == std::vector<uint64_t>{10, 300014, 300016, 300018, 300019});
}

TEST_CASE("what is no text has no index of lines or rows, and an empty file no header") {
  SimulatedFileSystem files;
  write(files, kFile, std::string("\x1f\x8b\x08\x00\x00", 5));
  CHECK(make(files, kLines).status().code() == Code::invalid_argument);
  CHECK(make(files, rows(false, true)).status().code() == Code::invalid_argument);
  write(files, kFile, "");
  CHECK((*make(files, kLines))->count() == 0);
  CHECK((*make(files, rows(false, true)))->count() == 0);
  CHECK(make(files, rows(true, true)).status().code() == Code::invalid_argument);
  write(files, kFile, "a,b");
  CHECK((*make(files, rows(true, true)))->count() == 0);
}

TEST_CASE("an index of one format is none of another") {
  SimulatedFileSystem files;
  write(files, kFile, "a;b\n\"c\";d\n");
  const std::vector<IndexedFormat> formats = {IndexedFormat(),       kLines,
                                              rows(false, true),     rows(true, true),
                                              rows(false, false),    rows(true, false),
                                              rows(false, true, ';')};
  for (size_t made = 1; made < formats.size(); ++made) {
    REQUIRE((*make(files, formats[made]))->save(files, kIndex).ok());
    for (size_t opened = 0; opened < formats.size(); ++opened) {
      auto index = open(files, formats[opened]);
      REQUIRE(index.ok());
      CHECK((*index != nullptr) == (made == opened));
    }
  }
  // Without quotes the delimiter has no say in where rows begin.
  CHECK(rows(true, false, ';').number() == rows(true, false).number());
}

TEST_CASE("records of one length need no file") {
  const RefPtr<RecordIndex> index = RecordIndex::of_records(3, 5, 4);
  CHECK(index->count() == 4);
  CHECK(index->file_size() == 23);
  CHECK(all_offsets(*index) == std::vector<uint64_t>{3, 8, 13, 18, 23});
}

}  // namespace
}  // namespace weir
