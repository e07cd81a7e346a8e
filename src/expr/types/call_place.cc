#include "expr/types/call_place.h"

#include "core/text.h"
#include "expr/types/kernel.h"
#include "syntax/source.h"

namespace weir {

namespace {

// Longer lists are cut.
constexpr size_t kMaxShownArgs = 4;

std::string list_of(std::span<const Arg> args) {
  std::string out;
  for (size_t i = 0; i < args.size() && i < kMaxShownArgs; ++i) {
    const bool last = i + 1 == args.size();
    out += concat(i == 0 ? " of "
                  : last ? " and "
                         : ", ",
                  dtype_name(args[i].dtype), args[i].shape.to_string());
  }
  return args.size() > kMaxShownArgs ? concat(out, " …") : out;
}

}  // namespace

ErrorPtr located(const CallPlace* place, std::span<const Arg> args, const ErrorPtr& error) {
  if (place == nullptr || error->lacks_memory || error->code == Code::resource_exhausted) return error;
  Error out = *error;
  // Checkpoints keep the message, not the parts.
  out.message += concat("; in ", place->name, list_of(args));
  if (!place->source->empty()) {
    const syntax::Location at = syntax::locate(*place->source, place->offset);
    out.message += concat(" at line ", at.line, ", column ", at.column);
  }
  return std::make_shared<const Error>(std::move(out));
}

}  // namespace weir
