#include "capi/logging.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "core/host_call.h"
#include "core/text.h"

namespace weir::capi {

namespace {

class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(Level least) : logger_("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(level_of(least));
    logger_.set_pattern("%Y-%m-%d %H:%M:%S.%e [%n] [%l] %v");
    logger_.set_error_handler([](const std::string&) {});
  }

  void log(Level level, std::string_view message) override {
    try {
      logger_.log(level_of(level), without_credentials(message));
    } catch (...) {
      // Logging must not make anything fail.
    }
  }

 private:
  static spdlog::level::level_enum level_of(Level level) {
    switch (level) {
      case Level::debug:
        return spdlog::level::debug;
      case Level::info:
        return spdlog::level::info;
      case Level::warning:
        return spdlog::level::warn;
      case Level::error:
        break;
    }
    return spdlog::level::err;
  }

  spdlog::logger logger_;
};

class HostLogger final : public Logger {
 public:
  HostLogger(const weir_logger& host, Level least) : host_(host), least_(least) {}
  ~HostLogger() override {
    if (host_.destroy) notify_host([this] { host_.destroy(host_.user_data); });
  }

  void log(Level level, std::string_view message) override {
    if (level < least_) return;
    notify_host([&] {
      const std::string shown = without_credentials(message);
      host_.log(host_.user_data, static_cast<int32_t>(level) + WEIR_LOG_DEBUG, shown.data(), shown.size());
    });
  }

 private:
  const weir_logger host_;
  const Level least_;
};

}  // namespace

std::unique_ptr<Logger> make_stderr_logger(Logger::Level least) {
  return std::make_unique<StderrLogger>(least);
}

std::unique_ptr<Logger> make_host_logger(const weir_logger& host, Logger::Level least) {
  return std::make_unique<HostLogger>(host, least);
}

}  // namespace weir::capi
