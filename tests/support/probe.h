// probe(n, errors, pending): a source that misbehaves on purpose, for the contract test and the simulation.
//   n        rows, numbered from 0; row i is the element i
//   errors   which rows fail instead ("3,7"), with data_loss and the message "planted"
//   pending  0: never; else a seed: answers pending at random, having woken its waker
//   once     says that its rows cannot be made again, so that positions hold them by value
// Counts what is asked of it and how many of its cursors are open; counters are atomic.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

struct ProbeCounters {
  std::atomic<int64_t> pulled{0};
  std::atomic<int64_t> open{0};
  std::atomic<int64_t> pending{0};
  // The fewest rows that a pull asked for at once.
  std::atomic<int64_t> least_bytes{INT64_MAX};
};
ProbeCounters& probe_counters();

// Adds the operator to the list. May be called any number of times.
void register_probe();

}  // namespace weir
