// CachedRows: all rows of a dataset in memory, in the order in which they came, to be given again and again.
//
// They lie in blocks of up to 1,024 rows; what is given are views of these. Written by one cursor, then
// immutable and shared. Takes the bytes of the rows and about 400 bytes per block.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/block.h"
#include "core/memory_budget.h"
#include "core/ref.h"
#include "core/rowstore.h"

namespace weir {

class CachedRows : public RefCounted {
 public:
  // What it holds counts towards the budget, if there is one.
  CachedRows(std::span<const Component> components, RefPtr<MemoryBudget> budget);

  // Adds the rows of a block that have not failed. An error if they do not fit the components, or the budget
  // is exceeded; after that, and after an exception, the rows are incomplete for good.
  Status add(const Block& block);
  // No more rows will come.
  void finish();

  int64_t rows() const { return rows_; }
  // Gives up to `most` rows from `position` on, as views, without columns if `drop`. `block` is a hint where
  // they are, 0 at first; it is moved along.
  // REQUIRES: finished; position < rows()
  void give(int64_t position, int most, bool drop, size_t& block, Block& out) const;

 private:
  // What is on its way into a block.
  struct Filling {
    explicit Filling(std::span<const Component> components) : store(components) {}
    RowStore store;
    OriginSlots origins;
    std::vector<int32_t> rows;
    int count = 0;
    int64_t bytes = 0;
  };
  struct Part {
    int64_t first;
    Block block;
  };
  void flush();

  std::unique_ptr<Filling> filling_;
  const size_t components_;
  int64_t rows_ = 0;
  // Of the parts.
  int64_t bytes_ = 0;
  HeldBytes held_;
  std::vector<Part> parts_;
};

}  // namespace weir
