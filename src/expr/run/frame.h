// Frame: the registers of one evaluation of a program, and the scratch memory that they reuse from call to
// call. A Function keeps a few frames and lends one to each call; between calls a frame holds only its own
// memory. In steady state it does not allocate.
#pragma once

#include <memory>
#include <vector>

#include "expr/run/call.h"
#include "expr/run/program.h"

namespace weir {

// Memory that is handed out from front to back, and again from the front once nobody else holds it.
class Scratch {
 public:
  uint8_t* allocate(size_t size);
  // The buffer of the last allocate().
  const BufferRef& buffer() const { return chunk_; }
  // Buffers used since reset(), for results that point into them.
  const std::vector<BufferRef>& used() const { return used_; }
  void reset();

 private:
  BufferRef chunk_;
  size_t at_ = 0;
  std::vector<BufferRef> used_;
};

// The value of a register: rows at a fixed distance, or one tensor per row.
class Slot {
 public:
  enum class Form : uint8_t { empty, dense, list };

  Form form = Form::empty;
  // Every row has the value at `view.data`; view.stride is 0.
  bool uniform = false;
  // Dense: where the rows lie.
  Arg view;
  // Dense: what keeps them alive.
  const BufferRef* holder = nullptr;
  // The tensor that the rows came with, whose owners keep strings alive; null for computed rows.
  const Tensor* origin = nullptr;
  // List: one tensor per row; failed rows have none.
  const std::vector<Tensor>* list = nullptr;

  // Views the rows of another owner.
  void borrow(const Slot& other);
  void borrow(const Tensor& value);   // one value for all rows
  void borrow(const Column& column);  // a row each

  // Begins a result of `rows` rows. If it becomes dense, it goes to `destination`, or to scratch if that is
  // null. What it takes counts in `room`, unless that is null.
  void begin(DType dtype, int rows, Column* destination, Room* room);
  // Counts bytes that the result points into.
  void take(size_t bytes) {
    if (room_) room_->take(static_cast<int64_t>(bytes));
  }
  // True if the rows went straight to the destination.
  bool delivered() const { return form == Form::dense && own_ && destination_ != nullptr; }
  // Makes contiguous room for rows [first, first + count), in rising order of `first`. Stays dense as long
  // as the shapes agree.
  uint8_t* make(int first, int count, const Shape& shape);
  uint8_t* make_row(int row, const Shape& shape);
  // Makes the result share the memory of another slot.
  void share(const Slot& other, const Shape& shape, size_t offset);

  // Zeroes the place of a failed row, if the memory belongs to this slot.
  void clear_row(int i);

  // Copies the listed rows of another slot one after the other.
  void gather(const Slot& from, DType dtype, std::span<const int32_t> rows, Room* room);
  // Copies row `at` of another slot to row `row` of the result.
  void copy_row(int row, const Slot& from, int at);
  template <class T>
  const T* entry(int i) const {
    return form == Form::list ? (*list)[static_cast<size_t>(i)].as<const T>() : view.row<T>(i);
  }

  // Returns row i as a tensor that keeps its memory alive, but not what strings point to.
  Tensor row(int i) const;
  // Releases everything but scratch memory.
  void release();

 private:
  uint8_t* make_dense(const Shape& shape);
  void become_list(int first);

  int rows_ = 0;
  bool own_ = false;
  Column* destination_ = nullptr;
  Room* room_ = nullptr;
  BufferRef memory_;
  std::vector<Tensor> own_list_;
  Scratch arena_;
};

struct Frame {
  explicit Frame(const Program& program);
  ~Frame();

  std::vector<Slot> slots;
  // Indexed by instruction.
  struct Work {
    // The bytes of strings, and what else results point into.
    Scratch bytes;
    std::vector<RefPtr<RefCounted>> kept;
    std::unique_ptr<Frame> then_frame;
    std::unique_ptr<Frame> else_frame;
    // What the host's function gave.
    std::unique_ptr<Block> made;
    std::vector<int32_t> then_rows;
    std::vector<int32_t> else_rows;
  };
  std::vector<Work> work;
  // The first error of each row; empty as long as there is none.
  std::vector<ErrorPtr> errors;
  int error_count = 0;
  // Of rows that were read as files; by row, empty as long as there are none.
  std::vector<Origin> read;
  std::vector<Arg> args;
  // For the largest of the program's tile plans, if it has any.
  std::vector<TileStep> steps;
  BufferRef tiles;
  // What runs single rows, once there was one.
  std::unique_ptr<RowLoop> row_loop;
  // Slots that the search for owners has visited.
  std::vector<const Slot*> seen;

  bool failed(int row) const { return !errors.empty() && errors[static_cast<size_t>(row)] != nullptr; }
  // Notes where a row was read, the first time. Forgotten where there is no memory for it.
  void read_from(int row, int rows, Origin origin) noexcept;
  // Marks a row as failed; its first error wins. `rows` is the number of rows.
  void fail(int row, int rows, ErrorPtr error);
};

}  // namespace weir
