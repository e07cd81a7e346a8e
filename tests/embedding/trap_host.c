/* A host with libraries of its own that define what weir's define, visible to everybody. A call of weir's
 * that reaches one ends the process.
 *
 *   trap_host WEIR FOLDER first|last local|global TRAPS
 *
 * The words say whether the traps are loaded before weir or after it, and how weir is loaded. Prints the
 * hashes of the elements with 1 and with 4 threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

static int (*g_host_calls)(void);
static char g_before[1 << 16];
static char g_after[1 << 16];

static int fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

static int load_traps(const char* file) {
  void* traps = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!traps) return fail(dlerror());
  *(void**)&g_host_calls = dlsym(traps, "embedding_host_calls");
  return g_host_calls ? 0 : fail("the library of traps has none");
}

/* What the host itself does with its functions. */
static int use_host(void) {
  return g_host_calls() > 0 ? 0 : fail("the host's calls did not reach its own functions");
}

int main(int argc, char** argv) {
  uint64_t one, many;
  if (argc != 6) return 2;
  const int first = strcmp(argv[3], "first") == 0;
  const int global = strcmp(argv[4], "global") == 0;
  if (first && (load_traps(argv[5]) || use_host())) return 1;
  if (probe_load(argv[1], global) != 0) return 1;
  /* The first run leaves what the process has for good, such as the library's handlers of fork. */
  if (!probe_run(argv[2], 4)) return 1;
  if (!first && load_traps(argv[5])) return 1;
  if (use_host()) return 1;
  probe_state(g_before, sizeof g_before);
  one = probe_run(argv[2], 1);
  if (use_host()) return 1;
  many = probe_run(argv[2], 4);
  if (use_host()) return 1;
  probe_state(g_after, sizeof g_after);
  if (strcmp(g_before, g_after) != 0) {
    fprintf(stderr, "before:\n%safter:\n%s", g_before, g_after);
    return 1;
  }
  printf("%016" PRIx64 " %016" PRIx64 "\n", one, many);
  return 0;
}
