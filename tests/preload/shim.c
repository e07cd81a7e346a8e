/* See shim.h. The calls go to the kernel directly, so that no other library stands between. */
#define _GNU_SOURCE
#include "shim.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMaxDescriptors = 1024, kMaxName = 256, kMaxRecord = 65536 };

static volatile int g_lock;
static int g_on;
static char g_folder[kMaxName];
static shim_plan g_plan;
static char g_names[kMaxDescriptors][kMaxName];
static char g_record[kMaxRecord];
static char g_last[2 * kMaxName + 16];
static uint64_t g_interrupted[SHIM_CALLS];
static uint64_t g_read_bytes;
static int64_t g_calls;

static void lock(void) {
  while (__atomic_exchange_n(&g_lock, 1, __ATOMIC_ACQUIRE)) {
  }
}
static void unlock(void) { __atomic_store_n(&g_lock, 0, __ATOMIC_RELEASE); }

/* The name within the folder, "." for itself; NULL for everything else. */
static const char* watched(const char* path) {
  size_t size = strlen(g_folder);
  if (!__atomic_load_n(&g_on, __ATOMIC_ACQUIRE) || strncmp(path, g_folder, size) != 0) return NULL;
  if (path[size] == '\0') return ".";
  return path[size] == '/' ? path + size + 1 : NULL;
}

static const char* watched_descriptor(int descriptor) {
  if (!__atomic_load_n(&g_on, __ATOMIC_ACQUIRE) || descriptor < 0 || descriptor >= kMaxDescriptors)
    return NULL;
  return g_names[descriptor][0] ? g_names[descriptor] : NULL;
}

/* Counts a call. Returns true if it must fail because of its number. */
static int numbered(void) {
  const int64_t number = __atomic_add_fetch(&g_calls, 1, __ATOMIC_RELAXED);
  if (g_plan.first == 0 || number < g_plan.first || (number > g_plan.first && !g_plan.for_good)) return 0;
  errno = g_plan.error;
  return 1;
}

/* Records a call. Returns true if it must fail. */
static int note(const char* verb, const char* name, const char* to) {
  char line[sizeof g_last];
  int fails;
  snprintf(line, sizeof line, "%s %s%s%s", verb, name, to ? " " : "", to ? to : "");
  lock();
  if (strcmp(line, g_last) != 0 && strlen(g_record) + strlen(line) + 2 < sizeof g_record) {
    strcat(strcat(g_record, line), "\n");
    strcpy(g_last, line);
  }
  fails = g_plan.failing && strcmp(line, g_plan.failing) == 0;
  unlock();
  if (fails) errno = g_plan.error;
  return fails;
}

/* True if this call is interrupted: so many times in a row before it succeeds once. */
static int interrupted(shim_call call, const void* what) {
  static __thread shim_call last_call = SHIM_CALLS;
  static __thread const void* last_what;
  static __thread int count;
  if (last_call != call || last_what != what) count = 0;
  last_call = call;
  last_what = what;
  if (count >= g_plan.interruptions) {
    count = 0;
    return 0;
  }
  ++count;
  __atomic_add_fetch(&g_interrupted[call], 1, __ATOMIC_RELAXED);
  errno = EINTR;
  return 1;
}

static size_t shortened(size_t size) {
  return g_plan.longest && size > g_plan.longest ? g_plan.longest : size;
}

static int do_open(const char* path, int flags, int mode) {
  const char* name = watched(path);
  int writes = (flags & (O_WRONLY | O_RDWR | O_DIRECTORY)) != 0;
  int descriptor;
  if (name && (numbered() || interrupted(SHIM_OPEN, path))) return -1;
  if (name && writes && note("open", name, NULL)) return -1;
  descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (name && descriptor >= 0 && descriptor < kMaxDescriptors) {
    snprintf(g_names[descriptor], kMaxName, "%s", name);
  }
  return descriptor;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  int mode;
  va_start(arguments, flags);
  mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return do_open(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  int mode;
  va_start(arguments, flags);
  mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return do_open(path, flags, mode);
}

/* Closes in any case, as Linux does. */
int close(int descriptor) {
  const int fails = watched_descriptor(descriptor) && numbered();
  if (descriptor >= 0 && descriptor < kMaxDescriptors) g_names[descriptor][0] = '\0';
  if (syscall(SYS_close, descriptor) != 0) return -1;
  if (fails) errno = g_plan.error;
  return fails ? -1 : 0;
}

/* What only fails by its number. */
int unlink(const char* path) {
  if (watched(path) && numbered()) return -1;
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int mkdir(const char* path, mode_t mode) {
  if (watched(path) && numbered()) return -1;
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
ssize_t readlink(const char* path, char* out, size_t size) {
  if (watched(path) && numbered()) return -1;
  return syscall(SYS_readlinkat, AT_FDCWD, path, out, size);
}
int stat(const char* path, struct stat* out) {
  if (watched(path) && numbered()) return -1;
  return fstatat(AT_FDCWD, path, out, 0);
}
int lstat(const char* path, struct stat* out) {
  if (watched(path) && numbered()) return -1;
  return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
int fstat(int descriptor, struct stat* out) {
  if (watched_descriptor(descriptor) && numbered()) return -1;
  return fstatat(descriptor, "", out, AT_EMPTY_PATH);
}
int eventfd(unsigned value, int flags) {
  if (__atomic_load_n(&g_on, __ATOMIC_ACQUIRE) && numbered()) return -1;
  return (int)syscall(SYS_eventfd2, value, flags);
}

static ssize_t count_read(ssize_t size) {
  if (size > 0) __atomic_add_fetch(&g_read_bytes, (uint64_t)size, __ATOMIC_RELAXED);
  return size;
}

ssize_t pread(int descriptor, void* out, size_t size, off_t offset) {
  const char* name = watched_descriptor(descriptor);
  if (!name) return syscall(SYS_pread64, descriptor, out, size, offset);
  if (numbered() || interrupted(SHIM_READ, name)) return -1;
  return count_read(syscall(SYS_pread64, descriptor, out, shortened(size), offset));
}
ssize_t pread64(int descriptor, void* out, size_t size, off64_t offset) {
  return pread(descriptor, out, size, offset);
}

ssize_t read(int descriptor, void* out, size_t size) {
  const char* name = watched_descriptor(descriptor);
  if (!name) return syscall(SYS_read, descriptor, out, size);
  if (numbered() || interrupted(SHIM_READ, name)) return -1;
  return count_read(syscall(SYS_read, descriptor, out, shortened(size)));
}

ssize_t write(int descriptor, const void* data, size_t size) {
  const char* name = watched_descriptor(descriptor);
  if (!name) return syscall(SYS_write, descriptor, data, size);
  if (numbered() || interrupted(SHIM_WRITE, name)) return -1;
  if (note("write", name, NULL)) return -1;
  return syscall(SYS_write, descriptor, data, shortened(size));
}

static int sync_file(long number, int descriptor) {
  const char* name = watched_descriptor(descriptor);
  if (name && (numbered() || interrupted(SHIM_FSYNC, name))) return -1;
  if (name && note("fsync", name, NULL)) return -1;
  if (g_plan.unsynced) return 0;
  return (int)syscall(number, descriptor);
}
int fsync(int descriptor) { return sync_file(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_file(SYS_fdatasync, descriptor); }

int flock(int descriptor, int operation) {
  const char* name = watched_descriptor(descriptor);
  if (name && (numbered() || interrupted(SHIM_LOCK, name))) return -1;
  return (int)syscall(SYS_flock, descriptor, operation);
}

int rename(const char* from, const char* to) {
  const char* name = watched(from);
  if (name && numbered()) return -1;
  if (name && note("rename", name, watched(to) ? watched(to) : to)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* The folder that is being listed, so that reading its entries is interrupted as well. */
static DIR* g_listed;

DIR* opendir(const char* path) {
  DIR* (*next)(const char*) = (DIR * (*)(const char*)) dlsym(RTLD_NEXT, "opendir");
  if (watched(path) && (numbered() || interrupted(SHIM_LIST, path))) return NULL;
  return watched(path) ? g_listed = next(path) : next(path);
}

struct dirent* readdir(DIR* folder) {
  struct dirent* (*next)(DIR*) = (struct dirent * (*)(DIR*)) dlsym(RTLD_NEXT, "readdir");
  const int listed = folder == g_listed && __atomic_load_n(&g_on, __ATOMIC_ACQUIRE);
  if (listed && (numbered() || interrupted(SHIM_LIST, folder))) return NULL;
  return next(folder);
}

void shim_begin(const char* folder, const shim_plan* plan) {
  snprintf(g_folder, sizeof g_folder, "%s", folder);
  memset(g_names, 0, sizeof g_names);
  memset(g_interrupted, 0, sizeof g_interrupted);
  g_record[0] = g_last[0] = '\0';
  g_read_bytes = 0;
  g_calls = 0;
  g_listed = NULL;
  g_plan = *plan;
  __atomic_store_n(&g_on, 1, __ATOMIC_RELEASE);
}
void shim_end(void) { __atomic_store_n(&g_on, 0, __ATOMIC_RELEASE); }
const char* shim_record(void) { return g_record; }
uint64_t shim_interrupted(shim_call call) { return g_interrupted[call]; }
uint64_t shim_read_bytes(void) { return g_read_bytes; }
int64_t shim_calls(void) { return __atomic_load_n(&g_calls, __ATOMIC_RELAXED); }
