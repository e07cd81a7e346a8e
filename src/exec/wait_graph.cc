#include "exec/wait_graph.h"

#include <pthread.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/sync.h"
#include "core/text.h"
#include "exec/watch.h"

namespace weir {
namespace {

struct Graph {
  Mutex mutex;
  std::vector<std::pair<Waker*, Waker*>> edges;
};

// Never destroyed: threads may still wait while the process ends.
Graph& graph() {
  static Graph* const graph = [] {
    auto* made = new Graph;
    // The child has none of the waiting threads, so none of their edges. The edges' memory is left alone.
    pthread_atfork([] { weir::graph().mutex.lock(); }, [] { weir::graph().mutex.unlock(); },
                   [] {
                     weir::graph().edges.clear();
                     weir::graph().mutex.unlock();
                   });
    return made;
  }();
  return *graph;
}

// Returns `from` and all that it waits for.
// REQUIRES: the graph's lock is held.
std::vector<Waker*> reached(const Graph& graph, Waker* from) {
  std::vector<Waker*> found{from};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& [waiting, awaited] : graph.edges) {
      if (waiting != found[i]) continue;
      if (std::find(found.begin(), found.end(), awaited) == found.end()) found.push_back(awaited);
    }
  }
  return found;
}

}  // namespace

Status add_wait(Waker* from, Waker* to) {
  Graph& all = graph();
  MutexLock lock(all.mutex);
  const std::vector<Waker*> behind = reached(all, to);
  if (std::find(behind.begin(), behind.end(), from) != behind.end()) {
    return failed_precondition(
        "expected an iterator that does not wait for the caller; this one's pipeline is waiting, directly or through other iterators, for the callback that makes this call. Use a separate iterator");
  }
  all.edges.emplace_back(from, to);
  return Status();
}

void remove_wait(Waker* from, Waker* to) {
  Graph& all = graph();
  MutexLock lock(all.mutex);
  auto found = std::find(all.edges.begin(), all.edges.end(), std::pair(from, to));
  if (found == all.edges.end()) return;
  *found = all.edges.back();
  all.edges.pop_back();
}

std::vector<RefPtr<Waker>> awaited_by(Waker* from) {
  Graph& all = graph();
  std::vector<RefPtr<Waker>> found;
  MutexLock lock(all.mutex);
  if (all.edges.empty()) return found;
  for (Waker* scheduler : reached(all, from)) {
    // An edge's scheduler lives at least as long as the edge.
    if (scheduler != from) found.emplace_back(scheduler);
  }
  return found;
}

std::string describe_waits() {
  Graph& all = graph();
  if (!all.mutex.try_lock()) return "waits: locked\n";
  std::string text;
  for (const auto& [waiting, awaited] : all.edges) {
    text += concat("scheduler ", name_of(waiting), " waits for scheduler ", name_of(awaited), "\n");
  }
  all.mutex.unlock();
  return text;
}

}  // namespace weir
