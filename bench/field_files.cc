// Files whose rows have fields: JSON lines and tar archives, for the rows of each operator.
#include <cstdio>
#include <string>

#include "support.h"
#include "support/tar_bytes.h"

namespace weir::bench {
namespace {

constexpr size_t kFileBytes = size_t{64} << 20;

// A file of 64 MiB of what `row(n)` gives.
template <class Row>
std::string write_rows(const std::string& name, Row row) {
  const std::string path = folder() + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return path;
  size_t written = 0;
  for (int n = 0; written < kFileBytes; ++n) {
    const std::string bytes = row(n);
    written += std::fwrite(bytes.data(), 1, bytes.size(), file);
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
