#include "fs/routed_files.h"

#include <utility>

#include "core/text.h"

namespace weir {

std::string_view scheme_of(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  size_t size = 0;
  while (size < name.size() && is_letter(name[size])) ++size;
  return size > 0 && name.substr(size).starts_with("://") ? name.substr(0, size) : std::string_view();
}

Status RoutedFiles::add(const std::vector<std::string>& schemes, std::shared_ptr<FileSystem> files) {
  MutexLock lock(mutex_);
  for (const std::string& scheme : schemes) {
    if (added_.contains(scheme))
      return Status(Code::already_exists,
                    concat("names with ", quote(scheme + "://"), " have a file system"));
  }
  for (const std::string& scheme : schemes) added_.emplace(scheme, files);
  return {};
}

FileSystem* RoutedFiles::known(const std::string& scheme) const {
  MutexLock lock(mutex_);
  const auto found = added_.find(scheme);
  return found == added_.end() ? nullptr : found->second.get();
}

Result<FileSystem*> RoutedFiles::route(const std::string& name) {
  const std::string_view scheme = scheme_of(name);
  if (scheme.empty()) return &local_;
  std::string key(scheme);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (FileSystem* files = known(key)) return files;
  const Status looked = find_ ? find_(key) : Status();
  if (FileSystem* files = known(key)) return files;
  if (looked.ok()) return &local_;
  return file_error(looked.code(), looked.error().what(), name);
}

// What `call` makes of the file system that a name belongs to.
template <class Call>
auto RoutedFiles::routed(const std::string& name, Call call) -> decltype(call(std::declval<FileSystem&>())) {
  WEIR_ASSIGN(FileSystem* const files, route(name));
  return call(*files);
}

Result<RefPtr<RandomAccessFile>> RoutedFiles::do_open(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.do_open(name); });
}

Result<RefPtr<RandomAccessFile>> RoutedFiles::do_open_through(const std::string& name, ReadThrough& through) {
  return routed(name, [&](FileSystem& files) { return files.do_open_through(name, through); });
}

Result<std::unique_ptr<WritableFile>> RoutedFiles::create(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.create(name); });
}

Result<FileInfo> RoutedFiles::stat(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.stat(name); });
}

Result<std::vector<std::string>> RoutedFiles::list_folder(const std::string& folder) {
  return routed(folder, [&](FileSystem& files) { return files.list_folder(folder); });
}

Result<std::vector<std::string>> RoutedFiles::list_beginning(const std::string& folder,
                                                             const std::string& prefix, bool only_folders) {
  return routed(folder,
                [&](FileSystem& files) { return files.list_beginning(folder, prefix, only_folders); });
}

Status RoutedFiles::remove(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.remove(name); });
}

Status RoutedFiles::remove_folder(const std::string& folder) {
  return routed(folder, [&](FileSystem& files) { return files.remove_folder(folder); });
}

Status RoutedFiles::create_folders(const std::string& folder) {
  return routed(folder, [&](FileSystem& files) { return files.create_folders(folder); });
}

Status RoutedFiles::sync_folder(const std::string& folder) {
  return routed(folder, [&](FileSystem& files) { return files.sync_folder(folder); });
}

Result<std::unique_ptr<FileLock>> RoutedFiles::try_lock(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.try_lock(name); });
}

Result<std::unique_ptr<FileLock>> RoutedFiles::do_lock(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.do_lock(name); });
}

Status RoutedFiles::write_file_atomically(const std::string& name, std::span<const uint8_t> bytes) {
  return routed(name, [&](FileSystem& files) { return files.write_file_atomically(name, bytes); });
}

Result<std::string> RoutedFiles::absolute(const std::string& name) {
  return routed(name, [&](FileSystem& files) { return files.absolute(name); });
}

}  // namespace weir
