#include "graph/schema.h"

#include <cstdlib>

#include "capi/barrier.h"
#include "capi/runtime.h"

namespace weir::capi {

namespace {

// Those of a name, which an extension may provide.
Result<std::vector<SchemaEntry>> schema_or_extension(const std::string& name) {
  Result<std::vector<SchemaEntry>> known = schema(name);
  if (known.ok() || !is_identifier(name)) return known;
  WEIR_ASSIGN(auto folders, extension_folders({}, ::secure_getenv("WEIR_EXTENSIONS")));
  const auto host = RuntimeHost::create({}, nullptr, make_stderr_logger(Logger::Level::warning), {}, folders);
  WEIR_ASSIGN(const auto found, host->runtime().names->find(name));
  const auto* callback = found ? std::get_if<CallbackRef>(&*found) : nullptr;
  if (!callback || !(*callback)->signature()) return known;
  return std::vector<SchemaEntry>{schema_of(name, **callback)};
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_schema(const char* name, uint64_t name_size, uint32_t flags, weir_bytes* out,
                    weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_TRY(check_flags(flags, WEIR_TEXT, "0 or WEIR_TEXT"));
    WEIR_ASSIGN(std::string_view wanted, read_string(name, name_size, "a name", kMaxNameBytes));
    const bool all = wanted.empty();
    std::vector<SchemaEntry> entries;
    if (all) {
      entries = schema();
    } else {
      WEIR_ASSIGN(entries, schema_or_extension(std::string(wanted)));
    }
    if (flags == 0) {
      *out = make_bytes(schema_json(entries));
    } else if (all) {
      *out = make_bytes(schema_list(entries));
    } else {
      std::string pages;
      for (const SchemaEntry& entry : entries) pages += concat(pages.empty() ? "" : "\n", schema_page(entry));
      *out = make_bytes(std::move(pages));
    }
    return Status();
  });
}
