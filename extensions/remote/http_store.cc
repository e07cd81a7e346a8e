#include "remote/http_store.h"

#include "remote/crypto.h"
#include "remote/text.h"

namespace weir_remote {

Request HttpStore::object_request(const std::string& name) {
  Url url = parse_url(mend_url(name));
  if (url.authority.empty())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, shown_name(name) + ": the URL has no host");
  Request request;
  request.url = url.text();
  request.add("Accept-Encoding", "identity");
  // Sent to this host alone: redirects to another one leave it out.
  if (!url.user.empty()) request.add("Authorization", "Basic " + base64(percent_decode(url.user)));
  return request;
}

FileInfo HttpStore::stat(const std::string& name, Call call) {
  auto cancelled = [call] { return call.cancelled(); };
  Request request = object_request(name);
  Request head = request;
  head.method = "HEAD";
  Answer answer = ask(name, std::move(head), cancelled);
  if (answer.status == 404 || answer.status == 410) throw failure(name, request, answer);
  FileInfo info = info_of(answer);
  auto size = parse_number(answer.header("content-length"));
  if (answer.ok() && size) {
    info.size = *size;
    return info;
  }
  // A URL that is signed for GET, or a server that knows no HEAD.
  request.add("Range", "bytes=0-0");
  answer = demand(name, request, cancelled);
  info = info_of(answer);
  ContentRange range = parse_content_range(answer.header("content-range"));
  info.size = answer.status == 206 && range.total != UINT64_MAX ? range.total : answer.body.size();
  return info;
}

std::string HttpStore::credentials_hint() const {
  return "check that the URL may be read without credentials, or name them in it (https://user:password@host/...)";
}

}  // namespace weir_remote
