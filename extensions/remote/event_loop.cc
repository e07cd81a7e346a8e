#include "remote/event_loop.h"

#include <pthread.h>
#include <signal.h>
#include <weir/weir.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <optional>
#include <random>

#include "remote/text.h"

namespace weir_remote {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostRedirects = 5;
constexpr int kMostLessons = 3;
constexpr int kMostAttempts = 6;  // without progress
constexpr size_t kMostIdleHandles = 64;
constexpr milliseconds kLookInterval{50};
// How long there has to be nothing to do before one more request is started.
constexpr milliseconds kIdlePerRequest{1};

// In seconds; the header has those, or a date.
std::optional<uint64_t> retry_after(const Answer& answer) {
  std::string_view text = answer.header("retry-after");
  int64_t due = text.find(':') == std::string_view::npos ? 0 : parse_date(text);
  if (due == 0) return parse_number(text);
  int64_t theirs = parse_date(answer.header("date"));
  int64_t now = theirs != 0 ? theirs : std::time(nullptr) * int64_t{1'000'000'000};
  return due <= now ? 0 : static_cast<uint64_t>((due - now) / 1'000'000'000);
}

}  // namespace

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

EventLoop::EventLoop(const LoopSettings& settings)
    : settings_(settings), multi_(curl_multi_init()), random_state_(std::random_device{}()) {
  if (multi_ == nullptr) throw Failure(WEIR_CODE_RESOURCE_EXHAUSTED, "libcurl can't be initialised");
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 256L);
  thread_ = std::thread([this] { run(); });
}

EventLoop::~EventLoop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  for (CURL* handle : idle_handles_) curl_easy_cleanup(handle);
  curl_multi_cleanup(multi_);
}

void EventLoop::start(std::shared_ptr<Exchange> exchange) {
  load_.fetch_add(1, std::memory_order_relaxed);
  take(std::move(exchange));
}

void EventLoop::take(std::shared_ptr<Exchange> exchange) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    incoming_.push_back(std::move(exchange));
  }
  curl_multi_wakeup(multi_);
}

void EventLoop::run() {
  block_signals();
  for (;;) {
    take_started();
    fire_timers();
    drop_cancelled();
    int running = 0;
    curl_multi_perform(multi_, &running);
    reap();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_ && incoming_.empty() && active_.empty()) return;
      if (!incoming_.empty()) continue;
    }
    wait();
  }
}

void EventLoop::take_started() {
  std::vector<std::shared_ptr<Exchange>> started;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    started.swap(incoming_);
  }
  for (auto& exchange : started) admit(std::move(exchange));
}

void EventLoop::wait() {
  const auto begun = Clock::now();
  Clock::duration most = active_.empty() ? Clock::duration(seconds(60)) : Clock::duration(kLookInterval);
  if (!timers_.empty()) most = std::clamp(timers_.begin()->first - begun, Clock::duration(0), most);
  const bool holds =
      std::any_of(hosts_.begin(), hosts_.end(), [](const auto& host) { return host.second->holds(); });
  if (holds) most = std::min<Clock::duration>(most, kIdlePerRequest);
  curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::chrono::ceil<milliseconds>(most).count()),
                  nullptr);
  idle_ = holds ? idle_ + (Clock::now() - begun) : Clock::duration();
  if (idle_ < kIdlePerRequest) return;
  idle_ = {};
  for (auto& [origin, host] : hosts_) {
    if (host->holds()) launch_next(*host);
  }
}

void EventLoop::fire_timers() {
  auto now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Timer timer = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    auto exchange = timer.exchange.lock();
    if (!exchange || exchange->finished) continue;
    if (!timer.is_hedge) {
      admit(exchange);
    } else if (exchange->transfers[0] && !exchange->transfers[1] && !exchange->transfers[0]->head_checked &&
               exchange->host->take_hedge()) {
      launch(*exchange, true);
    }
  }
}

void EventLoop::drop_cancelled() {
  auto now = Clock::now();
  if (now - last_look_ < kLookInterval) return;
  last_look_ = now;
  std::vector<std::shared_ptr<Exchange>> dropped;
  for (const auto& exchange : active_) {
    if (exchange->cancelled && exchange->cancelled()) dropped.push_back(exchange);
  }
  for (const auto& exchange : dropped) {
    exchange->failure.emplace(WEIR_CODE_CANCELLED, exchange->name, "reading was cancelled");
    finish(*exchange);
  }
}

void EventLoop::admit(std::shared_ptr<Exchange> exchange) {
  if (exchange->finished) return;  // cancelled while credentials were fetched
  if (active_.insert(exchange).second) {
    exchange->progress = Clock::now();
    if (!exchange->direct.empty()) {
      exchange->redirected = exchange->direct;
      exchange->redirects = 1;
    }
  }
  if (exchange->refresh_failure) {
    exchange->failure = std::move(exchange->refresh_failure);
    finish(*exchange);
    return;
  }
  exchange->host = &host_of(exchange->url());
  if (exchange->host->starts_more()) {
    launch(*exchange, false);
  } else {
    exchange->host->waiting.push_back(std::move(exchange));
  }
}

void EventLoop::launch(Exchange& exchange, bool is_hedge) {
  Request request;
  const uint64_t lessons = exchange.service ? exchange.service->lessons() : 0;
  bool signed_now = exchange.make_request(request);
  if (!signed_now && is_hedge) return;
  if (!signed_now) {
    refresh_then_launch(exchange);
    return;
  }
  // A line break in a credential would begin another header.
  const auto is_broken = [](const auto& header) {
    return std::any_of(header.second.begin(), header.second.end(),
                       [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 127; });
  };
  const auto broken = std::find_if(request.headers.begin(), request.headers.end(), is_broken);
  if (broken != request.headers.end()) {
    exchange.failure.emplace(WEIR_CODE_INVALID_ARGUMENT, exchange.name,
                             "the value of the header " + broken->first +
                                 " has a control character; check the credentials that it is made of");
    finish(exchange);
    return;
  }
  auto transfer = std::make_unique<Transfer>(exchange);
  CURL* handle = take_handle(exchange);
  if (handle == nullptr) {
    exchange.failure.emplace(WEIR_CODE_RESOURCE_EXHAUSTED, "libcurl gives no handle");
    finish(exchange);
    return;
  }
  transfer->prepare(
      handle, std::move(request),
      std::clamp<long>(static_cast<long>(std::chrono::duration_cast<seconds>(settings_.patience).count() / 3),
                       1, 20));
  transfer->answer.lessons = lessons;
  auto now = Clock::now();
  transfer->started = now;
  ++exchange.attempts;
  exchange.host->started();
  curl_multi_add_handle(multi_, handle);
  exchange.transfers[is_hedge ? 1 : 0] = std::move(transfer);
  bool may_repeat = exchange.request.method == "GET" || exchange.request.method == "HEAD";
  if (is_hedge || !may_repeat || exchange.patient) return;
  if (auto after = exchange.host->hedge_after(now))
    timers_.insert({now + *after, {exchange.weak_from_this(), true}});
}

void EventLoop::refresh_then_launch(Exchange& exchange) {
  if (++exchange.refreshes > 3) {
    exchange.failure.emplace(WEIR_CODE_PERMISSION_DENIED, exchange.name,
                             "the credentials that were fetched have expired; check the clock");
    finish(exchange);
    return;
  }
  settings_.run_errand([this, held = exchange.shared_from_this()] {
    std::optional<Failure> failure;
    try {
      held->service->refresh();
    } catch (const Failure& caught) {
      failure.emplace(caught.code, held->name, caught.message);
    } catch (...) {
      failure.emplace(WEIR_CODE_RESOURCE_EXHAUSTED, "out of memory");
    }
    held->refresh_failure = std::move(failure);
    take(held);
  });
}

void EventLoop::reap() {
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    end_transfer(*transfer, code);
  }
}

void EventLoop::end_transfer(Transfer& transfer, CURLcode code) {
  auto exchange = transfer.exchange->shared_from_this();
  auto& own = exchange->transfers[exchange->transfers[0].get() == &transfer ? 0 : 1];
  auto& other = exchange->transfers[exchange->transfers[0].get() == &transfer ? 1 : 0];
  if (!transfer.head_checked && transfer.answer.status != 0) {
    exchange->host->saw_first_byte(Clock::now() - transfer.started);
  }
  std::string why;
  Ending ending = judge(transfer, code, settings_.certificates_variable, why);
  bool useless = ending == Ending::throttled || ending == Ending::failed;
  if (ending == Ending::throttled) exchange->host->throttled(Clock::now());
  if (useless && other && exchange->winner != &transfer) {
    remove(own);  // the other one is still under way
    return;
  }
  // The body of an answer that failed is not kept, unless it has a place.
  if (transfer.received > 0 && exchange->range.out != nullptr) {
    exchange->fruitless = 0;
    exchange->progress = Clock::now();
  }
  Answer answer = std::move(transfer.answer);
  remove_all(*exchange);
  settle(*exchange, ending, std::move(answer), why);
}

void EventLoop::settle(Exchange& exchange, Ending ending, Answer answer, const std::string& why) {
  Host& host = *exchange.host;
  switch (ending) {
    case Ending::redirect:
      follow(exchange, answer);
      break;
    case Ending::partial:
      host.succeeded(Clock::now());
      admit(exchange.shared_from_this());
      break;
    case Ending::throttled:
    case Ending::failed:
      again(exchange, ending, answer, why);
      break;
    case Ending::answered: {
      host.succeeded(Clock::now());
      int status = answer.status;
      bool is_lost = !exchange.direct.empty() && exchange.redirected == exchange.direct &&
                     (status == 401 || status == 403 || status == 404 || status == 410);
      if (is_lost) {
        // Where it was redirected to has expired.
        exchange.direct.clear();
        exchange.redirected.clear();
        exchange.redirects = 0;
        admit(exchange.shared_from_this());
        break;
      }
      if (!answer.ok() && learns(exchange, answer)) {
        admit(exchange.shared_from_this());
        break;
      }
      exchange.answer = std::move(answer);
      exchange.answer.redirects = exchange.redirects;
      exchange.answer.redirect_version = exchange.redirect_version;
      finish(exchange);
      break;
    }
    case Ending::final:
      finish(exchange);
      break;
  }
  pump(host);
}

bool EventLoop::learns(Exchange& exchange, const Answer& answer) {
  return exchange.redirected.empty() && exchange.service && ++exchange.lessons <= kMostLessons &&
         exchange.service->learn_from(exchange.request, answer);
}

void EventLoop::follow(Exchange& exchange, const Answer& answer) {
  // A store may mean another region by it.
  if (learns(exchange, answer)) {
    admit(exchange.shared_from_this());
    return;
  }
  std::string target = resolve_location(exchange.url(), answer.header("location"));
  Url url = parse_url(target);
  std::string problem;
  if (++exchange.redirects > kMostRedirects) {
    problem = "more than " + std::to_string(kMostRedirects) + " redirects";
  } else if (url.scheme != "http" && url.scheme != "https") {
    problem = "it is redirected to " + shown_url(target) + ", which isn't http or https";
  } else if (url.scheme == "http" && parse_url(exchange.url()).scheme == "https") {
    problem =
        "it is redirected from https to " + shown_url(target) + ", where anybody could change the bytes";
  }
  if (!problem.empty()) {
    exchange.failure.emplace(WEIR_CODE_FAILED_PRECONDITION, exchange.name, problem);
    finish(exchange);
    return;
  }
  if (exchange.redirects == 1 && exchange.service)
    exchange.redirect_version = exchange.service->version(answer);
  // A user in the URL would be sent as a password.
  exchange.redirected = url.text();
  admit(exchange.shared_from_this());
}

void EventLoop::again(Exchange& exchange, Ending ending, const Answer& answer, const std::string& why) {
  auto now = Clock::now();
  ++exchange.fruitless;
  bool is_throttled = ending == Ending::throttled;
  bool too_late = now - exchange.progress >= settings_.patience;
  const int most_attempts = exchange.is_probe && answer.status == 0 ? 1 : kMostAttempts;
  bool too_often = !is_throttled && (exchange.fruitless >= most_attempts || !exchange.host->take_retry());
  double factor = std::pow(2.0, std::min(exchange.fruitless - 1, 8));
  double wait_ms = std::min((is_throttled ? 100.0 : 50.0) * factor, 2000.0) * (0.5 + 0.5 * jitter());
  if (auto asked = retry_after(answer); asked && is_throttled) {
    wait_ms =
        std::max(wait_ms, 1000.0 * static_cast<double>(std::min<uint64_t>(*asked, 3600)) + 200 * jitter());
  }
  auto due = now + milliseconds(static_cast<int64_t>(wait_ms));
  if (too_late || too_often || due - exchange.progress > settings_.patience) {
    give_up(exchange, answer, why);
    return;
  }
  timers_.insert({due, {exchange.weak_from_this(), false}});
}

void EventLoop::give_up(Exchange& exchange, const Answer& answer, const std::string& why) {
  std::string tried =
      " (" + std::to_string(exchange.attempts) + (exchange.attempts == 1 ? " attempt)" : " attempts)");
  static const Service plain;
  const Service& service = exchange.service ? *exchange.service : plain;
  if (service.status_of(exchange.request, answer) >= 400) {
    exchange.failure = service.failure(exchange.name, exchange.request, answer);
    exchange.failure->message += tried;
    exchange.answer = answer;
  } else {
    const bool reads = exchange.request.method == "GET" || exchange.request.method == "HEAD";
    exchange.failure.emplace(WEIR_CODE_UNAVAILABLE, exchange.name,
                             parse_url(exchange.url()).authority +
                                 (reads ? " can't be read from: " : " gave no whole answer: ") + why + tried);
  }
  finish(exchange);
}

void EventLoop::finish(Exchange& exchange) {
  auto held = exchange.shared_from_this();
  Host* host = exchange.host;
  remove_all(exchange);
  exchange.finished = true;
  active_.erase(held);
  load_.fetch_sub(1, std::memory_order_relaxed);
  if (exchange.done) exchange.done(exchange);
  if (host != nullptr) pump(*host);
}

void EventLoop::remove(std::unique_ptr<Transfer>& transfer) {
  if (!transfer) return;
  Exchange& exchange = *transfer->exchange;
  if (exchange.winner == transfer.get()) exchange.winner = nullptr;
  exchange.host->ended();
  curl_multi_remove_handle(multi_, transfer->easy);
  curl_easy_reset(transfer->easy);
  if (idle_handles_.size() < kMostIdleHandles) {
    idle_handles_.push_back(transfer->easy);
  } else {
    curl_easy_cleanup(transfer->easy);
  }
  transfer.reset();
}

void EventLoop::remove_all(Exchange& exchange) {
  for (auto& transfer : exchange.transfers) remove(transfer);
}

void EventLoop::pump(Host& host) {
  while (host.starts_more() && !host.waiting.empty()) launch_next(host);
}

void EventLoop::launch_next(Host& host) {
  auto exchange = std::move(host.waiting.front());
  host.waiting.pop_front();
  if (!exchange->finished) launch(*exchange, false);
}

Host& EventLoop::host_of(const std::string& url) {
  auto& host = hosts_[parse_url(url).origin()];
  if (!host) host = std::make_unique<Host>();
  return *host;
}

CURL* EventLoop::take_handle(const Exchange& exchange) {
  CURL* handle = nullptr;
  if (idle_handles_.empty()) {
    handle = curl_easy_init();
  } else {
    handle = idle_handles_.back();
    idle_handles_.pop_back();
  }
  if (handle == nullptr) return nullptr;
  std::string own = exchange.service ? exchange.service->certificates() : "";
  const std::string& file = own.empty() ? settings_.certificates : own;
  if (!file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, file.c_str());
  if (!settings_.certificate_folder.empty())
    curl_easy_setopt(handle, CURLOPT_CAPATH, settings_.certificate_folder.c_str());
  return handle;
}

double EventLoop::jitter() {
  random_state_ = random_state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(random_state_ >> 11) / 9007199254740992.0;
}

}  // namespace weir_remote
