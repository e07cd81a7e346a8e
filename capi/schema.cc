#include "graph/schema.h"

#include "capi/barrier.h"

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
      WEIR_ASSIGN(entries, schema(wanted));
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
