// az://container/blob: Azure's blob storage.
#pragma once

#include <map>
#include <string>

#include "remote/azure_credentials.h"
#include "remote/credentials_holder.h"
#include "remote/store.h"

namespace weir_remote {

class AzStore : public Store {
 public:
  // Reads the environment.
  explicit AzStore(Engine& engine);

  FileInfo stat(const std::string& name, Call call) override;
  void list(const std::string& folder, const std::string& prefix, Call call) override;
  std::unique_ptr<Writer> create(const std::string& name, Call call) override;
  void remove(const std::string& name, Call call) override;

  bool sign(Request& request) override;
  void refresh() override { token_.refresh(); }

  // A request about a blob, or about the container if the key is empty. Throws if no account is configured.
  Request request_for(const std::string& method, const BucketName& parts,
                      const std::map<std::string, std::string>& query = {}) const;

 protected:
  bool learn(Request&, const Answer& answer) override { return answer.status == 401 && token_.refused(); }
  Request object_request(const std::string& name) override;
  std::string detail(const Answer& answer) const override;
  std::vector<std::string> secrets(const Request&) const override;
  std::string credentials_hint() const override;

 private:
  bool uses_token() const { return account_.key.empty() && account_.sas.empty(); }

  const AzureAccount account_;
  CredentialsHolder<BearerToken> token_;
};

}  // namespace weir_remote
