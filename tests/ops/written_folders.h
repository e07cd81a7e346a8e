// Folders for the tests of save, load, snapshot and file cache.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fs/file_system.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {

// What lies in a folder; empty if there is none.
inline std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// A call with a folder as its first argument: `snapshot("/tmp/…")`.
inline std::string call(const std::string& name, const std::string& folder, const std::string& more = "") {
  return name + "(\"" + folder + "\"" + more + ")";
}

// The errors among the elements that the pipeline gives, with their messages.
inline std::string first_error(const std::string& text) {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  Block block;
  while (require_value(iterator->next(100, block)) == PullResult::rows) {
    if (!block.errors.empty()) return block.errors[0].error->describe();
  }
  return "";
}

// A folder that lives as long as the program, for pipelines of the contract.
inline std::string lasting_folder(const std::string& name) {
  static const TemporaryFolder folder;
  return folder.at(name);
}

// The same, held by a writer that never ends.
inline std::string locked_folder(const std::string& name) {
  static std::vector<std::unique_ptr<FileLock>> locks;
  const std::string folder = lasting_folder(name);
  std::filesystem::create_directories(folder);
  auto lock = local_file_system().try_lock(folder + "/lock");
  if (lock.ok()) locks.push_back(*std::move(lock));
  return folder;
}

}  // namespace weir::test
