// A bearer token that is fetched when it is first needed, and again before it expires. Any thread.
#pragma once

#include <ctime>
#include <functional>
#include <mutex>
#include <utility>

#include "remote/google_credentials.h"
#include "remote/http.h"

namespace weir_remote {

class TokenHolder {
 public:
  explicit TokenHolder(std::function<BearerToken()> fetch) : fetch_(std::move(fetch)) {}

  // Adds the token, if there is one. Returns false if it has to be fetched first.
  bool sign(Request& request) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_valid()) return false;
    if (!token_.token.empty()) request.add("Authorization", "Bearer " + token_.token);
    return true;
  }
  // Fetches it if it isn't valid; may wait.
  void refresh() {
    std::lock_guard<std::mutex> fetching(fetch_mutex_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (is_valid()) return;
    }
    BearerToken found = fetch_();
    constexpr std::time_t kEarly = 120;
    if (found.expires > std::time(nullptr) + 2 * kEarly) found.expires -= kEarly;
    std::lock_guard<std::mutex> lock(mutex_);
    token_ = std::move(found);
    has_token_ = true;
  }
  // A server refuses it. Returns whether another one can be fetched.
  bool refused() {
    std::lock_guard<std::mutex> lock(mutex_);
    bool was_fetched = has_token_ && token_.expires != 0 && !token_.token.empty();
    if (was_fetched) has_token_ = false;
    return was_fetched;
  }
  // The token that was sent last; empty: there is none.
  std::string token() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return token_.token;
  }
  // Where it is from; empty: there is none.
  std::string source() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return token_.token.empty() ? "" : token_.source;
  }

 private:
  // REQUIRES: mutex_ is held.
  bool is_valid() const { return has_token_ && (token_.expires == 0 || std::time(nullptr) < token_.expires); }

  std::function<BearerToken()> fetch_;
  std::mutex fetch_mutex_;
  mutable std::mutex mutex_;
  BearerToken token_;
  bool has_token_ = false;
};

}  // namespace weir_remote
