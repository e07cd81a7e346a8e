#include "top.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "common.h"

namespace weir::command {

namespace {

constexpr const char* kFolder = "/dev/shm/";
constexpr std::chrono::milliseconds kPeriod{1000};
constexpr size_t kMostBytes = size_t{1} << 20;

// One for each runtime of the process that shows itself.
std::vector<std::string> pages_of(int64_t process) {
  const std::string prefix = "weir-" + std::to_string(process) + "-";
  std::vector<std::string> names;
  DIR* folder = ::opendir(kFolder);
  if (!folder) return names;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    const bool temporary = name.size() > 4 && name.compare(name.size() - 4, 4, ".tmp") == 0;
    if (name.rfind(prefix, 0) == 0 && !temporary) names.push_back(kFolder + name);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

// The page as it is; empty if it has just gone.
std::string read_page(const std::string& name) {
  std::string text;
  std::FILE* file = std::fopen(name.c_str(), "rb");
  if (!file) return text;
  char buffer[4096];
  size_t size;
  while (text.size() < kMostBytes && (size = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    text.append(buffer, size);
  std::fclose(file);
  return text;
}

bool lives(int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

std::string pages_text(int64_t process) {
  std::string text;
  for (const std::string& name : pages_of(process)) text += read_page(name);
  return text;
}

int report_nothing(int64_t process) {
  const char* found =
      lives(process) ? "one that shows nothing; start it with WEIR_TOP=1" : "none of that number";
  std::fprintf(stderr, "error: not_found: expected a process that uses weir, %lld, found %s\n",
               static_cast<long long>(process), found);
  return kExitNotBuilt;
}

}  // namespace

int top(const Arguments& arguments) {
  // What a killed process left behind is no news.
  std::string text = lives(arguments.process) ? pages_text(arguments.process) : "";
  if (text.empty()) return report_nothing(arguments.process);
  if (!::isatty(STDOUT_FILENO)) {
    print(stdout, text);
    return 0;
  }
  while (!text.empty()) {
    // Home, and what was there before goes.
    print(stdout, "\x1b[H\x1b[2J");
    print(stdout, text);
    std::fflush(stdout);
    std::this_thread::sleep_for(kPeriod);
    text = lives(arguments.process) ? pages_text(arguments.process) : "";
  }
  std::printf("\nthe process has ended\n");
  return 0;
}

}  // namespace weir::command
