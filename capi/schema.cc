#include "graph/schema.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "capi/barrier.h"
#include "capi/runtime.h"

namespace weir::capi {

namespace {

// What an extension provides under a name, if one does.
Result<std::optional<SchemaEntry>> schema_of_extension(Runtime& runtime, const std::string& name) {
  WEIR_ASSIGN(const auto found, runtime.names->find(name));
  const auto* callback = found ? std::get_if<CallbackRef>(&*found) : nullptr;
  if (!callback || !(*callback)->signature()) return std::optional<SchemaEntry>();
  return std::optional<SchemaEntry>(schema_of(name, **callback));
}

RefPtr<RuntimeHost> host_with(std::vector<std::string> folders) {
  return RuntimeHost::create({}, nullptr, make_stderr_logger(Logger::Level::warning), {}, std::move(folders));
}

// Those of a name, which an extension may provide.
Result<std::vector<SchemaEntry>> schema_or_extension(const std::string& name) {
  Result<std::vector<SchemaEntry>> known = schema(name);
  if (known.ok() || !is_identifier(name)) return known;
  WEIR_ASSIGN(auto folders, extension_folders({}, ::secure_getenv("WEIR_EXTENSIONS")));
  const auto host = host_with(std::move(folders));
  WEIR_ASSIGN(auto entry, schema_of_extension(host->runtime(), name));
  if (!entry) return known;
  return std::vector<SchemaEntry>{*std::move(entry)};
}

// All, each kind together. An extension that can't be loaded says why.
Result<std::vector<SchemaEntry>> whole_schema() {
  std::vector<SchemaEntry> out = schema();
  WEIR_ASSIGN(auto folders, extension_folders({}, ::secure_getenv("WEIR_EXTENSIONS")));
  const auto add = [&](SchemaEntry added) {
    const auto after = std::find_if(out.rbegin(), out.rend(),
                                    [&](const SchemaEntry& each) { return each.kind == added.kind; });
    out.insert(after.base(), std::move(added));
  };
  const auto add_failed = [&](std::string name, const Status& status) {
    SchemaEntry failed;
    failed.name = std::move(name);
    failed.kind = "function";
    failed.doc = status.error().describe();
    add(std::move(failed));
  };
  const auto add_damaged = [&](const Status& status) { add_failed("(an extension)", status); };
  WEIR_ASSIGN(const std::vector<std::string> names, Extensions(folders, nullptr, add_damaged).names());
  if (names.empty()) return out;
  const auto host = host_with(std::move(folders));
  for (const std::string& name : names) {
    auto entry = schema_of_extension(host->runtime(), name);
    if (!entry.ok()) {
      add_failed(name, entry.status());
    } else if (*entry) {
      add(**std::move(entry));
    }
  }
  return out;
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
      WEIR_ASSIGN(entries, whole_schema());
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
