#include "core/failed_reads.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error_state.h"
#include "core/exception.h"
#include "support/failing_new.h"

namespace weir {
namespace {

Error failed_read(uint64_t read, const std::string& file = "a", int64_t record = -1) {
  Error error;
  error.code = Code::unavailable;
  error.message = "cannot read " + file;
  error.file = file;
  error.record = record;
  error.read_failed = true;
  error.read = read;
  return error;
}

std::string saved(FailedReads& failed) {
  Archive archive;
  failed.state(archive);
  return archive.take();
}

Status load(FailedReads& failed, const std::string& bytes) {
  Archive archive(bytes);
  failed.state(archive);
  archive.finish();
  return archive.status();
}

ErrorPtr pointer_to(Error error) { return std::make_shared<const Error>(std::move(error)); }

TEST_CASE("failed reads: an error is listed by its read and answered without failing again") {
  FailedReads failed;
  CHECK(failed.empty());
  failed.add(pointer_to(failed_read(7, "a", 5)));
  CHECK(!failed.empty());
  CHECK(failed.find(8) == nullptr);
  const ErrorPtr found = failed.find(7);
  REQUIRE(found);
  CHECK(found->code == Code::unavailable);
  CHECK(found->message == "cannot read a");
  CHECK(found->file == "a");
  CHECK(found->record == 5);
  CHECK(!found->read_failed);
}

TEST_CASE("failed reads: positions have no credentials") {
  FailedReads failed;
  failed.add(pointer_to(failed_read(7, "https://usr:pw@h/a.txt?sig=T", 5)));
  const std::string bytes = saved(failed);
  CHECK(bytes.find("pw") == std::string::npos);
  CHECK(bytes.find("sig=T") == std::string::npos);
  FailedReads loaded;
  REQUIRE(load(loaded, bytes).ok());
  REQUIRE(loaded.find(7));
  CHECK(loaded.find(7)->file == "https://******@h/a.txt?*****");
  CHECK(loaded.find(7)->message == "cannot read https://******@h/a.txt?*****");
  CHECK(loaded.find(7)->record == 5);
}

TEST_CASE("failed reads: the first error of a read stays") {
  FailedReads failed;
  failed.add(pointer_to(failed_read(7, "a", 5)));
  failed.add(pointer_to(failed_read(7, "b", 6)));
  CHECK(failed.find(7)->file == "a");
}

TEST_CASE("failed reads: other errors are not listed") {
  FailedReads failed;
  failed.add(pointer_to(failed_read(0)));
  Error lost = failed_read(2);
  lost.position_lost = true;
  failed.add(pointer_to(lost));
  CHECK(failed.empty());
}

TEST_CASE("failed reads: a block's errors are listed") {
  Block block;
  block.rows = 3;
  block.fail_row(0, std::make_shared<Error>(failed_read(1)));
  block.fail_row(2, std::make_shared<Error>(failed_read(2)));
  FailedReads failed;
  failed.add(block);
  CHECK(failed.find(1));
  CHECK(failed.find(2));
}

TEST_CASE("failed reads: what was saved is listed again, each file once") {
  FailedReads failed;
  for (uint64_t epoch = 1; epoch <= 100; ++epoch) {
    failed.add(pointer_to(failed_read(epoch, "a", 5)));
    failed.add(pointer_to(failed_read(1000 + epoch, "b")));
  }
  const std::string bytes = saved(failed);
  CHECK(bytes.find("cannot read a") == bytes.rfind("cannot read a"));
  FailedReads restored;
  REQUIRE(load(restored, bytes).ok());
  for (uint64_t epoch = 1; epoch <= 100; ++epoch) {
    REQUIRE(restored.find(epoch));
    CHECK(restored.find(epoch)->record == 5);
    REQUIRE(restored.find(1000 + epoch));
    CHECK(restored.find(1000 + epoch)->file == "b");
  }
  CHECK(saved(restored) == bytes);
}

TEST_CASE("failed reads: loading adds to what is listed") {
  FailedReads first;
  first.add(pointer_to(failed_read(1, "a", 5)));
  FailedReads second;
  second.add(pointer_to(failed_read(1, "other", 6)));
  second.add(pointer_to(failed_read(2, "b")));
  REQUIRE(load(first, saved(second)).ok());
  CHECK(first.find(1)->file == "a");
  CHECK(first.find(2)->file == "b");
}

TEST_CASE("failed reads: the oldest are forgotten where there are too many") {
  FailedReads failed;
  for (uint64_t read = 1; read <= FailedReads::kMost + 3; ++read) failed.add(pointer_to(failed_read(read)));
  CHECK(failed.find(3) == nullptr);
  CHECK(failed.find(4));
  CHECK(failed.find(FailedReads::kMost + 3));
  FailedReads restored;
  REQUIRE(load(restored, saved(failed)).ok());
  CHECK(restored.find(4));
}

// Writes a list with one file, changed by `change`, and returns how loading it fails.
Status loaded(const std::function<void(Error&, std::vector<uint64_t>&)>& change) {
  Error error = failed_read(0);
  error.read_failed = false;
  std::vector<uint64_t> reads = {1, 2};
  change(error, reads);
  Archive archive;
  int64_t files = 1;
  archive("failed_files", files);
  error_state(archive, error);
  archive("reads", reads);
  FailedReads failed;
  return load(failed, archive.take());
}

// Reads with numbers from 1 on, for which there is no memory.
void add_without_memory(FailedReads& failed, uint64_t count) {
  for (uint64_t read = 1; read <= count; ++read) {
    const ErrorPtr error = pointer_to(failed_read(read, "a", 5));
    fail_allocations(1);
    failed.add(error);
    fail_allocations(0);
  }
}

TEST_CASE("failed reads: those that there was no memory for are listed when there is") {
  const auto failed = make_ref<FailedReads>();
  add_without_memory(*failed, 16);
  for (uint64_t read = 1; read <= 16; ++read) CHECK(failed->find(read));
  CHECK_FALSE(failed->find(17));
  const auto other = make_ref<FailedReads>();
  REQUIRE(load(*other, saved(*failed)).ok());
  for (uint64_t read = 1; read <= 16; ++read) {
    REQUIRE(other->find(read));
    CHECK_FALSE(failed->find(read)->read_failed);
  }
}

TEST_CASE("failed reads: without memory for more of them there is no position") {
  const auto failed = make_ref<FailedReads>();
  add_without_memory(*failed, 17);
  CHECK_THROWS_AS(saved(*failed), std::bad_alloc);
}

TEST_CASE("failed reads: a damaged list is data_loss") {
  CHECK(loaded([](Error&, std::vector<uint64_t>&) {}).ok());
  CHECK(loaded([](Error& error, std::vector<uint64_t>&) { error.read_failed = true; }).code() ==
        Code::data_loss);
  CHECK(loaded([](Error& error, std::vector<uint64_t>&) { error.position_lost = true; }).code() ==
        Code::data_loss);
  CHECK(loaded([](Error&, std::vector<uint64_t>& reads) { reads.clear(); }).code() == Code::data_loss);
  CHECK(loaded([](Error&, std::vector<uint64_t>& reads) { reads.resize(FailedReads::kMost + 1); }).code() ==
        Code::data_loss);
  Archive archive;
  int64_t files = int64_t{1} << 40;
  archive("failed_files", files);
  FailedReads failed;
  CHECK(load(failed, archive.take()).code() == Code::data_loss);
}

TEST_CASE("failed reads: an error is marked with its read and its record, if reading failed") {
  const Status marked = failed_at(Status(failed_read(0)), 9, 4);
  CHECK(marked.error().read == 9);
  CHECK(marked.error().record == 4);
  CHECK(failed_at(Status(failed_read(0, "a", 3)), 9, 4).error().record == 3);
  CHECK(failed_at(Status(failed_read(0)), 9).error().record == -1);
  Error other = failed_read(0);
  other.read_failed = false;
  CHECK(failed_at(Status(other), 9, 4).error().read == 0);
  CHECK(failed_at(Status(), 9).ok());
}

TEST_CASE("failed reads: what ends a file is marked if it says after how many records") {
  Error damage = failed_read(0, "a", 4);
  damage.read_failed = false;
  CHECK(ended_at(Status(damage), 9, 4).error().read == 9);
  CHECK_FALSE(ended_at(Status(damage), 9, 4).error().read_failed);
  CHECK(ended_at(Status(damage), 9, 3).error().read == 0);
  CHECK(ended_at(Status(damage), 9).error().read == 0);
  CHECK(ended_at(Status(out_of_memory()), 9, 4).error().read_failed);
  CHECK(ended_at(Status(), 9).ok());
}

}  // namespace
}  // namespace weir
