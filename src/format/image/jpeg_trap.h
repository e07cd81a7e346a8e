// Brings the errors of libjpeg back as a Status. The library ends a call that fails by a jump, so what runs
// under JpegTrap::run() must have nothing to destroy.
#pragma once

// jpeglib.h needs FILE.
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/status.h"
#include "core/text.h"

namespace weir {

class JpegTrap {
 public:
  JpegTrap() {
    jpeg_std_error(&manager_);
    manager_.error_exit = fail;
    manager_.emit_message = [](j_common_ptr, int) {};
    manager_.output_message = [](j_common_ptr) {};
    static_assert(offsetof(JpegTrap, manager_) == 0);
  }
  JpegTrap(const JpegTrap&) = delete;

  // For jpeg_decompress_struct::err.
  jpeg_error_mgr* manager() { return &manager_; }

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

  // After run() has failed; `doing`: "cannot decode the JPEG".
  Status error(std::string_view doing) const { return invalid_argument(concat(doing, ": ", message_)); }

 private:
  [[noreturn]] static void fail(j_common_ptr info) {
    auto* trap = reinterpret_cast<JpegTrap*>(info->err);
    info->err->format_message(info, trap->message_);
    std::longjmp(trap->jump_, 1);
  }

  jpeg_error_mgr manager_ = {};
  std::jmp_buf jump_ = {};
  char message_[JMSG_LENGTH_MAX] = {};
};

}  // namespace weir
