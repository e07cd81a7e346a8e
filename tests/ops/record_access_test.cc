// Records read by their positions: global_shuffle, skip and shard over TFRecord files with an index.
#include "ops/files/record_access.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "format/record_index.h"
#include "format/tfrecord.h"
#include "fs/wrapped_files.h"
#include "ops/pipelines.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string read(const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(name, std::ios::binary).rdbuf();
  return out.str();
}
void write(const std::string& name, const std::string& bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
}

Result<RefPtr<RecordIndex>> open_index(const std::string& name) {
  return RecordIndex::open(local_file_system(), name, IndexedFormat(), index_beside(name));
}

// Two files and an empty one between them.
class Files {
 public:
  Files() {
    make("a", 1300);
    make("none", 0);
    make("b", 7);
  }
  std::string at(const std::string& name) const { return folder_.at(name); }
  std::string index(const std::string& name) const { return index_beside(at(name)); }
  std::string all() const {
    return "tfrecord([\"" + at("a") + "\", \"" + at("none") + "\", \"" + at("b") + "\"])";
  }
  std::string one(const std::string& name) const { return "tfrecord(\"" + at(name) + "\")"; }
  void make(const std::string& name, int count) const {
    auto writer = RecordWriter::create(local_file_system(), at(name), Compression::none);
    REQUIRE(writer.ok());
    for (int i = 0; i < count; ++i) {
      // Asymmetric, with an empty one and one of several blocks.
      const std::string record =
          i == 3 ? "" : name + std::to_string(i) + std::string(i == 5 ? 300000 : i % 7, '.');
      REQUIRE((*writer)->write(Str(record)).ok());
    }
    REQUIRE((*writer)->close().ok());
  }
  void make_indices() const {
    for (const char* name : {"a", "none", "b"}) {
      auto made = RecordIndex::make(local_file_system(), at(name), IndexedFormat(), nullptr);
      REQUIRE((made.ok() && (*made)->save(local_file_system(), index(name)).ok()));
    }
  }
  void remove_indices() const {
    for (const char* name : {"a", "none", "b"}) fs::remove(index(name));
  }

 private:
  TemporaryFolder folder_;
};

Lines part(const Lines& lines, size_t first, size_t step = 1) {
  Lines out;
  for (size_t i = first; i < lines.size(); i += step) out.push_back(lines[i]);
  return out;
}

TEST_CASE("global_shuffle gives each record of all files once, and makes the indices") {
  const Files files;
  Lines records = run(files.all());
  Lines shuffled = run(files.all() + " | global_shuffle(seed: 4)");
  CHECK(shuffled != records);
  CHECK(run(files.all() + " | global_shuffle(seed: 4)", 64) == shuffled);
  std::sort(shuffled.begin(), shuffled.end());
  std::sort(records.begin(), records.end());
  CHECK(shuffled == records);
  for (const char* name : {"a", "none", "b"}) CHECK(fs::exists(files.index(name)));
}

TEST_CASE("a record stays while somebody holds it, and then its memory is used again") {
  const Files files;
  TestRuntime world;
  Context ctx = world.context();
  auto access = indexed_access(ctx, {files.at("a")}, IndexedFormat(), tfrecord_rows());
  REQUIRE(access.ok());
  Block kept, last;
  const auto read_into = [&](Block& out, int64_t position) {
    (*access)->read(ctx, {&position, 1}, out);
    REQUIRE(out.errors.empty());
    return std::string(out.columns[0].tensor().as<Str>()->view());
  };
  CHECK(read_into(kept, 10) == "a10...");
  for (const int64_t position : {11, 5, 12, 13})
    CHECK(read_into(last, position).starts_with("a" + std::to_string(position)));
  CHECK(read_into(last, 3).empty());
  CHECK(kept.columns[0].tensor().as<Str>()->view() == "a10...");
  const char* const place = last.columns[0].tensor().as<Str>()->data;
  CHECK(read_into(last, 14) == "a14");
  CHECK(last.columns[0].tensor().as<Str>()->data == place);
}

TEST_CASE("without an index nothing is made that nobody asked for") {
  const Files files;
  CHECK(run(files.all() + " | skip(1298)").size() == 9);
  CHECK(run(files.all() + " | shard(650, 649)").size() == 2);
  CHECK_FALSE(fs::exists(files.index("a")));
}

TEST_CASE("skip and shard give the same with an index, at each width") {
  const Files files;
  const Lines records = run(files.all());
  files.make_indices();
  for (int rows : {1, 3, 64}) {
    for (size_t n : {0u, 1u, 4u, 1299u, 1300u, 1306u, 1307u, 5000u})
      CHECK(run(files.all() + " | skip(" + std::to_string(n) + ")", rows) == part(records, n));
    for (size_t n : {1u, 3u, 400u}) {
      for (size_t i : {size_t{0}, n - 1}) {
        const std::string shard = " | shard(" + std::to_string(n) + ", " + std::to_string(i) + ")";
        CHECK(run(files.all() + shard, rows) == part(records, i, n));
        CHECK(run(files.all() + " | skip(7)" + shard, rows) == part(records, 7 + i, n));
        ThreadsRuntime ranks;
        ranks->world = {static_cast<int64_t>(i), static_cast<int64_t>(n), {}};
        const auto iterator = open_text(*ranks, files.all() + " | shard(auto, auto)");
        CHECK(require_value(iterator->save()).find("seeks") != std::string::npos);
        CHECK(all_lines(*iterator, rows) == part(records, i, n));
      }
    }
    CHECK(run(files.all() + " | take(9) | skip(7)", rows) ==
          part(Lines(records.begin(), records.begin() + 9), 7));
  }
  CHECK(run(files.all() + " | skip(-1)").empty());
  CHECK(run("range(2) | flat_map(i -> " + files.one("b") + " | skip(i * 5))") == [&] {
    Lines out = run(files.one("b"));
    const Lines rest = part(out, 5);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }());
}

// What goes on after a position, while the indices come and go.
TEST_CASE("a position goes on with an index or without one") {
  const Files files;
  for (const char* what : {" | skip(1295)", " | skip(1) | shard(200, 3)", " | shard(110, 5) | skip(2)",
                           " | skip(1290) | repeat(2)", " | map(s -> (string_length(s), s)) | skip(1296)",
                           " | map(s -> string_length(s)) | map(n -> n + 1) | shard(200, 3) | skip(1)"}) {
    const std::string text = files.all() + what;
    files.remove_indices();
    const Lines whole = run(text);
    for (bool saved_with : {false, true}) {
      for (bool restored_with : {false, true}) {
        for (size_t at = 0; at <= whole.size(); at += sanitized_step(2)) {
          ThreadsRuntime runtime;
          saved_with ? files.make_indices() : files.remove_indices();
          auto iterator = open_text(*runtime, text);
          take_lines(*iterator, static_cast<int64_t>(at));
          std::string saved = require_value(iterator->save());
          restored_with ? files.make_indices() : files.remove_indices();
          auto restored = open_text(*runtime, text, &saved);
          INFO(what << " at " << at << ", " << saved_with << restored_with);
          // A position may be saved before anything was read.
          std::string again = require_value(restored->save());
          CHECK(all_lines(*restored) == part(whole, at));
          auto third = open_text(*runtime, text, &again);
          CHECK(all_lines(*third, 64) == part(whole, at));
        }
      }
    }
  }
}

TEST_CASE("skip and shard read no other records through maps that cannot fail") {
  const Files files;
  const Lines lengths = run(files.one("b") + " | map(s -> string_length(s) + 1)");
  const Lines checked = run(files.one("b") + " | map(s -> assert(string_length(s) >= 0, \"long\", s))");
  files.make_indices();
  const auto time = fs::last_write_time(files.at("b"));
  std::string bytes = read(files.at("b"));
  // The third record.
  auto index = open_index(files.at("b"));
  REQUIRE((index.ok() && *index));
  std::vector<uint64_t> offsets;
  REQUIRE((*index)->offsets(0, 7, offsets).ok());
  bytes[offsets[2] + 12] ^= 4;
  write(files.at("b"), bytes);
  fs::last_write_time(files.at("b"), time);
  const std::string map = " | map(s -> string_length(s)) | map(n -> n + 1)";
  for (int rows : {1, 64}) {
    CHECK(run(files.one("b") + map + " | skip(4)", rows) == part(lengths, 4));
    CHECK(run(files.one("b") + map + " | shard(3, 1)", rows) == part(lengths, 1, 3));
    CHECK(run(files.one("b") + map + " | shard(3, 2)", rows) == Lines{"error: data_loss", lengths[5]});
    // Without positions, nothing comes after the damage.
    CHECK(run(files.one("b") + " | map(s -> assert(string_length(s) >= 0, \"long\", s)) | shard(3, 1)",
              rows) == Lines{checked[1], "error: data_loss"});
  }
}

TEST_CASE("a changed file has another index") {
  const Files files;
  files.make_indices();
  files.make("b", 9);
  CHECK(run(files.all() + " | skip(1307)").size() == 2);
  CHECK(run(files.all() + " | global_shuffle(seed: 1)").size() == 1309);
  CHECK(run(files.all() + " | skip(1307)").size() == 2);
}

TEST_CASE("no damage of an index gives a wrong record") {
  const Files files;
  const Lines records = run(files.one("b"));
  files.make_indices();
  const std::string kept = read(files.index("b"));
  size_t errors = 0;
  for (size_t bit = 0; bit < 8 * kept.size(); bit += sanitized_step(3)) {
    std::string damaged = kept;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write(files.index("b"), damaged);
    const Lines found = run(files.one("b") + " | skip(1)", 64);
    REQUIRE(found.size() == records.size() - 1);
    for (size_t i = 0; i < found.size(); ++i) {
      const bool failed = found[i] == "error: data_loss" || found[i] == "error: resource_exhausted";
      errors += failed ? 1 : 0;
      INFO(bit << " " << i);
      CHECK((failed || found[i] == records[i + 1]));
    }
  }
  // Both records that an offset bounds.
  CHECK(errors * sanitized_step(3) > 8 * (kept.size() - 40 - 8));
}

TEST_CASE("a damaged record is one error in its place") {
  const Files files;
  const Lines records = run(files.one("b"));
  files.make_indices();
  const auto time = fs::last_write_time(files.at("b"));
  const std::string bytes = read(files.at("b"));
  auto index = open_index(files.at("b"));
  REQUIRE((index.ok() && *index));
  std::vector<uint64_t> offsets;
  REQUIRE((*index)->offsets(0, 7, offsets).ok());
  for (size_t at = 0; at<bytes.size(); at += at> 200 && at + 400 < bytes.size() ? 30011 : 1) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write(files.at("b"), damaged);
    fs::last_write_time(files.at("b"), time);
    Lines expected = records;
    size_t record = 0;
    while (offsets[record + 1] <= at) ++record;
    expected[record] = "error: data_loss";
    CHECK(run(files.one("b") + " | skip(0)", 64) == expected);
  }
  // The index of a file that can't be indexed any more is not made.
  fs::remove(files.index("b"));
  write(files.at("b"), bytes.substr(0, bytes.size() - 1));
  Lines shuffled = run(files.one("b") + " | global_shuffle(seed: 1)");
  std::sort(shuffled.begin(), shuffled.end());
  Lines expected = part(records, 0);
  expected.back() = "error: data_loss";
  std::sort(expected.begin(), expected.end());
  CHECK(shuffled == expected);
  CHECK_FALSE(fs::exists(files.index("b")));
  const std::string among = "tfrecord([\"" + files.at("b") + "\", \"" + files.at("gone") + "\", \"" +
                            files.at("a") + "\"]) | partition(1, p -> p, by: \"index\")";
  Lines all = part(records, 0);
  all.back() = "error: data_loss";
  all.push_back("error: not_found");
  for (const std::string& line : run(files.one("a"))) all.push_back(line);
  CHECK(run(among, 64) == all);
}

TEST_CASE("an index that can't be kept is made each time") {
  class ReadOnly final : public WrappedFiles {
   public:
    using WrappedFiles::WrappedFiles;
    Status write_file_atomically(const std::string& name, std::span<const uint8_t>) override {
      return file_error(Code::permission_denied, "read-only", name);
    }
  };
  const Files files;
  ReadOnly read_only(local_file_system());
  ThreadsRuntime runtime;
  (*runtime).files = &read_only;
  for (int pass = 0; pass < 2; ++pass) {
    CHECK(all_lines(*runtime, files.all() + " | global_shuffle(seed: 4)").size() == 1307);
    CHECK_FALSE(fs::exists(files.index("a")));
  }
}

TEST_CASE("of many indices few are open at once") {
  const Files files;
  for (int i = 0; i < 70; ++i) files.make("many" + std::to_string(i), i % 3);
  const std::string text =
      "tfrecord(list_files(\"" + files.at("many*") + "\", shuffle: false)) | global_shuffle(seed: 4)";
  const Lines made = run(text);
  CHECK(made.size() == 69);
  ThreadsRuntime runtime;
  const auto iterator = open_text(*runtime, text);
  CHECK(take_lines(*iterator, 1) == part(made, 0, 100));
  int open = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    open += is_of_index(fs::read_symlink(entry, gone).string()) ? 1 : 0;
  }
  CHECK(open <= 64);
  CHECK(all_lines(*iterator) == part(made, 1));
}

TEST_CASE("list_files leaves indices out unless they are asked for") {
  const Files files;
  files.make_indices();
  CHECK(run("list_files(\"" + files.at("*") + "\", shuffle: false)").size() == 3);
  CHECK(run("list_files(\"" + files.at("*.weir-index") + "\", shuffle: false)").size() == 3);
  CHECK(run("tfrecord(list_files(\"" + files.at("?") + "\", shuffle: false)) | global_shuffle(seed: 2)")
            .size() == 1307);
}

TEST_CASE("what has no positions says why") {
  const Files files;
  const auto refusal = [&](const std::string& more) {
    return build_error("tfrecord(\"" + files.at("b") + "\"" + more + ") | global_shuffle()");
  };
  CHECK(contains(refusal(", compression: \"gzip\""),
                 "the elements of tfrecord have no positions: expected compression: \"\" or \"zstd\""));
  CHECK(contains(refusal(", num_parallel_reads: 2"), "expected num_parallel_reads: 1"));
  CHECK(contains(refusal(", on_corrupt: \"resync\""), "expected on_corrupt: \"error\""));
  CHECK(contains(build_error("tfrecord(list_files(\"" + files.at("*") + "\")) | global_shuffle()"),
                 "the elements of list_files have no positions: expected shuffle: false"));
  CHECK(run("tfrecord(\"nowhere\") | global_shuffle()") == Lines{"error: not_found"});
}

}  // namespace
}  // namespace weir::test
