/* The shim: a library that is loaded before the system's own. On files in one folder it records the calls
 * that make them durable, interrupts every call that may be interrupted, cuts reads and writes short, and
 * fails one call.
 *
 *   shim_api shim = shim_find();
 *   shim.begin("/tmp/folder", &plan);
 *   ...
 *   shim.end();
 *   strcmp(shim.record(), "open a.tmp\nwrite a.tmp\nfsync a.tmp\nrename a.tmp a\nopen .\nfsync .\n")
 *
 * One thread calls these functions; any may make system calls meanwhile. */
#ifndef WEIR_TESTS_PRELOAD_SHIM_H
#define WEIR_TESTS_PRELOAD_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef enum shim_call {
  SHIM_OPEN,
  SHIM_READ,
  SHIM_WRITE,
  SHIM_FSYNC,
  SHIM_LOCK,
  SHIM_LIST,
  SHIM_CALLS
} shim_call;

typedef struct shim_plan {
  int interruptions;   /* how often each call fails with EINTR before it succeeds */
  size_t longest;      /* what a read or write moves at once; 0: no bound */
  const char* failing; /* a line of the record, the call of which fails; NULL: none */
  int error;           /* the errno of that call */
  int64_t first;       /* the number of the call that fails, from 1; 0: none */
  int for_good;        /* all calls after it fail, too */
  int unsynced;        /* fsync does nothing and succeeds, also after shim_end */
} shim_plan;

typedef struct shim_api {
  void (*begin)(const char* folder, const shim_plan* plan);
  void (*end)(void);
  /* One line per open for writing or of a folder, write, fsync and rename; equal consecutive lines are
   * merged. Names are relative to the folder, which itself is ".". */
  const char* (*record)(void);
  uint64_t (*interrupted)(shim_call call);
  uint64_t (*read_bytes)(void);
  /* The calls so far, of all kinds, that `first` counts: those on the folder, and every eventfd. */
  int64_t (*calls)(void);
} shim_api;

#endif
