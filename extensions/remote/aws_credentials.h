// Finds AWS's credentials where AWS's own tools do: environment, profiles, web identity, container, instance;
// else requests are anonymous.
#pragma once

#include <ctime>
#include <string>

#include "remote/aws_config.h"
#include "remote/engine.h"
#include "remote/sigv4.h"

namespace weir_remote {

struct AwsCredentials {
  AwsKeys keys;             // an empty access key: anonymous
  std::time_t expires = 0;  // 0: never
  std::string source;       // "AWS_ACCESS_KEY_ID", "the profile x"

  bool renewable() const { return !keys.token.empty(); }
};

// May wait for servers. Throws Failure if credentials are configured and can't be had. `region` is that of
// STS.
AwsCredentials find_aws_credentials(Engine& engine, const AwsConfig& config, const std::string& region);

}  // namespace weir_remote
