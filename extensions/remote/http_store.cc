#include "remote/http_store.h"

#include "remote/crypto.h"
#include "remote/text.h"

namespace weir_remote {

Request HttpStore::object_request(const std::string& name) {
  Url url = parse_url(mend_url(name));
  if (url.authority.empty()) throw Failure(WEIR_CODE_INVALID_ARGUMENT, name, "the URL has no host");
  Request request;
  request.url = url.text();
  request.add("Accept-Encoding", "identity");
  // Sent to this host alone: redirects to another one leave it out.
  if (!url.user.empty()) {
    std::string colon = url.user.find(':') == std::string::npos ? ":" : "";
    request.add("Authorization", "Basic " + base64(percent_decode(url.user) + colon));
  }
  return request;
}

std::string HttpStore::credentials_hint() const {
  return "check that the URL may be read without credentials, or write user:password@ before its host";
}

}  // namespace weir_remote
