#include "fs/machine_limits.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace weir {

namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";
constexpr uint64_t kMostBytes = 1 << 16;
// Deeper folders are not looked at.
constexpr int kMostLevels = 64;
// Version 1 writes a number like this where there is no limit.
constexpr int64_t kNoMemoryLimit = int64_t{1} << 60;

std::string read_small(FileSystem& files, const std::string& name) {
  auto text = files.read_file(name, kMostBytes);
  return text.ok() ? *std::move(text) : std::string();
}

// The number at the beginning, or -1: "max" is none.
int64_t number_of(std::string_view text) {
  int64_t value = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? value : -1;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class GroupLimits {
 public:
  explicit GroupLimits(FileSystem& files) : files_(files) {}

  // One line of /proc/self/cgroup: "0::/a/b", or "4:cpu,cpuacct:/a/b" in version 1.
  void add(std::string_view line) {
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) return walk(std::string(kRoot), path, &GroupLimits::look_unified);
    for (const std::string_view one : split(controllers, ',')) {
      // The folder is named after all controllers that are mounted together, or linked under each.
      if (one == "cpu") walk(concat(kRoot, "/cpu"), path, &GroupLimits::look_at_quota);
      if (one == "memory") walk(concat(kRoot, "/memory"), path, &GroupLimits::look_at_memory);
    }
  }

  const MachineLimits& found() const { return found_; }

 private:
  // Looks into the group's folder and those above it, each of which limits it. A container may see only the
  // last.
  void walk(const std::string& root, std::string_view path, void (GroupLimits::*look)(const std::string&)) {
    for (int level = 0; level < kMostLevels; ++level) {
      while (!path.empty() && path.back() == '/') path.remove_suffix(1);
      (this->*look)(concat(root, path));
      if (path.empty()) return;
      path = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/'));
    }
  }

  void look_unified(const std::string& folder) {
    const std::string quota = read_small(files_, folder + "/cpu.max");
    const size_t space = quota.find(' ');
    if (space != std::string::npos)
      take_quota(number_of(quota), number_of(std::string_view(quota).substr(space + 1)));
    take_memory(number_of(read_small(files_, folder + "/memory.max")));
  }
  void look_at_quota(const std::string& folder) {
    take_quota(number_of(read_small(files_, folder + "/cpu.cfs_quota_us")),
               number_of(read_small(files_, folder + "/cpu.cfs_period_us")));
  }
  void look_at_memory(const std::string& folder) {
    take_memory(number_of(read_small(files_, folder + "/memory.limit_in_bytes")));
  }

  void take_quota(int64_t quota_us, int64_t period_us) {
    if (quota_us <= 0 || period_us <= 0 || quota_us > INT64_MAX - period_us) return;
    const auto processors =
        static_cast<int>(std::clamp<int64_t>((quota_us + period_us - 1) / period_us, 1, INT32_MAX));
    if (found_.processors == 0 || processors < found_.processors) found_.processors = processors;
  }
  void take_memory(int64_t bytes) {
    if (bytes <= 0 || bytes >= kNoMemoryLimit) return;
    if (found_.memory_bytes == 0 || bytes < found_.memory_bytes) found_.memory_bytes = bytes;
  }

  FileSystem& files_;
  MachineLimits found_;
};

}  // namespace

MachineLimits machine_limits(FileSystem& files) {
  GroupLimits limits(files);
  const std::string groups = read_small(files, "/proc/self/cgroup");
  for (const std::string_view line : split(groups, '\n')) limits.add(line);
  return limits.found();
}

}  // namespace weir
