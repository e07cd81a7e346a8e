// Requests for credentials, which no credentials are added to.
#pragma once

#include <optional>
#include <string>

#include "remote/engine.h"

namespace weir_remote {

// Asks and waits. Throws Failure, which says that `what` failed, for all but success.
Answer plain_ask(Engine& engine, const std::string& what, Request request);
// The same past proxies, for a server of this machine or of its provider.
Answer local_ask(Engine& engine, const std::string& what, Request request);
// The same for a server that may not be there: nothing if it doesn't answer at once or refuses. One that has
// answered the URL before is there.
std::optional<Answer> probe(Engine& engine, const std::string& what, Request request);

}  // namespace weir_remote
