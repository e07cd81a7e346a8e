#include "remote/s3_store.h"

#include <cstdlib>

#include "remote/s3_writer.h"
#include "remote/text.h"
#include "remote/xml.h"

namespace weir_remote {
namespace {

std::string first_set(std::initializer_list<std::string> values) {
  for (const std::string& value : values) {
    if (!value.empty()) return value;
  }
  return "";
}

std::string unescape(const Xml& list, std::string text) {
  if (list.child("EncodingType").text != "url") return text;
  for (char& c : text) {
    if (c == '+') c = ' ';
  }
  return percent_decode(text);
}

}  // namespace

S3Store::S3Store(Engine& engine)
    : Store(engine),
      config_(AwsConfig::load()),
      credentials_([this] { return find_aws_credentials(this->engine(), config_, region_); }) {
  endpoint_ = first_set(
      {environment("AWS_ENDPOINT_URL_S3"), environment("AWS_ENDPOINT_URL"), config_.get("endpoint_url")});
  while (!endpoint_.empty() && endpoint_.back() == '/') endpoint_.pop_back();
  place_ = shown_url(endpoint_);
  region_ = first_set(
      {environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"), config_.get("region"), "us-east-1"});
  certificates_ = first_set({environment("AWS_CA_BUNDLE"), config_.get("ca_bundle")});
}

// REQUIRES: mutex_ is held.
std::string S3Store::base_url(const std::string& bucket) const {
  if (!endpoint_.empty()) return endpoint_ + "/" + percent_encode(bucket, false);
  auto known = regions_.find(bucket);
  const std::string& region = known == regions_.end() ? region_ : known->second;
  std::string host = "s3." + region + (begins_with(region, "cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  // The certificate is for one label before "s3".
  bool fits_certificate = bucket.find_first_of("._") == std::string::npos && lower(bucket) == bucket;
  return fits_certificate ? "https://" + bucket + "." + host
                          : "https://" + host + "/" + percent_encode(bucket, false);
}

Request S3Store::request_for(const std::string& method, const std::string& bucket, const std::string& key,
                             const std::map<std::string, std::string>& query) const {
  std::lock_guard<std::mutex> lock(mutex_);
  Request request;
  request.method = method;
  request.bucket = bucket;
  request.url = base_url(bucket) + "/" + percent_encode(key, true);
  std::string text = make_query(query);
  if (!text.empty()) request.url += "?" + text;
  return request;
}

Request S3Store::object_request(const std::string& name) {
  BucketName parts = split_bucket(name);
  if (parts.key.empty())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name, "this is a bucket; a file's name is missing");
  return request_for("GET", parts.bucket, parts.key);
}

bool S3Store::sign(Request& request) {
  const auto credentials = credentials_.valid();
  if (!credentials || credentials->keys.access.empty()) return credentials.has_value();
  std::lock_guard<std::mutex> lock(mutex_);
  auto known = regions_.find(request.bucket);
  sign_v4(request, credentials->keys, known == regions_.end() ? region_ : known->second, "s3",
          std::time(nullptr) + clock_ahead_);
  return true;
}

bool S3Store::learn(Request& request, const Answer& answer) {
  if (learn_region(request, answer)) return true;
  if (answer.status != 400 && answer.status != 403) return false;
  std::string code = parse_xml(answer.body).child("Code").text;
  if (code == "RequestTimeTooSkewed") return learn_clock(answer);
  if (code != "ExpiredToken" && code != "InvalidToken" && code != "ExpiredTokenException" &&
      code != "TokenRefreshRequired" && code != "InvalidAccessKeyId")
    return false;
  return credentials_.refused();
}

// An answer of another region says which one is right, in a header or, to some requests, only in its body.
bool S3Store::learn_region(Request& request, const Answer& answer) {
  if (answer.status != 301 && answer.status != 307 && answer.status != 400 && answer.status != 403)
    return false;
  std::string region(answer.header("x-amz-bucket-region"));
  if (region.empty()) region = parse_xml(answer.body).child("Region").text;
  if (region.empty() || region.size() > 40 || percent_encode(region, false) != region) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  auto known = regions_.find(request.bucket);
  const bool is_new = region != (known == regions_.end() ? region_ : known->second);
  if (is_new) regions_[request.bucket] = region;
  // Amazon's host names have the region.
  const std::string base = base_url(request.bucket);
  if (begins_with(request.url, base)) return is_new;
  request.url = base.substr(0, base.find('/', 8)) + request.url.substr(request.url.find('/', 8));
  return true;
}

bool S3Store::learn_clock(const Answer& answer) {
  auto theirs = static_cast<std::time_t>(parse_date(answer.header("date")) / 1'000'000'000);
  std::time_t ahead = theirs - std::time(nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  if (theirs == 0 || std::abs(ahead - clock_ahead_) < 60) return false;
  clock_ahead_ = ahead;
  return true;
}

// Completing an upload may answer 200 and then find that it failed, which it may be asked again for.
int S3Store::status_of(const Request& request, const Answer& answer) const {
  bool completes = request.method == "POST" && request.url.find("uploadId=") != std::string::npos;
  if (!completes || !answer.ok()) return answer.status;
  Xml root = parse_xml(answer.body);
  std::string code = root.child("Code").text;
  if (code == "SlowDown" || code == "ServiceUnavailable") return 503;
  if (root.name == "Error" && code != "InternalError" && code != "RequestTimeout") return 400;
  return root.name == "CompleteMultipartUploadResult" ? answer.status : 500;
}

std::string S3Store::detail(const Answer& answer) const {
  Xml root = parse_xml(answer.body);
  const Xml& error = root.name == "Error" ? root : root.child("Error");
  std::string code = error.child("Code").text;
  std::string message = error.child("Message").text;
  if (code.empty() && message.empty() && answer.ok()) return "but not that the upload is complete";
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

std::vector<std::string> S3Store::secrets(const Request&) const {
  const AwsKeys keys = credentials_.last().keys;
  return {keys.access, keys.secret, keys.token};
}

std::string S3Store::credentials_hint() const {
  const AwsCredentials credentials = credentials_.last();
  if (credentials.keys.access.empty()) {
    return "no credentials were found, so nothing was signed: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
           "AWS_SECRET_ACCESS_KEY";
  }
  return "check the credentials (from " + credentials.source + "), their permissions, the region (" +
         region_ + "), and this machine's clock";
}

bool S3Store::has_keys_below(const std::string& name, const BucketName& parts, Call call) {
  std::string prefix = parts.key;
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  Request request =
      request_for("GET", parts.bucket, "", {{"list-type", "2"}, {"max-keys", "1"}, {"prefix", prefix}});
  Answer answer = demand(name, std::move(request), [call] { return call.cancelled(); });
  Xml root = parse_xml(answer.body);
  return parts.key.empty() ? root.name == "ListBucketResult" : !root.child("Contents").name.empty();
}

FileInfo S3Store::stat(const std::string& name, Call call) {
  BucketName parts = split_bucket(name);
  FileInfo folder;
  folder.is_folder = true;
  bool is_folder_name = parts.key.empty() || parts.key.back() == '/';
  if (!is_folder_name) {
    try {
      return Store::stat(name, call);
    } catch (const Failure& failure) {
      if (failure.code != WEIR_CODE_NOT_FOUND) throw;
    }
  }
  if (has_keys_below(name, parts, call)) return folder;
  std::string url = request_for("HEAD", parts.bucket, parts.key).url;
  throw Failure(WEIR_CODE_NOT_FOUND, name,
                "no object has this name, and none is below it (" + shown_url(url) + ")");
}

void S3Store::list(const std::string& folder, const std::string& prefix, Call call) {
  BucketName parts = split_bucket(folder);
  std::map<std::string, std::string> query{{"list-type", "2"},
                                           {"delimiter", "/"},
                                           {"encoding-type", "url"},
                                           {"max-keys", "1000"},
                                           {"prefix", parts.key + prefix}};
  std::set<std::string> turned;
  for (;;) {
    Answer answer =
        demand(folder, request_for("GET", parts.bucket, "", query), [call] { return call.cancelled(); });
    Xml root = parse_xml(answer.body);
    if (root.name != "ListBucketResult") {
      throw Failure(WEIR_CODE_DATA_LOSS, folder,
                    "the server's listing can't be understood; is it an S3 server?");
    }
    for (const Xml& one : root.children) {
      bool is_folder = one.name == "CommonPrefixes";
      if (!is_folder && one.name != "Contents") continue;
      std::string key = unescape(root, one.child(is_folder ? "Prefix" : "Key").text);
      std::string_view shown = entry_name(key, parts.key);
      // A marker of a folder, "photos/", is no file.
      if (shown.empty() || (!is_folder && key.back() == '/')) continue;
      FileInfo info;
      info.is_folder = is_folder;
      info.size = parse_number(one.child("Size").text).value_or(0);
      info.modified_ns = parse_date(one.child("LastModified").text);
      info.version = one.child("ETag").text;
      call.entry(shown, info);
    }
    if (root.child("IsTruncated").text != "true") return;
    turn_page(folder, turned, query["continuation-token"], root.child("NextContinuationToken").text);
  }
}

std::unique_ptr<Writer> S3Store::create(const std::string& name, Call) {
  object_request(name);  // checks the name
  return make_s3_writer(*this, name);
}

void S3Store::remove(const std::string& name, Call call) {
  object_request(name);
  BucketName parts = split_bucket(name);
  Request request = request_for("DELETE", parts.bucket, parts.key);
  demand(name, std::move(request), [call] { return call.cancelled(); });
}

}  // namespace weir_remote
