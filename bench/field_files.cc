// Files whose rows have fields: JSON lines and tar archives, for the rows of each operator.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support.h"
#include "support/tar_bytes.h"

namespace weir::bench {
namespace {

constexpr size_t kFileBytes = size_t{64} << 20;

// Of one shard.
constexpr size_t kShardBytes = size_t{256} << 20;

// A file of what `row(n)` gives.
template <class Row>
std::string write_rows(const std::string& name, Row row, size_t bytes = kFileBytes) {
  const std::string path = folder() + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return path;
  size_t written = 0;
  for (int n = 0; written < bytes; ++n) {
    const std::string made = row(n);
    written += std::fwrite(made.data(), 1, made.size(), file);
  }
  std::fclose(file);
  return path;
}

std::string object_of(int n) {
  const std::string number = std::to_string(n);
  return "{\"id\": " + number + ", \"name\": \"name of " + number + "\", \"score\": " + number +
         ".25, \"kind\": \"some kind\", \"on\": true, \"tags\": [\"a\", \"b\", \"c\"], \"x\": 1.5, \"y\": -2.75, "
         "\"at\": {\"row\": 7, \"column\": 9}, \"note\": null, \"sizes\": [1, 2, 3], \"url\": \"files/" +
         number + ".png\"}\n";
}

std::string member_of(int n) { return test::tar_member(std::to_string(n) + ".txt", std::string(1000, 'x')); }

std::string large_member_of(int n) {
  return test::tar_member(std::to_string(n) + ".jpg", std::string(100'000, static_cast<char>('a' + n % 26)));
}

// Members of 100 KB, in turns with reads of the file in pieces of 256 KiB, by processor time.
void tar_members(benchmark::State& state) {
  const std::string name = write_rows("large.tar", large_member_of, kShardBytes);
  Drain drain(parse("webdataset(\"" + name + "\", {jpg: string}) | repeat()"));
  const auto rows = static_cast<int64_t>(kShardBytes / 100'000);
  drain.run(64, rows);
  std::vector<char> piece(256 << 10);
  const int file = open(name.c_str(), O_RDONLY);
  alternate(
      state, [&] { drain.run(64, rows); },
      [&] {
        off_t at = 0;
        for (ssize_t got; (got = pread(file, piece.data(), piece.size(), at)) > 0;) at += got;
      },
      0.8);
  close(file);
}
BENCHMARK(tar_members)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(15);

}  // namespace

std::string object_file() {
  static const std::string path = write_rows("objects.jsonl", object_of);
  return path;
}

std::string tar_file() {
  static const std::string path = write_rows("members.tar", member_of);
  return path;
}

}  // namespace weir::bench
