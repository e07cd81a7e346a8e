#include "fs/remote_files.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/text.h"
#include "fs/routed_files.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// What was asked of a FakeStore.
struct Range {
  uint64_t offset;
  uint64_t size;
  bool operator==(const Range&) const = default;
};

// Files in memory. Answers reads at once, or when answer() is called.
class FakeStore final : public RemoteStore {
 public:
  struct Stored {
    std::string bytes;
    std::string version;
  };
  struct Question {
    uint64_t end = 0;
    std::function<void()> answer;
  };

  std::map<std::string, Stored> files;
  std::vector<Range> asked;
  bool at_once = true;
  std::vector<Question> open_questions;
  int closed = 0;
  // The next reads fail with it.
  int failures = 0;
  size_t short_by = 0;
  // How much was read into memory that the system had just given.
  uint64_t into_new = 0;

  Mutex mutex;

  Result<FileInfo> stat(const std::string& name) override {
    const auto found = files.find(name);
    if (found == files.end()) return file_error(Code::not_found, concat("no ", name), name);
    return FileInfo{.size = found->second.bytes.size(), .version = found->second.version};
  }
  Result<std::vector<std::string>> list(const std::string& folder, const std::string& prefix,
                                        bool only_folders) override {
    listed.push_back(folder + "+" + prefix + (only_folders ? "/" : ""));
    std::vector<std::string> out;
    for (const auto& [name, stored] : files) {
      if (name.starts_with(folder + prefix)) out.push_back(name.substr(folder.size()));
    }
    return out;
  }
  Result<OpenedRemote> open(const std::string& name) override {
    WEIR_ASSIGN(FileInfo info, stat(name));
    return OpenedRemote{make_ref<File>(RefPtr<FakeStore>(this), files[name].bytes), std::move(info)};
  }
  Result<std::unique_ptr<WritableFile>> create(const std::string& name) override {
    return std::unique_ptr<WritableFile>(std::make_unique<Writer>(*this, name));
  }
  Status remove(const std::string& name) override {
    if (files.erase(name) == 0) return file_error(Code::not_found, concat("no ", name), name);
    return {};
  }
  std::vector<std::string> listed;

 private:
  class File final : public RemoteFile {
   public:
    File(RefPtr<FakeStore> store, std::string bytes) : store_(std::move(store)), bytes_(std::move(bytes)) {}
    ~File() override { ++store_->closed; }
    void give_up() noexcept override {}
    void read(uint64_t offset, std::span<uint8_t> out, Done done) override {
      MutexLock lock(store_->mutex);
      store_->asked.push_back({offset, out.size()});
      store_->into_new += out[0] == 0 ? out.size() : 0;
      if (store_->failures > 0) {
        --store_->failures;
        lock.unlock();
        return done(Status(Code::unavailable, "the store is busy"));
      }
      auto answer = [this, self = RefPtr<File>(this), offset, out, done] {
        std::memcpy(out.data(), bytes_.data() + offset, out.size());
        done(out.size() - store_->short_by);
      };
      if (!store_->at_once) return store_->open_questions.push_back({offset + out.size(), answer});
      lock.unlock();
      answer();
    }

   private:
    const RefPtr<FakeStore> store_;
    const std::string bytes_;
  };

  class Writer final : public WritableFile {
   public:
    Writer(FakeStore& store, std::string name) : store_(store), name_(std::move(name)) {}
    Status append(std::span<const uint8_t> bytes) override {
      bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    }
    Status sync() override { return {}; }
    Status close() override {
      store_.files[name_] = {bytes_, concat("w", ++store_.written_)};
      return {};
    }

   private:
    FakeStore& store_;
    const std::string name_;
    std::string bytes_;
  };
  int written_ = 0;
};

std::string some_bytes(size_t size, uint32_t seed = 1) {
  std::string out(size, 0);
  for (char& byte : out) byte = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return out;
}

struct Far {
  RefPtr<FakeStore> store = make_ref<FakeStore>();
  RefPtr<BlockCache> cache = make_ref<BlockCache>();
  RemoteFiles files{store, cache};

  RefPtr<RandomAccessFile> open(const std::string& name) {
    auto opened = files.do_open(name);
    REQUIRE(opened.ok());
    return *opened;
  }
};

std::string read(RandomAccessFile& file, uint64_t offset, size_t size) {
  std::string out(size, 0);
  size_t used = 0;
  while (used < size) {
    auto got = file.do_read_at(offset + used, {reinterpret_cast<uint8_t*>(&out[used]), size - used});
    if (!got.ok()) return std::string(code_name(got.status().code()));
    if (*got == 0) break;
    used += *got;
  }
  out.resize(used);
  return out;
}

TEST_CASE("remote files: any part is what the store has, and is asked for once") {
  Far far;
  const std::string bytes = some_bytes(5 * kMiB + 12345);
  far.store->files["a"] = {bytes, "v1"};
  auto file = far.open("a");
  for (uint64_t offset :
       {uint64_t{0}, kMiB - 1, kMiB, 5 * kMiB, 5 * kMiB + 12344, 2 * kMiB + 7, uint64_t{3}}) {
    CHECK(read(*file, offset, 100000) == bytes.substr(offset, 100000));
  }
  CHECK(read(*file, bytes.size(), 10).empty());
  CHECK(read(*file, bytes.size() + 5, 10).empty());
  std::map<uint64_t, int> blocks;
  for (const Range& range : far.store->asked) {
    CHECK(range.offset % kMiB == 0);
    CHECK(range.size <= 8 * kMiB);
    CHECK(range.offset + range.size <= bytes.size());
    for (uint64_t at = range.offset; at < range.offset + range.size; at += kMiB) ++blocks[at];
  }
  for (uint64_t block : {0, 1, 2, 5}) CHECK(blocks.contains(block * kMiB));
  for (const auto& [at, count] : blocks) CHECK(count == 1);
}

// Another thread reads a file in order, while this one answers what was asked for first once the reader waits
// for it: until the parts are long, that is when it has asked for more.
std::vector<Range> read_slowly(Far& far, RandomAccessFile& file, const std::string& bytes) {
  far.store->at_once = false;
  // Guarded by the store's mutex: where the reader is, and how often was asked before.
  uint64_t at = 0;
  size_t asked_before = 0;
  std::atomic<bool> same{true};
  std::thread reader([&] {
    for (uint64_t next = 0; next < bytes.size(); next += kMiB / 2) {
      {
        MutexLock lock(far.store->mutex);
        at = next;
        asked_before = far.store->asked.size();
      }
      if (read(file, next, kMiB / 2) != bytes.substr(next, kMiB / 2)) same = false;
    }
  });
  for (uint64_t answered = 0; answered < bytes.size();) {
    FakeStore::Question first;
    {
      MutexLock lock(far.store->mutex);
      auto& questions = far.store->open_questions;
      if (questions.empty() || at < answered) continue;
      const Range& last = far.store->asked.back();
      const bool is_long = last.size == 4 * kMiB || last.offset + last.size == bytes.size();
      if (far.store->asked.size() == asked_before && !is_long) continue;
      first = std::move(questions.front());
      questions.erase(questions.begin());
    }
    answered = first.end;
    CHECK(far.cache->used_bytes() <= 72 * kMiB);
    first.answer();
  }
  reader.join();
  CHECK(same);
  far.store->at_once = true;
  return far.store->asked;
}

TEST_CASE("remote files: one that is read in order is read ahead, in longer and longer parts") {
  Far far;
  const std::string bytes = some_bytes(100 * kMiB);
  far.store->files["a"] = {bytes, "v1"};
  auto file = far.open("a");
  const std::vector<Range> asked = read_slowly(far, *file, bytes);
  CHECK(asked[0] == Range{0, kMiB});
  uint64_t longest = 0, end = 0;
  for (const Range& range : asked) {
    CHECK(range.offset == end);
    end = range.offset + range.size;
    longest = std::max(longest, range.size);
  }
  CHECK(end == bytes.size());
  CHECK(longest == 4 * kMiB);
}

TEST_CASE("remote files: the beginning of the next one is asked for once, as far as the last one's end was") {
  Far far;
  const std::string bytes = some_bytes(6 * kMiB), next = some_bytes(5 * kMiB, 2);
  far.store->files["a"] = {bytes, "v1"};
  far.store->files["b"] = {next, "v1"};
  auto a = far.open("a");
  CHECK(a->ahead_to_end() == 0);
  // Every read is answered at once, so it reads 1 MiB ahead.
  CHECK(read(*a, 0, 4 * kMiB) == bytes.substr(0, 4 * kMiB));
  CHECK(a->ahead_to_end() == 0);
  CHECK(read(*a, 4 * kMiB, kMiB) == bytes.substr(4 * kMiB, kMiB));
  CHECK(a->ahead_to_end() == kMiB);
  auto b = far.open("b");
  far.store->asked.clear();
  b->ask_ahead(2 * kMiB);
  CHECK(far.store->asked == std::vector<Range>{{0, kMiB}, {kMiB, kMiB}});
  CHECK(read(*b, 0, next.size()) == next);
  uint64_t end = 0;
  for (const Range& range : far.store->asked) {
    CHECK(range.offset == end);
    end = range.offset + range.size;
  }
  CHECK(end == next.size());
  // No more than two thirds of its share, which is 8 MiB and a third of 48.
  far.store->files["c"] = {some_bytes(40 * kMiB), "v1"};
  auto c = far.open("c");
  far.store->asked.clear();
  c->ask_ahead(1000 * kMiB);
  CHECK(far.store->asked ==
        std::vector<Range>{{0, 4 * kMiB}, {4 * kMiB, 4 * kMiB}, {8 * kMiB, 4 * kMiB}, {12 * kMiB, 4 * kMiB}});
}

TEST_CASE("remote files: readers of one version share its parts; those of another do not") {
  Far far;
  const std::string bytes = some_bytes(3 * kMiB), other = some_bytes(3 * kMiB, 2);
  far.store->files["a"] = {bytes, "v1"};
  auto first = far.open("a");
  CHECK(read(*first, 0, bytes.size()) == bytes);
  const size_t asked = far.store->asked.size();
  auto second = far.open("a");
  CHECK(read(*second, 0, bytes.size()) == bytes);
  CHECK(far.store->asked.size() == asked);
  far.store->files["a"] = {other, "v2"};
  auto third = far.open("a");
  CHECK(read(*third, 0, other.size()) == other);
  CHECK(read(*second, 0, bytes.size()) == bytes);
  // Without a version nobody can tell.
  far.store->files["b"] = {bytes, ""};
  auto b = far.open("b");
  CHECK(read(*b, 0, 100) == bytes.substr(0, 100));
  far.store->files["b"] = {other, ""};
  CHECK(read(*far.open("b"), 0, 100) == other.substr(0, 100));
}

SharedBytes share_from(RandomAccessFile& file, uint64_t offset) {
  Result<SharedBytes> shared = file.do_share(offset);
  REQUIRE(shared.ok());
  return std::move(*shared);
}

TEST_CASE("remote files: parts are shared, and count as long as somebody has them") {
  Far far;
  const std::string bytes = some_bytes(3 * kMiB + 100);
  far.store->files["a"] = {bytes, ""};
  BufferRef kept;
  {
    auto file = far.open("a");
    std::string all;
    while (all.size() < bytes.size()) {
      const SharedBytes part = share_from(*file, all.size());
      REQUIRE(part.buffer);
      all.append(reinterpret_cast<const char*>(part.buffer->data()) + part.begin, part.end - part.begin);
      if (!kept) kept = part.buffer;
    }
    CHECK(all == bytes);
    CHECK(!share_from(*file, bytes.size()).buffer);
    // As of one that is read, the second part is in order, and what follows is asked for ahead.
    CHECK(far.store->asked == std::vector<Range>{{0, kMiB}, {kMiB, kMiB}, {2 * kMiB, kMiB}, {3 * kMiB, 100}});
    const SharedBytes rest = share_from(*file, 10);
    CHECK(rest.buffer == kept);
    CHECK(rest.begin == 10);
    CHECK(rest.end == 10 + kMiB / 4);
    CHECK(!kept->lasting());
    far.store->files["b"] = {bytes, ""};
    far.store->failures = 1;
    const auto failed = far.open("b")->do_share(5);
    REQUIRE(!failed.ok());
    CHECK(failed.status().error().file == "b");
  }
  CHECK(far.cache->used_bytes() == kept->size());
  CHECK(std::memcmp(kept->data(), bytes.data(), kept->size()) == 0);
  kept = nullptr;
  CHECK(far.cache->used_bytes() == 0);
}

TEST_CASE("remote files: a part that failed is told, and asked for again by the next read") {
  Far far;
  const std::string bytes = some_bytes(kMiB);
  far.store->files["a"] = {bytes, "v1"};
  auto file = far.open("a");
  far.store->failures = 1;
  CHECK(read(*file, 5, 10) == "unavailable");
  CHECK(read(*file, 5, 10) == bytes.substr(5, 10));
  far.store->files["b"] = {bytes, "v1"};
  far.store->short_by = 1;
  CHECK(read(*far.open("b"), 5, 10) == "data_loss");
}

TEST_CASE("remote files: a part that failed ahead is told once to who wants it, and asked for again then") {
  Far far;
  const std::string bytes = some_bytes(8 * kMiB);
  far.store->files["a"] = {bytes, "v1"};
  auto file = far.open("a");
  const auto times_asked = [&](uint64_t offset) {
    return std::ranges::count_if(far.store->asked,
                                 [&](const Range& range) { return range.offset == offset; });
  };
  CHECK(read(*file, 0, 10) == bytes.substr(0, 10));
  far.store->failures = 1;
  CHECK(read(*file, 10, 10) == bytes.substr(10, 10));
  CHECK(far.store->failures == 0);
  CHECK(times_asked(kMiB) == 1);
  // It takes no memory.
  CHECK(far.cache->used_bytes() == kMiB);
  SECTION("by the reader that goes on in order") {
    CHECK(read(*file, 20, kMiB - 20) == bytes.substr(20, kMiB - 20));
    CHECK(read(*file, kMiB, 10) == "unavailable");
    CHECK(times_asked(kMiB) == 1);
    CHECK(read(*file, kMiB, 10) == bytes.substr(kMiB, 10));
    CHECK(times_asked(kMiB) == 2);
  }
  SECTION("by another reader") {
    auto other = far.open("a");
    CHECK(read(*other, kMiB + 7, 10) == "unavailable");
    CHECK(read(*other, kMiB + 7, 10) == bytes.substr(kMiB + 7, 10));
  }
  SECTION("not if the reader went elsewhere") {
    CHECK(read(*file, 5 * kMiB, 10) == bytes.substr(5 * kMiB, 10));
    CHECK(read(*file, kMiB, 10) == bytes.substr(kMiB, 10));
    CHECK(times_asked(kMiB) == 2);
  }
  SECTION("not if the reader has gone") {
    file = nullptr;
    CHECK(read(*far.open("a"), kMiB, 10) == bytes.substr(kMiB, 10));
  }
}

TEST_CASE("remote files: no more is kept than open files may read ahead") {
  Far far;
  for (int i = 0; i < 30; ++i) far.store->files[concat("f", i)] = {some_bytes(4 * kMiB), "v1"};
  std::vector<RefPtr<RandomAccessFile>> open;
  for (int i = 0; i < 3; ++i) open.push_back(far.open(concat("f", i)));
  for (int i = 0; i < 30; ++i) {
    auto file = far.open(concat("f", i));
    for (uint64_t at = 0; at < 4; ++at) read(*file, at * kMiB, 10);
    CHECK(far.cache->used_bytes() <= (64 + 4 * 8) * kMiB);
  }
  CHECK(far.cache->used_bytes() > 64 * kMiB);
  open.clear();
  far.open("f0");
  CHECK(far.cache->used_bytes() <= 64 * kMiB);
  CHECK(far.store->closed == 34);
}

TEST_CASE("remote files: parts come into the memory of those that were dropped") {
  Far far;
  // How much of a file is read into new memory, in parts of 4 MiB from its end, or in order: since every read
  // is answered at once, the parts have 1 MiB then, and four of them lie where one did.
  const auto into_new = [&far](const char* name, bool in_order) {
    const std::string bytes(64 * kMiB, 'x');
    far.store->files[name] = {bytes, "v1"};
    far.store->into_new = 0;
    auto file = far.open(name);
    const uint64_t length = in_order ? kMiB / 2 : 4 * kMiB;
    for (uint64_t done = 0; done < bytes.size(); done += length) {
      const uint64_t at = in_order ? done : bytes.size() - done - length;
      const bool same = read(*file, at, length) == bytes.substr(at, length);
      CHECK(same);
    }
    return far.store->into_new;
  };
  CHECK(into_new("first", false) >= 48 * kMiB);
  CHECK(into_new("second", false) <= kMiB);
  CHECK(into_new("third", true) <= kMiB);
  CHECK(into_new("fourth", false) <= kMiB);
}

TEST_CASE("remote files: a closed file's parts are taken in when they come late") {
  Far far;
  far.store->files["a"] = {some_bytes(9 * kMiB), ""};
  {
    auto file = far.open("a");
    read(*file, 0, 10);
    far.store->at_once = false;
    read(*file, 10, 10);
    CHECK(!far.store->open_questions.empty());
  }
  CHECK(far.store->closed == 0);
  while (!far.store->open_questions.empty()) {
    const FakeStore::Question question = std::move(far.store->open_questions.back());
    far.store->open_questions.pop_back();
    question.answer();
  }
  CHECK(far.store->closed == 1);
  CHECK(far.cache->used_bytes() == 0);
}

TEST_CASE("remote files: what is written is there when it is closed, and not before") {
  Far far;
  const auto span = [](std::string_view text) {
    return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  {
    auto writer = far.files.create("s://d/x");
    REQUIRE(writer.ok());
    CHECK((*writer)->append(span("lost")).ok());
  }
  CHECK(far.files.stat("s://d/x").status().code() == Code::not_found);
  CHECK(far.files.write_file_atomically("s://d/x", span("kept")).ok());
  CHECK(*far.files.read_file("s://d/x", 100) == "kept");
  auto lock = far.files.try_lock("s://d/lock");
  CHECK(*lock != nullptr);
  CHECK(*far.files.try_lock("s://d/lock") == nullptr);
  lock->reset();
  CHECK(*far.files.try_lock("s://d/lock") != nullptr);
}

TEST_CASE("routed files: names go by their scheme, and patterns list only what may match") {
  SimulatedFileSystem local;
  local.put("x", "local");
  auto store = make_ref<FakeStore>();
  for (const char* name : {"s3://b/d/a1", "s3://b/d/a2", "s3://b/d/b1"}) store->files[name] = {name, "v"};
  std::vector<std::string> looked;
  RoutedFiles files(local, [&](const std::string& scheme) -> Status {
    looked.push_back(scheme);
    return scheme == "gs" ? Status(Code::failed_precondition, "install it") : Status();
  });
  CHECK(files.stat("s3://b/d/a1").status().code() == Code::not_found);
  auto far = std::make_shared<RemoteFiles>(store, make_ref<BlockCache>());
  CHECK(files.add({"s3", "http"}, far).ok());
  CHECK(files.add({"az", "s3"}, far).code() == Code::already_exists);
  CHECK(*files.read_file("x", 10) == "local");
  CHECK(*files.read_file("s3://b/d/a2", 100) == "s3://b/d/a2");
  store->files["S3://b/e"] = {"capitals", "v"};
  CHECK(*files.read_file("S3://b/e", 100) == "capitals");
  CHECK(files.stat("gs://b/x").status().code() == Code::failed_precondition);
  CHECK(files.stat("gs://b/x").status().error().file == "gs://b/x");
  CHECK(looked == std::vector<std::string>{"s3", "gs", "gs"});
  CHECK(*files.glob("s3://b/d/a*") == std::vector<std::string>{"s3://b/d/a1", "s3://b/d/a2"});
  CHECK(store->listed == std::vector<std::string>{"s3://b/d/+a"});
  // A quoted character is part of what a name begins with.
  CHECK(files.glob(R"(s3://b/d/\b?)")->size() == 1);
  CHECK(store->listed.back() == "s3://b/d/+b");
  // What lies below files is nothing.
  CHECK(files.glob("s3://b/d*/a1")->empty());
  CHECK(store->listed.back() == "s3://b/+d/");
  CHECK(scheme_of("a-b://c").empty());
  CHECK(scheme_of("://c").empty());
}

}  // namespace
}  // namespace weir
