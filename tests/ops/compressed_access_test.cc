// Records of compressed files read by their positions, and the size of one read.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/sync.h"
#include "format/record_index.h"
#include "format/tfrecord.h"
#include "fs/wrapped_files.h"
#include "ops/pipelines.h"
#include "support/npy_files.h"
#include "support/tar_bytes.h"
#include "support/temporary_folder.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

constexpr int kRecords = 1300;

void write_bytes(const std::string& name, std::span<const uint8_t> bytes) {
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
void write_encoded(const std::string& name, std::string_view text, Codec::Use use) {
  std::vector<uint8_t> out;
  codec_of(Compression::zstd)
      .encoder(kDefaultLevel, use)
      ->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, Encoder::Flush::end, out);
  write_bytes(name, out);
}

// The same records plain and in several frames of zstd.
struct TwoFiles {
  TwoFiles() {
    for (const Compression compression : {Compression::none, Compression::zstd}) {
      auto writer = RecordWriter::create(local_file_system(), of(compression), compression);
      REQUIRE(writer.ok());
      for (int i = 0; i < kRecords; ++i) {
        const std::string record = std::to_string(i) + std::string(i == 5 ? 600'000 : 700 + i % 7, '.');
        REQUIRE((*writer)->write(Str(record)).ok());
      }
      REQUIRE((*writer)->close().ok());
    }
  }
  std::string of(Compression compression) const {
    return folder.at(compression == Compression::none ? "plain" : "zstd");
  }
  std::string plain() const { return "tfrecord(\"" + of(Compression::none) + "\")"; }
  std::string zstd() const { return "tfrecord(\"" + of(Compression::zstd) + "\", compression: \"zstd\")"; }

  TemporaryFolder folder;
};

TEST_CASE("records of zstd frames are read by their positions as those of a plain file") {
  const TwoFiles files;
  for (const char* more : {" | global_shuffle(seed: 3)", " | skip(1290)", " | shard(5, 2)",
                           " | partition(3, p -> p, by: \"index\")"}) {
    INFO(more);
    CHECK(run(files.zstd() + more) == run(files.plain() + more));
  }
  CHECK(std::filesystem::exists(index_beside(files.of(Compression::zstd))));
  // With the index at hand, skip goes straight to its records: the first frame is not read any more.
  {
    std::fstream file(files.of(Compression::zstd), std::ios::binary | std::ios::in | std::ios::out);
    const auto time = std::filesystem::last_write_time(files.of(Compression::zstd));
    file.seekp(100);
    file.write("damaged", 7);
    file.close();
    std::filesystem::last_write_time(files.of(Compression::zstd), time);
  }
  CHECK(run(files.zstd() + " | skip(1290)") == run(files.plain() + " | skip(1290)"));
  // Each record that lies in the damaged frame is an error in its place.
  Lines expected(5, "error: data_loss");
  expected.push_back(run(files.plain() + " | skip(6) | take(1)")[0]);
  CHECK(run(files.zstd() + " | skip(1) | take(1)") == expected);
  CHECK(run(files.zstd() + " | take(1)") == Lines{"error: data_loss"});
}

TEST_CASE("an index of the compressed file is not one of the plain file") {
  const TwoFiles files;
  run(files.zstd() + " | global_shuffle(seed: 3)");
  const std::string as_plain = "tfrecord(\"" + files.of(Compression::zstd) + "\") | global_shuffle(seed: 3)";
  CHECK(run(as_plain) == Lines{"error: data_loss"});
}

TEST_CASE("zstd without a table of frames has no positions, and is read from its beginning") {
  const TwoFiles files;
  const std::string name = files.folder.at("whole");
  const auto bytes = local_file_system().read_file(files.of(Compression::none), 1 << 30);
  write_encoded(name, *bytes, Codec::Use::piece);
  const std::string whole = "tfrecord(\"" + name + "\", compression: \"zstd\")";
  CHECK(run(whole + " | global_shuffle(seed: 3)") == Lines{"error: failed_precondition"});
  CHECK(run(whole + " | skip(1290)") == run(files.plain() + " | skip(1290)"));
  CHECK_FALSE(std::filesystem::exists(index_beside(name)));
}

// The machine's files, and how much each read asks for.
class Sized final : public WrappedFiles {
 public:
  Sized() : WrappedFiles(local_file_system()) {}
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    WEIR_ASSIGN(RefPtr<RandomAccessFile> file, WrappedFiles::do_open(name));
    return RefPtr<RandomAccessFile>(make_ref<File>(std::move(file), *this));
  }
  size_t largest() {
    MutexLock lock(mutex_);
    return largest_;
  }

 private:
  class File final : public RandomAccessFile {
   public:
    File(RefPtr<RandomAccessFile> file, Sized& sized)
        : RandomAccessFile(file->name()), file_(std::move(file)), sized_(sized) {}
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      MutexLock lock(sized_.mutex_);
      sized_.largest_ = std::max(sized_.largest_, out.size());
      return file_->do_read_at(offset, out);
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }

   private:
    const RefPtr<RandomAccessFile> file_;
    Sized& sized_;
  };
  Mutex mutex_;
  size_t largest_ = 0;
};

TEST_CASE("buffer_size is the size of one read") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += std::to_string(10'000'000 + i) + "\n";
  std::ofstream(folder.at("plain")) << text;
  write_encoded(folder.at("zstd"), text, Codec::Use::file);
  auto writer = RecordWriter::create(local_file_system(), folder.at("records"), Compression::none);
  for (int i = 0; i < 9000; ++i) REQUIRE((*writer)->write(Str("0123456789abcdef")).ok());
  REQUIRE((*writer)->close().ok());
  std::string objects;
  std::string members;
  for (int i = 0; i < 20'000; ++i) objects += "{\"n\": " + std::to_string(10'000'000 + i) + "}\n";
  for (int i = 0; i < 1500; ++i) members += tar_member(std::to_string(i) + ".txt", "0123456789");
  const std::string array = npy_bytes("<i8", "(40000,)", std::string(320'000, 'x'));
  std::ofstream(folder.at("objects")) << objects;
  std::ofstream(folder.at("members")) << members;
  std::ofstream(folder.at("array")) << array;
  std::ofstream(folder.at("arrays")) << zip_bytes({{"x.npy", array}});
  const auto largest = [&](const std::string& source, const std::string& more) {
    Sized sized;
    ThreadsRuntime runtime;
    (*runtime).files = &sized;
    CHECK(all_lines(*runtime, source + more + ")", 100).size() > 1000);
    return sized.largest();
  };
  for (const std::string& source : std::vector<std::string>{
           "text_line(\"" + folder.at("plain") + "\"", "csv(\"" + folder.at("plain") + "\", [int64]",
           "fixed_length_record(\"" + folder.at("plain") + "\", 9",
           "tfrecord(\"" + folder.at("records") + "\"", "jsonl(\"" + folder.at("objects") + "\", {n: int64}",
           "webdataset(\"" + folder.at("members") + "\", {txt: string}", "npy(\"" + folder.at("array") + "\"",
           "tokens(\"" + folder.at("array") + "\", 10, int32",
           "tokens(\"" + folder.at("array") + "\", 10, int32, stride: 7",
           "npz(\"" + folder.at("arrays") + "\"",
           "text_line(\"" + folder.at("zstd") + "\", compression: \"zstd\"",
           "tfrecord([\"" + folder.at("records") + "\"], num_parallel_reads: 2"}) {
    INFO(source);
    // The directory of an archive is read as a whole.
    const bool archive = source.starts_with("npz");
    CHECK((archive || largest(source, ", buffer_size: 1000") == 1000));
    CHECK(largest(source, ", buffer_size: 100000") == 100'000);
    // The pace decides.
    CHECK(largest(source, "") > 1000);
    CHECK(largest(source, ", buffer_size: 0") > 1000);
  }
}

}  // namespace
}  // namespace weir::test
