#include "cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "common.h"
#include "core/text.h"
#include "fs/block_names.h"

namespace weir::command {

namespace {

struct Contents {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  // When the first and the last of them were used; 0: there are none.
  int64_t oldest_ns = 0;
  int64_t newest_ns = 0;
  // Those of the cache that are no blocks.
  std::vector<std::string> others;
  std::vector<std::string> names;
};

int failed(const char* action, const std::string& name) {
  std::fprintf(stderr, "error: %s: cannot %s %s: %s\n", weir_code_name(code_of(errno)), action, name.c_str(),
               std::strerror(errno));
  return kExitNotBuilt;
}

int look_into(const std::string& folder, Contents& out) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return failed("list", folder);
  while (const dirent* entry = ::readdir(opened.get())) {
    const std::string name = entry->d_name;
    if (BlockFile::is_temporary(name) || name == BlockFile::kTotal) out.others.push_back(name);
    struct stat info;
    if (!BlockFile::of(name) || ::stat((folder + "/" + name).c_str(), &info) != 0) continue;
    const int64_t used_ns = info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
    out.oldest_ns = out.blocks == 0 ? used_ns : std::min(out.oldest_ns, used_ns);
    out.newest_ns = std::max(out.newest_ns, used_ns);
    ++out.blocks;
    out.bytes += static_cast<uint64_t>(info.st_size);
    out.names.push_back(name);
  }
  return 0;
}

std::string time_text(int64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  char text[32];
  ::gmtime_r(&seconds, &parts);
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace

int show_cache(const Arguments& arguments) {
  Contents found;
  if (const int status = look_into(arguments.file, found)) return status;
  if (arguments.json) {
    print(stdout,
          concat(R"({"blocks": )", found.blocks, R"(, "bytes": )", found.bytes, R"(, "oldest_used_ns": )",
                 found.oldest_ns, R"(, "newest_used_ns": )", found.newest_ns, "}\n"));
    return 0;
  }
  print(stdout, concat("blocks: ", found.blocks, "\nbytes: ", found.bytes, "\n"));
  if (found.blocks > 0) {
    print(stdout, concat("first used: ", time_text(found.oldest_ns),
                         "\nlast used: ", time_text(found.newest_ns), "\n"));
  }
  return 0;
}

int clear_cache(const Arguments& arguments) {
  Contents found;
  if (const int status = look_into(arguments.file, found)) return status;
  for (const auto* names : {&found.names, &found.others}) {
    for (const std::string& name : *names) {
      const std::string path = arguments.file + "/" + name;
      if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("remove", path);
    }
  }
  // It stays if something else is in it.
  ::rmdir(arguments.file.c_str());
  print(stdout, concat("removed ", found.blocks, " blocks, ", found.bytes, " bytes\n"));
  return 0;
}

}  // namespace weir::command
