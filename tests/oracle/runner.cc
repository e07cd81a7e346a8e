// Runs documents in blocks and one by one: the C++ half of oracle.py, which talks to it through pipes.
//
//   request   SIZE\n, then SIZE bytes: the document
//   answer    KIND SIZE\n, then SIZE bytes: "rows", the spec, a line for each element and "end"; "build", the
//             reason; "widths", the difference between blocks and single rows; "exception", its message
#include <iostream>
#include <string>
#include <vector>

#include "core/text.h"
#include "support/pipeline.h"

namespace weir {
namespace {

// More than any document of oracle.py has.
constexpr int64_t kMostLines = 1000;

struct Answer {
  std::string kind;
  std::string text;
};

Answer run(Runtime& runtime, const std::string& text) {
  Result<DocumentRef> built = parse_document(runtime, text);
  if (!built.ok()) return {"build", built.status().error().describe()};
  std::vector<std::string> lines[2];
  std::string spec;
  for (const int width : {1, 1024}) {
    OpenIterator iterator = open_text(runtime, text);
    spec = iterator->spec().to_string();
    lines[width > 1] = take_lines(*iterator, kMostLines, width);
  }
  for (size_t i = 0; i < lines[0].size() || i < lines[1].size(); ++i) {
    const std::string one = i < lines[0].size() ? lines[0][i] : "nothing";
    const std::string many = i < lines[1].size() ? lines[1][i] : "nothing";
    if (one != many) return {"widths", concat("line ", i, ": alone ", one, ", in a block ", many)};
  }
  std::string out = spec;
  for (const std::string& line : lines[0]) out += "\n" + line;
  return {"rows", out};
}

void serve() {
  ThreadsRuntime runtime(1);
  for (size_t size = 0; std::cin >> size;) {
    std::cin.ignore();
    std::string text(size, '\0');
    if (!std::cin.read(text.data(), static_cast<std::streamsize>(size))) return;
    Answer answer;
    try {
      answer = run(*runtime, text);
    } catch (const std::exception& error) {
      answer = {"exception", error.what()};
    }
    std::cout << answer.kind << ' ' << answer.text.size() << '\n' << answer.text << std::flush;
  }
}

}  // namespace
}  // namespace weir

int main() {
  std::ios::sync_with_stdio(false);
  weir::serve();
  return 0;
}
