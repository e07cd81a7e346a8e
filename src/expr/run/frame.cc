#include "expr/run/frame.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "expr/run/row_loop.h"

namespace weir {

namespace {

constexpr size_t kChunkBytes = 16 * 1024;
// Up to this size, rows whose shapes may yet differ are laid out side by side.
constexpr int64_t kSpeculativeBytes = 1 << 20;

size_t aligned(size_t size) { return (size + kAlignment - 1) & ~(kAlignment - 1); }

}  // namespace

uint8_t* Scratch::allocate(size_t size) {
  if (!chunk_ || chunk_->size() - at_ < size) {
    chunk_ = Buffer::allocate(std::max(size, kChunkBytes));
    at_ = 0;
    used_.push_back(chunk_);
  } else if (used_.empty()) {
    used_.push_back(chunk_);
  }
  uint8_t* out = chunk_->data() + at_;
  at_ = std::min(chunk_->size(), at_ + aligned(size));
  return out;
}

void Scratch::reset() {
  used_.clear();
  at_ = 0;
  if (chunk_ && !chunk_->unique()) chunk_ = nullptr;
}

void Slot::borrow(const Slot& other) {
  own_ = false;
  form = other.form;
  uniform = other.uniform;
  view = other.view;
  holder = other.holder;
  origin = other.origin;
  list = other.list;
}

void Slot::borrow(const Tensor& value) {
  own_ = false;
  form = Form::dense;
  uniform = true;
  view = {value.dtype, value.shape, value.data, 0};
  holder = &value.buffer;
  origin = &value;
}

void Slot::borrow(const Column& column) {
  own_ = false;
  uniform = false;
  if (!column.dense()) {
    form = Form::list;
    list = &column.list();
    return;
  }
  const Tensor& tensor = column.tensor();
  if (tensor.dtype == DType::invalid) {
    // Only places of failed rows.
    form = Form::empty;
    origin = nullptr;
    view = {};
    return;
  }
  origin = &tensor;
  form = Form::dense;
  view.dtype = tensor.dtype;
  view.shape = tensor.shape.tail();
  view.data = tensor.data;
  view.stride = static_cast<int64_t>(view.row_bytes());
  holder = &tensor.buffer;
}

void Slot::begin(DType dtype, int rows, Column* destination, Room* room) {
  form = Form::empty;
  uniform = false;
  own_ = false;
  origin = nullptr;
  view.dtype = dtype;
  rows_ = rows;
  destination_ = destination;
  room_ = room;
}

uint8_t* Slot::make_dense(const Shape& shape) {
  form = Form::dense;
  own_ = true;
  view.shape = shape;
  const size_t row_bytes = view.row_bytes();
  view.stride = static_cast<int64_t>(row_bytes);
  take(row_bytes * static_cast<size_t>(rows_));
  if (shape.rank() == kMaxRank) destination_ = nullptr;
  if (destination_) {
    uint8_t* data = destination_->make_dense(view.dtype, shape, rows_);
    view.data = data;
    holder = &destination_->tensor().buffer;
    return data;
  }
  const size_t bytes = row_bytes * static_cast<size_t>(rows_);
  if (!memory_ || memory_->size() < bytes || !memory_->unique()) memory_ = Buffer::allocate(bytes);
  view.data = memory_->data();
  holder = &memory_;
  return memory_->data();
}

void Slot::become_list(int first) {
  own_list_.clear();
  own_list_.resize(static_cast<size_t>(rows_));
  if (form == Form::dense) {
    for (int i = 0; i < first; ++i) own_list_[static_cast<size_t>(i)] = row(i);
  }
  form = Form::list;
  list = &own_list_;
}

uint8_t* Slot::make(int first, int count, const Shape& shape) {
  const int64_t row_bytes = shape.count() * static_cast<int64_t>(dtype_size(view.dtype));
  if (form == Form::empty) {
    if (count == rows_ || row_bytes * rows_ <= kSpeculativeBytes) {
      make_dense(shape);
    } else {
      become_list(first);
    }
  } else if (form == Form::dense && !(view.shape == shape)) {
    become_list(first);
  }
  if (form == Form::dense) return const_cast<uint8_t*>(view.data) + first * view.stride;
  const size_t bytes = static_cast<size_t>(row_bytes) * static_cast<size_t>(count);
  take(bytes);
  uint8_t* data = arena_.allocate(bytes);
  for (int i = 0; i < count; ++i) {
    Tensor& tensor = own_list_[static_cast<size_t>(first) + static_cast<size_t>(i)];
    tensor.dtype = view.dtype;
    tensor.shape = shape;
    tensor.data = data + i * row_bytes;
    tensor.buffer = arena_.buffer();
  }
  return data;
}

uint8_t* Slot::make_row(int row, const Shape& shape) { return make(row, 1, shape); }

void Slot::share(const Slot& other, const Shape& shape, size_t offset) {
  own_ = false;
  form = Form::dense;
  uniform = other.uniform;
  view = {view.dtype, shape, other.view.data, other.view.stride};
  view.data += offset;
  holder = other.holder;
  origin = other.origin;
}

void Slot::gather(const Slot& from, DType dtype, std::span<const int32_t> rows, Room* room) {
  begin(dtype, static_cast<int>(rows.size()), nullptr, room);
  for (size_t i = 0; i < rows.size(); ++i) copy_row(static_cast<int>(i), from, rows[i]);
}

void Slot::copy_row(int row, const Slot& from, int at) {
  if (from.form == Form::list) {
    const Tensor& tensor = (*from.list)[static_cast<size_t>(at)];
    const size_t bytes = tensor.byte_size();
    uint8_t* to = make_row(row, tensor.shape);
    if (bytes > 0) std::memcpy(to, tensor.data, bytes);
    return;
  }
  const uint8_t* data = from.view.data + at * from.view.stride;
  const size_t bytes = from.view.row_bytes();
  uint8_t* to = make_row(row, from.view.shape);
  if (bytes == sizeof(uint64_t)) {
    std::memcpy(to, data, sizeof(uint64_t));
  } else if (bytes > 0) {
    std::memcpy(to, data, bytes);
  }
}

Tensor Slot::row(int i) const {
  if (form == Form::list) return (*list)[static_cast<size_t>(i)];
  Tensor out;
  out.dtype = view.dtype;
  out.shape = view.shape;
  out.data = const_cast<uint8_t*>(view.data) + i * view.stride;
  out.buffer = *holder;
  return out;
}

void Slot::clear_row(int i) {
  if (form == Form::list && list == &own_list_) {
    own_list_[static_cast<size_t>(i)] = Tensor();
  } else if (form == Form::dense && own_ && !uniform && view.stride > 0) {
    std::memset(const_cast<uint8_t*>(view.data) + i * view.stride, 0, static_cast<size_t>(view.stride));
  }
}

void Slot::release() {
  form = Form::empty;
  origin = nullptr;
  own_list_.clear();
  arena_.reset();
}

Frame::Frame(const Program& program) : slots(program.registers.size()), work(program.code.size()) {
  for (size_t i = 0; i < program.registers.size(); ++i) {
    const Register& reg = program.registers[i];
    if (reg.source == Register::Source::constant) slots[i].borrow(reg.constant);
  }
  size_t most = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    most = std::max(most, instruction.args.size());
    if (instruction.kind != Instruction::Kind::branch) continue;
    work[i].then_frame = std::make_unique<Frame>(*instruction.then_program);
    work[i].else_frame = std::make_unique<Frame>(*instruction.else_program);
  }
  args.resize(most);
  size_t most_steps = 0;
  size_t most_slots = 0;
  for (const TilePlan& plan : program.tile_plans) {
    most_steps = std::max(most_steps, plan.steps.size());
    most_slots = std::max(most_slots, static_cast<size_t>(plan.slots));
  }
  steps.resize(most_steps);
  if (most_slots > 0) tiles = Buffer::allocate(most_slots * kMaxTileBytes);
}

Frame::~Frame() = default;

void Frame::read_from(int row, int rows, Origin origin) noexcept try {
  if (!origin.known()) return;
  if (read.empty()) read.resize(static_cast<size_t>(rows));
  Origin& place = read[static_cast<size_t>(row)];
  if (!place.known()) place = origin;
} catch (const std::bad_alloc&) {
  read.clear();
}

void Frame::fail(int row, int rows, ErrorPtr error) {
  if (errors.empty()) errors.resize(static_cast<size_t>(rows));
  ErrorPtr& place = errors[static_cast<size_t>(row)];
  if (place != nullptr) return;
  place = std::move(error);
  ++error_count;
}

}  // namespace weir
