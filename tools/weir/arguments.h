// The command line of `weir`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::command {

enum class Verb {
  run,
  check,
  spec,
  format,
  digest,
  explain,
  bench,
  top,
  list,
  // `weir checkpoint`, which is a topic only, and its two.
  checkpoint,
  show_checkpoint,
  list_checkpoints,
  // `weir cache`, which is a topic only, and its two.
  cache,
  show_cache,
  clear_cache,
  // Those of files.
  head,
  info,
  validate,
  index,
  shard,
  convert,
  help,
  version
};

struct Arguments {
  Verb verb = Verb::help;
  // With Verb::help: the topic; Verb::help itself means the whole command, unless `name` is an operator or
  // function.
  Verb topic = Verb::help;
  std::string name;
  // The document, from -e or a file; for the checkpoint and cache verbs `file` is the
  // checkpoint or the folder.
  bool has_text = false;
  std::string text;
  std::string file;
  // Of the verbs of files.
  std::vector<std::string> files;
  // Of shard: the name that those of the files begin with.
  std::string output;
  std::vector<std::pair<std::string, std::string>> params;
  // Negative: all.
  int64_t count = -1;
  bool json = false;
  bool origins = false;
  // Of spec: what a checkpoint needs.
  bool checkpoint = false;
  // Of run: print what the stages did; the file for a timeline, empty: none.
  bool stats = false;
  std::string trace;
  // Of bench: how long each repeat takes, and how many count; 0: as the help says.
  double seconds = 0;
  int64_t repeats = 0;
  // Of the verbs of files: whether the first row of a table is a header; nothing: as it looks.
  std::optional<bool> header;
  // The longest record that is read; 0: the library's own limit.
  int64_t record_bytes = 0;
  // Of top.
  int64_t process = 0;
  // The document that a checkpoint may fit; empty: none.
  std::string fits;
};

// Returns "" if the line is understood, else what is wrong with it, for standard error.
std::string parse_arguments(int argc, char** argv, Arguments& out);

// True if somebody might write this who gives a document where a word or a file's name is expected.
bool looks_like_document(const std::string& word);

}  // namespace weir::command
