// What only local files have: links, pipes and devices in place of a file to be written.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "fs/file_system.h"
#include "fs/local_files.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

Status write_whole(const std::string& name, std::string_view text) {
  return local_file_system().write_file_atomically(
      name, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::string read_whole(const std::string& name) {
  Result<std::string> text = local_file_system().read_file(name, 1 << 20);
  return text.ok() ? *text : "failed: " + text.status().error().message;
}

mode_t kind_of(const std::string& name) {
  struct stat info;
  return ::lstat(name.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

size_t entries_of(const std::string& folder) { return local_file_system().list_folder(folder)->size(); }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Refused as that kind of thing, named in the error, and left as it is with nothing beside it.
void check_refused(const std::string& name, mode_t kind, std::string_view word) {
  INFO(name);
  const mode_t before = kind_of(name);
  const Status status = write_whole(name, "bytes");
  REQUIRE(status.code() == Code::invalid_argument);
  CHECK(status.error().file == name);
  CHECK(contains(status.error().message, name));
  CHECK(contains(status.error().message, word));
  CHECK(kind_of(name) == before);
  if (before != S_IFLNK) CHECK(before == kind);
  CHECK(kind_of(name + ".tmp") == 0);
}

TEST_CASE("atomic writing: a link stays, and what it leads to is replaced") {
  TemporaryFolder folder;
  REQUIRE(local_file_system().create_folders(folder.at("a/b")).ok());
  REQUIRE(local_file_system().create_folders(folder.at("links/deep")).ok());
  REQUIRE(write_whole(folder.at("a/b/target"), "old").ok());
  // Absolute, relative to the link's own folder, through a linked folder, and a link to a link.
  REQUIRE(::symlink(folder.at("a/b/target").c_str(), folder.at("links/absolute").c_str()) == 0);
  REQUIRE(::symlink("../../a/b/target", folder.at("links/deep/relative").c_str()) == 0);
  REQUIRE(::symlink(folder.at("links/deep").c_str(), folder.at("shortcut").c_str()) == 0);
  REQUIRE(::symlink("deep/relative", folder.at("links/chain").c_str()) == 0);
  const size_t links = entries_of(folder.at("links"));
  int number = 0;
  for (const char* name : {"links/absolute", "links/deep/relative", "shortcut/relative", "links/chain"}) {
    INFO(name);
    const std::string text = "text " + std::to_string(number++);
    REQUIRE(write_whole(folder.at(name), text).ok());
    CHECK(kind_of(folder.at(name)) == S_IFLNK);
    CHECK(kind_of(folder.at("a/b/target")) == S_IFREG);
    CHECK(read_whole(folder.at("a/b/target")) == text);
    CHECK(read_whole(folder.at(name)) == text);
    CHECK(entries_of(folder.at("a/b")) == 1);
    CHECK(entries_of(folder.at("links")) == links);
    CHECK(entries_of(folder.at("links/deep")) == 1);
  }
}

TEST_CASE("atomic writing: what a dangling link leads to is made") {
  TemporaryFolder folder;
  REQUIRE(local_file_system().create_folders(folder.at("there")).ok());
  REQUIRE(::symlink("there/new", folder.at("link").c_str()) == 0);
  REQUIRE(write_whole(folder.at("link"), "bytes").ok());
  CHECK(kind_of(folder.at("link")) == S_IFLNK);
  CHECK(kind_of(folder.at("there/new")) == S_IFREG);
  CHECK(read_whole(folder.at("link")) == "bytes");
  REQUIRE(::symlink("nowhere/new", folder.at("astray").c_str()) == 0);
  CHECK(write_whole(folder.at("astray"), "bytes").code() == Code::not_found);
  CHECK(kind_of(folder.at("astray")) == S_IFLNK);
}

TEST_CASE("atomic writing: links in a circle are an error, and so is one more than the system follows") {
  TemporaryFolder folder;
  REQUIRE(::symlink("two", folder.at("one").c_str()) == 0);
  REQUIRE(::symlink("one", folder.at("two").c_str()) == 0);
  CHECK(write_whole(folder.at("one"), "bytes").code() == Code::not_found);
  CHECK(entries_of(folder.at(".")) == 2);
  // link-1 leads to the file itself; link-40 is the longest chain that the system opens.
  std::string next = "file";
  for (int i = 1; i <= 41; ++i) {
    const std::string name = "link-" + std::to_string(i);
    REQUIRE(::symlink(next.c_str(), folder.at(name).c_str()) == 0);
    next = name;
  }
  CHECK(write_whole(folder.at("link-40"), "bytes").ok());
  CHECK(read_whole(folder.at("file")) == "bytes");
  CHECK(write_whole(folder.at("link-41"), "other").code() == Code::not_found);
  CHECK(read_whole(folder.at("file")) == "bytes");
}

TEST_CASE("atomic writing: what is no regular file is refused by name, also through a link") {
  TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  REQUIRE(local_file_system().create_folders(folder.at("empty")).ok());
  REQUIRE(::symlink("pipe", folder.at("to-pipe").c_str()) == 0);
  REQUIRE(::symlink("empty", folder.at("to-folder").c_str()) == 0);
  check_refused(folder.at("pipe"), S_IFIFO, "a named pipe");
  check_refused(folder.at("empty"), S_IFDIR, "a folder");
  check_refused(folder.at("to-pipe"), S_IFIFO, "a named pipe");
  check_refused(folder.at("to-folder"), S_IFDIR, "a folder");
}

TEST_CASE("atomic writing: a device is refused, also through a link") {
  TemporaryFolder folder;
  // A terminal's folder takes no other files, so nothing is harmed should this fail.
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  char device[64];
  if (terminal < 0 || ::ptsname_r(terminal, device, sizeof device) != 0) {
    WARN("there are no terminals here");
    return;
  }
  REQUIRE(::symlink(device, folder.at("to-device").c_str()) == 0);
  check_refused(device, S_IFCHR, "a device");
  check_refused(folder.at("to-device"), S_IFCHR, "a device");
  ::close(terminal);
}

TEST_CASE("atomic writing: an open file without a name is no place to write to") {
  TemporaryFolder folder;
  const std::string name = folder.at("gone");
  REQUIRE(write_whole(name, "bytes").ok());
  auto file = local_file_system().open(name);
  REQUIRE(file.ok());
  REQUIRE(local_file_system().remove(name).ok());
  // The descriptor's own link, whose text is "…/gone (deleted)".
  std::string link;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (contains(std::filesystem::read_symlink(entry, ignored).string(), name)) link = entry.path();
  }
  REQUIRE_FALSE(link.empty());
  CHECK(write_whole(link, "bytes").code() == Code::not_found);
  CHECK(entries_of(folder.path()) == 0);
}

TEST_CASE("atomic writing: a temporary file that is none is refused, and nobody waits for it") {
  TemporaryFolder folder;
  REQUIRE(write_whole(folder.at("kept"), "old").ok());
  REQUIRE(::mkfifo(folder.at("kept.tmp").c_str(), 0600) == 0);
  const Status pipe = write_whole(folder.at("kept"), "new");
  CHECK(pipe.code() == Code::invalid_argument);
  CHECK(pipe.error().file == folder.at("kept.tmp"));
  CHECK(kind_of(folder.at("kept.tmp")) == S_IFIFO);
  REQUIRE(local_file_system().create_folders(folder.at("other.tmp")).ok());
  CHECK(write_whole(folder.at("other"), "new").code() == Code::invalid_argument);
  REQUIRE(::symlink("kept", folder.at("third.tmp").c_str()) == 0);
  CHECK(write_whole(folder.at("third"), "new").code() == Code::invalid_argument);
  CHECK(read_whole(folder.at("kept")) == "old");
}

Status write_private(const std::string& name, std::string_view text) {
  return write_private_file(name, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

TEST_CASE("private files: only the user may read them, and what others left is replaced, not followed") {
  const TemporaryFolder folder;
  const std::string page = folder.at("page");
  const std::string victim = folder.at("victim");
  const auto check = [&](std::string_view text) {
    REQUIRE(write_private(page, text).ok());
    struct stat info;
    REQUIRE(::lstat(page.c_str(), &info) == 0);
    CHECK(S_ISREG(info.st_mode));
    CHECK((info.st_mode & 0777) == 0600);
    CHECK(read_whole(page) == text);
    CHECK(read_whole(victim) == "precious");
    CHECK(kind_of(page + ".tmp") == 0);
  };
  REQUIRE(write_whole(victim, "precious").ok());
  check("new");
  check("replaced");
  for (const std::string& name : {page, page + ".tmp"}) {
    INFO(name);
    ::unlink(name.c_str());
    REQUIRE(::symlink(victim.c_str(), name.c_str()) == 0);
    check("over a symbolic link");
    ::unlink(name.c_str());
    REQUIRE(::link(victim.c_str(), name.c_str()) == 0);
    check("over a hard link");
    ::unlink(name.c_str());
    REQUIRE(::mkfifo(name.c_str(), 0666) == 0);
    check("over a pipe");
  }
  // Somebody holds a lock on the file that it goes through.
  const int locked = ::open((page + ".tmp").c_str(), O_RDWR | O_CREAT, 0666);
  REQUIRE(locked >= 0);
  REQUIRE(::flock(locked, LOCK_EX) == 0);
  check("in spite of a lock");
  ::close(locked);
  // A folder is not replaced.
  ::unlink(page.c_str());
  REQUIRE(::mkdir(page.c_str(), 0700) == 0);
  CHECK_FALSE(write_private(page, "no").ok());
  CHECK(kind_of(page + ".tmp") == 0);
}

TEST_CASE("check_local_file says what opening would, and opens nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.at("file");
  REQUIRE(write_whole(file, "x").ok());
  CHECK(check_local_file(file).ok());
  const std::string pipe = folder.at("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& name :
       {pipe, folder.at(""), folder.at("none"), std::string(), std::string("a\0b", 3)}) {
    INFO(name);
    const Status expected = local_file_system().open(name).status();
    REQUIRE_FALSE(expected.ok());
    CHECK(check_local_file(name).code() == expected.code());
    CHECK(check_local_file(name).error().message == expected.error().message);
  }
}

TEST_CASE("a pattern that is taken for a name is told of list_files") {
  const auto message = [](const std::string& name) {
    return local_file_system().open(name).status().error().message;
  };
  CHECK(message("no-{000..009}.tar").find("list_files") != std::string::npos);
  CHECK(message("no-*.tar").find("list_files") != std::string::npos);
  CHECK(message("no-000.tar").find("list_files") == std::string::npos);
}

TEST_CASE("atomic writing: what has the name of the temporary file is replaced, not written into") {
  TemporaryFolder folder;
  REQUIRE(write_whole(folder.at("precious"), "precious bytes").ok());
  // A hard link, as another user of the folder may make, and what a killed writer left.
  REQUIRE(::link(folder.at("precious").c_str(), folder.at("out.tmp").c_str()) == 0);
  REQUIRE(write_whole(folder.at("out"), "new").ok());
  CHECK(read_whole(folder.at("precious")) == "precious bytes");
  CHECK(read_whole(folder.at("out")) == "new");
  REQUIRE(write_whole(folder.at("left"), "half a fi").ok());
  REQUIRE(::rename(folder.at("left").c_str(), folder.at("out.tmp").c_str()) == 0);
  REQUIRE(write_whole(folder.at("out"), "newer").ok());
  CHECK(read_whole(folder.at("out")) == "newer");
  CHECK(entries_of(folder.path()) == 2);
}

TEST_CASE("the cache folder is what the environment says, if that is an absolute name") {
  FileSystem& files = local_file_system();
  const std::string before = files.cache_folder();
  const auto folder = [&](const char* cache, const char* home) {
    set_cache_folder([&](const char* name) {
      return name == std::string_view("XDG_CACHE_HOME") ? cache
             : name == std::string_view("HOME")         ? home
                                                        : nullptr;
    });
    return files.cache_folder();
  };
  CHECK(folder("/c", "/h") == "/c/weir");
  CHECK(folder(nullptr, "/h") == "/h/.cache/weir");
  CHECK(folder("c", "/h") == "/h/.cache/weir");
  CHECK(folder("", "h").empty());
  CHECK(folder(nullptr, nullptr).empty());
  set_cache_folder([&](const char*) -> const char* { return nullptr; });
  CHECK(before.empty());
}

TEST_CASE("an absolute name means the same file everywhere") {
  const std::string here = std::filesystem::current_path().string();
  CHECK(*local_file_system().absolute("a/b") == here + "/a/b");
  CHECK(*local_file_system().absolute("/a/b") == "/a/b");
  CHECK(local_file_system().absolute(std::string("a\0b", 3)).status().code() == Code::invalid_argument);
}

}  // namespace
}  // namespace weir
