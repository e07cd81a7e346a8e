// gs://bucket/object: Google Cloud Storage, by its JSON interface.
#pragma once

#include <map>
#include <string>

#include "remote/credentials_holder.h"
#include "remote/google_credentials.h"
#include "remote/store.h"

namespace weir_remote {

class GsStore : public Store {
 public:
  // Reads the environment.
  explicit GsStore(Engine& engine);

  FileInfo stat(const std::string& name, Call call) override;
  void list(const std::string& folder, const std::string& prefix, Call call) override;
  std::unique_ptr<Writer> create(const std::string& name, Call call) override;
  void remove(const std::string& name, Call call) override;

  bool sign(Request& request) override { return endpoint_is_emulator_ || add_token(request, token_.valid()); }
  void refresh() override { token_.refresh(); }
  std::string version(const Answer& answer) const override;

  // A request about an object of a bucket; `start` is "/storage/v1" or "/upload/storage/v1". The bucket
  // itself if `key` is null.
  Request request_for(const std::string& method, const std::string& start, const std::string& bucket,
                      const std::string* key, const std::map<std::string, std::string>& query) const;
  const std::string& endpoint() const { return endpoint_; }

 protected:
  bool learn(Request&, const Answer& answer) override { return answer.status == 401 && token_.refused(); }
  Request object_request(const std::string& name) override;
  void pin(Request& get, const Answer& answer) const override;
  FileInfo info_of(const Answer& answer) const override;
  std::string detail(const Answer& answer) const override;
  std::vector<std::string> secrets(const Request&) const override;
  std::string credentials_hint() const override;

 private:
  // Asks for a page of the objects that begin with `prefix`.
  Answer ask_page(const std::string& name, const std::string& bucket,
                  const std::map<std::string, std::string>& query, Call call);

  std::string endpoint_;
  bool endpoint_is_emulator_ = false;
  CredentialsHolder<BearerToken> token_;
};

}  // namespace weir_remote
