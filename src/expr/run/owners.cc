#include "expr/run/owners.h"

#include <algorithm>

#include "core/owners.h"

namespace weir {

namespace {

void collect(const Program& program, Frame& frame, int reg, std::vector<const Slot*>& seen,
             std::vector<RefPtr<RefCounted>>& out) {
  const Register& source = program.registers[static_cast<size_t>(reg)];
  const Slot& slot = frame.slots[static_cast<size_t>(reg)];
  if (!has_owners(source.type.dtype) || std::find(seen.begin(), seen.end(), &slot) != seen.end()) return;
  seen.push_back(&slot);
  if (source.source != Register::Source::computed) {
    if (slot.form == Slot::Form::dense && slot.origin) add_owners(out, {slot.origin, 1});
    if (slot.form == Slot::Form::list) add_owners(out, *slot.list);
    return;
  }
  const auto at = static_cast<size_t>(source.instruction);
  const Instruction& instruction = program.code[at];
  Frame::Work& work = frame.work[at];
  out.insert(out.end(), work.bytes.used().begin(), work.bytes.used().end());
  out.insert(out.end(), work.kept.begin(), work.kept.end());
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
  const auto address = [](const RefPtr<RefCounted>& owner) { return owner.get(); };
  std::ranges::sort(out, {}, address);
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace weir
