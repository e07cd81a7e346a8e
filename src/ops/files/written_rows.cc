#include "ops/files/written_rows.h"

#include <algorithm>
#include <climits>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

// The number of opening the folder among its reads.
constexpr int64_t kOpening = -1;

}  // namespace

Step WrittenRows::next(Context& ctx, const Demand& demand, Block& out) {
  if (ended_) return PullResult::end;
  wanted_ = demand.rows;
  const FailedReads& failed = ctx.session.failed_reads();
  if (!reader_) {
    const uint64_t read = site_.read(folder_, kOpening);
    if (const ErrorPtr listed = failed.find(read)) {
      ended_ = true;
      return listed;
    }
    auto opened = open_written(ctx.runtime(), folder_, spec_, manifest_);
    ended_ = !opened.ok();
    if (ended_) return failed_at(opened.status(), read);
    reader_ = *std::move(opened);
    reader_->seek(row_);
  }
  const int64_t first = row_;
  if (!failed.empty()) {
    if (const ErrorPtr listed = failed.find(site_.read(folder_, first))) {
      reader_->pass(INT_MAX);
      row_ = reader_->row();
      return listed;
    }
  }
  const Result<int> got = reader_->next(demand.rows, demand.bytes, out);
  row_ = reader_->row();
  // Destroy does not wait for the read, so nothing may be called any more.
  if (ctx.session.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  if (!got.ok()) return failed_at(got.status(), site_.read(folder_, first));
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
