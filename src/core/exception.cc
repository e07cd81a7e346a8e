#include "core/exception.h"

#include <exception>
#include <new>

#include "core/text.h"

namespace weir {

namespace {

// Made while there is memory. Never destroyed: threads may still fail when the process ends.
const ErrorPtr& g_out_of_memory = *new ErrorPtr(
    resource_exhausted("out of memory; smaller batches, buffers or blocks would help").pointer());

}  // namespace

ErrorPtr error_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return g_out_of_memory;
    } catch (const std::exception& e) {
      return internal_error(concat("unexpected exception: ", e.what())).pointer();
    } catch (...) {
      return internal_error("unexpected exception of an unknown type").pointer();
    }
  } catch (...) {
    // No memory for the words either.
    return g_out_of_memory;
  }
}

}  // namespace weir
