// Brings the errors of libpng back as a Status. The library ends a call that fails by a jump, so what runs
// under PngTrap::run() must have nothing to destroy.
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstring>

#include "core/status.h"
#include "core/text.h"

namespace weir {

class PngTrap {
 public:
  PngTrap() = default;
  PngTrap(const PngTrap&) = delete;

  // Calls part(object); false if it failed.
  template <class T>
  [[nodiscard]] bool run(void (*part)(T&), T& object) {
    if (setjmp(jump_) != 0) return false;
    part(object);
    return true;
  }

  // For parts: ends run().
  [[noreturn]] void stop(const char* message) {
    std::strncpy(message_, message, sizeof message_ - 1);
    std::longjmp(jump_, 1);
  }

  // After run() has failed; `doing`: "cannot decode the PNG".
  Status error(std::string_view doing) const { return invalid_argument(concat(doing, ": ", message_)); }

  // For png_create_read_struct(), with the trap as its argument.
  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    static_cast<PngTrap*>(png_get_error_ptr(png))->stop(message);
  }
  static void ignore(png_structp, png_const_charp) {}

 private:
  std::jmp_buf jump_ = {};
  char message_[128] = {};
};

}  // namespace weir
