// ~/.aws/config and ~/.aws/credentials, as AWS's own tools read them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace weir_remote {

class AwsConfig {
 public:
  // Reads the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name, or those in the home folder.
  static AwsConfig load();
  // For tests: the contents of the two files.
  static AwsConfig parse(std::string_view config, std::string_view credentials);

  // AWS_PROFILE, or "default".
  const std::string& profile() const { return profile_; }
  bool has(const std::string& profile) const { return profiles_.count(profile) != 0; }
  // A setting of a profile, or an empty string.
  std::string get(const std::string& profile, const std::string& key) const;
  std::string get(const std::string& key) const { return get(profile_, key); }

 private:
  void add(std::string_view text, bool is_config);

  std::string profile_ = "default";
  std::map<std::string, std::map<std::string, std::string>> profiles_;
};

// The user's home folder.
std::string home_folder();

}  // namespace weir_remote
