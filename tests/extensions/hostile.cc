// An extension that does what WEIR_HOSTILE says, to be refused.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "weir/weir.h"

namespace {

int32_t nothing(void*, weir_call) { return 1; }

}  // namespace

extern "C" WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out,
                                                weir_error* error) {
  const char* given = std::getenv("WEIR_HOSTILE");
  const std::string does = given ? given : "";
  if (does == "throws") throw std::runtime_error("thrown on purpose");
  if (does == "says nothing") return WEIR_OK;
  out->abi = does == "from the future" ? WEIR_EXTENSION_ABI + 1 : WEIR_EXTENSION_ABI;
  out->name = "hostile";
  out->version = "0";
  if (does == "fails") return 77;
  if (does == "loads itself")
    return weir_runtime_load_extension(runtime, std::getenv("WEIR_SELF"), WEIR_STRLEN, error);
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = nothing;
  callback.signature = "{x: int64}";
  callback.signature_size = WEIR_STRLEN;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  const int32_t first = weir_runtime_register(runtime, "hostile", WEIR_STRLEN, &callback, error);
  if (does == "registers and fails") return 78;
  if (first != WEIR_OK || does != "registers twice") return first;
  return weir_runtime_register(runtime, "hostile", WEIR_STRLEN, &callback, error);
}
