// AWS Signature Version 4.
#pragma once

#include <ctime>
#include <string>

#include "remote/http.h"

namespace weir_remote {

struct AwsKeys {
  std::string access;
  std::string secret;
  std::string token;
};

// Adds x-amz-date, x-amz-content-sha256, the token, and Authorization. The path of the URL has to be encoded
// as it is signed, and its query made by make_query.
void sign_v4(Request& request, const AwsKeys& keys, const std::string& region, const std::string& service,
             std::time_t now);

}  // namespace weir_remote
