// Turns the exception in flight into an error, for callers that must not throw.
#pragma once

#include <exception>

#include "core/status.h"

namespace weir {

// Thrown where an error must pass through code that returns nothing.
class StatusException final : public std::exception {
 public:
  // REQUIRES: !status.ok()
  explicit StatusException(const Status& status) : error_(status.pointer()) {}
  const ErrorPtr& error() const { return error_; }
  const char* what() const noexcept override { return error_->message.c_str(); }

 private:
  ErrorPtr error_;
};

// Returns the current exception as an error; out_of_memory() if there is no memory for one.
// REQUIRES: inside a catch block.
ErrorPtr error_of_exception() noexcept;

// Returns an error that was made when the library was loaded. Does not allocate.
const ErrorPtr& out_of_memory() noexcept;

// True if the error takes the place of an element for which there was no memory. Code that counts elements
// counts it, so that a position means the same as with enough memory.
bool is_out_of_memory(const Error& error) noexcept;

// True for these errors, and for those that end a sequence because memory ran out.
bool ran_out_of_memory(const Error& error) noexcept;

// Returns the error as one that ends a restored sequence. Returns `error` itself if it already does, and
// out_of_memory() if there is no memory for a copy.
ErrorPtr as_lost_position(const ErrorPtr& error) noexcept;

}  // namespace weir
