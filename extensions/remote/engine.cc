#include "remote/engine.h"

#include <weir/weir.h>

#include <algorithm>

#include "remote/text.h"

namespace weir_remote {
namespace {

std::chrono::seconds patience_from_environment() {
  auto number = parse_number(environment("WEIR_REMOTE_PATIENCE"));
  return std::chrono::seconds(number && *number >= 1 ? std::min<uint64_t>(*number, 3600) : 60);
}

}  // namespace

Engine::Engine() {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) throw Failure(WEIR_CODE_RESOURCE_EXHAUSTED, "libcurl can't be initialised");
  settings_.patience = patience_from_environment();
  settings_.certificates_variable =
      environment("CURL_CA_BUNDLE").empty() ? "SSL_CERT_FILE" : "CURL_CA_BUNDLE";
  settings_.certificates = environment(settings_.certificates_variable.c_str());
  settings_.certificate_folder = environment("SSL_CERT_DIR");
  settings_.run_errand = [this](std::function<void()> errand) {
    std::lock_guard<std::mutex> lock(mutex_);
    errands_.push_back(std::move(errand));
    errand_ready_.notify_one();
  };
  for (auto& loop : loops_) loop = std::make_unique<EventLoop>(settings_);
  errand_thread_ = std::thread([this] {
    block_signals();
    run_errands();
  });
}

Engine::~Engine() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  errand_ready_.notify_all();
  errand_thread_.join();
}

bool Engine::is_here() const {
  return errand_thread_.get_id() == std::this_thread::get_id() ||
         std::any_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->is_here(); });
}

void Engine::start(std::shared_ptr<Exchange> exchange) {
  // The first, which has open connections, while one request follows the other.
  auto least = std::min_element(loops_.begin(), loops_.end(),
                                [](const auto& a, const auto& b) { return a->load() < b->load(); });
  (*least)->start(std::move(exchange));
}

Answer Engine::run(const std::shared_ptr<Exchange>& exchange) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  exchange->done = [&](Exchange&) {
    std::lock_guard<std::mutex> lock(mutex);
    is_done = true;
    ended.notify_one();  // under the lock, since the waiting thread takes all this away
  };
  start(exchange);
  std::unique_lock<std::mutex> lock(mutex);
  ended.wait(lock, [&] { return is_done; });
  if (exchange->failure) throw *exchange->failure;
  return std::move(exchange->answer);
}

bool Engine::has_answered(const std::string& url) {
  std::lock_guard<std::mutex> lock(mutex_);
  return answered_.count(url) > 0;
}

void Engine::note_answer(const std::string& url) {
  std::lock_guard<std::mutex> lock(mutex_);
  answered_.insert(url);
}

void Engine::run_errands() {
  for (;;) {
    std::function<void()> errand;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      errand_ready_.wait(lock, [this] { return stopping_ || !errands_.empty(); });
      if (errands_.empty()) return;
      errand = std::move(errands_.front());
      errands_.pop_front();
    }
    errand();
  }
}

}  // namespace weir_remote
