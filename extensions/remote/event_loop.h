// One curl multi handle and the thread that drives it: attempts, retries, limits per host, second requests.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "remote/exchange.h"

namespace weir_remote {

// What all loops of an engine share.
struct LoopSettings {
  Clock::duration patience;  // for how long a request without progress is sent again
  std::string certificates;
  std::string certificates_variable;  // which names that file, or could
  std::string certificate_folder;
  // Runs work that may wait for answers.
  std::function<void(std::function<void()>)> run_errand;
};

// Blocks signals on this thread: their handlers belong on the program's own threads, and a closed socket is
// an error, not a signal.
void block_signals();

class EventLoop {
 public:
  // `settings` outlives it.
  explicit EventLoop(const LoopSettings& settings);
  // REQUIRES: no exchange is under way, and no thread is inside.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  bool is_here() const { return std::this_thread::get_id() == thread_.get_id(); }
  // How many exchanges were started and have no end yet. Any thread.
  int load() const { return load_.load(std::memory_order_relaxed); }
  // Any thread. `exchange->done` is called once, on the loop's thread, and must not wait.
  void start(std::shared_ptr<Exchange> exchange);

 private:
  struct Timer {
    std::weak_ptr<Exchange> exchange;
    bool is_hedge = false;
  };

  void run();
  void take(std::shared_ptr<Exchange> exchange);
  void take_started();
  void fire_timers();
  void reap();
  void drop_cancelled();
  void wait();

  void admit(std::shared_ptr<Exchange> exchange);
  void launch(Exchange& exchange, bool is_hedge);
  void refresh_then_launch(Exchange& exchange);
  void end_transfer(Transfer& transfer, CURLcode code);
  void settle(Exchange& exchange, Ending ending, Answer answer, const std::string& why);
  void remove(std::unique_ptr<Transfer>& transfer);
  void remove_all(Exchange& exchange);
  // Whether it should be sent again since its service has learned.
  bool learns(Exchange& exchange, const Answer& answer);
  void follow(Exchange& exchange, const Answer& answer);
  void again(Exchange& exchange, Ending ending, const Answer& answer, const std::string& why);
  void give_up(Exchange& exchange, const Answer& answer, const std::string& why);
  void finish(Exchange& exchange);
  void pump(Host& host);
  void launch_next(Host& host);
  Host& host_of(const std::string& url);
  CURL* take_handle(const Exchange& exchange);
  double jitter();

  const LoopSettings& settings_;
  CURLM* multi_;
  std::atomic<int> load_{0};

  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> incoming_;
  bool stopping_ = false;

  // The thread's.
  std::unordered_set<std::shared_ptr<Exchange>> active_;
  std::multimap<Clock::time_point, Timer> timers_;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
  std::vector<CURL*> idle_handles_;
  Clock::time_point last_look_{};
  Clock::duration idle_{};  // since a request was last started for want of work
  uint64_t random_state_;

  std::thread thread_;
};

}  // namespace weir_remote
