#include "remote/sigv4.h"

#include <algorithm>
#include <map>

#include "remote/crypto.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

std::string canonical_query(const std::string& query) {
  if (query.empty()) return "";
  auto parts = split(query, '&');
  for (std::string& part : parts) {
    if (part.find('=') == std::string::npos) part += '=';
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "&") + part;
  return out;
}

}  // namespace

void sign_v4(Request& request, const AwsKeys& keys, const std::string& region, const std::string& service,
             std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  char time[32];
  std::strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &parts);
  std::string date(time, 8);
  std::string body_hash = hex(sha256(request.body ? std::string_view(*request.body) : std::string_view()));
  request.add("x-amz-date", time);
  request.add("x-amz-content-sha256", body_hash);
  if (!keys.token.empty()) request.add("x-amz-security-token", keys.token);

  Url url = parse_url(request.url);
  std::map<std::string, std::string> signed_headers{{"host", url.authority}};
  for (const auto& [name, value] : request.headers) {
    std::string key = lower(name);
    if (begins_with(key, "x-amz-") || key == "content-type") signed_headers[key] = trim(value);
  }
  std::string names;
  std::string canonical = request.method + "\n" + url.path + "\n" + canonical_query(url.query) + "\n";
  for (const auto& [name, value] : signed_headers) {
    canonical += name + ":" + value + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  canonical += "\n" + names + "\n" + body_hash;

  std::string scope = date + "/" + region + "/" + service + "/aws4_request";
  std::string to_sign =
      "AWS4-HMAC-SHA256\n" + std::string(time) + "\n" + scope + "\n" + hex(sha256(canonical));
  std::string key = hmac_sha256("AWS4" + keys.secret, date);
  for (const std::string& part : {region, service, std::string("aws4_request")}) key = hmac_sha256(key, part);
  request.add("Authorization", "AWS4-HMAC-SHA256 Credential=" + keys.access + "/" + scope +
                                   ", SignedHeaders=" + names +
                                   ", Signature=" + hex(hmac_sha256(key, to_sign)));
}

}  // namespace weir_remote
