#include "exec/handout.h"

#include <algorithm>
#include <utility>

#include "core/exception.h"

namespace weir {
namespace {

// Blocks below this size leave their memory in place for the next one.
constexpr int64_t kKeptBytes = int64_t{64} << 10;

// How many of `rows` rows, `bytes` in all, are wanted; at least one.
int wanted_rows(const Want& want, int rows, int64_t bytes, int left) {
  int64_t count = std::min(want.rows, left);
  if (bytes > want.bytes) count = std::min<int64_t>(count, want.bytes / std::max<int64_t>(1, bytes / rows));
  return static_cast<int>(std::max<int64_t>(1, count));
}

void copy_mark(const Mark& from, int given, Mark& to) {
  to.ordinal = from.ordinal + given;
  // Mostly they are the same ones; sharing anew would cost two atomic operations each.
  if (!(to.anchor == from.anchor)) to.anchor = from.anchor;
  if (to.epochs != from.epochs) to.epochs = from.epochs;
  to.unplaced = from.unplaced;
}

void cut(const Block& from, int begin, int count, Block& out) {
  out.rows = count;
  out.columns.resize(from.columns.size());
  for (size_t i = 0; i < from.columns.size(); ++i) out.columns[i] = from.columns[i].slice(begin, count);
  out.errors.clear();
  for (const RowError& error : from.errors) {
    if (error.row >= begin && error.row < begin + count)
      out.errors.push_back({error.row - begin, error.error});
  }
}

}  // namespace

bool Handout::whole(const Want& want) const {
  return given == 0 && !lost && wanted_rows(want, block.rows, bytes, block.rows) == block.rows;
}

void Handout::give(const Want& want, Block& out, Mark& at) noexcept {
  copy_mark(mark, given, at);
  if (whole(want)) {
    given = block.rows;
    std::swap(out, block);
    // What `out` brought along is only memory.
    if (bytes > kKeptBytes) block = Block();
    block.rows = 0;
    return;
  }
  const int count = wanted_rows(want, block.rows, bytes, block.rows - given);
  ErrorPtr error = lost ? out_of_memory() : nullptr;
  try {
    if (!error) cut(block, given, count, out);
  } catch (...) {
    error = error_of_exception();
  }
  if (error) out.set_error(std::move(error), block.columns.size());
  given += out.rows;
}

void Handout::recycle() {
  if (bytes > kKeptBytes) block = Block();
  block.rows = 0;
  block.errors.clear();
  mark = Mark();
  bytes = 0;
  given = 0;
  lost = false;
}

Pull pull_guarded(Feed& feed, Context& context, const Want& want, Handout& into, bool& broken) noexcept {
  try {
    Pull answer = feed.next(context, want, into.block, into.mark);
    if (answer == Pull::rows) into.bytes = into.block.byte_size();
    return answer;
  } catch (...) {
    broken = true;
    into.block.set_error(error_of_exception(), into.block.columns.size());
    into.bytes = 0;
    return Pull::rows;
  }
}

}  // namespace weir
