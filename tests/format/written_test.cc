// The files of written elements: what is written is read, from any row on; damage is refused; writers and
// readers meet.
#include <algorithm>
#include <cstring>

#include "format/crc32c.h"
#include "format/written_blocks.h"
#include "support/simulated_disk.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

const std::string kFolder = "a/written";

constexpr int64_t kNumbersInChunk = std::min<int64_t>(kChunkRows, kChunkBytes / sizeof(int64_t));

Tensor number(double value) { return Tensor::scalar<double>(value); }

Tensor counted_vector(int count) {
  Tensor out = Tensor::allocate(DType::int32, {count});
  for (int i = 0; i < count; ++i) out.as<int32_t>()[i] = 100 * count + i;
  return out;
}

Tensor strings_of(const std::vector<std::string_view>& values) {
  return Tensor::strings(values, {static_cast<int64_t>(values.size())});
}

// Numbers, strings, shapes that differ, empty ones, the highest rank.
std::vector<Components> mixed_rows(int count) {
  std::vector<Components> rows;
  for (int i = 0; i < count; ++i) {
    Tensor flag = Tensor::scalar<bool>(i % 3 == 0);
    Tensor high = Tensor::allocate(DType::uint8, {1, 1, 1, 2, 1, 1, 1, 1});
    high.data[0] = static_cast<uint8_t>(i);
    high.data[1] = 9;
    rows.push_back({number(i * 0.5), Tensor::string(std::string(static_cast<size_t>(i % 5), 'x')),
                    counted_vector(i < 20 ? 3 : i % 4),
                    strings_of(i % 2 == 0 ? std::vector<std::string_view>{"a", "bc"}
                                          : std::vector<std::string_view>{"d"}),
                    flag, high});
  }
  return rows;
}

const std::vector<Component> kMixed = {{DType::float64, Shape()},     {DType::string, Shape()},
                                       {DType::int32, {kUnknownDim}}, {DType::string, {kUnknownDim}},
                                       {DType::boolean, Shape()},     {DType::uint8, Shape::unknown_rank()}};

constexpr Compression kAll[] = {Compression::none, Compression::gzip, Compression::zlib, Compression::zstd,
                                Compression::lz4,  Compression::bz2,  Compression::xz};

std::vector<std::string> names_in(FileSystem& files) {
  auto names = files.list_folder(kFolder);
  REQUIRE(names.ok());
  return *names;
}

TEST_CASE("written: elements of all kinds come back from every row on") {
  for (const Compression compression : kAll) {
    SimulatedFileSystem files;
    const std::vector<Components> rows = mixed_rows(50);
    const std::vector<Components> first(rows.begin(), rows.begin() + 18);
    const std::vector<Components> second(rows.begin() + 18, rows.end());
    REQUIRE(write_blocks(files, kFolder, new_manifest(1, compression), kMixed,
                         {block_of(first), block_of(second)})
                .ok());
    for (size_t row = 0; row <= rows.size(); ++row) {
      auto read = read_rows(files, kFolder, kMixed, static_cast<int64_t>(row));
      REQUIRE(read.ok());
      CHECK(equal_rows(rows, *read, row));
    }
  }
}

TEST_CASE("written: many chunks in several shards keep their order") {
  SimulatedFileSystem files;
  std::vector<Block> blocks;
  constexpr int64_t kRows = 400'000;
  for (int64_t i = 0; i < kRows; i += 1000) blocks.push_back(block_of(i, i + 1000));
  REQUIRE(write_blocks(files, kFolder, new_manifest(3), kNumbers, blocks).ok());
  auto reader = open_folder(files, kFolder, kNumbers);
  REQUIRE(reader.ok());
  CHECK((*reader)->manifest().rows == kRows);
  CHECK((*reader)->manifest().shards[2].chunks >= 2);
  for (const int64_t start :
       {int64_t{0}, int64_t{65535}, int64_t{65536}, int64_t{262'143}, kRows - 1, kRows}) {
    (*reader)->seek(start);
    Block block;
    int64_t expected = start;
    for (;;) {
      auto got = (*reader)->next(1024, kMaxBlockBytes, block);
      REQUIRE(got.ok());
      if (*got == 0) break;
      for (int i = 0; i < *got; ++i) REQUIRE(*block.row(i)[0].as<int64_t>() == expected++);
    }
    CHECK(expected == kRows);
  }
}

TEST_CASE("written: failed rows are left out, and nothing at all can be written") {
  SimulatedFileSystem files;
  Block block = block_of(0, 4);
  block.fail_row(0, failure());
  block.fail_row(2, failure());
  REQUIRE(write_blocks(files, kFolder, new_manifest(), kNumbers, {block}).ok());
  auto read = read_rows(files, kFolder, kNumbers);
  REQUIRE(read.ok());
  REQUIRE(read->size() == 2);
  CHECK(*(*read)[1][0].as<int64_t>() == 3);

  REQUIRE(write_blocks(files, "empty", new_manifest(4), kNumbers, {}).ok());
  auto none = read_rows(files, "empty", kNumbers);
  REQUIRE(none.ok());
  CHECK(none->empty());
}

TEST_CASE("written: every flipped bit and every cut is an error that names file and offset") {
  for (const Compression compression : {Compression::none, Compression::zlib, Compression::zstd}) {
    SimulatedFileSystem files;
    REQUIRE(
        write_blocks(files, kFolder, new_manifest(1, compression), kMixed, {block_of(mixed_rows(3))}).ok());
    int tried = 0;
    for (const std::string& name : names_in(files)) {
      const std::string path = concat(kFolder, "/", name);
      auto read = files.read_file(path, 1 << 20);
      REQUIRE(read.ok());
      const auto refused = [&](const std::string& bytes) {
        files.put(path, bytes);
        const Status status = read_rows(files, kFolder, kMixed).status();
        ++tried;
        return status.code() == Code::data_loss && status.error().file == path &&
               (name == kManifestName || status.error().offset >= 0);
      };
      std::string bytes = *read;
      for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
        if (!refused(bytes)) FAIL_CHECK(name << ": bit " << bit << " may be flipped");
        bytes = *read;
      }
      for (size_t size = 0; size < bytes.size(); ++size) {
        if (!refused(bytes.substr(0, size))) FAIL_CHECK(name << " may be cut to " << size);
      }
      if (!refused(bytes + '\0')) FAIL_CHECK(name << " may be longer");
      files.put(path, bytes);
    }
    CHECK(tried > 5'000);
    CHECK(read_rows(files, kFolder, kMixed).ok());
  }
}

TEST_CASE("written: after a damaged chunk the next one follows") {
  SimulatedFileSystem files;
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 150'000; i += 1000) blocks.push_back(block_of(i, i + 1000));
  REQUIRE(write_blocks(files, kFolder, new_manifest(), kNumbers, blocks).ok());
  const std::string path = new_manifest().shard_name(kFolder, 0);
  auto bytes = files.read_file(path, 1 << 24);
  REQUIRE(bytes.ok());
  (*bytes)[bytes->size() / 2] ^= 1;
  files.put(path, *bytes);
  auto reader = open_folder(files, kFolder, kNumbers);
  REQUIRE(reader.ok());
  int64_t rows = 0;
  int errors = 0;
  for (Block block;;) {
    auto got = (*reader)->next(1024, kMaxBlockBytes, block);
    errors += got.ok() ? 0 : 1;
    if (got.ok() && *got == 0) break;
    for (int i = 0; got.ok() && i < *got; ++i, ++rows)
      REQUIRE(*block.row(i)[0].as<int64_t>() == (errors == 0 ? rows : rows + kNumbersInChunk));
  }
  CHECK(errors == 1);
  CHECK(rows == 150'000 - kNumbersInChunk);
}

TEST_CASE("written: a reader goes on with the old elements while they are replaced") {
  TemporaryFolder folder;
  FileSystem& files = local_file_system();
  const std::string path = folder.at("written");
  REQUIRE(write_blocks(files, path, new_manifest(), kNumbers, {block_of(0, 3)}).ok());
  auto old = open_folder(files, path, kNumbers);
  REQUIRE(old.ok());
  const WrittenManifest next = new_manifest(2, Compression::none, run_name(3, 4));
  REQUIRE(write_blocks(files, path, next, kNumbers, {block_of(7, 9)}).ok());
  Block block;
  CHECK(must((*old)->next(9, kMaxBlockBytes, block)) == 3);
  auto read = read_rows(files, path, kNumbers);
  REQUIRE(read.ok());
  CHECK(*(*read)[0][0].as<int64_t>() == 7);
  // The old files and the lock are gone.
  CHECK(must(files.list_folder(path)).size() == 3);
}

TEST_CASE("written: one writer at a time, and one that gives up leaves nothing") {
  TemporaryFolder folder;
  FileSystem& files = local_file_system();
  const std::string path = folder.at("written");
  auto first = WrittenWriter::begin(files, path, new_manifest(), kNumbers);
  REQUIRE(first.ok());
  REQUIRE((*first)->add(block_of(0, 5)).ok());
  const Status second =
      write_blocks(files, path, new_manifest(1, Compression::none, run_name(5, 5)), kNumbers, {});
  CHECK(second.code() == Code::unavailable);
  CHECK(read_rows(files, path, kNumbers).status().code() == Code::not_found);
  *first = nullptr;
  CHECK(!must(files.exists(path)));
  CHECK(write_blocks(files, path, new_manifest(), kNumbers, {block_of(0, 5)}).ok());
}

TEST_CASE("written: what a killed writer left is removed by the next") {
  SimulatedFileSystem files;
  files.put(concat(kFolder, "/", run_name(8, 8), "-00000.shard"), "half");
  files.put(concat(kFolder, "/manifest.tmp"), "half");
  files.put(concat(kFolder, "/notes.txt"), "mine");
  CHECK(read_manifest(files, kFolder).status().code() == Code::not_found);
  REQUIRE(write_blocks(files, kFolder, new_manifest(), kNumbers, {block_of(0, 5)}).ok());
  CHECK(names_in(files).size() == 3);
  CHECK(must(files.exists(concat(kFolder, "/notes.txt"))));
}

// Power fails at a step while elements are written over others, or where none were. Returns whether it did.
bool cut_at(bool over_others, int64_t step, SimulatedDisk::Survives survives, uint64_t seed) {
  CAPTURE(over_others, step, seed);
  SimulatedDisk disk;
  if (over_others) REQUIRE(write_blocks(disk, kFolder, new_manifest(), kNumbers, {block_of(0, 3)}).ok());
  disk.cut_power_at(disk.steps() + step);
  const WrittenManifest manifest = new_manifest(2, Compression::none, run_name(3, 4));
  const bool done = write_blocks(disk, kFolder, manifest, kNumbers, {block_of(10, 14)}).ok();
  const bool cut = !disk.list_folder(".").ok();
  disk.lose_power(survives, seed);
  auto read = read_rows(disk, kFolder, kNumbers);
  if (read.ok()) {
    const bool is_new = read->size() == 4 && *(*read)[0][0].as<int64_t>() == 10;
    const bool is_old = over_others && read->size() == 3 && *(*read)[0][0].as<int64_t>() == 0;
    REQUIRE((is_new || (is_old && !done)));
  } else {
    // Nothing was there, and nothing is.
    REQUIRE(read.status().code() == Code::not_found);
    REQUIRE((!over_others && !done));
  }
  const WrittenManifest again = new_manifest(1, Compression::none, run_name(5, 6));
  REQUIRE(write_blocks(disk, kFolder, again, kNumbers, {block_of(20, 22)}).ok());
  REQUIRE(read_rows(disk, kFolder, kNumbers)->size() == 2);
  REQUIRE(names_in(disk).size() == 2);
  return cut;
}

TEST_CASE("written: after a power failure at any step the folder holds the old elements or the new") {
  using Survives = SimulatedDisk::Survives;
  int64_t steps = 0;
  for (const bool over_others : {false, true}) {
    bool cut = true;
    for (int64_t step = 0; cut; ++step, ++steps) {
      cut = cut_at(over_others, step, Survives::nothing, 0);
      cut_at(over_others, step, Survives::everything, 0);
      for (uint64_t seed = 0; seed < 40; ++seed) cut_at(over_others, step, Survives::drawn, seed);
    }
  }
  CHECK(steps > 40);
}

TEST_CASE("written: a manifest of another version says so") {
  std::string bytes = new_manifest().bytes();
  bytes[8] = 9;
  const uint32_t crc = crc32c(bytes.data() + 24, bytes.size() - 24, crc32c(bytes.data(), 20));
  std::memcpy(bytes.data() + 20, &crc, sizeof crc);
  const Status status = WrittenManifest::parse(bytes, "m").status();
  CHECK(status.code() == Code::failed_precondition);
  CHECK(status.error().message.find("version 9") != std::string::npos);
}

}  // namespace
}  // namespace weir
