// Fuzzes base64: what reads as text stands for the same bytes when it is written again, and any bytes survive
// both.
#include "format/base64.h"

#include <cstdlib>
#include <string>

namespace weir {

namespace {

std::string written(std::string_view bytes) {
  std::string out(base64_size(bytes.size()), '\0');
  write_base64(bytes, out.data());
  return out;
}

bool read(std::string_view text, std::string& out) {
  out.assign(base64_read_bound(text.size()), '\0');
  size_t size = 0;
  if (!read_base64(text, out.data(), size).ok()) return false;
  if (size > out.size()) std::abort();
  out.resize(size);
  return true;
}

void check_survives(std::string_view bytes) {
  std::string again;
  if (!read(written(bytes), again) || again != bytes) std::abort();
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  weir::check_survives(input);
  std::string bytes;
  if (weir::read(input, bytes)) weir::check_survives(bytes);
  return 0;
}
