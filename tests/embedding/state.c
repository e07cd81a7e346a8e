#define _GNU_SOURCE
#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "probe.h"

extern char** environ;

/* Text that is cut where the room ends. */
typedef struct text {
  char* data;
  size_t size;
  size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text* out, const char* format, ...) {
  va_list arguments;
  int written;
  va_start(arguments, format);
  written = vsnprintf(out->data + out->used, out->size - out->used, format, arguments);
  va_end(arguments);
  if (written > 0) out->used += (size_t)written;
  if (out->used >= out->size) out->used = out->size - 1;
}

/* Calls `each` with every name in a folder but . and .., and returns their number. */
static int in_folder(const char* folder, void (*each)(text*, const char*), text* out) {
  int count = 0;
  DIR* open = opendir(folder);
  for (struct dirent* entry; open && (entry = readdir(open));) {
    if (entry->d_name[0] == '.') continue;
    ++count;
    if (each && atoi(entry->d_name) != dirfd(open)) each(out, entry->d_name);
  }
  if (open) closedir(open);
  return count;
}

/* Whether a thread has a name of its own, as a host's helpers have, and not the program's, which weir's
 * inherit. */
static int is_named(const char* thread) {
  char path[300], name[64] = "", program[64] = "";
  FILE* own = fopen("/proc/self/comm", "r");
  FILE* file;
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
  file = fopen(path, "r");
  const int known = own && file && fgets(program, sizeof program, own) && fgets(name, sizeof name, file);
  if (own) fclose(own);
  if (file) fclose(file);
  return !known || (strcmp(name, program) != 0 && strncmp(name, "weir", 4) != 0);
}

static int g_named;

static void count_named(text* out, const char* thread) {
  (void)out;
  g_named += is_named(thread);
}

int probe_threads(void) {
  g_named = 0;
  const int all = in_folder("/proc/self/task", count_named, NULL);
  return all - g_named;
}

static void put_descriptor(text* out, const char* name) {
  char link[300], target[256];
  ssize_t size;
  snprintf(link, sizeof link, "/proc/self/fd/%s", name);
  size = readlink(link, target, sizeof target - 1);
  target[size < 0 ? 0 : size] = '\0';
  put(out, " %s=%s", name, target);
}

static void put_signals(text* out) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  put(out, "signal mask:");
  for (int i = 1; i < NSIG; ++i) {
    if (sigismember(&blocked, i) == 1) put(out, " %d", i);
  }
  put(out, "\nsignal handlers:");
  for (int i = 1; i < NSIG; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
      put(out, " %d=%p/%x", i, (void*)action.sa_sigaction, (unsigned)action.sa_flags);
  }
  put(out, "\n");
}

static void put_float_mode(text* out) {
  put(out, "floating point: rounding %d exceptions %d", fegetround(), fegetexcept());
#ifdef __x86_64__
  unsigned short control;
  __asm__("fnstcw %0" : "=m"(control));
  /* All but the flags of what has happened. */
  put(out, " mxcsr %x x87 %x", _mm_getcsr() & ~0x3fu, control);
#endif
  put(out, "\n");
}

size_t probe_state(char* data, size_t size) {
  text out = {data, size, 0};
  struct rlimit files;
  cpu_set_t processors;
  char folder[1024];
  const mode_t mask = umask(0);
  umask(mask);
  getrlimit(RLIMIT_NOFILE, &files);
  sched_getaffinity(0, sizeof processors, &processors);
  put_signals(&out);
  put_float_mode(&out);
  put(&out, "locale: %s %s\n", setlocale(LC_ALL, NULL), localeconv()->decimal_point);
  put(&out, "working folder: %s\n", getcwd(folder, sizeof folder) ? folder : "");
  put(&out, "umask, limits, processors: %o %ld %d\n", (unsigned)mask, (long)files.rlim_cur,
      CPU_COUNT(&processors));
  put(&out, "descriptors:");
  in_folder("/proc/self/fd", put_descriptor, &out);
  put(&out, "\nenvironment:");
  for (char** entry = environ; *entry; ++entry) put(&out, " %s", *entry);
  put(&out, "\n");
  return out.used;
}
