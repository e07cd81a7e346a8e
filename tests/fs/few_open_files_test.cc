#include "fs/few_open_files.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

// Counts the files that are open.
class Counting final : public WrappedFiles {
 public:
  explicit Counting(FileSystem& files) : WrappedFiles(files) {}
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    WEIR_ASSIGN(RefPtr<RandomAccessFile> file, WrappedFiles::do_open(name));
    ++opened;
    return RefPtr<RandomAccessFile>(make_ref<Counted>(std::move(file), now));
  }
  int opened = 0;
  int now = 0;

 private:
  class Counted final : public RandomAccessFile {
   public:
    Counted(RefPtr<RandomAccessFile> file, int& now)
        : RandomAccessFile(file->name()), file_(std::move(file)), now_(now) {
      ++now_;
    }
    ~Counted() override { --now_; }
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      return file_->do_read_at(offset, out);
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }

   private:
    const RefPtr<RandomAccessFile> file_;
    int& now_;
  };
};

std::string read(RandomAccessFile& file) {
  auto bytes = read_up_to(file, 0, 100);
  return bytes.ok() ? *bytes : std::string(code_name(bytes.status().code()));
}

TEST_CASE("few open files: those read longest ago are closed, and opened again") {
  SimulatedFileSystem disk;
  for (const char* name : {"a", "b", "c"}) disk.put(name, std::string("bytes of ") + name);
  Counting counted(disk);
  FewOpenFiles files(counted, 2);
  std::vector<RefPtr<RandomAccessFile>> open;
  for (const char* name : {"a", "b", "c"}) open.push_back(*files.do_open(name));
  CHECK(counted.now == 2);
  CHECK(counted.opened == 3);
  // "a" was closed; then "b" is the one that was read longest ago.
  CHECK(read(*open[2]) == "bytes of c");
  CHECK(read(*open[0]) == "bytes of a");
  CHECK(counted.opened == 4);
  CHECK(read(*open[2]) == "bytes of c");
  CHECK(counted.opened == 4);
  CHECK(read(*open[1]) == "bytes of b");
  CHECK(counted.opened == 5);
  CHECK(counted.now == 2);
  open.clear();
  CHECK(counted.now == 0);
}

TEST_CASE("few open files: a file that was replaced while it was closed is an error") {
  SimulatedFileSystem disk;
  disk.put("a", "one");
  disk.put("b", "two");
  FewOpenFiles files(disk, 1);
  const RefPtr<RandomAccessFile> a = *files.do_open("a");
  const RefPtr<RandomAccessFile> b = *files.do_open("b");
  disk.put("a", "another");
  CHECK(read(*b) == "two");
  CHECK(read(*a) == "failed_precondition");
  CHECK(files.do_open("none").status().code() == Code::not_found);
}

}  // namespace
}  // namespace weir
