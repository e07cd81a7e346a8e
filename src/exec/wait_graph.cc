#include "exec/wait_graph.h"

#include <pthread.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/sync.h"

namespace weir {
namespace {

struct Graph {
  Mutex mutex;
  std::vector<std::pair<const Crew*, const Crew*>> edges;
};

// Never destroyed: threads may still wait when the process ends.
Graph& graph() {
  static Graph* const graph = [] {
    auto* made = new Graph;
    // The child has none of the threads that wait, so none of their edges. The edges' memory is left alone.
    pthread_atfork([] { weir::graph().mutex.lock(); }, [] { weir::graph().mutex.unlock(); },
                   [] {
                     weir::graph().edges.clear();
                     weir::graph().mutex.unlock();
                   });
    return made;
  }();
  return *graph;
}

// REQUIRES: the graph has no circle, and its lock is held.
bool reaches(const Graph& graph, const Crew* from, const Crew* to) {
  std::vector<const Crew*> reached{from};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == to) return true;
    for (const auto& [waiting, awaited] : graph.edges) {
      if (waiting != reached[i]) continue;
      if (std::find(reached.begin(), reached.end(), awaited) == reached.end()) reached.push_back(awaited);
    }
  }
  return false;
}

}  // namespace

Status add_wait(const Crew* from, const Crew* to) {
  Graph& all = graph();
  MutexLock lock(all.mutex);
  if (reaches(all, to, from)) {
    return failed_precondition(
        "expected an iterator that does not wait for the caller; this one's pipeline is waiting, directly or "
        "through other iterators, for the callback that makes this call. Use a separate iterator");
  }
  all.edges.emplace_back(from, to);
  return Status();
}

void remove_wait(const Crew* from, const Crew* to) {
  Graph& all = graph();
  MutexLock lock(all.mutex);
  auto found = std::find(all.edges.begin(), all.edges.end(), std::pair(from, to));
  if (found == all.edges.end()) return;
  *found = all.edges.back();
  all.edges.pop_back();
}

}  // namespace weir
