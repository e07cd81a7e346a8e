#include "remote/remote_file.h"

#include <algorithm>
#include <cstring>

#include "remote/text.h"

namespace weir_remote {
namespace {

// The failure of a read whose answer has another status than 206.
Failure failure_of_read(const Store& store, const Exchange& exchange) {
  int status = exchange.answer.status;
  if (status == 412 || (!exchange.version.empty() && (status == 404 || status == 410 || status == 416))) {
    return Failure(WEIR_CODE_FAILED_PRECONDITION, exchange.name,
                   std::string("the file ") + (status == 412 ? "changed" : "was replaced or removed") +
                       " while it was read (the server answered " + std::to_string(status) +
                       "); open it again");
  }
  return store.failure(exchange.name, exchange.request, exchange.answer);
}

}  // namespace

void RemoteFile::read(uint64_t offset, char* out, uint64_t size, Call call) const {
  uint64_t wanted = offset >= info_.size ? 0 : std::min(size, info_.size - offset);
  uint64_t ready = offset >= head_.size() ? 0 : std::min<uint64_t>(wanted, head_.size() - offset);
  if (ready > 0) std::memcpy(out, head_.data() + offset, ready);
  if (ready == wanted) {
    call.done(wanted);
    return;
  }
  auto exchange = std::make_shared<Exchange>();
  exchange->name = name_;
  exchange->request = get_;
  exchange->service = store_;
  exchange->range = {true, offset + ready, wanted - ready, out + ready, info_.size};
  exchange->version = info_.version;
  exchange->encoding = encoding_;
  exchange->direct = direct_;
  exchange->redirect_version = redirect_version_;
  exchange->cancelled = [call] { return call.cancelled(); };
  exchange->done = [call, wanted, store = store_.get()](Exchange& ended) {
    bool is_whole = !ended.failure && ended.answer.status == 206;
    if (!is_whole) call.fail(ended.failure ? *ended.failure : failure_of_read(*store, ended));
    call.done(is_whole ? wanted : 0);
  };
  store_->engine().start(std::move(exchange));
}

std::unique_ptr<RemoteFile> Store::open(const std::string& name, Call call) {
  Request get = object_request(name);
  auto exchange = std::make_shared<Exchange>();
  exchange->name = name;
  exchange->request = get;
  exchange->service = shared_from_this();
  exchange->range = {true, 0, RemoteFile::kHeadBytes, nullptr, UINT64_MAX};
  exchange->keep = RemoteFile::kWholeBytes;
  exchange->cancelled = [call] { return call.cancelled(); };
  Answer answer = engine_->run(exchange);
  get = exchange->request;  // as it is after what was learned
  FileInfo info;
  if (answer.status == 416) {
    // No byte at 0: the file is empty.
    info = ask_size(name, get, call);
    if (info.size != 0) throw failure(name, get, answer);
    answer.body.clear();
  } else if (!answer.has_file()) {
    throw failure(name, get, answer);
  } else {
    info = info_of(answer);
    ContentRange range = parse_content_range(answer.header("content-range"));
    info.size = answer.status == 206 ? range.total : answer.body.size();
    if (answer.status != 206) info.size = std::max(info.size, size_of_head(name, get, answer, call));
  }
  pin(get, answer);
  if (info.size == UINT64_MAX) info.size = ask_size(name, get, call).size;
  const bool is_cut = answer.status != 206 && info.size > answer.body.size();
  if (is_cut || info.size < answer.body.size()) {
    throw Failure(is_cut ? WEIR_CODE_UNAVAILABLE : WEIR_CODE_FAILED_PRECONDITION, name,
                  "the server says that the file has " + std::to_string(info.size) + " bytes, and sends " +
                      std::to_string(answer.body.size()) + " of them");
  }
  auto file = std::make_unique<RemoteFile>(shared_from_this(), name, std::move(get), std::move(info));
  file->encoding_ = answer.encoding();
  file->head_ = std::move(answer.body);
  if (answer.redirects > 0) file->direct_ = answer.url;
  file->redirect_version_ = answer.redirect_version;
  return file;
}

uint64_t Store::size_of_head(const std::string& name, Request get, const Answer& answer, Call call) {
  bool tells_end = !answer.header("content-length").empty() || !answer.header("transfer-encoding").empty();
  if (tells_end) return 0;
  get.method = "HEAD";
  Answer head = ask(name, std::move(get), [call] { return call.cancelled(); });
  bool is_same = head.has_file() && head.encoding() == answer.encoding();
  return is_same ? parse_number(head.header("content-length")).value_or(0) : 0;
}

FileInfo Store::ask_size(const std::string& name, const Request& get, Call call) {
  auto cancelled = [call] { return call.cancelled(); };
  Request request = get;
  request.method = "HEAD";
  Answer answer = ask(name, request, cancelled);
  auto size = parse_number(answer.header("content-length"));
  bool is_gone = answer.status == 404 || answer.status == 410;
  if (!is_gone && (!answer.has_file() || !size || !answer.encoding().empty())) {
    // A URL that is signed for GET, a server that knows no HEAD, or one that speaks of a compressed answer.
    request = get;
    request.add("Range", "bytes=0-0");
    answer = ask(name, request, cancelled);
    size =
        answer.status == 206 ? parse_content_range(answer.header("content-range")).total : answer.body.size();
    if (answer.status == 416 && answer.header("content-range") == "bytes */0") {
      answer.status = 206;
      size = 0;
    }
  }
  if (!answer.has_file()) throw failure(name, request, answer);
  if (size == UINT64_MAX) {
    throw Failure(WEIR_CODE_FAILED_PRECONDITION, name, "the server doesn't say how long the file is");
  }
  FileInfo info = info_of(answer);
  info.size = *size;
  return info;
}

FileInfo Store::stat(const std::string& name, Call call) {
  return ask_size(name, object_request(name), call);
}

FileInfo Store::info_of(const Answer& answer) const {
  FileInfo info;
  info.version = answer.redirect_version.empty() ? version(answer) : answer.redirect_version;
  info.modified_ns = parse_date(answer.header("last-modified"));
  return info;
}

void Store::pin(Request& get, const Answer& answer) const {
  std::string_view tag = answer.header("etag");
  if (is_strong_tag(tag)) {
    get.add("If-Match", std::string(tag));
  } else if (!answer.header("last-modified").empty()) {
    get.add("If-Unmodified-Since", std::string(answer.header("last-modified")));
  }
}

void Store::list(const std::string& folder, const std::string&, Call) {
  throw Failure(WEIR_CODE_UNIMPLEMENTED, folder, "folders of this kind can't be listed");
}

std::unique_ptr<Writer> Store::create(const std::string& name, Call) {
  throw Failure(WEIR_CODE_UNIMPLEMENTED, name, "files of this kind can't be written");
}

void Store::remove(const std::string& name, Call) {
  throw Failure(WEIR_CODE_UNIMPLEMENTED, name, "files of this kind can't be removed");
}

Answer Store::ask(const std::string& name, Request request, std::function<bool()> cancelled, bool patient) {
  auto exchange = std::make_shared<Exchange>();
  exchange->name = name;
  exchange->request = std::move(request);
  exchange->service = shared_from_this();
  exchange->cancelled = std::move(cancelled);
  exchange->patient = patient;
  return engine_->run(exchange);
}

Answer Store::demand(const std::string& name, Request request, std::function<bool()> cancelled,
                     bool patient) {
  Answer answer = ask(name, request, std::move(cancelled), patient);
  if (!answer.ok()) throw failure(name, request, answer);
  return answer;
}

BucketName split_bucket(const std::string& name) {
  if (has_secrets(name)) {
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name,
                  "a bucket has no ':', '@' or '?'; credentials go into the environment, not into names");
  }
  size_t begin = name.find("://") + 3;
  size_t slash = name.find('/', begin);
  BucketName parts;
  parts.bucket = name.substr(begin, slash == std::string::npos ? slash : slash - begin);
  if (slash != std::string::npos) parts.key = name.substr(slash + 1);
  if (parts.bucket.empty()) {
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name,
                  "a bucket is missing; write " + name.substr(0, begin) + "bucket/file");
  }
  return parts;
}

std::string_view entry_name(std::string_view key, std::string_view folder) {
  if (!begins_with(key, folder)) return {};
  key.remove_prefix(folder.size());
  if (!key.empty() && key.back() == '/') key.remove_suffix(1);
  return key.find('/') == std::string_view::npos ? key : std::string_view();
}

void turn_page(const std::string& folder, std::set<std::string>& turned, std::string& page,
               const std::string& next) {
  turned.insert(page);
  if (next.empty() || !turned.insert(next).second) {
    throw Failure(WEIR_CODE_DATA_LOSS, folder,
                  std::string("the server's listing goes on, but ") +
                      (next.empty() ? "it doesn't say where" : "its next page is one that was sent"));
  }
  page = next;
}

bool is_strong_tag(std::string_view tag) { return tag.size() > 2 && tag.front() == '"'; }

}  // namespace weir_remote
