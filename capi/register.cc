#include <string>
#include <string_view>
#include <utility>

#include "capi/callback.h"
#include "capi/generator.h"
#include "capi/runtime.h"
#include "capi/table_format.h"
#include "core/text.h"

namespace weir::capi {

namespace {

// Registers what `take` takes over from the host.
template <class Take>
int32_t register_named(weir_runtime runtime, const char* name, uint64_t name_size, weir_error* error,
                       Take&& take) {
  return guarded(error, [&]() -> Status {
    WEIR_ASSIGN(CallbackRef taken, take());
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(std::string_view key, read_string(name, name_size, "a name", kMaxNameBytes));
    if (!is_identifier(key)) {
      return invalid_argument(
          expected_found("a name of letters, digits and _ that begins with no digit", concat(quote(key))));
    }
    if (taken->signature() != nullptr) WEIR_TRY(check_function_name(key));
    return host->add_callback(std::string(key), std::move(taken));
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_runtime_register(weir_runtime runtime, const char* name, uint64_t name_size,
                              const weir_callback* callback, weir_error* error) {
  return register_named(runtime, name, name_size, error, [&] { return take_callback(callback); });
}

int32_t weir_runtime_register_source(weir_runtime runtime, const char* name, uint64_t name_size,
                                     const weir_generator* source, weir_error* error) {
  const bool has_table = source && source->struct_size >= sizeof(weir_generator) && source->table;
  if (!has_table)
    return register_named(runtime, name, name_size, error, [&] { return take_generator(source); });
  return guarded(error, [&]() -> Status {
    WEIR_ASSIGN(auto taken, take_table_format(source->table));
    if (source->open || source->next || source->start || source->destroy || source->signature) {
      return invalid_argument(
          expected_found("a weir_generator with nothing but a table", "one with functions of its own"));
    }
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(const std::string_view given,
                read_string(name, name_size, "the name of a source", kMaxNameBytes));
    return host->add_table_format(std::string(given), std::move(taken));
  });
}
