// PartSource: the parts of a dataset, for partition. By index, part s of n has the rows from ⌊s·N/n⌋ up to
// ⌊(s+1)·N/n⌋ of N, each read by its position; by files, it has files s, s + n, s + 2n … of a list.
//
// The list of names is read, or the rows are counted, once for all parts, before the first is made: that is
// also the one opening of the dataset which others see. Parts may be used on any thread; the rest belongs to
// the cursor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataset/part_facts.h"
#include "dataset/port.h"

namespace weir {

// How a dataset is cut.
enum class PartsBy : uint8_t { automatic, index, files };

// invalid_argument for a word that is neither "index" nor "files".
Result<PartsBy> parts_by(const StringParam& by);
// How `input` is cut in `n` parts, if that can be told before its file names are known; else automatic.
// invalid_argument if it cannot be cut.
Result<PartsBy> parts_by(const Dataset& input, PartsBy by, int64_t n);

// What the graph tells about the parts of `input` before anything is opened. By index, a part may open any
// file of a list, so only one that is alone is known.
std::vector<PartFacts> part_facts(const DatasetRef& input, PartsBy by, int64_t n);

class PartSource {
 public:
  // Cuts input 0.
  PartSource(Opening& opening, PartsBy by, int64_t n);

  // Finds out where the parts begin. Answers rows when that is done.
  Step open(Context& ctx);
  // The dataset of part `s`, to be opened with the variables of the input.
  // REQUIRES: open() has answered rows
  Result<DatasetRef> part(Runtime& runtime, int64_t s) const;
  // How often the nodes of the input were opened before it was.
  const EpochTableRef& before() const { return before_; }
  // Whether all parts have one of two sizes, those of the first and the last.
  bool by_index() const { return by_ == PartsBy::index; }

  void state(Archive& archive);

 private:
  Step read_names(Context& ctx);
  Status count_rows(Context& ctx);
  // Files, or rows.
  int64_t count() const { return by_ == PartsBy::files ? static_cast<int64_t>(names_.size()) : rows_; }

  const Instance instance_;
  PartsBy by_;
  const int64_t n_;
  bool open_ = false;
  EpochTableRef before_;
  // The names of the files, until they are read; null where there are none.
  std::unique_ptr<Port> names_port_;
  std::vector<std::string> names_;
  int64_t rows_ = 0;
  // What count() was when the loaded position was saved; -1: not known there either.
  int64_t saved_count_ = -1;
};

}  // namespace weir
