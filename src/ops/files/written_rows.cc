#include "ops/files/written_rows.h"

#include <algorithm>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

Step WrittenRows::next(Context& ctx, const Demand& demand, Block& out) {
  if (ended_) return PullResult::end;
  wanted_ = demand.rows;
  if (!reader_) {
    auto opened = open_written(ctx.runtime(), folder_, spec_, manifest_);
    ended_ = !opened.ok();
    if (ended_) return opened.status();
    reader_ = *std::move(opened);
    reader_->seek(row_);
  }
  const Result<int> got = reader_->next(demand.rows, demand.bytes, out);
  row_ = reader_->row();
  // Destroy does not wait for the read, so nothing may be called any more.
  if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  if (!got.ok()) return got.status();
  if (*got == 0) return PullResult::end;
  if (demand.drop) out.reset(0);
  out.rows = *got;
  return PullResult::rows;
}

int64_t WrittenRows::lose() noexcept {
  const int64_t lost =
      reader_ ? reader_->pass(std::min(wanted_, kMaxBlockRows)) : std::min<int64_t>(1, manifest_.rows - row_);
  row_ += lost;
  ended_ = lost == 0;
  return std::max<int64_t>(1, lost);
}

void WrittenRows::state(Archive& archive) {
  std::string run = manifest_.run;
  archive("run", run);
  archive("row", row_, 0, kMostCounted);
  archive("ended", ended_);
  if (!archive.loading()) return;
  run_ = std::move(run);
  reader_ = nullptr;
}

Status WrittenRows::resume() const {
  if (run_ == manifest_.run) return {};
  return failed_precondition(
      {concat("the elements in ", quote(folder_), " are not those of the saved position"),
       "restore the folder, or start from the beginning"});
}

}  // namespace weir
