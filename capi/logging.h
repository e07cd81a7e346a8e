// Loggers: to standard error through a spdlog logger of our own that no registry knows, or to the host's
// function. Ownership: the caller's. Threads: any. Errors: none; a line that cannot be written is lost. Cost:
// a write, for lines at or above the level.
#pragma once

#include <memory>

#include "core/runtime.h"
#include "weir/weir.h"

namespace weir::capi {

std::unique_ptr<Logger> make_stderr_logger(Logger::Level least);
// Runs host.destroy in its destructor. REQUIRES: host.log is there
std::unique_ptr<Logger> make_host_logger(const weir_logger& host, Logger::Level least);

}  // namespace weir::capi
