// hf://datasets/org/name@revision/path: files of Hugging Face's hub. Read only.
#pragma once

#include <ctime>
#include <map>
#include <mutex>
#include <string>

#include "remote/store.h"

namespace weir_remote {

class HfStore : public Store {
 public:
  // Reads the environment and the token's file.
  explicit HfStore(Engine& engine);

  FileInfo stat(const std::string& name, Call call) override;
  void list(const std::string& folder, const std::string& prefix, Call call) override;

  bool sign(Request& request) override;
  std::string version(const Answer& answer) const override;

 protected:
  Request object_request(const std::string& name) override;
  // The URL names the commit, so there is nothing to pin.
  void pin(Request&, const Answer&) const override {}
  std::string detail(const Answer& answer) const override;
  std::vector<std::string> secrets(const Request&) const override;
  std::string credentials_hint() const override;

 private:
  struct Place {
    std::string kind;  // "datasets", "spaces" or "models"
    std::string repository;
    std::string revision;
    std::string path;
  };
  Place parse(const std::string& name) const;
  std::string api(const Place& place, const std::string& verb, const std::string& revision) const;
  // The commit that a revision is now; the same one for five minutes, so that a listing and its files agree.
  std::string commit_of(const std::string& name, const Place& place);

  std::string endpoint_;
  std::string token_;
  std::string token_source_;

  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, std::time_t>> commits_;
};

}  // namespace weir_remote
