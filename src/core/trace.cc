#include "core/trace.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "core/clock.h"
#include "core/text.h"

namespace weir {

namespace {

int this_thread() {
  thread_local const int id = ::gettid();
  return id;
}

std::string name_of_this_thread() {
  char name[32] = "";
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

// Microseconds with three decimals.
std::string microseconds(int64_t ns) {
  const std::string rest = std::to_string(ns % 1000);
  return concat(ns / 1000, ".", std::string(3 - rest.size(), '0'), rest);
}

}  // namespace

void TraceLog::add(const char* what, const char* stage, int64_t begin_ns, int64_t end_ns) noexcept try {
  const int thread = this_thread();
  MutexLock lock(mutex_);
  const uint64_t number = added_++;
  const Event event{what, stage, begin_ns, std::max(begin_ns, end_ns), thread};
  if (events_.size() < max_events_) {
    events_.push_back(event);
  } else {
    events_[number % max_events_] = event;
    ++dropped_;
  }
  const bool known =
      std::any_of(names_.begin(), names_.end(), [&](const ThreadName& n) { return n.thread == thread; });
  if (!known && names_.size() < 1024) names_.push_back({thread, name_of_this_thread()});
} catch (...) {
  // What could not be noted is missing.
}

std::string TraceLog::to_json() const {
  MutexLock lock(mutex_);
  const int pid = ::getpid();
  int64_t zero_ns = events_.empty() ? 0 : events_[0].begin_ns;
  for (const Event& event : events_) zero_ns = std::min(zero_ns, event.begin_ns);
  std::string out =
      concat(R"({"displayTimeUnit": "ms", "otherData": {"dropped": )", dropped_, R"(}, "traceEvents": [)");
  const char* separator = "\n";
  for (const ThreadName& named : names_) {
    out += concat(separator, R"({"name": "thread_name", "ph": "M", "pid": )", pid, R"(, "tid": )",
                  named.thread, R"(, "args": {"name": )", json_string(named.name), "}}");
    separator = ",\n";
  }
  for (const Event& event : events_) {
    out +=
        concat(separator, R"({"name": )", json_string(concat(event.stage, " ", event.what)), R"(, "cat": )",
               json_string(event.what), R"(, "ph": "X", "ts": )", microseconds(event.begin_ns - zero_ns),
               R"(, "dur": )", microseconds(event.end_ns - event.begin_ns), R"(, "pid": )", pid,
               R"(, "tid": )", event.thread, R"(, "args": {"stage": )", json_string(event.stage), "}}");
    separator = ",\n";
  }
  return out + "\n]}\n";
}

TraceSlice::TraceSlice(TraceLog* log, Clock* clock, const char* what, const char* stage) noexcept
    : log_(clock ? log : nullptr), clock_(clock), what_(what), stage_(stage) {
  if (log_) [[unlikely]]
    begin_ns_ = clock_->now_ns();
}

void TraceSlice::finish() noexcept { log_->add(what_, stage_, begin_ns_, clock_->now_ns()); }

}  // namespace weir
