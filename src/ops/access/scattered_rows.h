// ScatteredRows: a block that is put together from runs of rows of several inputs, for operators that take
// turns. The structure tells the size of a row, so each row's target is known before it comes.
//
//   if (!scattered.begin(out, 64, demand.drop)) …           // no memory
//   scattered.put(part, {.first = 3, .run = 1, .gap = 15});  // rows 3, 19, 35 …
//   scattered.finish(64);                                    // rows 0 to 63 are there
//
// Between begin() and finish() it does not throw, and the block must not be touched. Errors and origins go
// with their rows. A row costs a copy of its bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/block.h"

namespace weir {

class ScatteredRows {
 public:
  // Where the rows of a part go: `left` (at first; then `run`) of them in a row from `first` on, then `gap`
  // rows are left out.
  struct Targets {
    int first = 0;
    int left = 1;
    int run = 1;
    int gap = 0;
  };

  explicit ScatteredRows(const std::vector<Component>& components);

  // False where the structure does not tell the size of a row, or where entries have owners.
  bool fits() const { return fits_; }
  // Of a row; at least 1.
  int64_t row_bytes() const { return row_bytes_; }
  // Makes room for `rows` rows in `out`. Returns false if there is no memory. `drop`: without columns.
  // REQUIRES: fits()
  bool begin(Block& out, int rows, bool drop) noexcept;
  void put(const Block& part, Targets targets) noexcept { put(part, 0, part.rows, targets); }
  // The same for rows [begin, begin + rows) of the part.
  void put(const Block& part, int begin, int rows, Targets targets) noexcept;
  // The block consists of the first `rows` rows. Throws if there was no memory for their errors, or if a row
  // had another size than its structure says.
  void finish(int rows);

 private:
  struct Part {
    DType dtype = DType::invalid;
    Shape shape;
    size_t bytes = 0;
    uint8_t* to = nullptr;
  };
  // Rows of a part.
  struct Range {
    int begin;
    int end;
  };
  bool copy(const Column& column, const Part& part, int all, Range rows, Targets targets) const noexcept;
  void note_errors(const Block& part, Range rows, const Targets& targets) noexcept;
  void note_origins(const Block& part, Range rows, const Targets& targets) noexcept;

  bool fits_ = true;
  int64_t row_bytes_ = 1;
  std::vector<Part> parts_;
  Block* out_ = nullptr;
  int room_ = 0;
  bool drop_ = false;
  // An error could not be noted.
  bool lost_ = false;
  bool misfit_ = false;
  // By target, if any row has one.
  std::vector<Origin> origins_;
};

}  // namespace weir
