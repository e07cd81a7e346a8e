/* operator new and delete for a C test that makes them fail: the library takes them from whoever defines them
 * first. Include it once, and call find_throw() before the first allocation fails. */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The test defines these. The second is told of each block of memory that comes (1) or goes (-1). */
static int fails(void);
static void count_live(int64_t change);

static void (*g_throw)(void);

/* Returns 0 if the C++ library has no function that throws std::bad_alloc. */
static int find_throw(void) {
  void* symbol = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
  memcpy(&g_throw, &symbol, sizeof symbol);
  return symbol != NULL;
}

void* _ZnwmRKSt9nothrow_t(size_t size, const void* tag);
void* _Znwm(size_t size);
void _ZdlPv(void* memory);
void _ZdlPvm(void* memory, size_t size);
void _ZdlPvRKSt9nothrow_t(void* memory, const void* tag);

void* _ZnwmRKSt9nothrow_t(size_t size, const void* tag) {
  void* memory;
  (void)tag;
  if (fails()) return NULL;
  memory = malloc(size > 0 ? size : 1);
  if (memory) count_live(1);
  return memory;
}
void* _Znwm(size_t size) {
  void* memory = _ZnwmRKSt9nothrow_t(size, NULL);
  if (memory == NULL) g_throw();
  return memory;
}
void _ZdlPv(void* memory) {
  if (memory) count_live(-1);
  free(memory);
}
void _ZdlPvm(void* memory, size_t size) {
  (void)size;
  _ZdlPv(memory);
}
void _ZdlPvRKSt9nothrow_t(void* memory, const void* tag) {
  (void)tag;
  _ZdlPv(memory);
}
