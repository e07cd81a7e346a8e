// Holding: saves a position together with the rows that were made and not delivered, for inputs whose rows
// cannot be made again.
//
// Rows of a replayable input are no part of a position: they come again. If they would not (a callback that
// is not pure, results in any order), an archive with a Holding stores them by value. The Windows above such
// an input pause, so that their rows and the position of their input do not change while they are written. A
// Window that still runs stops the save with pending, and the save starts again once it has paused. Each
// Stage writes its undelivered rows: those that its reader has pulled and not used, then those that its
// cursor has made and not returned. It writes the rows that a RowKeeper keeps, too, so nothing else writes
// rows. One thread. All Windows continue when the Holding is destroyed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/pull.h"
#include "core/runtime.h"
#include "dataset/held_rows.h"

namespace weir {

struct Holding {
  Holding() = default;
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding() {
    for (auto& [window, resume] : paused) resume();
  }

  // Pauses a Window, once.
  template <class W>
  void pause(W& window) {
    const void* const identity = window.identity();
    for (const auto& [other, resume] : paused) {
      if (other == identity) return;
    }
    paused.reserve(paused.size() + 1);
    paused.emplace_back(identity, window.pause());
  }
  bool goes_on() const { return answer == PullResult::rows; }
  void stop(PullResult with) { answer = with; }
  void fail(ErrorPtr why) {
    answer = PullResult::end;
    error = std::move(why);
  }

  // Woken when a Window has stopped.
  Waker* waker = nullptr;
  // Null, or where the files are listed whose errors are among those rows.
  FailedReads* failed_reads = nullptr;
  // The rows that the reader of the next Stage to be written has pulled and not used.
  HeldRows unused;
  // rows: it continues; end: it failed; else the run must be repeated, or was cancelled.
  PullResult answer = PullResult::rows;
  ErrorPtr error;
  // By their identities: between two runs another Window may have come to lie where one was.
  std::vector<std::pair<const void*, std::function<void()>>> paused;
};

}  // namespace weir
