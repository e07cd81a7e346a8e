#include "remote/azure_credentials.h"

#include <weir/weir.h>

#include <map>

#include "remote/crypto.h"
#include "remote/json.h"
#include "remote/plain_ask.h"
#include "remote/text.h"

namespace weir_remote {
namespace {

// The account of the emulator, whose key is public.
constexpr const char* kEmulatorKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
constexpr const char* kResource = "https://storage.azure.com/";

std::string either(const char* first, const char* second) {
  std::string value = environment(first);
  return value.empty() ? environment(second) : value;
}

void take_connection_string(AzureAccount& account, const std::string& text, std::string& key) {
  std::map<std::string, std::string> parts;
  for (const std::string& part : split(text, ';')) {
    size_t equals = part.find('=');
    if (equals != std::string::npos)
      parts[lower(trim(part.substr(0, equals)))] = trim(part.substr(equals + 1));
  }
  if (lower(parts["usedevelopmentstorage"]) == "true") {
    parts["accountname"] = "devstoreaccount1";
    parts["accountkey"] = kEmulatorKey;
    parts["blobendpoint"] = "http://127.0.0.1:10000/devstoreaccount1";
  }
  account.name = parts["accountname"];
  account.endpoint = parts["blobendpoint"];
  account.sas = parts["sharedaccesssignature"];
  key = parts["accountkey"];
  if (account.endpoint.empty() && !account.name.empty()) {
    std::string scheme =
        parts["defaultendpointsprotocol"].empty() ? "https" : parts["defaultendpointsprotocol"];
    std::string suffix = parts["endpointsuffix"].empty() ? "core.windows.net" : parts["endpointsuffix"];
    account.endpoint = scheme + "://" + account.name + ".blob." + suffix;
  }
  account.source = "AZURE_STORAGE_CONNECTION_STRING";
}

BearerToken token_of(const Answer& answer, const std::string& source) {
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

// A client's secret, or the token of a workload, is exchanged for one of the store.
BearerToken from_client(Engine& engine, const std::string& tenant, const std::string& client) {
  std::map<std::string, std::string> form{{"grant_type", "client_credentials"},
                                          {"client_id", client},
                                          {"scope", std::string(kResource) + ".default"}};
  std::string secret = environment("AZURE_CLIENT_SECRET");
  if (!secret.empty()) {
    form["client_secret"] = secret;
  } else {
    std::string file = environment("AZURE_FEDERATED_TOKEN_FILE");
    auto token = read_local_file(file);
    if (!token)
      throw Failure(WEIR_CODE_PERMISSION_DENIED, file + ": AZURE_FEDERATED_TOKEN_FILE can't be read");
    form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    form["client_assertion"] = trim(*token);
  }
  std::string host = environment("AZURE_AUTHORITY_HOST");
  if (host.empty()) host = "https://login.microsoftonline.com/";
  if (host.back() != '/') host += '/';
  Request request;
  request.method = "POST";
  request.url = host + percent_encode(tenant, false) + "/oauth2/v2.0/token";
  request.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = std::make_shared<const std::string>(make_query(form));
  std::string source = "the identity AZURE_CLIENT_ID";
  return token_of(plain_ask(engine, source, std::move(request)), source);
}

}  // namespace

AzureAccount find_azure_account() {
  AzureAccount account;
  std::string key;
  std::string connection = environment("AZURE_STORAGE_CONNECTION_STRING");
  if (!connection.empty()) {
    take_connection_string(account, connection, key);
  } else {
    account.name = either("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME");
    account.endpoint = environment("AZURE_STORAGE_BLOB_ENDPOINT");
    key = either("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY");
    account.sas = environment("AZURE_STORAGE_SAS_TOKEN");
    account.source = key.empty() ? "AZURE_STORAGE_SAS_TOKEN" : "AZURE_STORAGE_KEY";
    if (account.endpoint.empty() && !account.name.empty()) {
      account.endpoint = "https://" + account.name + ".blob.core.windows.net";
    }
  }
  while (!account.endpoint.empty() && account.endpoint.back() == '/') account.endpoint.pop_back();
  if (begins_with(account.sas, "?")) account.sas.erase(0, 1);
  if (account.endpoint.empty()) {
    account.problem =
        "no storage account is named: set AZURE_STORAGE_ACCOUNT, or AZURE_STORAGE_CONNECTION_STRING";
  }
  if (!key.empty()) {
    account.key = from_base64(key).value_or("");
    if (account.key.empty())
      account.problem = "the key of the storage account isn't base64; check " + account.source;
  }
  return account;
}

BearerToken find_azure_token(Engine& engine) {
  std::string tenant = environment("AZURE_TENANT_ID");
  std::string client = environment("AZURE_CLIENT_ID");
  bool has_proof =
      !environment("AZURE_CLIENT_SECRET").empty() || !environment("AZURE_FEDERATED_TOKEN_FILE").empty();
  if (!tenant.empty() && !client.empty() && has_proof) return from_client(engine, tenant, client);
  std::map<std::string, std::string> query{{"resource", kResource}};
  if (!client.empty()) query["client_id"] = client;
  Request request;
  std::string endpoint = environment("IDENTITY_ENDPOINT");
  if (!endpoint.empty()) {
    query["api-version"] = "2019-08-01";
    request.url = endpoint + "?" + make_query(query);
    request.add("X-IDENTITY-HEADER", environment("IDENTITY_HEADER"));
    return token_of(local_ask(engine, "the managed identity", std::move(request)), "the managed identity");
  }
  std::string host = environment("AZURE_POD_IDENTITY_AUTHORITY_HOST");
  if (host.empty()) host = "http://169.254.169.254";
  while (host.back() == '/') host.pop_back();
  query["api-version"] = "2018-02-01";
  request.url = host + "/metadata/identity/oauth2/token?" + make_query(query);
  request.add("Metadata", "true");
  auto answer = probe(engine, "the managed identity", std::move(request));
  if (answer) return token_of(*answer, "the managed identity");
  return {"", std::time(nullptr) + 600, ""};
}

void sign_shared_key(Request& request, const AzureAccount& account, std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  char date[64];
  std::strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  request.add("x-ms-date", date);
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers) headers[lower(name)] = trim(value);
  bool has_body = request.body && !request.body->empty();
  std::string text = request.method + "\n\n\n" + (has_body ? std::to_string(request.body->size()) : "") +
                     "\n\n" + headers["content-type"] + "\n\n\n" + headers["if-match"] + "\n\n" +
                     headers["if-unmodified-since"] + "\n" + headers["range"] + "\n";
  for (const auto& [name, value] : headers) {
    if (begins_with(name, "x-ms-")) text += name + ":" + value + "\n";
  }
  Url url = parse_url(request.url);
  text += "/" + account.name + url.path;
  for (const auto& [name, value] : parse_query(url.query)) text += "\n" + lower(name) + ":" + value;
  request.add("Authorization", "SharedKey " + account.name + ":" + base64(hmac_sha256(account.key, text)));
}

}  // namespace weir_remote
