// Finds Google's credentials where Google's own tools do: the file that GOOGLE_APPLICATION_CREDENTIALS names,
// that of gcloud, the metadata server; else requests are anonymous.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "remote/engine.h"
#include "remote/http.h"

namespace weir_remote {

// A token that goes into "Authorization: Bearer ..."; an empty one: anonymous.
struct BearerToken {
  std::string token;
  std::time_t expires = 0;  // 0: never
  std::string source;       // "the service account in key.json"

  bool renewable() const { return expires != 0 && !token.empty(); }
};

// Adds the token, if there is one. Returns false if it has to be fetched first.
bool add_token(Request& request, const std::optional<BearerToken>& token);

// May wait for servers. Throws Failure if credentials are configured and can't be had.
BearerToken find_google_token(Engine& engine);

}  // namespace weir_remote
