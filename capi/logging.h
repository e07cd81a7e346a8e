// Loggers: to standard error, through a private spdlog logger in no registry, or to the host's function. May
// be used on any thread. A line that cannot be written is lost.
#pragma once

#include <memory>

#include "core/runtime.h"
#include "weir/weir.h"

namespace weir::capi {

std::unique_ptr<Logger> make_stderr_logger(Logger::Level least);
// The destructor runs host.destroy.
// REQUIRES: host.log is not null
std::unique_ptr<Logger> make_host_logger(const weir_logger& host, Logger::Level least);

}  // namespace weir::capi
