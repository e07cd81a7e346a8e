// Which Azure storage account is used and with what: a connection string, a key, a shared access signature, a
// token of an identity, or nothing.
#pragma once

#include <string>

#include "remote/engine.h"
#include "remote/google_credentials.h"

namespace weir_remote {

struct AzureAccount {
  std::string name;
  std::string endpoint;  // of blobs, without a slash at its end
  std::string key;       // decoded; empty: none
  std::string sas;       // a query, without its question mark; empty: none
  std::string source;    // "AZURE_STORAGE_CONNECTION_STRING"
  std::string problem;   // why there is no account
};

// Reads the environment.
AzureAccount find_azure_account();

// The token of an identity; may wait for servers. Anonymous if this machine has no identity.
BearerToken find_azure_token(Engine& engine);

// Adds x-ms-date and the signature "SharedKey account:..." (version 2009-09-19 and later).
void sign_shared_key(Request& request, const AzureAccount& account, std::time_t now);

}  // namespace weir_remote
