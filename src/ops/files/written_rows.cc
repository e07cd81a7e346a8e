#include "ops/files/written_rows.h"

#include <algorithm>
#include <climits>
#include <numeric>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

// The number of opening the folder among its reads.
constexpr int64_t kOpening = -1;

class WrittenAccess final : public Access {
 public:
  WrittenAccess(const Instance& place, std::string folder, Spec spec, WrittenManifest manifest)
      : site_(place),
        folder_(std::move(folder)),
        spec_(std::move(spec)),
        manifest_(std::move(manifest)),
        columns_(spec_.components().size()) {}

  AccessCount count() const override { return {manifest_.rows, false}; }

  // In the order of the rows, so that each chunk is read once.
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    order_.resize(positions.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto position = [&](size_t i) { return positions[static_cast<size_t>(order_[i])]; };
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return positions[static_cast<size_t>(a)] < positions[static_cast<size_t>(b)];
    });
    AccessParts parts;
    for (const int place : order_) parts.expect(place);
    Status status = open(ctx);
    int64_t fails_below = status.ok() ? 0 : manifest_.rows;
    for (size_t i = 0; i < order_.size();) {
      if (fails_if_cancelled(ctx, positions.size(), columns_, out)) return;
      if (position(i) < fails_below) {
        part_.set_error(status.pointer(), columns_);
      } else {
        size_t run = 1;
        while (i + run < order_.size() && position(i + run) == position(i) + static_cast<int64_t>(run)) ++run;
        reader_->seek(position(i));
        part_.errors.clear();
        const Result<int> got = reader_->next(static_cast<int>(run), INT64_MAX, part_);
        if (!got.ok()) {
          status = got.status();
          fails_below = reader_->row();
          continue;
        }
      }
      i += static_cast<size_t>(part_.rows);
      parts.add(part_);
    }
    parts.finish(out);
    site_.answer_again(ctx.session.failed_reads(), positions, out);
  }

 private:
  Status open(Context& ctx) {
    if (reader_) return Status();
    WEIR_ASSIGN(reader_, open_written(ctx.session, folder_, spec_, manifest_));
    return Status();
  }

  const ReadSite site_;
  const std::string folder_;
  const Spec spec_;
  const WrittenManifest manifest_;
  const size_t columns_;
  std::unique_ptr<WrittenReader> reader_;
  // Scratch memory of one read.
  std::vector<int> order_;
  Block part_;
};

}  // namespace

std::unique_ptr<Access> written_access(const Instance& place, std::string folder, Spec spec,
                                       WrittenManifest manifest) {
  return std::make_unique<WrittenAccess>(place, std::move(folder), std::move(spec), std::move(manifest));
}

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
    auto opened = open_written(ctx.session, folder_, spec_, manifest_);
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

Status other_elements(const std::string& folder) {
  return failed_precondition(
      {concat("the elements in ", quote(folder), " are not those of the saved position"),
       "restore the folder, or start from the beginning"});
}

Status WrittenRows::resume() const {
  if (run_ == manifest_.run) return {};
  return other_elements(folder_);
}

}  // namespace weir
