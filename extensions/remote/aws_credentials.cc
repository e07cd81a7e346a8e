#include "remote/aws_credentials.h"

#include <unistd.h>
#include <weir/weir.h>

#include "remote/json.h"
#include "remote/plain_ask.h"
#include "remote/text.h"
#include "remote/xml.h"

namespace weir_remote {
namespace {

std::time_t seconds_of(const std::string& date) {
  return static_cast<std::time_t>(parse_date(date) / 1'000'000'000);
}

// What containers and instances answer.
AwsCredentials credentials_of_json(const std::string& body, const std::string& source) {
  Json json = Json::parse(body);
  AwsCredentials found;
  found.keys = {json.text("AccessKeyId"), json.text("SecretAccessKey"), json.text("Token")};
  found.expires = seconds_of(json.text("Expiration"));
  found.source = source;
  if (found.keys.access.empty() || found.keys.secret.empty()) {
    throw Failure(WEIR_CODE_PERMISSION_DENIED, source + " answered without credentials");
  }
  return found;
}

std::string session_name() {
  std::string name = environment("AWS_ROLE_SESSION_NAME");
  return name.empty() ? "weir-" + std::to_string(getpid()) : name;
}

std::string sts_endpoint(const AwsConfig& config, const std::string& region) {
  for (const char* name : {"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"}) {
    if (!environment(name).empty()) return environment(name);
  }
  if (!config.get("endpoint_url").empty()) return config.get("endpoint_url");
  return "https://sts." + region + (begins_with(region, "cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
}

// Asks STS for the credentials of a role; the request is signed with `signer` if there is one.
AwsCredentials ask_sts(Engine& engine, const AwsConfig& config, const std::string& region,
                       const std::map<std::string, std::string>& values, const AwsKeys* signer) {
  Request request;
  request.method = "POST";
  request.url = sts_endpoint(config, region);
  if (parse_url(request.url).path == "/" && request.url.back() != '/') request.url += '/';
  request.body = std::make_shared<const std::string>(make_query(values));
  request.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  if (signer != nullptr) sign_v4(request, *signer, region, "sts", std::time(nullptr));
  Answer answer =
      plain_ask(engine, "STS, which was asked for the credentials of the role " + values.at("RoleArn"),
                std::move(request));
  Xml root = parse_xml(answer.body);
  const Xml& result = root.child(values.at("Action") + "Result").child("Credentials");
  AwsCredentials found;
  found.keys = {result.child("AccessKeyId").text, result.child("SecretAccessKey").text,
                result.child("SessionToken").text};
  found.expires = seconds_of(result.child("Expiration").text);
  found.source = "the role " + values.at("RoleArn");
  if (found.keys.access.empty())
    throw Failure(WEIR_CODE_PERMISSION_DENIED, "STS answered without credentials");
  return found;
}

AwsCredentials assume_by_web_identity(Engine& engine, const AwsConfig& config, const std::string& region,
                                      const std::string& role, const std::string& token_file) {
  auto token = read_local_file(token_file);
  if (!token) {
    throw Failure(WEIR_CODE_PERMISSION_DENIED,
                  token_file + ": the file of the web identity's token can't be read");
  }
  return ask_sts(engine, config, region,
                 {{"Action", "AssumeRoleWithWebIdentity"},
                  {"Version", "2011-06-15"},
                  {"RoleArn", role},
                  {"RoleSessionName", session_name()},
                  {"WebIdentityToken", std::string(trim(*token))}},
                 nullptr);
}

AwsCredentials from_container(Engine& engine) {
  std::string url = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (!relative.empty()) url = "http://169.254.170.2" + relative;
  Url parts = parse_url(url);
  std::string host = parts.authority.substr(0, parts.authority.rfind(':'));
  bool is_local = host == "169.254.170.2" || host == "169.254.170.23" || host == "localhost" ||
                  begins_with(host, "127.") || begins_with(parts.authority, "[fd00:ec2::23]") ||
                  begins_with(parts.authority, "[::1]");
  if (parts.scheme != "https" && !is_local) {
    throw Failure(WEIR_CODE_PERMISSION_DENIED,
                  "AWS_CONTAINER_CREDENTIALS_FULL_URI names neither https nor an address of this machine");
  }
  Request request;
  request.url = url;
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  std::string token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (!token_file.empty()) token = trim(read_local_file(token_file).value_or(""));
  if (!token.empty()) request.add("Authorization", token);
  return credentials_of_json(local_ask(engine, "the container's credentials", std::move(request)).body,
                             "the container's role");
}

// Nothing if this is no instance, which takes a second to find out.
std::optional<AwsCredentials> from_instance(Engine& engine) {
  if (lower(environment("AWS_EC2_METADATA_DISABLED")) == "true") return std::nullopt;
  std::string base = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = "http://169.254.169.254";
  while (base.back() == '/') base.pop_back();
  Request put;
  put.method = "PUT";
  put.url = base + "/latest/api/token";
  put.body = std::make_shared<const std::string>();
  put.add("X-aws-ec2-metadata-token-ttl-seconds", "21600");
  const std::string what = "the instance's credentials";
  auto token = probe(engine, what, std::move(put));
  if (!token) return std::nullopt;
  auto get = [&](const std::string& path) {
    Request request;
    request.url = base + "/latest/meta-data/iam/security-credentials/" + path;
    request.add("X-aws-ec2-metadata-token", token->body);
    return request;
  };
  auto roles = probe(engine, what, get(""));
  if (!roles) return std::nullopt;  // an instance without a role
  std::string role(trim(roles->body.substr(0, roles->body.find('\n'))));
  return credentials_of_json(local_ask(engine, what, get(percent_encode(role, false))).body,
                             "the instance's role");
}

std::optional<AwsCredentials> from_profile(Engine& engine, const AwsConfig& config, const std::string& region,
                                           const std::string& profile, int depth);

// The credentials that a profile assumes its role with.
AwsCredentials source_of_role(Engine& engine, const AwsConfig& config, const std::string& region,
                              const std::string& profile, int depth) {
  std::string source = config.get(profile, "source_profile");
  std::string kind = config.get(profile, "credential_source");
  std::optional<AwsCredentials> found;
  if (!source.empty()) {
    AwsKeys own{config.get(source, "aws_access_key_id"), config.get(source, "aws_secret_access_key"),
                config.get(source, "aws_session_token")};
    // A profile may name itself for its own keys.
    if (source == profile && !own.access.empty()) return {own, 0, "the profile " + source};
    found = from_profile(engine, config, region, source, depth + 1);
  } else if (kind == "Environment") {
    found = AwsCredentials{{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                            environment("AWS_SESSION_TOKEN")},
                           0,
                           "AWS_ACCESS_KEY_ID"};
  } else if (kind == "EcsContainer") {
    found = from_container(engine);
  } else if (kind == "Ec2InstanceMetadata") {
    found = from_instance(engine);
  }
  if (!found || found->keys.access.empty()) {
    throw Failure(WEIR_CODE_PERMISSION_DENIED,
                  "the profile " + profile +
                      " has a role_arn, and its source_profile or credential_source has no keys");
  }
  return *found;
}

std::optional<AwsCredentials> from_profile(Engine& engine, const AwsConfig& config, const std::string& region,
                                           const std::string& profile, int depth) {
  if (depth > 8)
    throw Failure(WEIR_CODE_INVALID_ARGUMENT, "the source_profile settings of ~/.aws/config form a circle");
  std::string role = config.get(profile, "role_arn");
  std::string token_file = config.get(profile, "web_identity_token_file");
  if (!role.empty() && !token_file.empty())
    return assume_by_web_identity(engine, config, region, role, token_file);
  if (!role.empty()) {
    AwsCredentials source = source_of_role(engine, config, region, profile, depth);
    std::map<std::string, std::string> values{{"Action", "AssumeRole"},
                                              {"Version", "2011-06-15"},
                                              {"RoleArn", role},
                                              {"RoleSessionName", session_name()}};
    std::string external = config.get(profile, "external_id");
    if (!external.empty()) values["ExternalId"] = external;
    return ask_sts(engine, config, region, values, &source.keys);
  }
  AwsKeys keys{config.get(profile, "aws_access_key_id"), config.get(profile, "aws_secret_access_key"),
               config.get(profile, "aws_session_token")};
  if (!keys.access.empty() && !keys.secret.empty()) return AwsCredentials{keys, 0, "the profile " + profile};
  for (const char* unknown : {"sso_session", "sso_start_url", "credential_process"}) {
    if (!config.get(profile, unknown).empty()) {
      throw Failure(WEIR_CODE_UNIMPLEMENTED,
                    "the profile " + profile + " uses " + unknown +
                        "; set what `aws configure export-credentials --format env` prints");
    }
  }
  return std::nullopt;
}

}  // namespace

AwsCredentials find_aws_credentials(Engine& engine, const AwsConfig& config, const std::string& region) {
  AwsKeys keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
               environment("AWS_SESSION_TOKEN")};
  if (!keys.access.empty() && !keys.secret.empty()) return {keys, 0, "AWS_ACCESS_KEY_ID"};
  bool is_named = !environment("AWS_PROFILE").empty() || !environment("AWS_DEFAULT_PROFILE").empty();
  if (is_named && !config.has(config.profile())) {
    throw Failure(WEIR_CODE_INVALID_ARGUMENT,
                  "AWS_PROFILE names the profile " + config.profile() + ", which isn't in ~/.aws");
  }
  bool has_role = !config.get("role_arn").empty();
  std::string role = environment("AWS_ROLE_ARN");
  std::string token_file = environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (!has_role && !role.empty() && !token_file.empty()) {
    return assume_by_web_identity(engine, config, region, role, token_file);
  }
  if (auto found = from_profile(engine, config, region, config.profile(), 0)) return *found;
  if (!environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
      !environment("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty()) {
    return from_container(engine);
  }
  if (auto found = from_instance(engine)) return *found;
  return {{}, std::time(nullptr) + 600, ""};
}

}  // namespace weir_remote
