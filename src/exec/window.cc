#include "exec/window.h"

#include <algorithm>
#include <utility>

#include "exec/pace.h"
#include "exec/window_core.h"

namespace weir {
namespace {

// So many rows are asked for at once by a consumer that pulls by itself; then no other thread waits for the
// first of them.
constexpr int64_t kRowsHere = 64;
// So much of its size is free before a pump that was full is woken.
constexpr int64_t kRoomPart = 4;
// Where windows share memory, a pull may bring so many bytes more than twice those of the one before.
constexpr int64_t kLeastBytes = 65536;

WindowOptions checked(WindowOptions options, const Tuning& tuning) {
  options.start.tunes = options.start.tunes && tuning.tunes;
  options.max_rows = std::max<int64_t>(1, options.max_rows);
  if (options.first_rows <= 0) options.first_rows = options.max_rows;
  options.first_rows = std::min(options.first_rows, options.max_rows);
  const bool automatic = options.first_rows < options.max_rows;
  if (automatic && !options.start.tunes)
    options.max_rows =
        options.start.number > 0 ? std::min(options.start.number, options.max_rows) : options.max_rows;
  if (automatic && !options.start.tunes) options.first_rows = options.max_rows;
  options.max_bytes = std::max<int64_t>(1, options.max_bytes);
  // At least four blocks fit, so that one can be taken while another is made.
  const int64_t fitting = std::max<int64_t>(1, options.max_rows / 4);
  options.block_rows = static_cast<int>(std::clamp<int64_t>(options.block_rows, 1, fitting));
  return options;
}

// The feed's blocks are given as they are.
class Prefetch final : public WindowCore {
 public:
  Prefetch(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options, EpochTableRef start)
      : WindowCore(session, std::move(feed), options.lane, std::max<int64_t>(1, options.max_bytes),
                   std::move(start), Leave::by_row),
        options_(checked(options, *session.scheduler->tuning())),
        may_pull_here_(options_.lane == Lane::compute && options_.start.tunes &&
                       options_.first_rows == options_.max_rows),
        buffer_(options_.first_rows, options_.max_rows, options_.start.number) {
    if (options.first_rows > 0 && options.first_rows < options.max_rows) session.scheduler->may_be_alone();
    add_spare();
  }

  void add_now(WindowNow& out) const noexcept override {
    out.add(budget_.held_rows(), max_rows(), budget_.held_bytes(), options_.max_bytes);
  }

 protected:
  bool admit(Demand& demand) noexcept override;
  RefPtr<Pump> add(WindowBlock& block) noexcept override;
  bool may_resume() noexcept override;
  void found_empty(bool more) noexcept override;
  void feed_waits() noexcept override { feed_waits_ = true; }
  PullResult make_now(Context& consumer, const Demand& demand, WindowBlock&, Block& out,
                      Mark& mark) noexcept override {
    return pull(consumer.waker, demand, out, mark);
  }
  bool grows(int rows) const noexcept override {
    return rows == ramp_rows_ && ramp_rows_ < options_.block_rows;
  }
  bool pulls_here() const noexcept override { return may_pull_here_ && cost_.cheap(options_.max_rows); }
  void pulled(int64_t ns, int rows) noexcept override {
    if (may_pull_here_) cost_.pulled(ns, rows, std::max(1, rows / options_.block_rows));
  }

 private:
  // Where whoever waits makes the rows, it makes a block when it needs one: in a full window they would only
  // leave its cache.
  int64_t max_rows() const { return alone() ? 1 : buffer_.rows(); }
  bool tunes() const { return !buffer_.fixed() && !alone(); }
  void has_room() noexcept;

  const WindowOptions options_;
  const bool may_pull_here_;
  FeedCost cost_;
  int ramp_rows_ = 1;
  RowPace buffer_;
  // Since when the pump stands still, where the tuner asks, and for how long it did since the consumer found
  // nothing.
  int64_t full_since_ns_ = 0;
  int64_t full_ns_ = 0;
  int64_t last_bytes_ = 0;
  // The last pull found nothing.
  bool feed_waits_ = false;
};

bool Prefetch::admit(Demand& demand) noexcept {
  // A feed that was pending goes on: others may wait for what it holds (exec/credit.h).
  if (!budget_.go_on(feed_waits_ ? buffer_.rows() : max_rows())) {
    waits_.is_full(clock());
    if (tunes() && full_since_ns_ == 0) full_since_ns_ = clock().now_ns();
    return false;
  }
  waits_.has_room(clock());
  has_room();
  const int64_t free_rows = alone() ? options_.block_rows : buffer_.rows() - budget_.held_rows();
  const int64_t free_bytes = options_.max_bytes - budget_.held_bytes();
  const int64_t most_rows = here() && !alone() ? std::max<int64_t>(kRowsHere, ramp_rows_) : ramp_rows_;
  demand.rows = static_cast<int>(std::clamp<int64_t>(free_rows, 1, most_rows));
  const int64_t most_bytes = std::clamp<int64_t>(free_bytes, 1, alone() ? kBytesHere : kMaxBlockBytes);
  demand.bytes = budget_.reserve(most_bytes, std::min(most_bytes, 2 * last_bytes_ + kLeastBytes), *this);
  if (demand.bytes > 0) return true;
  budget_.stop();
  return false;
}

RefPtr<Pump> Prefetch::add(WindowBlock& block) noexcept {
  feed_waits_ = false;
  block.charged_bytes = last_bytes_ = block.out.bytes;
  block.done = true;
  line_.push(&block);
  budget_.charge(block.rows, block.charged_bytes);
  ramp_rows_ = std::min(ramp_rows_ * 2, options_.block_rows);
  if (!buffer_.fixed() && is_waited_for()) buffer_.has_rows(clock().now_ns());
  return nullptr;
}

// Where its size is the window's own choice, the pump waits for room for some rows, so that it isn't woken
// for each.
bool Prefetch::may_resume() noexcept {
  const auto filled = [&](int64_t most) { return buffer_.fixed() ? most : most - most / kRoomPart; };
  if (!budget_.may_resume(filled(max_rows()), filled(options_.max_bytes))) return false;
  has_room();
  return true;
}

// The pump need not stand still any longer.
void Prefetch::has_room() noexcept {
  if (full_since_ns_ == 0) return;
  full_ns_ += clock().now_ns() - std::exchange(full_since_ns_, 0);
}

void Prefetch::found_empty(bool more) noexcept {
  const bool was_full = budget_.take_full();
  if (more && tunes())
    buffer_.found_empty(budget_.taken_rows(), was_full, std::exchange(full_ns_, 0), clock().now_ns());
}

}  // namespace

Window::Window(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options,
               EpochTableRef start)
    : Window(make_ref<Prefetch>(session, std::move(feed), options, std::move(start))) {}

Window::Window(RefPtr<WindowCore> core) : core_(std::move(core)) {}

Window::~Window() { core_->abandon(); }

void Window::count_in(StageStats* stats) noexcept { core_->count_in(stats); }

void Window::start() { core_->wake(); }

PullResult Window::next(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  return core_->next(consumer, demand, out, mark);
}

int64_t Window::assured() const noexcept { return core_->assured(); }

std::function<void()> Window::pause() {
  std::function<void()> resume = [core = core_] { core->resume(); };
  core_->pause();
  return resume;
}

const void* Window::identity() const { return core_.get(); }

bool Window::at_rest(Waker* waker) { return core_->at_rest(waker); }

void Window::copy_rows(std::vector<Block>& out) { core_->copy_rows(out); }

const EpochScope& Window::epochs() const { return core_->epochs(); }

}  // namespace weir
