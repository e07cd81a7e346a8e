// NoMemoryException: memory of some kind cannot be had, for a reason that is worth telling. What handles
// memory that ran out handles it; error_of_exception() returns the reason.
#pragma once

#include <new>

#include "core/status.h"

namespace weir {

class NoMemoryException final : public std::bad_alloc {
 public:
  // REQUIRES: !reason.ok()
  explicit NoMemoryException(const Status& reason);
  const ErrorPtr& error() const { return error_; }
  const char* what() const noexcept override { return error_->message.c_str(); }

 private:
  ErrorPtr error_;
};

}  // namespace weir
