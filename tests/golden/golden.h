// Golden: the cases of tests/golden, and what weir versions of the past saved for them. README.md there says
// what the files are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/world.h"
#include "support/pipeline.h"

namespace weir::golden {

struct Case {
  std::string name;
  std::string document;
  std::vector<ParamValue> params;
  // How often the iterator is initialised before.
  int epochs = 1;
  // Rows read before the save, `rows` at a time. If `fail` is not negative, that allocation fails, and
  // reading stops there.
  int64_t take = 0;
  int rows = 1;
  int64_t fail = -1;
  // Rows pulled after these and given back.
  int hold = 0;
  // The document leaves seeds open, so only the checkpoint knows them.
  bool drawn = false;
  // The rank that is saved, if the document has shards by rank.
  std::optional<World> world;
};

// tests/golden
std::string folder();
// All cases by name. Changes to the folder of their data, since their documents name files there.
std::vector<Case> cases();
Case case_named(const std::string& name);

// Where an iterator over the case begins, at the checkpoint if there is one. Borrows both.
Beginning beginning_of(const Case& one, const std::string* checkpoint = nullptr);

// An iterator over the case's document, at the checkpoint if there is one.
OpenIterator open(Runtime& runtime, const Case& one, const DocumentRef& document,
                  const std::string* checkpoint = nullptr);
// An iterator where the case is saved.
OpenIterator at_position(Runtime& runtime, const Case& one);
// What follows, with "end" after it.
std::vector<std::string> rest(Iterator& iterator, int rows = 1);

// Throws std::runtime_error if the file is missing.
std::string read_file(const std::string& path);
std::vector<std::string> lines_of(std::string_view text);
// The names in a folder, sorted.
std::vector<std::string> names_in(const std::string& path);

// What a case has of its own, such as "checkpoint-4" or "graph-2": the folder that holds these bytes.
std::string folder_of(std::string_view kind, std::string_view bytes);
// The content in the kind of envelope that `file` has, with a correct checksum.
std::string enclosed_like(std::string_view file, std::string_view content);

}  // namespace weir::golden
