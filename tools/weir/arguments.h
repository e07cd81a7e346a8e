// What stands on the command line of `weir`.
// Ownership: a plain value. Errors: a message for standard error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::command {

enum class Verb { run, check, spec, format, list, help, version };

struct Arguments {
  Verb verb = Verb::help;
  // With Verb::help: what about; itself for all of the command, unless `name` is an operator or function.
  Verb topic = Verb::help;
  std::string name;
  // The document, from -e or a file.
  bool has_text = false;
  std::string text;
  std::string file;
  std::vector<std::pair<std::string, std::string>> params;
  // Negative: all.
  int64_t count = -1;
  bool json = false;
  bool origins = false;
};

// Empty if the line is understood, else what is wrong with it.
std::string parse_arguments(int argc, char** argv, Arguments& out);

// Whether somebody who wrote a document where a word or a file's name is due would write this.
bool looks_like_document(const std::string& word);

}  // namespace weir::command
