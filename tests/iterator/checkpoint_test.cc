#include "iterator/checkpoint.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "core/version.h"
#include "graph/envelope.h"
#include "support/damage.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.fingerprint.words = {1, 2};
  checkpoint.params = {{"n", 7}};
  checkpoint.seeds = {3, 4};
  checkpoint.opening = 5;
  checkpoint.epochs = {6};
  checkpoint.histories = {{Fingerprint{{8, 9}}, 10, {11}}};
  checkpoint.held = "held";
  checkpoint.stage = "stage";
  return checkpoint;
}

TEST_CASE("checkpoint: every field comes back") {
  auto loaded = Checkpoint::from_bytes(sample().to_bytes());
  REQUIRE(loaded.ok());
  CHECK(loaded->fingerprint == sample().fingerprint);
  REQUIRE(loaded->params.size() == 1);
  CHECK(loaded->params[0].name == "n");
  CHECK(loaded->params[0].hash == 7);
  CHECK(loaded->seeds == sample().seeds);
  CHECK(loaded->opening == 5);
  CHECK(loaded->epochs == sample().epochs);
  REQUIRE(loaded->histories.size() == 1);
  CHECK(loaded->histories[0].openings == 10);
  CHECK(loaded->histories[0].epochs == std::vector<uint64_t>{11});
  CHECK(loaded->held == "held");
  CHECK(loaded->stage == "stage");
  CHECK(loaded->library_version == library_version());
}

TEST_CASE("checkpoint: equal positions give equal bytes") {
  CHECK(sample().to_bytes() == sample().to_bytes());
}

// 20 kB and more, no two parts of it equal.
Checkpoint large_sample() {
  Checkpoint checkpoint = sample();
  checkpoint.stage.clear();
  for (int i = 0; checkpoint.stage.size() < 20'000; ++i) checkpoint.stage += std::to_string(i * i);
  return checkpoint;
}

TEST_CASE("checkpoint: every flipped bit, every cut and every appended byte is data_loss") {
  for (std::string bytes : {sample().to_bytes(), large_sample().to_bytes()}) {
    INFO(bytes.size() << " bytes");
    const auto open = [](std::string_view given) { return Checkpoint::from_bytes(given).status(); };
    CHECK(damages_not_refused(bytes, open) == 0);
  }
}

TEST_CASE("checkpoint: of another format version is refused by its number") {
  std::string bytes = sample().to_bytes();
  const std::string content = bytes.substr(kEnvelopeBytes);
  const Status status =
      Checkpoint::from_bytes(enclose({.magic = "weirckpt", .version = 2}, content)).status();
  CHECK(status.code() == Code::failed_precondition);
  CHECK(status.error().message.find("found 2") != std::string::npos);
}

// A file of any size, zeros after its beginning; counts the bytes read.
class VastFile final : public RandomAccessFile {
 public:
  VastFile(std::string beginning, uint64_t size)
      : RandomAccessFile("ckpt"), beginning_(std::move(beginning)), size_(size) {}

  Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
    const size_t got = std::min<uint64_t>(out.size(), size_ - std::min(size_, offset));
    for (size_t i = 0; i < got; ++i) {
      const uint64_t at = offset + i;
      out[i] = at < beginning_.size() ? static_cast<uint8_t>(beginning_[at]) : 0;
    }
    read_bytes += got;
    return got;
  }
  Result<uint64_t> do_size() override { return size_; }

  uint64_t read_bytes = 0;

 private:
  const std::string beginning_;
  const uint64_t size_;
};

constexpr uint64_t kTerabytes = uint64_t{4} << 40;

TEST_CASE("checkpoint files: the header says whether the rest is worth reading") {
  const std::string whole = sample().to_bytes();
  // A header that claims 4 TiB.
  std::string vast = whole;
  const uint64_t claimed = kTerabytes - kEnvelopeBytes;
  std::memcpy(&vast[16], &claimed, sizeof claimed);
  struct Row {
    std::string beginning;
    uint64_t size;
    Code code;
    std::string_view says;
  };
  for (const Row& row : {
           Row{"", kTerabytes, Code::data_loss, "begins with \"weirckpt\""},
           Row{"", 0, Code::data_loss, "found nothing"},
           Row{"weirckpt", 8, Code::data_loss, "cut short"},
           Row{whole, kTerabytes, Code::data_loss, "found 4398046511104"},
           Row{vast, kTerabytes, Code::resource_exhausted, "a checkpoint of at most"},
           Row{vast, whole.size(), Code::data_loss, "cut short"},
       }) {
    VastFile file(row.beginning, row.size);
    const Status status = read_checkpoint(file, int64_t{1} << 32).status();
    INFO(row.size << " bytes: " << status.error().message);
    CHECK(status.code() == row.code);
    CHECK(status.error().message.find(row.says) != std::string::npos);
    CHECK(status.error().file == "ckpt");
    CHECK(file.read_bytes <= kEnvelopeBytes);
  }
}

TEST_CASE("checkpoint files: up to the limit they are read, whole and once") {
  const std::string whole = large_sample().to_bytes();
  const auto size = static_cast<int64_t>(whole.size());
  for (const int64_t limit : {size, size + 1, INT64_MAX}) {
    VastFile file(whole, whole.size());
    const Result<std::string> bytes = read_checkpoint(file, limit);
    REQUIRE(bytes.ok());
    CHECK(*bytes == whole);
    CHECK(file.read_bytes == kEnvelopeBytes + whole.size());
  }
  VastFile file(whole, whole.size());
  CHECK(read_checkpoint(file, size - 1).status().code() == Code::resource_exhausted);
  CHECK(file.read_bytes == kEnvelopeBytes);
}

TEST_CASE("checkpoint files: an error names the file") {
  SimulatedFileSystem files;
  const auto read = [&files](const std::string& name) {
    auto file = files.open(name);
    REQUIRE(file.ok());
    return read_checkpoint(**file, 1 << 20).status();
  };
  std::string damaged = large_sample().to_bytes();
  damaged[15'000] ^= 1;
  files.put("damaged", damaged);
  REQUIRE(read("damaged").code() == Code::data_loss);
  CHECK(read("damaged").error().file == "damaged");
  files.put("cut", large_sample().to_bytes());
  files.set_faults("cut", {.read_error_offset = 10'000});
  CHECK(read("cut").error().message.find("planted fault") != std::string::npos);
}

TEST_CASE("checkpoint: digests tell values apart, also in the middle of small tensors") {
  auto digest = [](std::vector<std::string_view> values) {
    return digest_of({Tensor::strings(values, Shape{static_cast<int64_t>(values.size())})});
  };
  CHECK(digest({"ab", "c"}) == digest({"ab", "c"}));
  CHECK(digest({"ab", "c"}) != digest({"a", "bc"}));
  CHECK(digest_of({Tensor::scalar<int64_t>(1)}) != digest_of({Tensor::scalar<int64_t>(2)}));
  CHECK(digest_of({Tensor::scalar<int32_t>(1)}) != digest_of({Tensor::scalar<uint32_t>(1)}));
}

TEST_CASE("checkpoint: of 1,001 strings each counts") {
  std::vector<std::string> texts;
  for (int i = 0; i < 1001; ++i) texts.push_back("text " + std::to_string(i));
  auto digest = [&] {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return digest_of({Tensor::strings(views, Shape{1001})});
  };
  const uint64_t plain = digest();
  for (std::string& text : texts) {
    text.back() ^= 1;
    REQUIRE(digest() != plain);
    text.back() ^= 1;
  }
  CHECK(digest() == plain);
}

TEST_CASE("checkpoint: numbers and strings count in full up to 1 MiB, and by 64 KiB at either end beyond") {
  for (const size_t size : {size_t{1} << 20, (size_t{1} << 20) + 1}) {
    const bool whole = size == size_t{1} << 20;
    std::string bytes(size, 'x');
    for (const bool is_text : {false, true}) {
      auto digest = [&] {
        if (is_text) return digest_of({Tensor::string(bytes)});
        Tensor tensor = Tensor::allocate(DType::uint8, Shape{static_cast<int64_t>(size)});
        std::memcpy(tensor.data, bytes.data(), size);
        return digest_of({tensor});
      };
      const uint64_t plain = digest();
      struct Row {
        size_t at;
        bool counts;
      };
      for (const Row& row : {Row{0, true}, Row{65'535, true}, Row{65'536, whole}, Row{size - 65'537, whole},
                             Row{size - 65'536, true}, Row{size - 1, true}}) {
        INFO(size << " bytes, number " << row.at << " changed");
        bytes[row.at] = 'y';
        CHECK((digest() != plain) == row.counts);
        bytes[row.at] = 'x';
      }
    }
  }
}

}  // namespace
}  // namespace weir
