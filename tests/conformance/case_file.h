// Case files: blocks separated by a line "====", each
//
//   case: NAME                    unique in the file
//   param: n=5                    optional, one line per parameter
//   run: range(5)                 the document; continues on lines that begin with two spaces
//   spec: int64                   optional
//   cardinality: 5                optional
//   take: 10                      optional: stop after this many elements
//   rank: 0/2                     optional: read as this rank of so many
//   tolerance: 1e-6               optional: relative and absolute, for floats
//   unordered                     optional: compare as multisets
//   ---
//   0                             the elements as printed, one per line
//   error: invalid_argument       an element that fails: the code only
//   end                           the sequence ends here
//
// "build error: CODE" instead of the elements means that building fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::conformance {

struct Case {
  std::string file;
  std::string name;
  std::vector<std::pair<std::string, std::string>> params;
  std::string document;
  std::string spec;
  std::string cardinality;
  int64_t take = -1;
  // World size 0: as the environment says.
  int64_t rank = 0;
  int64_t world_size = 0;
  double tolerance = 0;
  bool unordered = false;
  std::vector<std::string> lines;

  std::string id() const { return file + ":" + name; }
};

// Reads all cases of a file's text; throws std::runtime_error on a line that it does not understand.
std::vector<Case> parse_cases(const std::string& file, const std::string& text);

// Why `found` is not what the case expects; empty if it is.
std::string compare(const Case& expected, const std::vector<std::string>& found);

}  // namespace weir::conformance
