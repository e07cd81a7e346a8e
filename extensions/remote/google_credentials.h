// Finds Google's credentials where Google's own tools do: the file that GOOGLE_APPLICATION_CREDENTIALS names,
// that of gcloud, the metadata server; else requests are anonymous.
#pragma once

#include <ctime>
#include <string>

#include "remote/engine.h"

namespace weir_remote {

// A token that goes into "Authorization: Bearer ..."; an empty one: anonymous.
struct BearerToken {
  std::string token;
  std::time_t expires = 0;  // 0: never
  std::string source;       // "the service account in key.json"
};

// May wait for servers. Throws Failure if credentials are configured and can't be had.
BearerToken find_google_token(Engine& engine);

}  // namespace weir_remote
