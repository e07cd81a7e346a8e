#define _POSIX_C_SOURCE 200809L

#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct header {
  char magic[8];
  progress at;
  uint64_t position_size;
  uint64_t digest; /* of all that follows */
} header;

static const char kMagic[8] = "DIGITS1";

static uint64_t digest(uint64_t hash, const void* bytes, uint64_t size) { /* FNV-1a */
  const unsigned char* byte = bytes;
  for (uint64_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}

static uint64_t digest_of(const network* net, const void* position, uint64_t position_size) {
  return digest(digest(UINT64_C(14695981039346656037), net, sizeof *net), position, position_size);
}

static int complain(const char* what, const char* file) {
  fprintf(stderr, "digits: cannot %s %s: %s\n", what, file, strerror(errno));
  return -1;
}

/* A renamed file survives a power failure once its folder is on the disk. */
static int sync_folder(const char* file) {
  char path[4096];
  snprintf(path, sizeof path, "%s", file);
  int folder = open(dirname(path), O_RDONLY);
  if (folder < 0) return complain("open the folder of", file);
  int failed = fsync(folder);
  close(folder);
  return failed ? complain("sync the folder of", file) : 0;
}

int snapshot_write(const char* file, const network* net, const progress* at, const void* position,
                   uint64_t position_size) {
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.tmp", file);
  FILE* out = fopen(temporary, "wb");
  if (!out) return complain("write", temporary);
  header head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, kMagic, sizeof kMagic);
  head.at = *at;
  head.position_size = position_size;
  head.digest = digest_of(net, position, position_size);
  int good = fwrite(&head, sizeof head, 1, out) == 1 && fwrite(net, sizeof *net, 1, out) == 1 &&
             fwrite(position, 1, position_size, out) == position_size && fflush(out) == 0 &&
             fsync(fileno(out)) == 0;
  if (fclose(out) != 0 || !good) return complain("write", temporary);
  if (rename(temporary, file) != 0) return complain("replace", file);
  return sync_folder(file);
}

static int read_all(FILE* in, const char* file, network* net, progress* at, void** position, uint64_t* size) {
  header head;
  if (fread(&head, sizeof head, 1, in) != 1 || memcmp(head.magic, kMagic, sizeof kMagic) != 0 ||
      head.position_size > (UINT64_C(1) << 32)) {
    fprintf(stderr, "digits: %s is no snapshot of this program; remove it to begin anew\n", file);
    return -1;
  }
  void* bytes = malloc(head.position_size ? head.position_size : 1);
  if (!bytes) return complain("hold", file);
  int good =
      fread(net, sizeof *net, 1, in) == 1 && fread(bytes, 1, head.position_size, in) == head.position_size;
  if (!good || digest_of(net, bytes, head.position_size) != head.digest) {
    free(bytes);
    fprintf(stderr, "digits: %s is damaged; remove it to begin anew\n", file);
    return -1;
  }
  *at = head.at;
  *position = bytes;
  *size = head.position_size;
  return 1;
}

int snapshot_read(const char* file, network* net, progress* at, void** position, uint64_t* position_size) {
  FILE* in = fopen(file, "rb");
  if (!in) return errno == ENOENT ? 0 : complain("read", file);
  int result = read_all(in, file, net, at, position, position_size);
  fclose(in);
  return result;
}
