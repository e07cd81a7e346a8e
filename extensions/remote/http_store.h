// http:// and https://: any server that sends files. Read only, and without listings, which http doesn't
// have.
#pragma once

#include "remote/store.h"

namespace weir_remote {

class HttpStore : public Store {
 public:
  using Store::Store;

 protected:
  Request object_request(const std::string& name) override;
  std::string credentials_hint() const override;
};

}  // namespace weir_remote
