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

// Made when the library is loaded, and never destroyed: threads may still wait while the process ends.
Graph& graph = *new Graph;

// The child has none of the waiting threads, so none of their edges. The edges' memory is left alone.
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { graph.mutex.lock(); }, [] { graph.mutex.unlock(); },
                   [] {
                     graph.edges.clear();
                     graph.mutex.unlock();
                   });

// Returns `from` and all that it waits for.
// REQUIRES: the graph's lock is held.
std::vector<Waker*> reached(Waker* from) {
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

bool add_wait(Waker* from, Waker* to) {
  MutexLock lock(graph.mutex);
  const std::vector<Waker*> behind = reached(to);
  if (std::find(behind.begin(), behind.end(), from) != behind.end()) return false;
  graph.edges.emplace_back(from, to);
  return true;
}

void remove_wait(Waker* from, Waker* to) {
  MutexLock lock(graph.mutex);
  auto found = std::find(graph.edges.begin(), graph.edges.end(), std::pair(from, to));
  if (found == graph.edges.end()) return;
  *found = graph.edges.back();
  graph.edges.pop_back();
}

std::vector<RefPtr<Waker>> awaited_by(Waker* from) {
  std::vector<RefPtr<Waker>> found;
  MutexLock lock(graph.mutex);
  if (graph.edges.empty()) return found;
  for (Waker* scheduler : reached(from)) {
    // An edge's scheduler lives at least as long as the edge.
    if (scheduler != from) found.emplace_back(scheduler);
  }
  return found;
}

std::string describe_waits() {
  if (!graph.mutex.try_lock()) return "waits: locked\n";
  std::string text;
  for (const auto& [waiting, awaited] : graph.edges) {
    text += concat("scheduler ", name_of(waiting), " waits for scheduler ", name_of(awaited), "\n");
  }
  graph.mutex.unlock();
  return text;
}

}  // namespace weir
