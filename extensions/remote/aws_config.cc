#include "remote/aws_config.h"

#include <pwd.h>
#include <unistd.h>

#include <vector>

#include "remote/text.h"

namespace weir_remote {

std::string home_folder() {
  std::string home = environment("HOME");
  if (!home.empty()) return home;
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_dir;
  return "/nonexistent";
}

AwsConfig AwsConfig::load() {
  auto contents = [](const char* variable, const char* usual) {
    std::string name = environment(variable);
    if (name.empty()) name = home_folder() + usual;
    if (begins_with(name, "~/")) name = home_folder() + name.substr(1);
    return read_local_file(name).value_or("");
  };
  AwsConfig config = parse(contents("AWS_CONFIG_FILE", "/.aws/config"),
                           contents("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"));
  for (const char* name : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    if (!environment(name).empty()) {
      config.profile_ = environment(name);
      break;
    }
  }
  return config;
}

AwsConfig AwsConfig::parse(std::string_view config, std::string_view credentials) {
  AwsConfig result;
  result.add(config, true);
  result.add(credentials, false);  // what is in both counts from here
  return result;
}

std::string AwsConfig::get(const std::string& profile, const std::string& key) const {
  auto section = profiles_.find(profile);
  if (section == profiles_.end()) return "";
  auto value = section->second.find(key);
  return value == section->second.end() ? "" : value->second;
}

void AwsConfig::add(std::string_view text, bool is_config) {
  std::map<std::string, std::string>* section = nullptr;
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = trim(line);
    if (rest.empty() || rest.front() == '#' || rest.front() == ';') continue;
    if (rest.front() == '[') {
      std::string_view name = trim(rest.substr(1, rest.find(']') - 1));
      bool is_profile = begins_with(name, "profile ") || begins_with(name, "profile\t");
      if (is_config && is_profile) name = trim(name.substr(8));
      // The config file has other sections too.
      bool counts = !is_config || is_profile || name == "default";
      section = counts ? &profiles_[std::string(name)] : nullptr;
      continue;
    }
    // An indented line belongs to a nested setting.
    bool is_nested = line[0] == ' ' || line[0] == '\t';
    size_t equals = rest.find('=');
    if (section == nullptr || is_nested || equals == std::string_view::npos) continue;
    (*section)[lower(trim(rest.substr(0, equals)))] = trim(rest.substr(equals + 1));
  }
}

}  // namespace weir_remote
