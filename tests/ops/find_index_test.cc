// Where indices are kept, and who makes them.
#include "ops/files/find_index.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/digest.h"
#include "fs/wrapped_files.h"
#include "support/temporary_folder.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

constexpr IndexedFormat kLines{.kind = IndexedFormat::Kind::lines};

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// The machine's files, of which one folder can't be written to. Counts how often `name` was opened.
class Watched final : public WrappedFiles {
 public:
  explicit Watched(std::string name) : WrappedFiles(local_file_system()), name_(std::move(name)) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    if (name == name_) ++opened;
    return WrappedFiles::do_open(name);
  }
  Result<std::unique_ptr<FileLock>> do_lock(const std::string& name) override {
    if (is_read_only(name)) return file_error(Code::permission_denied, "read-only", name);
    if (locks >= 0) REQUIRE(::write(locks, "l", 1) == 1);
    return WrappedFiles::do_lock(name);
  }
  Status write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) override {
    if (is_read_only(name)) return file_error(Code::permission_denied, "read-only", name);
    return WrappedFiles::write_file_atomically(name, bytes);
  }
  std::string cache_folder() override { return cache; }
  Result<FileInfo> stat(const std::string& name) override {
    WEIR_ASSIGN(FileInfo info, WrappedFiles::stat(name));
    if (tells_no_time) info.modified_ns = 0;
    return info;
  }

  bool tells_no_time = false;
  std::string read_only;
  std::string cache;
  int opened = 0;
  // Is told before a lock is waited for.
  int locks = -1;

 private:
  bool is_read_only(const std::string& name) const {
    return !read_only.empty() && name.starts_with(read_only);
  }
  const std::string name_;
};

class Warnings final : public Logger {
 public:
  void log(Level, std::string_view) override { ++count; }
  int count = 0;
};

// A file of three lines.
struct Place {
  TemporaryFolder folder;
  std::string name;
  Watched files;
  Warnings warnings;
  TestRuntime world;

  Place() : name(folder.at("data/a.txt")), files(name) {
    std::filesystem::create_directories(folder.at("data"));
    std::ofstream(name) << "a\nb\nc\n";
    world.runtime.files = &files;
    world.runtime.logger = &warnings;
  }
  // How many records the index has; -1 if it could not be had.
  int64_t find() {
    Context ctx = world.context();
    auto index = index_of(ctx, files, name, kLines);
    return index.ok() ? (*index)->count() : -1;
  }
  bool have() {
    Context ctx = world.context();
    return have_index(ctx, name, kLines);
  }
};

TEST_CASE("an index is kept next to its file, and no lock is left") {
  Place place;
  place.files.cache = place.folder.at("cache/weir");
  CHECK_FALSE(place.have());
  CHECK(place.find() == 3);
  CHECK(place.have());
  CHECK(files_in(place.folder.at("data")) == std::vector<std::string>{"a.txt", "a.txt.weir-index"});
  CHECK(files_in(place.folder.at("cache")).empty());
  CHECK(place.warnings.count == 0);
}

TEST_CASE("the index of a file whose folder can't be written to is in the cache folder") {
  Place place;
  place.files.read_only = place.folder.at("data");
  place.files.cache = place.folder.at("cache/weir");
  CHECK(place.find() == 3);
  const std::string kept = fingerprint_of(place.name).to_string() + ".weir-index";
  CHECK(files_in(place.folder.at("cache/weir")) == std::vector<std::string>{kept});
  CHECK(files_in(place.folder.at("data")) == std::vector<std::string>{"a.txt"});
  CHECK(place.have());
  place.files.opened = 0;
  CHECK(place.find() == 3);
  CHECK(place.files.opened == 0);
  CHECK(place.warnings.count == 0);
  // It belongs to one state of the file, as others do.
  std::ofstream(place.name) << "a\nb\nc\nd";
  CHECK_FALSE(place.have());
  CHECK(place.find() == 4);
  CHECK(place.have());
}

TEST_CASE("an index that can't be kept anywhere is made each time, with a warning") {
  Place place;
  place.files.read_only = place.folder.at("");
  for (const char* cache : {"", "cache/weir"}) {
    place.files.cache = *cache ? place.folder.at(cache) : "";
    place.warnings.count = 0;
    CHECK(place.find() == 3);
    CHECK(place.find() == 3);
    CHECK(place.warnings.count == 2);
    CHECK_FALSE(place.have());
  }
}

TEST_CASE("the index of a file without time and version is made each time, with a warning") {
  Place place;
  place.files.cache = place.folder.at("cache");
  place.files.tells_no_time = true;
  CHECK(place.find() == 3);
  std::ofstream(place.name) << "aa\nb\n\n";
  CHECK(place.find() == 3);
  std::ofstream(place.name) << "aa\nbc\n";
  CHECK(place.find() == 2);
  CHECK(place.warnings.count == 3);
  CHECK_FALSE(place.have());
}

TEST_CASE("no index is made of a file that isn't there") {
  Place place;
  std::filesystem::remove(place.name);
  CHECK(place.find() == -1);
  CHECK(files_in(place.folder.at("data")).empty());
}

// Another process that has the lock of the index, in a folder or in the cache.
class Holder {
 public:
  // `does` runs in it once it is told to go on.
  template <class Does>
  Holder(const std::string& lock, Does does) {
    REQUIRE(::pipe(ready_) == 0);
    REQUIRE(::pipe(go_on_) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      auto held = local_file_system().try_lock(lock);
      char byte = 'y';
      if (!held.ok() || *held == nullptr || ::write(ready_[1], &byte, 1) != 1) ::_exit(1);
      if (::read(go_on_[0], &byte, 1) != 1) ::_exit(2);
      does();
      held->reset();
      ::_exit(0);
    }
    char byte = 0;
    REQUIRE(::read(ready_[0], &byte, 1) == 1);
  }
  ~Holder() {
    for (const int end : {ready_[0], ready_[1], go_on_[0], go_on_[1]}) ::close(end);
  }
  // What is written there lets it go on.
  int go_on() const { return go_on_[1]; }
  int status() const {
    int status = -1;
    ::waitpid(child_, &status, 0);
    return status;
  }

 private:
  int ready_[2];
  int go_on_[2];
  pid_t child_ = -1;
};

TEST_CASE("of two processes that need an index, one makes it and the other waits") {
  for (const bool cached : {false, true}) {
    Place place;
    place.files.cache = place.folder.at("cache");
    if (cached) place.files.read_only = place.folder.at("data");
    std::filesystem::create_directories(place.folder.at("cache"));
    const std::string kept =
        cached ? place.folder.at("cache/") + fingerprint_of(place.name).to_string() + ".weir-index"
               : index_beside(place.name);
    const Holder holder(kept + std::string(kIndexLockSuffix), [&] {
      FileSystem& files = local_file_system();
      auto made = RecordIndex::make(files, place.name, kLines, nullptr);
      if (!made.ok() || !(*made)->save(files, kept).ok()) ::_exit(3);
    });
    place.files.locks = holder.go_on();
    CHECK(place.find() == 3);
    // To see that it is there, and not to go through it.
    CHECK(place.files.opened == 1);
    CHECK(holder.status() == 0);
  }
}

TEST_CASE("the index of a process that is killed while it makes it is made by the one that waits") {
  Place place;
  const Holder holder(index_beside(place.name) + std::string(kIndexLockSuffix), [] { ::raise(SIGKILL); });
  place.files.locks = holder.go_on();
  CHECK(place.find() == 3);
  CHECK(place.files.opened == 2);
  CHECK(WTERMSIG(holder.status()) == SIGKILL);
  CHECK(files_in(place.folder.at("data")) == std::vector<std::string>{"a.txt", "a.txt.weir-index"});
}

}  // namespace
}  // namespace weir::test
