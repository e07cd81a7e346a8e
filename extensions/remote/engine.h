// Carries out exchanges on two event loops: where a server is near, one thread that receives, or decrypts, is
// what bytes wait for. One more thread fetches credentials, which may wait for answers.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "remote/event_loop.h"

namespace weir_remote {

class Engine {
 public:
  // WEIR_REMOTE_PATIENCE is for how many seconds a request without progress is sent again (default: 60).
  Engine();
  // REQUIRES: no exchange is under way, and no thread is inside.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Whether this is one of its threads, on which it cannot be destroyed.
  bool is_here() const;
  // Any thread. `exchange->done` is called once, on the thread of a loop, and must not wait.
  void start(std::shared_ptr<Exchange> exchange);
  // Whether a URL of credentials has answered with some.
  bool has_answered(const std::string& url);
  void note_answer(const std::string& url);
  // Waits for the end. Throws the exchange's failure. REQUIRES: not on the thread of a loop.
  Answer run(const std::shared_ptr<Exchange>& exchange);

 private:
  void run_errands();

  std::mutex mutex_;
  std::deque<std::function<void()>> errands_;
  std::condition_variable errand_ready_;
  bool stopping_ = false;
  std::set<std::string> answered_;
  std::thread errand_thread_;

  LoopSettings settings_;
  // Goes first: errands may be added until all loops have ended.
  std::array<std::unique_ptr<EventLoop>, 2> loops_;
};

}  // namespace weir_remote
