/* What the programs that run with the shim share: the shim's functions, and a folder that it watches. */
#ifndef WEIR_TESTS_PRELOAD_FOLDER_H
#define WEIR_TESTS_PRELOAD_FOLDER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../capi/check.h"
#include "shim.h"

static shim_api g_shim;
static char g_folder[512];

/* A function of the shim. POSIX prescribes the detour for functions from dlsym(). */
static inline void find(const char* name, void* out) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (!found) {
    fprintf(stderr, "%s is missing: run this with LD_PRELOAD=…/libpreload_shim.so\n", name);
    exit(1);
  }
  memcpy(out, &found, sizeof found);
}

/* A file in the folder; one of the last four names that were asked for. */
static inline const char* at(const char* name) {
  static char paths[4][1024];
  static int next;
  next = (next + 1) % 4;
  snprintf(paths[next], sizeof paths[next], "%s/%s", g_folder, name);
  return paths[next];
}

/* Finds the shim and makes the folder within another one. */
static inline void prepare(const char* parent) {
  find("shim_begin", &g_shim.begin);
  find("shim_end", &g_shim.end);
  find("shim_record", &g_shim.record);
  find("shim_interrupted", &g_shim.interrupted);
  find("shim_read_bytes", &g_shim.read_bytes);
  find("shim_calls", &g_shim.calls);
  snprintf(g_folder, sizeof g_folder, "%s/preload_XXXXXX", parent);
  REQUIRE(mkdtemp(g_folder) != NULL);
}

#endif
