#include "expr/run/owners.h"

#include <algorithm>

namespace weir {

namespace {

void add_owner(std::vector<RefPtr<RefCounted>>& out, const RefPtr<RefCounted>& owner) {
  if (!owner || std::find(out.begin(), out.end(), owner) != out.end()) return;
  out.push_back(owner);
}

void add_owners(std::vector<RefPtr<RefCounted>>& out, const Tensor& value) {
  add_owner(out, value.buffer);
  if (!value.owners) return;
  for (const auto& owner : value.owners->list) add_owner(out, owner);
}

void collect(const Program& program, Frame& frame, int reg, std::vector<const Slot*>& seen,
             std::vector<RefPtr<RefCounted>>& out) {
  const Register& source = program.registers[static_cast<size_t>(reg)];
  const Slot& slot = frame.slots[static_cast<size_t>(reg)];
  if (!has_owners(source.type.dtype) || std::find(seen.begin(), seen.end(), &slot) != seen.end()) return;
  seen.push_back(&slot);
  if (source.source != Register::Source::computed) {
    if (slot.form == Slot::Form::dense && slot.origin) add_owners(out, *slot.origin);
    if (slot.form == Slot::Form::list) {
      for (const Tensor& row : *slot.list) add_owners(out, row);
    }
    return;
  }
  const auto at = static_cast<size_t>(source.instruction);
  const Instruction& instruction = program.code[at];
  Frame::Work& work = frame.work[at];
  for (const BufferRef& chunk : work.bytes.used()) add_owner(out, chunk);
  for (const auto& owner : work.kept) add_owner(out, owner);
  for (int arg : instruction.args) collect(program, frame, arg, seen, out);
  if (instruction.kind != Instruction::Kind::branch) return;
  for (int arg : instruction.then_args) collect(program, frame, arg, seen, out);
  for (int arg : instruction.else_args) collect(program, frame, arg, seen, out);
  for (int result : instruction.then_program->results) {
    collect(*instruction.then_program, *work.then_frame, result, seen, out);
  }
  for (int result : instruction.else_program->results) {
    collect(*instruction.else_program, *work.else_frame, result, seen, out);
  }
}

}  // namespace

void collect_owners(const Program& program, Frame& frame, int reg, std::vector<RefPtr<RefCounted>>& out) {
  frame.seen.clear();
  collect(program, frame, reg, frame.seen, out);
}

}  // namespace weir
