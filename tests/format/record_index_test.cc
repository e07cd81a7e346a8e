#include "format/record_index.h"

#include <catch2/catch_test_macros.hpp>

#include "format/tfrecord.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

const std::string kFile = "a.tfrecord";
const std::string kIndex = kFile + std::string(kIndexSuffix);

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
    auto made = RecordIndex::make(files, kFile, nullptr);
    REQUIRE(made.ok());
    CHECK((*made)->count() == static_cast<int64_t>(sizes.size()));
    CHECK(all_offsets(**made) == offsets);
    auto none = RecordIndex::open(files, kFile);
    REQUIRE(none.ok());
    CHECK(*none == nullptr);
    REQUIRE((*made)->save(files, kFile).ok());
    auto kept = RecordIndex::open(files, kFile);
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

TEST_CASE("an index of many pages, the later of them read as a whole, says the same in any order") {
  SimulatedFileSystem files;
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 10'001; ++i) sizes.push_back(i % 37);
  const std::vector<uint64_t> offsets = write_records(files, sizes);
  auto made = RecordIndex::make(files, kFile, nullptr);
  REQUIRE(made.ok());
  REQUIRE((*made)->save(files, kFile).ok());
  auto kept = RecordIndex::open(files, kFile);
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
  auto index = RecordIndex::make(files, kFile, nullptr);
  REQUIRE((index.ok() && (*index)->save(files, kFile).ok()));
  const std::string kept = read(files, kIndex);
  write_records(files, {3, 4, 5, 6});
  write(files, kIndex, kept);
  auto opened = RecordIndex::open(files, kFile);
  REQUIRE(opened.ok());
  CHECK(*opened == nullptr);
}

TEST_CASE("a header with a changed bit, or another size, is none; offsets are taken as they stand") {
  SimulatedFileSystem files;
  write_records(files, {3, 4, 5});
  auto index = RecordIndex::make(files, kFile, nullptr);
  REQUIRE((index.ok() && (*index)->save(files, kFile).ok()));
  const std::string kept = read(files, kIndex);
  REQUIRE(kept.size() == 40 + 4 * 8);
  for (size_t bit = 0; bit < 8 * 40; ++bit) {
    std::string damaged = kept;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write(files, kIndex, damaged);
    auto opened = RecordIndex::open(files, kFile);
    REQUIRE(opened.ok());
    CHECK(*opened == nullptr);
  }
  for (size_t size = 0; size <= kept.size() + 8; size += size < kept.size() ? 1 : 8) {
    write(files, kIndex, (kept + std::string(8, '\0')).substr(0, size));
    auto opened = RecordIndex::open(files, kFile);
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
    auto made = RecordIndex::make(files, kFile, nullptr);
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
    CHECK(RecordIndex::make(files, kFile, nullptr).status().code() == Code::data_loss);
  }
  std::atomic<bool> cancelled{true};
  write(files, kFile, bytes);
  CHECK(RecordIndex::make(files, kFile, &cancelled).status().code() == Code::cancelled);
  CHECK(RecordIndex::make(files, "nowhere", nullptr).status().code() == Code::not_found);
}

}  // namespace
}  // namespace weir
