#include "top.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
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

// What the terminal would obey becomes `?`; all else of UTF-8 stays.
std::string cleaned(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second_half =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f || second_half) text[i] = '?';
    if (second_half) text[++i] = '?';
  }
  return text;
}

// The page as it is; empty if it has just gone, or is none of `owner`'s. The folder is everybody's, so
// anything may have the name of a page.
std::string read_page(const std::string& name, uid_t owner) {
  std::string text;
  const int file = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return text;
  struct stat info;
  if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == owner) {
    char buffer[4096];
    ssize_t size;
    while (text.size() < kMostBytes && (size = ::read(file, buffer, sizeof buffer)) > 0)
      text.append(buffer, static_cast<size_t>(size));
  }
  ::close(file);
  return cleaned(std::move(text));
}

bool lives(int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

// Of a process that lives; what a killed one left behind is no news.
std::string pages_text(int64_t process) {
  std::string text;
  struct stat info;
  if (!lives(process) || ::stat(("/proc/" + std::to_string(process)).c_str(), &info) != 0) return text;
  for (const std::string& name : pages_of(process)) text += read_page(name, info.st_uid);
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
  std::string text = pages_text(arguments.process);
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
    text = pages_text(arguments.process);
  }
  std::printf("\nthe process has ended\n");
  return 0;
}

}  // namespace weir::command
