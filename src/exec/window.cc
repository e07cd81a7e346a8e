#include "exec/window.h"

#include <algorithm>
#include <utility>

#include "exec/pace.h"
#include "exec/window_core.h"

namespace weir {
namespace {

// Inline, so many bytes are made at once, which are still in a cache when they are taken. What takes little
// time is measured only now and then, and what takes long is made in smaller parts.
constexpr int64_t kInlineBytes = int64_t{256} << 10;
constexpr int64_t kInlineRows = 64;
constexpr int64_t kCheapNs = 20'000;
constexpr int64_t kLongNs = 200'000;
constexpr int kMostAhead = 256;
constexpr int kUnmeasured = 15;
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
  Prefetch(Session& session, const WindowOptions& options, std::shared_ptr<FeedCost> cost)
      : WindowCore(session, options.lane, options.max_bytes, Leave::by_row),
        options_(options),
        cost_(std::move(cost)),
        buffer_(options_.first_rows, options_.max_rows, options_.start.number) {
    add_spare();
  }

  void add_now(WindowNow& out) const noexcept override {
    out.add(budget_.held_rows(), buffer_.rows(), budget_.held_bytes(), options_.max_bytes);
  }

 protected:
  bool admit(Demand& demand) noexcept override;
  RefPtr<Pump> add(WindowBlock& block) noexcept override;
  bool may_resume() noexcept override;
  void found_empty(bool more) noexcept override;
  bool is_cheap() const noexcept override { return cost_ && cost_->cheap(options_.max_rows); }
  void pulled(int64_t ns, int rows) noexcept override {
    if (cost_) cost_->pulled(ns, rows, std::max(1, rows / options_.block_rows));
  }

 private:
  void has_room() noexcept;

  const WindowOptions options_;
  const std::shared_ptr<FeedCost> cost_;
  int ramp_rows_ = 1;
  RowPace buffer_;
  // Since when the pump stands still, where the tuner asks, and for how long it did since the consumer found
  // nothing.
  int64_t full_since_ns_ = 0;
  int64_t full_ns_ = 0;
  int64_t last_bytes_ = 0;
};

bool Prefetch::admit(Demand& demand) noexcept {
  if (!budget_.go_on(buffer_.rows())) {
    waits_.is_full(clock());
    if (!buffer_.fixed() && full_since_ns_ == 0) full_since_ns_ = clock().now_ns();
    return false;
  }
  waits_.has_room(clock());
  has_room();
  const int64_t free_rows = buffer_.rows() - budget_.held_rows();
  const int64_t free_bytes = options_.max_bytes - budget_.held_bytes();
  demand.rows = static_cast<int>(std::clamp<int64_t>(free_rows, 1, ramp_rows_));
  const int64_t most_bytes = std::clamp<int64_t>(free_bytes, 1, kMaxBlockBytes);
  demand.bytes = budget_.reserve(most_bytes, std::min(most_bytes, 2 * last_bytes_ + kLeastBytes), *this);
  if (demand.bytes > 0) return true;
  budget_.stop();
  return false;
}

RefPtr<Pump> Prefetch::add(WindowBlock& block) noexcept {
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
  if (!budget_.may_resume(filled(buffer_.rows()), filled(options_.max_bytes))) return false;
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
  if (more && !buffer_.fixed())
    buffer_.found_empty(budget_.taken_rows(), was_full, std::exchange(full_ns_, 0), clock().now_ns());
}

}  // namespace

Window::Window(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options,
               EpochTableRef start)
    : Window(session, std::move(feed), std::move(start), options.block_rows) {
  if (options.first_rows > 0 && options.first_rows < options.max_rows) session.scheduler->may_be_alone();
  options_ = checked(options, *session.scheduler->tuning());
  if (options.rows_inline) rows_inline_ = options.rows_inline->load(std::memory_order_relaxed);
  if (options_.first_rows < options_.max_rows) return;
  most_inline_ = static_cast<int>(std::min(options_.max_rows, kInlineRows));
  if (options_.lane == Lane::compute && options_.start.tunes) cost_ = std::make_shared<FeedCost>();
}

Window::Window(Session& session, std::unique_ptr<Feed> feed, EpochTableRef start, int most_inline)
    : session_(session), feed_(std::move(feed), std::move(start)), most_inline_(std::max(1, most_inline)) {
  const RefPtr<const Tuning> tuning = session.scheduler->tuning();
  limits_memory_ = tuning->memory && tuning->memory->limited();
}

Window::~Window() {
  if (core_) core_->abandon();
}

RefPtr<WindowCore> Window::make_core() { return make_ref<Prefetch>(session_, options_, cost_); }

WindowCore& Window::core() {
  if (core_) return *core_;
  RefPtr<WindowCore> made = make_core();
  made->count_in(stats_);
  made->give_feed(std::move(feed_));
  core_ = std::move(made);
  return *core_;
}

// False if there is no memory for it.
bool Window::try_core() noexcept try {
  core();
  return true;
} catch (...) {
  return false;
}

// The consumer makes the rows from now on, unless some are under way.
bool Window::take_feed() noexcept {
  std::optional<GuardedFeed> feed = core_->take_feed();
  if (!feed) return false;
  feed_ = std::move(*feed);
  core_->abandon();
  core_ = nullptr;
  return true;
}

void Window::count_in(StageStats* stats) noexcept { stats_ = stats; }

void Window::start() {
  if (!session_.scheduler->alone() && try_core()) core_->wake();
}

PullResult Window::next(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  if (session_.cancelled.load(std::memory_order_relaxed)) return PullResult::cancelled;
  if (front_.exhausted()) {
    // Once inline, rows may take twice as long.
    const bool cheap = cost_ && cost_->cheap(core_ ? options_.max_rows : options_.max_rows / 2);
    const bool here = cheap || session_.scheduler->makes_here();
    const bool is_inline = ended_ || (core_ ? here && take_feed() : here || !try_core());
    if (!is_inline) return core_->next(consumer, demand, out, mark);
    const PullResult answer = make_inline(consumer, demand, out, mark);
    if (front_.exhausted()) return answer;
  }
  front_.take_rows(demand, out, mark);
  return PullResult::rows;
}

// Makes rows straight into `out`, or more than that into front_.
PullResult Window::make_inline(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  if (ended_) {
    mark.epochs = *ended_;
    return PullResult::end;
  }
  const auto fitting = [&](int64_t bytes) {
    return static_cast<int>(std::clamp<int64_t>(bytes / row_bytes_, 1, rows_inline_));
  };
  Demand part;
  part.rows = fitting(kInlineBytes);
  part.bytes = kInlineBytes;
  const int most_ahead = std::min(part.rows, kMostAhead);
  const bool ahead =
      demand.rows < (unmeasured_ == 0 ? most_ahead : std::min(most_ahead, given_)) && !limits_memory_;
  if (ahead) {
    part.rows = most_ahead;
    front_.recycle();
  } else {
    part.bytes = std::min(part.bytes, demand.bytes);
    part.rows = std::min(demand.rows, fitting(part.bytes));
  }
  Block& made = ahead ? front_.block : out;
  Mark& at = ahead ? front_.mark : mark;
  // Many rows that become slow must be noticed at once.
  const bool measures = ahead || unmeasured_ == 0;
  int64_t took_ns = 0;
  PullResult answer = PullResult::pending;
  if (measures) {
    took_ns = session_.scheduler->measure([&] { return answer = make_rows(consumer, part, made, at); });
  } else {
    --unmeasured_;
    answer = make_rows(consumer, part, made, at);
  }
  if (answer == PullResult::rows && measures) {
    const int64_t bytes = made.byte_size();
    row_bytes_ = std::max<int64_t>(1, bytes / made.rows);
    if (ahead) {
      front_.bytes = bytes;
      given_ = made.rows;
    }
    measured(took_ns, made.rows);
  }
  if (answer == PullResult::end) ended_ = mark.epochs = at.epochs;
  if (answer != PullResult::rows && ahead && !front_.rows_lost) front_.block.rows = 0;
  return answer;
}

void Window::measured(int64_t took_ns, int rows) {
  if (cost_) cost_->pulled(took_ns, rows, 1);
  const int before = rows_inline_;
  if (took_ns > kLongNs) {
    rows_inline_ = std::max(1, before / 2);
  } else if (took_ns <= kCheapNs && rows == before && before < most_inline_) {
    rows_inline_ = std::min(2 * before, most_inline_);
  } else if (took_ns <= kCheapNs && !cost_ && session_.runtime.trace == nullptr) {
    unmeasured_ = kUnmeasured;
  }
  if (rows_inline_ != before && options_.rows_inline)
    options_.rows_inline->store(rows_inline_, std::memory_order_relaxed);
}

PullResult Window::make_rows(Context& consumer, const Demand& demand, Block& out, Mark& mark) {
  return feed_.pull_inline(consumer, demand, out, mark);
}

void Window::lose_rows(int rows, const Mark& mark) noexcept {
  const Mark at = mark;
  front_.recycle();
  front_.lose_rows(rows);
  front_.mark = at;
}

int64_t Window::assured() const noexcept {
  return front_.exhausted() && core_ ? core_->assured() : front_.elements_left();
}

std::function<void()> Window::pause() {
  std::function<void()> resume = [core = RefPtr<WindowCore>(&core())] { core->resume(); };
  core_->pause();
  return resume;
}

const void* Window::identity() { return &core(); }

bool Window::at_rest(Waker* waker) { return core().at_rest(waker); }

void Window::copy_rows(std::vector<Block>& out) {
  front_.copy_rest(out);
  core().copy_rows(out);
}

const EpochScope& Window::epochs() const { return core_ ? core_->epochs() : feed_.epochs(); }

}  // namespace weir
