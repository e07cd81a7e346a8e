// s3://bucket/key: Amazon S3, and what speaks its protocol (MinIO, Ceph, R2).
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "remote/aws_credentials.h"
#include "remote/credentials_holder.h"
#include "remote/store.h"

namespace weir_remote {

class S3Store : public Store {
 public:
  // Reads the environment and ~/.aws.
  explicit S3Store(Engine& engine);

  FileInfo stat(const std::string& name, Call call) override;
  void list(const std::string& folder, const std::string& prefix, Call call) override;
  std::unique_ptr<Writer> create(const std::string& name, Call call) override;
  void remove(const std::string& name, Call call) override;

  bool sign(Request& request) override;
  void refresh() override { credentials_.refresh(); }
  std::string certificates() const override { return certificates_; }

  // A request about an object, or about the bucket if the key is empty.
  Request request_for(const std::string& method, const std::string& bucket, const std::string& key,
                      const std::map<std::string, std::string>& query = {}) const;
  int status_of(const Request& request, const Answer& answer) const override;

 protected:
  bool learn(Request& request, const Answer& answer) override;
  Request object_request(const std::string& name) override;
  std::string detail(const Answer& answer) const override;
  std::vector<std::string> secrets(const Request&) const override;
  std::string credentials_hint() const override;

 private:
  std::string base_url(const std::string& bucket) const;
  bool learn_region(Request& request, const Answer& answer);
  bool learn_clock(const Answer& answer);
  bool has_keys_below(const std::string& name, const BucketName& parts, Call call);

  AwsConfig config_;
  std::string endpoint_;  // empty: Amazon's
  std::string region_;    // where no bucket has told another
  std::string certificates_;

  mutable std::mutex mutex_;                    // what follows
  std::map<std::string, std::string> regions_;  // of buckets
  std::time_t clock_ahead_ = 0;                 // of the server's clock

  CredentialsHolder<AwsCredentials> credentials_;
};

}  // namespace weir_remote
