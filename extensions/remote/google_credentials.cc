#include "remote/google_credentials.h"

#include <weir/weir.h>

#include "remote/aws_config.h"
#include "remote/crypto.h"
#include "remote/json.h"
#include "remote/plain_ask.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

constexpr const char* kScope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr const char* kTokenUrl = "https://oauth2.googleapis.com/token";

BearerToken token_of_answer(const Answer& answer, const std::string& source) {
  Json json = Json::parse(answer.body);
  BearerToken found;
  found.token = json.text("access_token");
  found.expires =
      std::time(nullptr) + static_cast<std::time_t>(parse_number(json.text("expires_in")).value_or(3600));
  found.source = source;
  if (found.token.empty())
    throw Failure(WEIR_CODE_PERMISSION_DENIED, source + ": the server answered without a token");
  return found;
}

BearerToken ask_token(Engine& engine, const std::string& url, const std::map<std::string, std::string>& form,
                      const std::string& source) {
  Request request;
  request.method = "POST";
  request.url = url;
  request.body = std::make_shared<const std::string>(make_query(form));
  request.add("Content-Type", "application/x-www-form-urlencoded");
  return token_of_answer(plain_ask(engine, source, std::move(request)), source);
}

// A token that the account signs with its own key is exchanged for one that the store takes.
BearerToken from_service_account(Engine& engine, const Json& key, const std::string& source) {
  std::string url = key.text("token_uri").empty() ? kTokenUrl : key.text("token_uri");
  std::time_t now = std::time(nullptr);
  std::string head = R"({"alg":"RS256","typ":"JWT","kid":)" + json_string(key.text("private_key_id")) + "}";
  std::string claims = "{\"iss\":" + json_string(key.text("client_email")) +
                       ",\"scope\":" + json_string(kScope) + ",\"aud\":" + json_string(url) +
                       ",\"iat\":" + std::to_string(now) + ",\"exp\":" + std::to_string(now + 3600) + "}";
  std::string text = base64_url(head) + "." + base64_url(claims);
  auto signature = rsa_sha256(key.text("private_key"), text);
  if (!signature) throw Failure(WEIR_CODE_INVALID_ARGUMENT, source + ": its private_key can't be read");
  return ask_token(engine, url,
                   {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                    {"assertion", text + "." + base64_url(*signature)}},
                   source);
}

BearerToken from_file(Engine& engine, const std::string& name, const std::string& contents) {
  Json key = Json::parse(contents);
  if (!key.is_object())
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, name + ": this isn't JSON, as Google's credentials are");
  std::string type = key.text("type");
  if (type == "service_account") {
    return from_service_account(engine, key,
                                "the service account " + key.text("client_email") + " in " + name);
  }
  if (type == "authorized_user") {
    std::string url = key.text("token_uri").empty() ? kTokenUrl : key.text("token_uri");
    return ask_token(engine, url,
                     {{"grant_type", "refresh_token"},
                      {"client_id", key.text("client_id")},
                      {"client_secret", key.text("client_secret")},
                      {"refresh_token", key.text("refresh_token")}},
                     "the user's credentials in " + name);
  }
  throw Failure(WEIR_CODE_UNIMPLEMENTED, name + ": credentials of the type \"" + shown_text(type, 50) +
                                             "\" aren't supported; service_account and authorized_user are");
}

std::string gcloud_folder() {
  std::string folder = environment("CLOUDSDK_CONFIG");
  return folder.empty() ? home_folder() + "/.config/gcloud" : folder;
}

}  // namespace

bool add_token(Request& request, const std::optional<BearerToken>& token) {
  if (token && !token->token.empty()) request.add("Authorization", "Bearer " + token->token);
  return token.has_value();
}

BearerToken find_google_token(Engine& engine) {
  std::string named = environment("GOOGLE_APPLICATION_CREDENTIALS");
  std::string name = named.empty() ? gcloud_folder() + "/application_default_credentials.json" : named;
  auto contents = read_local_file(name);
  if (contents) return from_file(engine, name, *contents);
  if (!named.empty()) {
    throw Failure(WEIR_CODE_NOT_FOUND,
                  named + ": GOOGLE_APPLICATION_CREDENTIALS names this file, which can't be read");
  }
  std::string host = environment("GCE_METADATA_HOST");
  Request request;
  request.url = "http://" + (host.empty() ? "metadata.google.internal" : host) +
                "/computeMetadata/v1/instance/service-accounts/default/token";
  request.add("Metadata-Flavor", "Google");
  if (lower(environment("NO_GCE_CHECK")) != "true") {
    const std::string source = "the machine's service account";
    auto answer = probe(engine, source, std::move(request));
    if (answer) return token_of_answer(*answer, source);
  }
  return {"", std::time(nullptr) + 600, ""};
}

}  // namespace weir_remote
