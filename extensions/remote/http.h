// Requests and answers, and what a store adds to the exchanges that are made for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/failure.h"

namespace weir_remote {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string url;
  Headers headers;
  std::shared_ptr<const std::string> body;  // null: none
  std::string bucket;                       // for the store alone

  void add(std::string name, std::string value) { headers.emplace_back(std::move(name), std::move(value)); }
};

struct Answer {
  int status = 0;
  Headers headers;  // names in lower case
  std::string body;
  std::string url;       // what was asked last, after redirects
  uint64_t lessons = 0;  // the service's when the request was signed
  int redirects = 0;
  std::string
      redirect_version;  // what the first redirect said of the version, as service->version() reads it

  std::string_view header(std::string_view name) const;
  std::string encoding() const;  // its Content-Encoding in lower case; empty: none, or "identity"
  bool ok() const { return status >= 200 && status < 300; }
  // Other successes, such as 202 or 207, are not about the bytes of a file.
  bool has_file() const { return status == 200 || status == 206; }
};

// The bytes that a "Content-Range: bytes 0-99/1000" is about. `total` is UINT64_MAX if the server doesn't
// say.
struct ContentRange {
  bool valid = false;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t total = UINT64_MAX;
};
ContentRange parse_content_range(std::string_view text);

// What one kind of store knows of its protocol. All but `refresh` are called on the threads of the loops, and
// don't wait.
class Service {
 public:
  virtual ~Service() = default;

  // Adds what proves who asks. Returns false if credentials have to be fetched first, by `refresh`.
  virtual bool sign(Request&) { return true; }
  // Fetches credentials, and may wait. Throws Failure.
  virtual void refresh() {}
  // How often an answer has told something new.
  uint64_t lessons() const { return lessons_; }
  // Learns from an answer. Returns whether to send the request again: the answer tells something new, or
  // another one has done so since the request was signed. May change the request.
  bool learn_from(Request& request, const Answer& answer);
  // The version that an answer is about: its ETag, or what there is in its place.
  virtual std::string version(const Answer& answer) const;
  // The status that counts: a failure may come in the body of a success.
  virtual int status_of(const Request&, const Answer& answer) const { return answer.status; }
  // A file of certificates in place of curl's, or an empty name.
  virtual std::string certificates() const { return ""; }
  // The error for an answer that isn't what was hoped for. `name` is what the user calls the file.
  Failure failure(const std::string& name, const Request& request, const Answer& answer) const;

 protected:
  // Returns whether the answer told something new, such as a region or that the credentials expired. May
  // change the request.
  virtual bool learn(Request&, const Answer&) { return false; }
  // What the server says in its body, in one line: "AccessDenied: Access Denied".
  virtual std::string detail(const Answer&) const { return ""; }
  virtual std::string request_id(const Answer& answer) const;
  // What was sent with `request` to prove who asks. A server that repeats it doesn't bring it into an error.
  virtual std::vector<std::string> secrets(const Request&) const { return {}; }
  // What the user should check after a 401 or 403: "check AWS_ACCESS_KEY_ID ...".
  virtual std::string credentials_hint() const { return ""; }

 private:
  std::string without_secrets(std::string text, const Request& request) const;

  std::mutex learning_;
  std::atomic<uint64_t> lessons_{0};
};

// The code for a status, as in gRPC.
int32_t code_of_status(int status);

}  // namespace weir_remote
