/* An extension with a file system, "mem://NAME": files in the memory of this process. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

/* A version of a file. It lives as long as it is the newest, or is open. */
typedef struct content {
  int owners;
  uint64_t number, size;
  char bytes[];
} content;

typedef struct file {
  struct file* next;
  content* newest;
  char name[];
} file;

typedef struct writer {
  uint64_t size;
  char* bytes;
  char name[];
} writer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static file* files = NULL;
static uint64_t versions = 0;

static void release(content* old) {
  if (old && --old->owners == 0) free(old);
}

static char* copied(weir_string name, void* into) {
  char* out = into;
  memcpy(out, name.data, name.size);
  out[name.size] = 0;
  return out;
}

static file** find(weir_string name) {
  file** at = &files;
  while (*at && (strlen((*at)->name) != name.size || memcmp((*at)->name, name.data, name.size) != 0))
    at = &(*at)->next;
  return at;
}

static int32_t missing(weir_call call) {
  pthread_mutex_unlock(&lock);
  weir_call_fail(call, 0, WEIR_CODE_NOT_FOUND, "there is no such file in memory", WEIR_STRLEN, NULL);
  return -WEIR_CODE_NOT_FOUND;
}

static int32_t mem_open(void* user_data, weir_string name, weir_file_info* out, void** opened,
                        weir_call call) {
  (void)user_data;
  pthread_mutex_lock(&lock);
  file* found = *find(name);
  if (!found) return missing(call);
  out->size = found->newest->size;
  void* version = NULL;
  if (weir_call_allocate(call, 24, &version, NULL) == WEIR_OK) {
    memcpy(version, &found->newest->number, 8);
    out->version = (weir_string){version, 8};
  }
  if (opened) {
    *opened = found->newest;
    ++found->newest->owners;
  }
  pthread_mutex_unlock(&lock);
  return WEIR_OK;
}

static int32_t mem_stat(void* user_data, weir_string name, weir_file_info* out, weir_call call) {
  return mem_open(user_data, name, out, NULL, call);
}

static int32_t mem_read(void* user_data, void* opened, uint64_t offset, void* out, uint64_t size,
                        weir_call call) {
  (void)user_data;
  memcpy(out, ((content*)opened)->bytes + offset, size);
  weir_call_done(call, size);
  return WEIR_OK;
}

static void mem_close(void* user_data, void* opened) {
  (void)user_data;
  pthread_mutex_lock(&lock);
  release(opened);
  pthread_mutex_unlock(&lock);
}

static int32_t mem_list(void* user_data, weir_string folder, weir_string prefix, weir_call call) {
  (void)user_data;
  pthread_mutex_lock(&lock);
  for (file* at = files; at; at = at->next) {
    if (strncmp(at->name, folder.data, folder.size) != 0) continue;
    const char* entry = at->name + folder.size;
    if (strncmp(entry, prefix.data, prefix.size) == 0)
      weir_call_entry(call, entry, strcspn(entry, "/"), NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  return WEIR_OK;
}

static int32_t mem_create(void* user_data, weir_string name, void** made, weir_call call) {
  (void)user_data, (void)call;
  writer* out = calloc(1, sizeof(writer) + name.size + 1);
  if (!out) return -WEIR_CODE_RESOURCE_EXHAUSTED;
  copied(name, out->name);
  *made = out;
  return WEIR_OK;
}

static int32_t mem_write(void* user_data, void* into, const void* data, uint64_t size, weir_call call) {
  (void)user_data, (void)call;
  writer* out = into;
  char* longer = realloc(out->bytes, out->size + size + 1);
  if (!longer) return -WEIR_CODE_RESOURCE_EXHAUSTED;
  memcpy(longer + out->size, data, size);
  out->bytes = longer;
  out->size += size;
  return WEIR_OK;
}

static int32_t mem_finish(void* user_data, void* into, int32_t publish, weir_call call) {
  (void)user_data, (void)call;
  writer* from = into;
  const weir_string name = {from->name, strlen(from->name)};
  content* made = publish ? malloc(sizeof(content) + from->size) : NULL;
  file* fresh = publish ? calloc(1, sizeof(file) + name.size + 1) : NULL;
  const int failed = publish && (!made || !fresh);
  if (publish && !failed) {
    pthread_mutex_lock(&lock);
    *made = (content){.owners = 1, .number = ++versions, .size = from->size};
    if (from->size > 0) memcpy(made->bytes, from->bytes, from->size);
    file** at = find(name);
    if (!*at) {
      copied(name, fresh->name);
      *at = fresh;
      fresh = NULL;
    }
    release((*at)->newest);
    (*at)->newest = made;
    made = NULL;
    pthread_mutex_unlock(&lock);
  }
  free(made), free(fresh), free(from->bytes), free(from);
  return failed ? -WEIR_CODE_RESOURCE_EXHAUSTED : WEIR_OK;
}

static int32_t mem_remove(void* user_data, weir_string name, weir_call call) {
  (void)user_data;
  pthread_mutex_lock(&lock);
  file** at = find(name);
  file* old = *at;
  if (!old) return missing(call);
  *at = old->next;
  release(old->newest);
  free(old);
  pthread_mutex_unlock(&lock);
  return WEIR_OK;
}

WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out, weir_error* error) {
  weir_file_system memory = WEIR_FILE_SYSTEM_INIT;
  out->abi = WEIR_EXTENSION_ABI;
  out->name = "weir-memory";
  out->version = "1.0.0";
  memory.schemes = "mem";
  memory.schemes_size = WEIR_STRLEN;
  memory.stat = mem_stat;
  memory.list = mem_list;
  memory.open = mem_open;
  memory.read = mem_read;
  memory.close = mem_close;
  memory.create = mem_create;
  memory.write = mem_write;
  memory.finish = mem_finish;
  memory.remove = mem_remove;
  return weir_runtime_register_file_system(runtime, &memory, error);
}
