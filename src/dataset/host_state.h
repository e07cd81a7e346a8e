// HostState: what a function of the host remembers from call to call, which a checkpoint takes along.
#pragma once

#include <string>
#include <string_view>

#include "core/ref.h"
#include "core/status.h"

namespace weir {

class HostState : public RefCounted {
 public:
  // False: it remembers nothing that can be saved.
  virtual bool has_state() const { return false; }
  // Called while the iterator that is saved calls nothing.
  // REQUIRES: has_state()
  virtual Result<std::string> save_state() const { return std::string(); }
  // Called before the first call of a restored iterator.
  virtual Status restore_state(std::string_view bytes) const {
    (void)bytes;
    return Status();
  }
};

}  // namespace weir
