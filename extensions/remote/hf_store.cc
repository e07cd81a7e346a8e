#include "remote/hf_store.h"

#include "remote/aws_config.h"
#include "remote/json.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

constexpr std::time_t kCommitSeconds = 300;

bool is_commit(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The URL of the next page in "<https://...>; rel="next"", or nothing.
std::string next_page(std::string_view link) {
  size_t begin = link.find('<');
  size_t end = link.find('>');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return link.find("rel=\"next\"", end) == std::string_view::npos
             ? ""
             : std::string(link.substr(begin + 1, end - begin - 1));
}

}  // namespace

HfStore::HfStore(Engine& engine) : Store(engine) {
  endpoint_ = environment("HF_ENDPOINT");
  place_ = shown_url(endpoint_);
  if (endpoint_.empty()) endpoint_ = "https://huggingface.co";
  while (endpoint_.back() == '/') endpoint_.pop_back();
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    token_ = trim(environment(name));
    token_source_ = name;
    if (!token_.empty()) return;
  }
  std::string file = environment("HF_TOKEN_PATH");
  std::string home = environment("HF_HOME");
  if (file.empty()) file = (home.empty() ? home_folder() + "/.cache/huggingface" : home) + "/token";
  token_ = trim(read_local_file(file).value_or(""));
  token_source_ = file;
}

HfStore::Place HfStore::parse(const std::string& name) const {
  auto parts = split(std::string_view(name).substr(5), '/');
  Place place;
  place.kind = "models";
  size_t at = 0;
  if (parts[0] == "datasets" || parts[0] == "spaces" || parts[0] == "models") place.kind = parts[at++];
  if (has_secrets(name) || parts.size() < at + 2 || parts[at].empty() || parts[at + 1].empty()) {
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name,
                  "write hf://datasets/owner/name/path or hf://owner/name/path");
  }
  size_t sign = parts[at + 1].find('@');
  place.repository = parts[at] + "/" + parts[at + 1].substr(0, sign);
  place.revision = sign == std::string::npos ? "main" : percent_decode(parts[at + 1].substr(sign + 1));
  at += 2;
  // refs/convert/parquet and refs/pr/1 are revisions with slashes.
  if (place.revision == "refs" && at + 2 <= parts.size() && (parts[at] == "convert" || parts[at] == "pr")) {
    place.revision += "/" + parts[at] + "/" + parts[at + 1];
    at += 2;
  }
  for (; at < parts.size(); ++at) place.path += (place.path.empty() ? "" : "/") + parts[at];
  return place;
}

std::string HfStore::api(const Place& place, const std::string& verb, const std::string& revision) const {
  return endpoint_ + "/api/" + place.kind + "/" + percent_encode(place.repository, true) + "/" + verb + "/" +
         percent_encode(revision, false);
}

std::string HfStore::commit_of(const std::string& name, const Place& place) {
  if (is_commit(place.revision)) return place.revision;
  std::string key = place.kind + "/" + place.repository + "@" + place.revision;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = commits_.find(key);
    if (known != commits_.end() && std::time(nullptr) < known->second.second + kCommitSeconds)
      return known->second.first;
  }
  Request request;
  request.url = api(place, "revision", place.revision);
  Answer answer = demand(name, std::move(request), nullptr);
  std::string commit = Json::parse(answer.body).text("sha");
  if (!is_commit(commit)) throw Failure(WEIR_CODE_DATA_LOSS, name, "the hub answered without a commit");
  std::lock_guard<std::mutex> lock(mutex_);
  commits_[key] = {commit, std::time(nullptr)};
  return commit;
}

Request HfStore::object_request(const std::string& name) {
  Place place = parse(name);
  if (place.path.empty())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name, "this is a repository; a file's name is missing");
  Request request;
  request.url = endpoint_ + (place.kind == "models" ? "" : "/" + place.kind) + "/" +
                percent_encode(place.repository, true) + "/resolve/" + commit_of(name, place) + "/" +
                percent_encode(place.path, true);
  request.add("Accept-Encoding", "identity");
  return request;
}

bool HfStore::sign(Request& request) {
  if (!token_.empty()) request.add("Authorization", "Bearer " + token_);
  return true;
}

std::string HfStore::version(const Answer& answer) const {
  std::string_view linked = answer.header("x-linked-etag");
  return linked.empty() ? Service::version(answer) : std::string(linked);
}

std::string HfStore::detail(const Answer& answer) const {
  std::string message(answer.header("x-error-message"));
  return message.empty() ? Json::parse(answer.body).text("error") : message;
}

std::vector<std::string> HfStore::secrets(const Request&) const { return {token_}; }

std::string HfStore::credentials_hint() const {
  if (token_.empty())
    return "a private or gated repository needs a token: set HF_TOKEN, or run `huggingface-cli login`";
  return "check that the token (from " + token_source_ + ") may read this repository";
}

FileInfo HfStore::stat(const std::string& name, Call call) {
  Place place = parse(name);
  while (!place.path.empty() && place.path.back() == '/') place.path.pop_back();
  FileInfo info;
  info.is_folder = true;
  std::string commit = commit_of(name, place);
  if (place.path.empty()) return info;
  Request request;
  request.method = "POST";
  request.url = api(place, "paths-info", commit);
  request.add("Content-Type", "application/json");
  request.body = std::make_shared<const std::string>("{\"paths\":[" + json_string(place.path) + "]}");
  Answer answer = demand(name, std::move(request), [call] { return call.cancelled(); });
  auto found = Json::parse(answer.body).items();
  if (found.empty())
    throw Failure(WEIR_CODE_NOT_FOUND, name, "the repository has no such file at " + place.revision);
  info.is_folder = found[0].text("type") == "directory";
  info.size = parse_number(found[0].text("size")).value_or(0);
  // Without a version: its `oid` isn't the ETag of the file.
  return info;
}

void HfStore::list(const std::string& folder, const std::string& prefix, Call call) {
  Place place = parse(folder);
  while (!place.path.empty() && place.path.back() == '/') place.path.pop_back();
  std::string below = place.path.empty() ? "" : place.path + "/";
  std::string url = api(place, "tree", commit_of(folder, place)) + (place.path.empty() ? "" : "/") +
                    percent_encode(place.path, true);
  std::set<std::string> turned;
  for (;;) {
    Request request;
    request.url = url;
    Answer answer = demand(folder, std::move(request), [call] { return call.cancelled(); });
    Json page = Json::parse(answer.body);
    if (!page.is_array()) throw Failure(WEIR_CODE_DATA_LOSS, folder, "the hub's listing can't be understood");
    for (const Json& one : page.items()) {
      std::string path = one.text("path");
      std::string_view shown = entry_name(path, below);
      if (shown.empty() || !begins_with(shown, prefix)) continue;
      FileInfo info;
      info.is_folder = one.text("type") == "directory";
      info.size = parse_number(one.text("size")).value_or(0);
      info.version = one.text("oid");
      call.entry(shown, info);
    }
    std::string next = next_page(answer.header("link"));
    if (next.empty()) return;
    next = resolve_location(url, next);
    // The token goes to the hub alone.
    if (parse_url(next).origin() != parse_url(endpoint_).origin()) {
      throw Failure(WEIR_CODE_DATA_LOSS, folder,
                    "the server's listing goes on at " + shown_url(next) + ", which isn't the hub");
    }
    turn_page(folder, turned, url, next);
  }
}

}  // namespace weir_remote
