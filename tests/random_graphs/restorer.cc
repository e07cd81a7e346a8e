// Saves and restores a document that it reads from standard input: the C++ half of restore.py, which starts
// it in the folder of the record files.
//
//   restorer everywhere LIMIT SEED    at every position, into a fresh runtime with another number of threads;
//                                     prints where the rest differs, and fails then
//   restorer save FILE COUNT LIMIT THREADS      saves after COUNT lines and prints what follows
//   restorer restore FILE LIMIT THREADS         goes on from there in this process and prints what follows
//
// LIMIT is the number of lines that are read, those before the position included.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/text.h"
#include "fs/file_system.h"
#include "iterator/checkpoint.h"
#include "iterator/nested.h"
#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

constexpr int kThreads[] = {1, 2, 4, 8};
constexpr int kWidths[] = {1, 7, 1024};

Lines read(Runtime& runtime, Iterator& iterator, int64_t count, int rows) {
  NestedDrainer drainer(runtime, nullptr);
  return take_lines(iterator, count, rows, &drainer);
}

std::string first_difference(const Lines& expected, const Lines& found) {
  size_t at = 0;
  while (at < expected.size() && at < found.size() && expected[at] == found[at]) ++at;
  const auto line = [at](const Lines& lines) {
    return at < lines.size() ? lines[at] : std::string("nothing");
  };
  return concat("line ", at, " after it: expected ", line(expected), ", found ", line(found));
}

// Positions are saved as they are come to; each is restored with another number of threads.
int everywhere(const std::string& text, int64_t limit, uint64_t seed) {
  ThreadsRuntime base(kThreads[seed % 4]);
  OpenIterator whole = open_text(*base, text);
  const Lines all = read(*base, *whole, limit, 1024);
  OpenIterator iterator = open_text(*base, text);
  for (size_t at = 0; at < all.size(); ++at) {
    if (at > 0) read(*base, *iterator, 1, 1);
    const std::string saved = require_value(iterator->save());
    const int threads = kThreads[(seed + 1 + at % 3) % 4];
    const int rows = kWidths[(seed + at) % 3];
    ThreadsRuntime fresh(threads);
    OpenIterator restored = open_text(*fresh, text, &saved);
    const Lines expected(all.begin() + static_cast<ptrdiff_t>(at), all.end());
    const Lines found = read(*fresh, *restored, static_cast<int64_t>(expected.size()), rows);
    if (found == expected) continue;
    std::cout << "saved at " << at << " on " << kThreads[seed % 4] << " threads, restored on " << threads
              << ", " << rows << " rows at a time: " << first_difference(expected, found) << '\n';
    return 1;
  }
  return 0;
}

void print(const Lines& lines) {
  for (const std::string& line : lines) std::cout << line << '\n';
}

int save(const std::string& text, const std::string& file, int64_t count, int64_t limit, int threads) {
  ThreadsRuntime runtime(threads);
  OpenIterator iterator = open_text(*runtime, text);
  read(*runtime, *iterator, count, 3);
  require_ok(iterator->save_file(file));
  print(read(*runtime, *iterator, limit - count, 3));
  return 0;
}

int restore(const std::string& text, const std::string& name, int64_t limit, int threads) {
  ThreadsRuntime runtime(threads);
  const auto file = require_value(runtime->files->open(name));
  const std::string saved = require_value(read_checkpoint(*file, int64_t{1} << 32));
  print(read(*runtime, *open_text(*runtime, text, &saved), limit, 5));
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto number = [&](size_t i) { return std::strtoll(arguments.at(i).c_str(), nullptr, 10); };
  if (arguments.at(0) == "everywhere") return everywhere(text, number(1), static_cast<uint64_t>(number(2)));
  if (arguments.at(0) == "save") {
    return save(text, arguments.at(1), number(2), number(3), static_cast<int>(number(4)));
  }
  return restore(text, arguments.at(1), number(2), static_cast<int>(number(3)));
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  try {
    return weir::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
    return 1;
  }
}
