#include "support/simulated_files.h"

#include <catch2/catch_test_macros.hpp>

#include "fs/bytes_of.h"

namespace weir {
namespace {

Result<size_t> read_at(SimulatedFileSystem& files, const std::string& name, uint64_t offset, size_t size) {
  auto file = files.open(name);
  if (!file.ok()) return file.status();
  std::string out(size, '\0');
  return (*file)->read_at(offset, {reinterpret_cast<uint8_t*>(out.data()), size});
}

TEST_CASE("simulated files: written, replaced, listed, removed") {
  SimulatedFileSystem files;
  auto file = files.create("d/a");
  REQUIRE(file.ok());
  CHECK((*file)->append(bytes_of("12")).ok());
  CHECK((*file)->append(bytes_of("345")).ok());
  CHECK(*files.read_file("d/a", 100) == "12345");
  auto open = files.open("d/a");
  CHECK(files.write_file_atomically("d/a", bytes_of("new")).ok());
  CHECK(*files.read_file("d/a", 100) == "new");
  CHECK(*(*open)->size() == 5);
  CHECK(files.stat("d")->is_folder);
  CHECK(*files.list_folder("d") == std::vector<std::string>{"a"});
  CHECK(*files.list_folder(".") == std::vector<std::string>{"d"});
  CHECK(files.open("d").status().code() == Code::invalid_argument);
  CHECK(files.create("d").status().code() == Code::invalid_argument);
  CHECK(files.write_file_atomically("d", bytes_of("x")).code() == Code::invalid_argument);
  CHECK(files.stat("d")->is_folder);
  CHECK(files.remove("d/a").ok());
  CHECK(files.write_file_atomically("d", bytes_of("x")).ok());
  CHECK(files.remove("d").ok());
  CHECK(files.open("d/a").status().code() == Code::not_found);
  CHECK(files.remove("d/a").code() == Code::not_found);
}

TEST_CASE("simulated files: planted faults strike where they were planted") {
  SimulatedFileSystem files;
  files.put("a", "0123456789");
  files.set_faults("a", {.fails_to_open = true});
  CHECK(files.open("a").status().code() == Code::unavailable);
  files.set_faults("a", {.read_error_offset = 4});
  CHECK(*read_at(files, "a", 0, 10) == 4);
  CHECK(read_at(files, "a", 4, 1).status().code() == Code::data_loss);
  files.set_faults("a", {.truncated_size = 4});
  CHECK(*read_at(files, "a", 0, 10) == 4);
  CHECK(*read_at(files, "a", 4, 1) == 0);
  files.set_faults("a", {.longest_read = 3});
  CHECK(*read_at(files, "a", 2, 10) == 3);
  CHECK(*files.read_file("a", 100) == "0123456789");
  files.set_faults("b", {.append_error_offset = 3});
  auto file = files.create("b");
  REQUIRE(file.ok());
  CHECK((*file)->append(bytes_of("123")).ok());
  CHECK((*file)->append(bytes_of("4")).code() == Code::resource_exhausted);
  CHECK(files.write_file_atomically("b", bytes_of("1234")).code() == Code::resource_exhausted);
  CHECK(*files.read_file("b", 100) == "123");
}

TEST_CASE("simulated files: drawn faults follow from seed and name, and come as often as asked for") {
  const FaultPlan plan{
      .seed = 7, .open_failures = 100, .read_errors = 200, .truncations = 300, .short_reads = 1000};
  const SimulatedFileSystem one(plan), two(plan), other({.seed = 8, .open_failures = 100});
  int open_failures = 0, read_errors = 0, truncations = 0, differences = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "file-" + std::to_string(i);
    const FileFaults faults = one.faults_of(name, 1000);
    const FileFaults again = two.faults_of(name, 1000);
    CHECK(faults.fails_to_open == again.fails_to_open);
    CHECK(faults.read_error_offset == again.read_error_offset);
    CHECK(faults.truncated_size == again.truncated_size);
    CHECK(faults.longest_read == again.longest_read);
    CHECK(faults.longest_read > 0);
    open_failures += faults.fails_to_open;
    read_errors += faults.read_error_offset <= 1000;
    truncations += faults.truncated_size <= 1000;
    differences += faults.fails_to_open != other.faults_of(name, 1000).fails_to_open;
  }
  CHECK((open_failures > 120 && open_failures < 280));
  CHECK((read_errors > 300 && read_errors < 500));
  CHECK((truncations > 480 && truncations < 720));
  CHECK(differences > 100);
}

}  // namespace
}  // namespace weir
