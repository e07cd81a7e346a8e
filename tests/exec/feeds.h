// Feeds, calls and a reader for the tests of this floor. Every object counts itself in live_objects.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/runtime.h"
#include "exec/call_window.h"
#include "exec/scheduler.h"
#include "exec/threads.h"
#include "exec/window.h"
#include "support/fakes.h"

namespace weir {

inline std::atomic<int> live_objects{0};

struct LiveObject {
  LiveObject() { ++live_objects; }
  LiveObject(const LiveObject&) { ++live_objects; }
  ~LiveObject() { --live_objects; }
};

// For schedulers whose jobs the test runs.
inline bool no_threads(int) { return false; }

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() override;
};

// Threads as asked for.
struct ThreadsWorld {
  explicit ThreadsWorld(ThreadsOptions options = {}) : executor(make_threads(options)) {
    runtime.executor = executor.get();
    runtime.clock = &clock;
  }
  SteadyClock clock;
  std::unique_ptr<Executor> executor;
  Runtime runtime;
};

// Nobody but the reader runs pumps, and time passes only where the test moves it.
struct ReaderAlone {
  ReaderAlone() {
    runtime.executor = executor.get();
    runtime.clock = &clock;
  }
  test::FakeClock clock;
  std::unique_ptr<Executor> executor = make_threads({.probe = no_threads});
  Runtime runtime;
};

struct CountingOptions {
  int64_t total = 100;
  // One in this many rows fails; 0 means none.
  int64_t fail_every = 0;
  // One in this many pulls is pending.
  int pending_every = 0;
  // Becomes the most rows that were asked for at once.
  std::atomic<int>* widest = nullptr;
  // Runs the job that wakes the registered waker at some later time; null wakes at once.
  std::function<void(RefPtr<Job>)> later = nullptr;
};

// The rows 0, 1, 2 … as int64; anchors count themselves.
class CountingFeed final : public Feed {
 public:
  explicit CountingFeed(CountingOptions options, std::atomic<int64_t>* pulled = nullptr)
      : options_(options), pulled_(pulled) {}

  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override {
    if (inside_.exchange(true)) ++overlaps;
    PullResult answer = make(context, demand, out, mark);
    inside_ = false;
    return answer;
  }

  // Two threads inside at once, which must never happen.
  static inline std::atomic<int> overlaps{0};

 private:
  struct Anchor : RefCounted {
    LiveObject counted;
  };
  class WakeJob final : public Job {
   public:
    explicit WakeJob(Waker* waker) : waker_(waker) {}
    void run() noexcept override { waker_->wake(); }

   private:
    RefPtr<Waker> waker_;
    LiveObject counted_;
  };

  PullResult make(Context& context, const Demand& demand, Block& out, Mark& mark) {
    if (options_.pending_every > 0 && ++calls_ % options_.pending_every == 0) {
      auto job = make_ref<WakeJob>(context.waker);
      if (options_.later) {
        options_.later(std::move(job));
      } else {
        job->run();
      }
      return PullResult::pending;
    }
    if (options_.widest) *options_.widest = std::max(options_.widest->load(), demand.rows);
    if (position_ >= options_.total) return PullResult::end;
    const int64_t fitting = std::max<int64_t>(1, demand.bytes / int64_t{sizeof(int64_t)});
    const int rows = static_cast<int>(std::min({int64_t{demand.rows}, fitting, options_.total - position_}));
    out.reset(1);
    out.rows = rows;
    int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), rows);
    for (int i = 0; i < rows; ++i) {
      values[i] = position_ + i;
      if (options_.fail_every > 0 && (position_ + i) % options_.fail_every == options_.fail_every - 1) {
        out.fail_row(i, data_loss(std::to_string(position_ + i)).pointer());
      }
    }
    mark.ordinal = position_;
    mark.anchor = make_ref<Anchor>();
    position_ += rows;
    if (pulled_) *pulled_ = position_;
    return PullResult::rows;
  }

  const CountingOptions options_;
  std::atomic<int64_t>* const pulled_;
  std::atomic<bool> inside_{false};
  int calls_ = 0;
  int64_t position_ = 0;
  LiveObject counted_;
};

// A window used as the feed of another one.
template <class AnyWindow>
class WindowFeed final : public Feed {
 public:
  template <class... Args>
  explicit WindowFeed(Args&&... args) : window_(std::forward<Args>(args)...) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override {
    return window_.next(context, demand, out, mark);
  }
  AnyWindow& window() { return window_; }

 private:
  AnyWindow window_;
  LiveObject counted_;
};

// Adds 1 to every row that has not failed; rows whose number modulo 64 is in `fails` fail. `meanwhile`
// runs once per call.
class AddOne final : public BlockCall {
 public:
  explicit AddOne(std::function<void(int64_t)> meanwhile = nullptr, int fails = -1)
      : meanwhile_(std::move(meanwhile)), fails_(fails) {}
  ~AddOne() override {
    if (inside_ != 0) ++destroyed_early;
  }
  void run(Context&, int64_t first_ordinal, Block& in, Block& out) override {
    const int inside = ++inside_;
    for (int known = most.load(); inside > known && !most.compare_exchange_weak(known, inside);) {
    }
    if (meanwhile_) meanwhile_(first_ordinal);
    out.reset(1);
    out.rows = in.rows;
    int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), in.rows);
    for (int i = 0; i < in.rows; ++i) {
      values[i] = in.failed(i) ? 0 : in.columns[0].tensor().as<int64_t>()[i] + 1;
      if (!in.failed(i) && (first_ordinal + i) % 64 == fails_) {
        out.fail_row(i, invalid_argument(std::to_string(first_ordinal + i)).pointer());
      }
    }
    --inside_;
  }
  static inline std::atomic<int> destroyed_early{0};
  // The most calls that ran at once, over all objects.
  static inline std::atomic<int> most{0};

 private:
  const std::function<void(int64_t)> meanwhile_;
  const int fails_;
  std::atomic<int> inside_{0};
  LiveObject counted_;
};

// A client with an iterator of its own over a feed.
class Reader {
 public:
  Reader(Runtime& runtime, const std::function<std::unique_ptr<Feed>(Session&)>& build)
      : session(make_session(runtime)), root(build(*session)) {}

  Result<PullResult> next(int rows = 1, int64_t bytes = kMaxBlockBytes) {
    return session->scheduler->drive([&] { return poll(rows, bytes); });
  }
  Result<PullResult> try_next(int rows = 1) {
    return session->scheduler->try_drive([&] { return poll(rows); });
  }
  PullResult poll(int rows, int64_t bytes = kMaxBlockBytes) {
    Context context{*session, session->scheduler, &epochs};
    Demand demand;
    demand.rows = rows;
    demand.bytes = bytes;
    return root->next(context, demand, out, mark);
  }
  // Lets the pumps run until they stop by themselves.
  // REQUIRES: no threads, so that this one runs them
  void settle() {
    for (int i = 0; i < 64; ++i) {
      if (!session->scheduler->try_drive([] { return PullResult::pending; }).ok()) return;
    }
  }
  void cancel() {
    session->cancelled = true;
    session->scheduler->interrupt();
  }
  // True if the rows just given are those from number `expected` on, each with `added` added to it. Rows that
  // the counting feed failed must carry its error.
  bool is(int64_t expected, int64_t added, int64_t fail_every = 0) const {
    if (mark.ordinal != expected) return false;
    for (int i = 0; i < out.rows; ++i) {
      const int64_t row = expected + i;
      const bool fails = fail_every > 0 && row % fail_every == fail_every - 1;
      const ErrorPtr* error = out.error_of(i);
      if (fails != (error != nullptr)) return false;
      if (fails ? (*error)->message != std::to_string(row) : value(i) != row + added) return false;
    }
    return true;
  }
  int64_t value(int row) const { return out.columns[0].tensor().as<int64_t>()[row]; }

  RefPtr<Session> session;
  std::unique_ptr<Feed> root;
  EpochScope epochs;
  Block out;
  Mark mark;
};

inline std::unique_ptr<Feed> counting(CountingOptions options, std::atomic<int64_t>* pulled = nullptr) {
  return std::make_unique<CountingFeed>(options, pulled);
}
inline std::unique_ptr<Feed> window(Session& session, std::unique_ptr<Feed> feed,
                                    const WindowOptions& options) {
  return std::make_unique<WindowFeed<Window>>(session, std::move(feed), options, EpochTableRef());
}
inline std::unique_ptr<Feed> calls(Session& session, std::unique_ptr<Feed> feed,
                                   std::unique_ptr<BlockCall> function, const CallWindowOptions& options) {
  return std::make_unique<WindowFeed<CallWindow>>(session, std::move(feed), std::move(function), options,
                                                  EpochTableRef());
}

}  // namespace weir
