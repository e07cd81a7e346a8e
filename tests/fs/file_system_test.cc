#include "fs/file_system.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "fs/bytes_of.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

FileSystem& files() { return local_file_system(); }

void write(const std::string& name, std::string_view text) {
  auto file = files().create(name);
  REQUIRE(file.ok());
  REQUIRE((*file)->append(bytes_of(text)).ok());
  REQUIRE((*file)->close().ok());
}

std::string read(const std::string& name) {
  Result<std::string> text = files().read_file(name, 1 << 20);
  return text.ok() ? *text : "failed: " + text.status().error().message;
}

TEST_CASE("local files: what was appended is read at any place, nothing behind the end") {
  TemporaryFolder folder;
  const std::string name = folder.at("a");
  write(name, "0123456789");
  auto file = files().open(name);
  REQUIRE(file.ok());
  uint8_t out[8];
  CHECK(*(*file)->read_at(0, out) == 8);
  CHECK(*(*file)->read_at(4, out) == 6);
  CHECK(std::string(reinterpret_cast<char*>(out), 6) == "456789");
  CHECK(*(*file)->read_at(10, out) == 0);
  CHECK(*(*file)->read_at(UINT64_MAX, out) == 0);
  CHECK(*(*file)->size() == 10);
  CHECK((*file)->name() == name);
}

TEST_CASE("local files: a file that shrinks while it is read ends earlier") {
  TemporaryFolder folder;
  const std::string name = folder.at("a");
  write(name, "0123456789");
  auto file = files().open(name);
  REQUIRE(file.ok());
  REQUIRE(::truncate(name.c_str(), 3) == 0);
  uint8_t out[8];
  CHECK(*(*file)->read_at(0, out) == 3);
  CHECK(*(*file)->read_at(5, out) == 0);
}

TEST_CASE("local files: errors carry their code and the file, and say what to do") {
  TemporaryFolder folder;
  const auto code = [](const auto& result) { return result.status().code(); };
  const auto missing = files().open(folder.at("no"));
  CHECK(code(missing) == Code::not_found);
  CHECK(missing.status().error().file == folder.at("no"));
  CHECK(missing.status().error().message.find("No such file") != std::string::npos);
  CHECK(missing.status().error().message.find("check the path") != std::string::npos);
  write(folder.at("a"), "x");
  CHECK(code(files().open(folder.at("a/b"))) == Code::not_found);
  CHECK(code(files().open(folder.at(""))) == Code::invalid_argument);
  CHECK(code(files().open("")) == Code::not_found);
  CHECK(code(files().create("")) == Code::invalid_argument);
  CHECK(code(files().open(folder.at("a") + std::string(1, '\0'))) == Code::invalid_argument);
  CHECK(code(files().open(std::string(5000, 'x'))) == Code::invalid_argument);
  CHECK(code(files().create(folder.at("no/a"))) == Code::not_found);
  CHECK(code(files().create(folder.at(""))) == Code::invalid_argument);
  CHECK(code(files().list_folder(folder.at("no"))) == Code::not_found);
  CHECK(files().remove(folder.at("no")).code() == Code::not_found);
  if (::geteuid() != 0) {
    REQUIRE(::chmod(folder.at("a").c_str(), 0) == 0);
    CHECK(code(files().open(folder.at("a"))) == Code::permission_denied);
  }
}

TEST_CASE("local files: a named pipe is refused and nobody waits for it") {
  TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  CHECK(files().open(folder.at("pipe")).status().code() == Code::invalid_argument);
}

TEST_CASE("local files: read_file takes all or says that it is too much") {
  TemporaryFolder folder;
  write(folder.at("a"), "0123456789");
  CHECK(*files().read_file(folder.at("a"), 10) == "0123456789");
  CHECK(files().read_file(folder.at("a"), 9).status().code() == Code::resource_exhausted);
  CHECK(!files().read_file("/proc/self/status", 1 << 20)->empty());  // a file that says its size is 0
}

// Claims 4 TiB, and gives `size` bytes in reads of at most `longest`.
class Boaster final : public RandomAccessFile {
 public:
  Boaster(uint64_t size, size_t longest) : RandomAccessFile("boaster"), size_(size), longest_(longest) {}
  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    REQUIRE(out.size() <= std::max<uint64_t>(64 << 10, given_));
    const size_t got = std::min({out.size(), longest_, static_cast<size_t>(size_ - offset)});
    for (size_t i = 0; i < got; ++i) out[i] = static_cast<uint8_t>((offset + i) % 251);
    given_ += got;
    return got;
  }
  Result<uint64_t> do_size() override { return uint64_t{1} << 42; }

 private:
  const uint64_t size_;
  const size_t longest_;
  uint64_t given_ = 0;
};

TEST_CASE("reading up to a limit: memory grows with what was read, not with what a file says") {
  for (const size_t longest : {size_t{1000}, size_t{1} << 20}) {
    for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{65'536}, uint64_t{300'001}}) {
      for (const uint64_t limit : {uint64_t{0}, uint64_t{1}, size, size + 1, UINT64_MAX}) {
        Boaster file(size, longest);
        const Result<std::string> bytes = read_up_to(file, 0, limit);
        REQUIRE(bytes.ok());
        REQUIRE(bytes->size() == std::min(size, limit));
        bool same = true;
        for (size_t i = 0; i < bytes->size(); ++i)
          same = same && static_cast<uint8_t>((*bytes)[i]) == i % 251;
        CHECK(same);
      }
    }
  }
  Boaster file(100, 7);
  CHECK(read_up_to(file, 40, 20)->front() == 40);
  CHECK(read_up_to(file, 40, 20)->size() == 20);
  CHECK(read_up_to(file, 90, 20)->size() == 10);
}

TEST_CASE("local files: stat, exists and remove") {
  TemporaryFolder folder;
  write(folder.at("a"), "123");
  CHECK(files().stat(folder.at("a"))->size == 3);
  CHECK(!files().stat(folder.at("a"))->is_folder);
  CHECK(files().stat(folder.at("a"))->modified_ns > 0);
  CHECK(files().stat(folder.at("."))->is_folder);
  CHECK(*files().exists(folder.at("a")));
  CHECK(files().remove(folder.at("a")).ok());
  CHECK(!*files().exists(folder.at("a")));
}

TEST_CASE("local files: folders are made with those above them, and may be there") {
  TemporaryFolder folder;
  CHECK(files().create_folders(folder.at("x/y/z")).ok());
  CHECK(files().create_folders(folder.at("x/y/z/")).ok());
  CHECK(files().stat(folder.at("x/y/z"))->is_folder);
  write(folder.at("file"), "");
  CHECK(!files().create_folders(folder.at("file/z")).ok());
}

TEST_CASE("atomic writing: replaces the file and leaves nothing beside it") {
  TemporaryFolder folder;
  const std::string name = folder.at("ckpt");
  CHECK(files().write_file_atomically(name, bytes_of("one")).ok());
  CHECK(read(name) == "one");
  CHECK(files().write_file_atomically(name, bytes_of("two, longer")).ok());
  CHECK(read(name) == "two, longer");
  CHECK(files().write_file_atomically(name, {}).ok());
  CHECK(read(name).empty());
  CHECK(files().list_folder(folder.at("."))->size() == 1);
}

TEST_CASE("atomic writing: takes over what a killed writer left") {
  TemporaryFolder folder;
  write(folder.at("ckpt.tmp"), "half of something much longer than what comes now");
  CHECK(files().write_file_atomically(folder.at("ckpt"), bytes_of("whole")).ok());
  CHECK(read(folder.at("ckpt")) == "whole");
  CHECK(files().list_folder(folder.at("."))->size() == 1);
}

TEST_CASE("atomic writing: a failure leaves what was there") {
  TemporaryFolder folder;
  REQUIRE(files().create_folders(folder.at("taken/inside")).ok());
  CHECK(!files().write_file_atomically(folder.at("taken"), bytes_of("x")).ok());
  CHECK(*files().exists(folder.at("taken/inside")));
  CHECK(!*files().exists(folder.at("taken.tmp")));
  CHECK(files().write_file_atomically(folder.at("no/ckpt"), bytes_of("x")).code() == Code::not_found);
  CHECK(files().write_file_atomically("", bytes_of("x")).code() == Code::invalid_argument);
}

TEST_CASE("atomic writing: of several writers each leaves the file whole", "[threads]") {
  TemporaryFolder folder;
  const std::string name = folder.at("ckpt");
  std::vector<std::thread> writers;
  std::atomic<int> failures{0}, torn{0};
  const auto whole = [](const std::string& text) {
    return text.size() == 10'000 && text.find_first_not_of(text[0]) == std::string::npos;
  };
  REQUIRE(files().write_file_atomically(name, bytes_of(std::string(10'000, 'z'))).ok());
  for (char c : {'a', 'b', 'c'}) {
    writers.emplace_back([&, c] {
      const std::string text(10'000, c);
      for (int i = 0; i < 30; ++i) {
        failures += !files().write_file_atomically(name, bytes_of(text)).ok();
        torn += !whole(read(name));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(failures == 0);
  CHECK(torn == 0);
  CHECK(files().list_folder(folder.at("."))->size() == 1);
}

}  // namespace
}  // namespace weir
