#include "remote/gs_store.h"

#include "remote/gs_writer.h"
#include "remote/json.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

FileInfo info_of_object(const Json& object) {
  FileInfo info;
  info.size = parse_number(object.text("size")).value_or(0);
  info.modified_ns = parse_date(object.text("updated"));
  info.version = object.text("generation");
  return info;
}

}  // namespace

GsStore::GsStore(Engine& engine)
    : Store(engine), token_([this] { return find_google_token(this->engine()); }) {
  endpoint_ = environment("STORAGE_EMULATOR_HOST");
  endpoint_is_emulator_ = !endpoint_.empty();
  if (endpoint_is_emulator_ && endpoint_.find("://") == std::string::npos) endpoint_ = "http://" + endpoint_;
  if (!endpoint_is_emulator_) endpoint_ = environment("WEIR_REMOTE_GS_ENDPOINT");
  place_ = shown_url(endpoint_);
  if (endpoint_.empty()) endpoint_ = "https://storage.googleapis.com";
  while (endpoint_.back() == '/') endpoint_.pop_back();
}

Request GsStore::request_for(const std::string& method, const std::string& start, const std::string& bucket,
                             const std::string* key, const std::map<std::string, std::string>& query) const {
  Request request;
  request.method = method;
  request.url = endpoint_ + start + "/b/" + percent_encode(bucket, false) + "/o";
  if (key != nullptr) request.url += "/" + percent_encode(*key, false);
  std::string text = make_query(query);
  if (!text.empty()) request.url += "?" + text;
  return request;
}

Request GsStore::object_request(const std::string& name) {
  BucketName parts = split_bucket(name);
  if (parts.key.empty())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name, "this is a bucket; a file's name is missing");
  Request request = request_for("GET", "/storage/v1", parts.bucket, &parts.key, {{"alt", "media"}});
  // An object that is stored compressed comes as it is stored.
  request.add("Accept-Encoding", "gzip");
  return request;
}

std::string GsStore::version(const Answer& answer) const {
  std::string_view generation = answer.header("x-goog-generation");
  return generation.empty() ? Service::version(answer) : std::string(generation);
}

void GsStore::pin(Request& get, const Answer& answer) const {
  std::string_view generation = answer.header("x-goog-generation");
  if (generation.empty()) {
    Store::pin(get, answer);
  } else {
    get.url += (get.url.find('?') == std::string::npos ? "?" : "&") + std::string("generation=") +
               std::string(generation);
  }
}

FileInfo GsStore::info_of(const Answer& answer) const {
  FileInfo info;
  // `stat` reads metadata, which have the time in milliseconds, and another ETag.
  info.version = answer.header("x-goog-generation");
  return info;
}

std::string GsStore::detail(const Answer& answer) const {
  std::string message = Json::parse(answer.body).at("error").text("message");
  return message.empty() && answer.body.size() < 200 && answer.body.find('<') == std::string::npos
             ? answer.body
             : message;
}

std::vector<std::string> GsStore::secrets(const Request&) const { return {token_.last().token}; }

std::string GsStore::credentials_hint() const {
  std::string source = token_.last().source;
  if (source.empty()) {
    return "no credentials were found, so the request was anonymous: set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth "
           "application-default login`";
  }
  return "check that " + source + " may do this, and this machine's clock";
}

Answer GsStore::ask_page(const std::string& name, const std::string& bucket,
                         const std::map<std::string, std::string>& query, Call call) {
  return demand(name, request_for("GET", "/storage/v1", bucket, nullptr, query),
                [call] { return call.cancelled(); });
}

FileInfo GsStore::stat(const std::string& name, Call call) {
  BucketName parts = split_bucket(name);
  FileInfo folder;
  folder.is_folder = true;
  std::string prefix = parts.key;
  if (!prefix.empty() && prefix.back() != '/') {
    Request request = request_for("GET", "/storage/v1", parts.bucket, &parts.key, {});
    Answer answer = ask(name, request, [call] { return call.cancelled(); });
    if (answer.ok()) return info_of_object(Json::parse(answer.body));
    if (answer.status != 404) throw failure(name, request, answer);
    prefix += '/';
  }
  Answer page = ask_page(name, parts.bucket, {{"maxResults", "1"}, {"prefix", prefix}}, call);
  if (parts.key.empty() || !Json::parse(page.body).at("items").items().empty()) return folder;
  throw Failure(WEIR_CODE_NOT_FOUND, name, "no object has this name, and none is below it");
}

void GsStore::list(const std::string& folder, const std::string& prefix, Call call) {
  BucketName parts = split_bucket(folder);
  std::map<std::string, std::string> query{
      {"delimiter", "/"},
      {"maxResults", "1000"},
      {"prefix", parts.key + prefix},
      {"fields", "items(name,size,updated,generation),prefixes,nextPageToken"}};
  std::set<std::string> turned;
  for (;;) {
    Answer answer = ask_page(folder, parts.bucket, query, call);
    Json page = Json::parse(answer.body);
    if (!page.is_object())
      throw Failure(WEIR_CODE_DATA_LOSS, folder, "the server's listing can't be understood");
    for (const Json& object : page.at("items").items()) {
      std::string key = object.text("name");
      std::string_view shown = entry_name(key, parts.key);
      if (!shown.empty() && key.back() != '/') call.entry(shown, info_of_object(object));
    }
    FileInfo below;
    below.is_folder = true;
    for (const std::string& key : page.at("prefixes").strings()) {
      std::string_view shown = entry_name(key, parts.key);
      if (!shown.empty()) call.entry(shown, below);
    }
    std::string next = page.text("nextPageToken");
    if (next.empty()) return;
    turn_page(folder, turned, query["pageToken"], next);
  }
}

std::unique_ptr<Writer> GsStore::create(const std::string& name, Call) {
  object_request(name);  // checks the name
  return make_gs_writer(*this, name);
}

void GsStore::remove(const std::string& name, Call call) {
  object_request(name);
  BucketName parts = split_bucket(name);
  demand(name, request_for("DELETE", "/storage/v1", parts.bucket, &parts.key, {}),
         [call] { return call.cancelled(); });
}

}  // namespace weir_remote
