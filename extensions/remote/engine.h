// One curl multi handle and the thread that drives it: attempts, retries, limits per host, second requests. A
// second thread fetches credentials, which may wait for answers of the first.
#pragma once

#include <curl/curl.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "remote/exchange.h"

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
  // Any thread. `exchange->done` is called once, on the event thread, and must not wait.
  void start(std::shared_ptr<Exchange> exchange);
  // Waits for the end. Throws the exchange's failure. REQUIRES: not on the event thread.
  Answer run(const std::shared_ptr<Exchange>& exchange);

 private:
  struct Timer {
    std::weak_ptr<Exchange> exchange;
    bool is_hedge = false;
  };

  void loop();
  void run_errands();
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
  void follow(Exchange& exchange, const Answer& answer);
  void again(Exchange& exchange, Ending ending, const Answer& answer, const std::string& why);
  void give_up(Exchange& exchange, const Answer& answer, const std::string& why);
  void finish(Exchange& exchange);
  void pump(Host& host);
  void launch_next(Host& host);
  Host& host_of(const std::string& url);
  CURL* take_handle(const Exchange& exchange);
  double jitter();

  Clock::duration patience_;
  std::string certificates_;
  std::string certificate_folder_;
  CURLM* multi_;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> incoming_;
  std::deque<std::function<void()>> errands_;
  std::condition_variable errand_ready_;
  bool stopping_ = false;

  // The event thread's.
  std::unordered_set<std::shared_ptr<Exchange>> active_;
  std::multimap<Clock::time_point, Timer> timers_;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
  std::vector<CURL*> idle_handles_;
  Clock::time_point last_look_{};
  Clock::duration idle_{};  // since a request was last started for want of work
  uint64_t random_state_;

  std::thread event_thread_;
  std::thread errand_thread_;
};

}  // namespace weir_remote
