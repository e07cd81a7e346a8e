#include "remote/az_store.h"

#include "remote/az_writer.h"
#include "remote/text.h"
#include "remote/xml.h"

namespace weir_remote {

AzStore::AzStore(Engine& engine)
    : Store(engine),
      account_(find_azure_account()),
      token_([this] { return find_azure_token(this->engine()); }) {
  place_ = shown_url(account_.endpoint);
}

Request AzStore::request_for(const std::string& method, const BucketName& parts,
                             const std::map<std::string, std::string>& query) const {
  if (!account_.problem.empty())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, "az://" + parts.bucket, account_.problem);
  Request request;
  request.method = method;
  request.url = account_.endpoint + "/" + percent_encode(parts.bucket, false);
  if (!parts.key.empty()) request.url += "/" + percent_encode(parts.key, true);
  std::string text = make_query(query);
  if (!text.empty()) request.url += "?" + text;
  request.add("x-ms-version", "2021-08-06");
  return request;
}

Request AzStore::object_request(const std::string& name) {
  BucketName parts = split_bucket(name);
  if (parts.key.empty()) {
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name, "this is a container; a file's name is missing");
  }
  return request_for("GET", parts);
}

bool AzStore::sign(Request& request) {
  if (!account_.key.empty()) {
    sign_shared_key(request, account_, std::time(nullptr));
    return true;
  }
  if (uses_token()) return add_token(request, token_.valid());
  request.url += (request.url.find('?') == std::string::npos ? "?" : "&") + account_.sas;
  return true;
}

std::string AzStore::detail(const Answer& answer) const {
  std::string code(answer.header("x-ms-error-code"));
  Xml root = parse_xml(answer.body);
  if (code.empty()) code = root.child("Code").text;
  std::string message = root.child("Message").text;
  message = message.substr(0, message.find('\n'));  // the lines after it repeat the request's id and time
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

std::vector<std::string> AzStore::secrets(const Request&) const {
  auto query = parse_query(account_.sas);
  return {token_.last().token, account_.sas, query["sig"], percent_encode(query["sig"], false)};
}

std::string AzStore::credentials_hint() const {
  std::string source = uses_token() ? token_.last().source : account_.source;
  if (source.empty()) {
    return "no credentials were found, so the request was anonymous: set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or "
           "AZURE_STORAGE_CONNECTION_STRING";
  }
  return "check the credentials (from " + source + "), the account (" + account_.name +
         "), and this machine's clock";
}

FileInfo AzStore::stat(const std::string& name, Call call) {
  BucketName parts = split_bucket(name);
  FileInfo folder;
  folder.is_folder = true;
  std::string prefix = parts.key;
  if (!prefix.empty() && prefix.back() != '/') {
    try {
      return Store::stat(name, call);
    } catch (const Failure& failure) {
      if (failure.code != WEIR_CODE_NOT_FOUND) throw;
    }
    prefix += '/';
  }
  std::map<std::string, std::string> query{
      {"restype", "container"}, {"comp", "list"}, {"maxresults", "1"}, {"prefix", prefix}};
  Answer answer =
      demand(name, request_for("GET", {parts.bucket, ""}, query), [call] { return call.cancelled(); });
  Xml root = parse_xml(answer.body);
  if (parts.key.empty() || !root.child("Blobs").children.empty()) return folder;
  throw Failure(WEIR_CODE_NOT_FOUND, name, "no blob has this name, and none is below it");
}

void AzStore::list(const std::string& folder, const std::string& prefix, Call call) {
  BucketName parts = split_bucket(folder);
  std::map<std::string, std::string> query{
      {"restype", "container"}, {"comp", "list"}, {"delimiter", "/"}, {"prefix", parts.key + prefix}};
  std::set<std::string> turned;
  for (;;) {
    Answer answer =
        demand(folder, request_for("GET", {parts.bucket, ""}, query), [call] { return call.cancelled(); });
    Xml root = parse_xml(answer.body);
    if (root.name != "EnumerationResults") {
      throw Failure(WEIR_CODE_DATA_LOSS, folder, "the server's listing can't be understood");
    }
    for (const Xml& one : root.child("Blobs").children) {
      FileInfo info;
      info.is_folder = one.name == "BlobPrefix";
      const Xml& name = one.child("Name");
      // XML can't have all characters of names.
      const std::string key = name.attribute("Encoded") == "true" ? percent_decode(name.text) : name.text;
      std::string_view shown = entry_name(key, parts.key);
      if (shown.empty() || (!info.is_folder && key.back() == '/')) continue;
      const Xml& properties = one.child("Properties");
      info.size = parse_number(properties.child("Content-Length").text).value_or(0);
      info.modified_ns = parse_date(properties.child("Last-Modified").text);
      info.version = properties.child("Etag").text;
      call.entry(shown, info);
    }
    const std::string& next = root.child("NextMarker").text;
    if (next.empty()) return;
    turn_page(folder, turned, query["marker"], next);
  }
}

std::unique_ptr<Writer> AzStore::create(const std::string& name, Call) {
  object_request(name);  // checks the name
  return make_az_writer(*this, name);
}

void AzStore::remove(const std::string& name, Call call) {
  object_request(name);
  demand(name, request_for("DELETE", split_bucket(name)), [call] { return call.cancelled(); });
}

}  // namespace weir_remote
