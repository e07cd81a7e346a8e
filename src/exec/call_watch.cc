#include "exec/call_watch.h"

#include <sys/resource.h>

#include <algorithm>

#include "core/sync.h"

namespace weir {

namespace {

// How often this thread has given up its processor to wait for something; negative if nobody knows, as in the
// simulation.
int64_t voluntary_waits() noexcept {
  rusage usage{};
  if (sync_hooks() != nullptr || ::getrusage(RUSAGE_THREAD, &usage) != 0) return -1;
  return usage.ru_nvcsw;
}

}  // namespace

void CallWatch::begin(Clock& clock) noexcept {
  begin_waits_ = voluntary_waits();
  begin_computing_ns_ = clock.computing_ns();
}

bool CallWatch::kept_processor() const noexcept {
  return begin_waits_ >= 0 && voluntary_waits() == begin_waits_;
}

int64_t CallWatch::computed_ns(Clock& clock, int64_t took_ns) const noexcept {
  const int64_t computed_ns = clock.computing_ns() - begin_computing_ns_;
  return kept_processor() ? took_ns : computed_ns;
}

CallWatch::Length CallWatch::length(Clock& clock, int64_t took_ns) const noexcept {
  const int64_t computed_ns = std::min(took_ns, clock.computing_ns() - begin_computing_ns_);
  return {kept_processor() ? computed_ns : took_ns, computed_ns};
}

}  // namespace weir
