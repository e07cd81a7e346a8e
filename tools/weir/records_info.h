// What the records of a file hold, after all of them were seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "example_features.h"
#include "files.h"

namespace weir::command {

// What is known of one feature.
struct Seen {
  Feature::Kind kind = Feature::Kind::none;
  bool several_kinds = false;
  uint64_t records = 0;
  // Of those that have a kind.
  uint64_t present = 0;
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;

  void add(const Feature& feature);
  // Whether some of so many records lack it, and all others have one value.
  bool may_lack(uint64_t of) const { return present > 0 && present < of && least == 1 && most == 1; }
};

class RecordsInfo {
 public:
  void add(std::string_view bytes);
  uint64_t count() const { return count_; }
  // Among those with bytes.
  bool only(Record::Kind kind) const { return kinds_.size() == 1 && kinds_.count(kind) == 1; }
  std::string contents() const;
  void print() const;
  // The function that parses every record; empty if the records are no Examples or SequenceExamples. Features
  // whose dtype differs are left out, and listed.
  std::string parser(std::string& left_out) const { return parser(left_out, false); }
  // The same, where a feature of one value that some records lack is optional, not its default.
  std::string optional_parser(std::string& left_out) const;

 private:
  std::string parser(std::string& left_out, bool optional) const;
  std::string features_text(std::string& left_out, bool optional) const;
  std::string type_text(const Seen& seen) const;
  std::string lists_text(std::string& left_out) const;

  uint64_t count_ = 0;
  // A record without bytes may be of any of them, and lacks all features.
  std::map<Record::Kind, uint64_t> kinds_;
  std::map<std::string, Seen> features_;
  // By the number of their steps.
  std::map<std::string, Seen> lists_;
  // The steps of all lists of a name.
  std::map<std::string, Seen> steps_;
};

// The parser of all records of a file, with optional features. Throws the error of a damaged record, or one
// if a feature would be left out.
std::string parser_of(const Runtime& runtime, const DataFile& file);

}  // namespace weir::command
