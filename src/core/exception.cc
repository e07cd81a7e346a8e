#include "core/exception.h"

#include <exception>
#include <new>

#include "core/no_memory.h"
#include "core/text.h"

namespace weir {

namespace {

ErrorPtr make_out_of_memory(bool position_lost) {
  Error error;
  error.code = Code::resource_exhausted;
  error.message = "out of memory; smaller batches, buffers or blocks would help";
  error.position_lost = position_lost;
  return std::make_shared<const Error>(std::move(error));
}

// Made while there is memory. Never destroyed: threads may still fail while the process ends.
const ErrorPtr& g_out_of_memory = *new ErrorPtr(make_out_of_memory(false));
const ErrorPtr& g_out_of_memory_restoring = *new ErrorPtr(make_out_of_memory(true));

}  // namespace

NoMemoryException::NoMemoryException(const Status& reason) {
  Error error = reason.error();
  error.lacks_memory = true;
  error_ = std::make_shared<const Error>(std::move(error));
}

const ErrorPtr& out_of_memory() noexcept { return g_out_of_memory; }

bool is_out_of_memory(const Error& error) noexcept {
  return !error.position_lost && ran_out_of_memory(error);
}

bool ran_out_of_memory(const Error& error) noexcept {
  return error.lacks_memory ||
         (error.code == Code::resource_exhausted && error.message == g_out_of_memory->message);
}

ErrorPtr as_lost_position(const ErrorPtr& error) noexcept try {
  if (error->position_lost) return error;
  auto lost = std::make_shared<Error>(*error);
  lost->position_lost = true;
  return lost;
} catch (...) {
  return g_out_of_memory_restoring;
}

ErrorPtr error_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const NoMemoryException& e) {
      return e.error();
    } catch (const std::bad_alloc&) {
      return g_out_of_memory;
    } catch (const StatusException& e) {
      return e.error();
    } catch (const std::exception& e) {
      return internal_error(concat("unexpected exception: ", e.what())).pointer();
    } catch (...) {
      return internal_error("unexpected exception of an unknown type").pointer();
    }
  } catch (...) {
    // There is no memory for the message.
    return g_out_of_memory;
  }
}

}  // namespace weir
