// One request until it has its answer: attempts, redirects, a second request where the first is late. The
// engine moves it; here is what it consists of and how answers are judged.
#pragma once

#include <curl/curl.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "remote/host.h"
#include "remote/http.h"

namespace weir_remote {

struct Transfer;

// Bytes of a file that are wanted. With `out`, exactly `size` bytes exist, and they are written there; else
// the answer's body has what there is of them, or all of the file if the server knows no ranges.
struct Range {
  bool wanted = false;
  uint64_t offset = 0;
  uint64_t size = 0;
  char* out = nullptr;
  uint64_t total = UINT64_MAX;  // of the file, if it is known
};

struct Exchange : std::enable_shared_from_this<Exchange> {
  // Set by whoever starts it.
  std::string name;  // what the user calls the file
  Request request;   // without Range and signature
  std::shared_ptr<Service> service;
  Range range;
  std::string version;         // what an answer has to be about; empty: anything
  std::string encoding;        // what an answer for range.out has to be encoded with
  std::string direct;          // where an earlier exchange was redirected to; empty: nowhere
  uint64_t keep = 16u << 20;   // longer bodies are cut off, which is an error
  bool patient = false;        // the server may think for minutes
  bool without_proxy = false;  // a server of this machine or its provider
  bool is_probe = false;       // who doesn't answer at once isn't there
  std::function<bool()> cancelled;
  std::function<void(Exchange&)> done;  // on the thread of a loop, once

  // The result: a failure, or an answer of any status that another attempt wouldn't change. With a failure,
  // the last answer if it was an error.
  std::optional<Failure> failure;
  Answer answer;

  // The engine's.
  uint64_t received = 0;  // of range.out
  std::string redirected;
  std::string redirect_version;
  int redirects = 0;
  int attempts = 0;
  int fruitless = 0;  // attempts since the last byte of progress
  int lessons = 0;
  int refreshes = 0;
  Clock::time_point progress{};  // when the last byte came that was of use
  Host* host = nullptr;
  std::array<std::unique_ptr<Transfer>, 2> transfers;
  Transfer* winner = nullptr;  // the one whose body counts
  bool finished = false;
  std::optional<Failure> refresh_failure;  // the errand thread's until it starts the exchange again

  const std::string& url() const { return redirected.empty() ? request.url : redirected; }
  // What is sent next, signed. Returns false if the service has to refresh its credentials first.
  bool make_request(Request& out) const;
};

// One attempt.
struct Transfer {
  explicit Transfer(Exchange& owner) : exchange(&owner) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  // Sets the handle up.
  void prepare(CURL* handle, Request sent, long slow_seconds);

  enum class Cut {
    none,
    lost,      // the other one was first
    enough,    // everything asked for is there, and the server sends more
    too_long,  // more than is kept
    wrong,     // `wrong` says what is
    changed,   // another version
  };

  Exchange* exchange;
  CURL* easy = nullptr;
  curl_slist* header_list = nullptr;
  Request request;
  Answer answer;
  uint64_t header_bytes = 0;
  uint64_t begin = 0;     // where in the file it reads
  uint64_t received = 0;  // of its body
  Clock::time_point started{};
  bool head_checked = false;
  Cut cut = Cut::none;
  std::string wrong;
  char error[CURL_ERROR_SIZE] = {};

  // Judges status and headers; sets `cut` if they aren't what was asked for.
  void check_head();
  size_t take_header(std::string_view line);
  size_t take_body(const char* data, size_t size);

 private:
  void check_range();
};

// How an attempt ended.
enum class Ending {
  answered,   // the answer is the result
  partial,    // a whole answer of less than was asked for: ask for the rest
  redirect,   // ask elsewhere
  throttled,  // ask later and less
  failed,     // ask again
  final,      // `failure` of the exchange is the result
};

// Judges a transfer that curl ended with `code`. `why` says what happened if it failed. `certificates` names
// the certificates that are trusted unless the service has its own.
Ending judge(Transfer& transfer, CURLcode code, const std::string& certificates, std::string& why);

}  // namespace weir_remote
