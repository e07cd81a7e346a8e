#include "expr/run/call_width.h"

#include <algorithm>

#include "core/checked.h"

namespace weir {

namespace {

// Only kernels, which give the same when they run again and have no effects; and functions that take blocks,
// if `blocks`.
bool has_only_kernels(const Program& program, bool blocks) {
  return std::all_of(program.code.begin(), program.code.end(), [blocks](const Instruction& one) {
    if (one.kind == Instruction::Kind::branch)
      return has_only_kernels(*one.then_program, blocks) && has_only_kernels(*one.else_program, blocks);
    if (one.kind == Instruction::Kind::rows) return has_only_kernels(*one.row_program, blocks);
    if (blocks && one.function && one.function->takes_blocks()) return true;
    return one.kind == Instruction::Kind::kernel || one.kind == Instruction::Kind::dataset;
  });
}

int rows_of(int64_t row_bytes) {
  const int64_t rows = CallWidth::kCallBytes / std::max<int64_t>(row_bytes, 1);
  return static_cast<int>(std::clamp<int64_t>(rows, 1, kMaxBlockRows));
}

// The rows of which all values together fit; 1 if the shapes are not known.
int known_rows(const Program& program) {
  int64_t bytes = 0;
  for (const Register& reg : program.registers) {
    if (reg.source != Register::Source::computed) continue;
    const int64_t count = reg.type.shape.is_static() ? checked_count(reg.type.shape.dims()) : -1;
    if (count < 0 || reg.type.dtype == DType::string) return 1;
    bytes = capped_add(bytes, capped_multiply(count, static_cast<int64_t>(dtype_size(reg.type.dtype))));
  }
  int rows = rows_of(bytes);
  for (const Instruction& one : program.code) {
    if (one.then_program)
      rows = std::min({rows, known_rows(*one.then_program), known_rows(*one.else_program)});
  }
  return rows;
}

}  // namespace

CallWidth::CallWidth(const Program& program)
    : may_repeat_(has_only_kernels(program, false)),
      rows_(has_only_kernels(program, true) ? kMaxBlockRows : known_rows(program)) {}

void CallWidth::adapt(int rows, int64_t bytes) {
  const int now = this->rows();
  const int next = std::min(rows_of(bytes / std::max(rows, 1)), 2 * now);
  if (next != now) rows_.store(next, std::memory_order_relaxed);
}

void CallWidth::narrow(int rows, int64_t bytes) {
  const int next = std::min(rows_of(bytes / rows), std::max(rows / 8, 1));
  rows_.store(next, std::memory_order_relaxed);
}

}  // namespace weir
