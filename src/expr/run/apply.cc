#include "expr/run/apply.h"

#include <cstring>

#include "core/owners.h"
#include "expr/run/owners.h"
#include "expr/types/function.h"

namespace weir {

void fill_column(const Program& program, Frame& frame, int reg, int rows, Column& out) {
  const Slot& slot = frame.slots[static_cast<size_t>(reg)];
  const DType dtype = program.registers[static_cast<size_t>(reg)].type.dtype;
  OwnersRef owners;
  if (has_owners(dtype)) {
    owners = make_ref<Owners>();
    collect_owners(program, frame, reg, owners->list);
  }
  const bool dense = slot.form == Slot::Form::dense && slot.view.shape.rank() < kMaxRank;
  const size_t row_bytes = dense ? slot.view.row_bytes() : 0;
  if (!dense) {
    std::vector<Tensor>& list = out.make_list();
    list.resize(static_cast<size_t>(rows));
    for (int row = 0; row < rows && slot.form != Slot::Form::empty; ++row) {
      if (frame.failed(row)) continue;
      list[static_cast<size_t>(row)] = slot.row(row);
      list[static_cast<size_t>(row)].owners = owners;
    }
    return;
  }
  if (!slot.uniform && slot.view.stride == static_cast<int64_t>(row_bytes)) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = slot.view.shape.prepended(rows);
    tensor.data = const_cast<uint8_t*>(slot.view.data);
    if (slot.holder != nullptr) tensor.buffer = *slot.holder;
    out.set_dense(std::move(tensor));
  } else {
    uint8_t* to = out.make_dense(dtype, slot.view.shape, rows);
    for (int row = 0; row < rows && row_bytes > 0; ++row) {
      std::memcpy(to + static_cast<size_t>(row) * row_bytes, slot.view.data + row * slot.view.stride,
                  row_bytes);
    }
  }
  if (owners) out.set_owners(std::move(owners));
}

void keep_owners(const Column& column, std::vector<RefPtr<RefCounted>>& kept) {
  if (!has_owners(column.dtype())) return;
  add_owners(kept, column.dense() ? std::span(&column.tensor(), 1) : std::span(column.list()));
}

void apply_function(const Program& program, Frame& frame, const Call& call, const Instruction& instruction,
                    Frame::Work& work, int rows) {
  Block in;
  in.rows = rows;
  in.columns.resize(instruction.args.size());
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    fill_column(program, frame, instruction.args[i], rows, in.columns[i]);
  }
  for (int row = 0; row < rows; ++row) {
    if (frame.failed(row)) in.fail_row(row, frame.errors[static_cast<size_t>(row)]);
  }
  if (!work.made) work.made = std::make_unique<Block>();
  Block& out = *work.made;
  instruction.function->call({.session = *call.session, .key = call.key}, in, out);
  if (call.room) call.room->take(out.byte_size());
  for (const RowError& error : out.errors) frame.fail(error.row, rows, error.error);
  for (size_t i = 0; i < instruction.results.size(); ++i) {
    const Column& column = out.columns[i];
    frame.slots[static_cast<size_t>(instruction.results[i])].borrow(column);
    keep_owners(column, work.kept);
  }
}

}  // namespace weir
