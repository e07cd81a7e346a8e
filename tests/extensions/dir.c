/* A file system for tests: "dir:///a/b" is the local file /a/b, whose version is its size and when it
 * changed. As in object stores there are no folders but what the names of files begin with. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weir/weir.h"

#define SCHEME "dir://"

static int32_t failed(weir_call call) {
  const int32_t code = errno == ENOENT ? WEIR_CODE_NOT_FOUND : WEIR_CODE_UNAVAILABLE;
  weir_call_fail(call, 0, code, strerror(errno), WEIR_STRLEN, NULL);
  return -code;
}

static int32_t describe(const struct stat* info, weir_file_info* out, weir_call call) {
  char text[64];
  const int size = snprintf(text, sizeof text, "%lld-%lld.%09ld", (long long)info->st_size,
                            (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
  void* version = NULL;
  if (weir_call_allocate(call, (uint64_t)size, &version, NULL) != WEIR_OK) return -1;
  memcpy(version, text, (size_t)size);
  out->size = (uint64_t)info->st_size;
  out->version = (weir_string){version, (uint64_t)size};
  return WEIR_OK;
}

static const char* path_of(weir_string name, char* out, size_t room) {
  snprintf(out, room, "%.*s", (int)(name.size - strlen(SCHEME)), name.data + strlen(SCHEME));
  return out;
}

static int32_t dir_stat(void* user_data, weir_string name, weir_file_info* out, weir_call call) {
  (void)user_data;
  char path[4096];
  struct stat info;
  if (stat(path_of(name, path, sizeof path), &info) != 0) return failed(call);
  return describe(&info, out, call);
}

static int32_t dir_open(void* user_data, weir_string name, weir_file_info* out, void** opened,
                        weir_call call) {
  (void)user_data;
  char path[4096];
  struct stat info;
  const int file = open(path_of(name, path, sizeof path), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &info) != 0) return failed(call);
  if (S_ISDIR(info.st_mode)) {
    close(file);
    errno = ENOENT;
    return failed(call);
  }
  *opened = (void*)(intptr_t)file;
  return describe(&info, out, call);
}

static int32_t dir_read(void* user_data, void* opened, uint64_t offset, void* out, uint64_t size,
                        weir_call call) {
  (void)user_data;
  const ssize_t got = pread((int)(intptr_t)opened, out, size, (off_t)offset);
  if (got < 0) return failed(call);
  weir_call_done(call, (uint64_t)got);
  return WEIR_OK;
}

static void dir_close(void* user_data, void* opened) {
  (void)user_data;
  close((int)(intptr_t)opened);
}

static int32_t dir_list(void* user_data, weir_string folder, weir_string prefix, weir_call call) {
  (void)user_data;
  char path[4096];
  DIR* const opened = opendir(path_of(folder, path, sizeof path));
  if (!opened) return errno == ENOENT ? WEIR_OK : failed(call);
  int32_t result = WEIR_OK;
  for (const struct dirent* entry; result == WEIR_OK && (entry = readdir(opened)) != NULL;) {
    const int hidden = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (!hidden && strncmp(entry->d_name, prefix.data, prefix.size) == 0)
      result = weir_call_entry(call, entry->d_name, WEIR_STRLEN, NULL, NULL);
  }
  closedir(opened);
  return result;
}

typedef struct writer {
  int file;
  char path[4096];
  char temporary[4112];
} writer;

static int32_t dir_create(void* user_data, weir_string name, void** out, weir_call call) {
  (void)user_data;
  writer* const made = calloc(1, sizeof *made);
  if (!made) return failed(call);
  path_of(name, made->path, sizeof made->path);
  for (char* slash = made->path; (slash = strchr(slash + 1, '/')) != NULL;) {
    *slash = 0;
    mkdir(made->path, 0777);
    *slash = '/';
  }
  snprintf(made->temporary, sizeof made->temporary, "%s.XXXXXX", made->path);
  made->file = mkstemp(made->temporary);
  if (made->file < 0) {
    free(made);
    return failed(call);
  }
  *out = made;
  return WEIR_OK;
}

static int32_t dir_write(void* user_data, void* opened, const void* data, uint64_t size, weir_call call) {
  (void)user_data;
  return write(((writer*)opened)->file, data, size) == (ssize_t)size ? WEIR_OK : failed(call);
}

static int32_t dir_finish(void* user_data, void* opened, int32_t publish, weir_call call) {
  (void)user_data;
  writer* const ended = opened;
  close(ended->file);
  const int good = (publish ? rename(ended->temporary, ended->path) : unlink(ended->temporary)) == 0;
  free(ended);
  return good ? WEIR_OK : failed(call);
}

static int32_t dir_remove(void* user_data, weir_string name, weir_call call) {
  (void)user_data;
  char path[4096];
  return unlink(path_of(name, path, sizeof path)) == 0 ? WEIR_OK : failed(call);
}

WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out, weir_error* error) {
  out->abi = WEIR_EXTENSION_ABI;
  out->name = "weir-dir";
  out->version = "1";
  weir_file_system folders = WEIR_FILE_SYSTEM_INIT;
  folders.schemes = "dir";
  folders.schemes_size = WEIR_STRLEN;
  folders.stat = dir_stat;
  folders.open = dir_open;
  folders.read = dir_read;
  folders.close = dir_close;
  folders.list = dir_list;
  folders.create = dir_create;
  folders.write = dir_write;
  folders.finish = dir_finish;
  folders.remove = dir_remove;
  return weir_runtime_register_file_system(runtime, &folders, error);
}
