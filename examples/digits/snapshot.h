/* A saved training run: weights, progress and the position in the data, in one file, so that they always
   belong together. After a crash at any moment the file holds either the last snapshot or the one before. */
#ifndef DIGITS_SNAPSHOT_H
#define DIGITS_SNAPSHOT_H

#include <stdint.h>

#include "network.h"

typedef struct progress {
  int64_t epoch;
  int64_t step; /* in the whole run */
  /* Of the epoch so far. */
  float loss_sum;
  int64_t image_count;
} progress;

/* Returns 0, or -1 after a message on standard error. */
int snapshot_write(const char* file, const network* net, const progress* at, const void* position,
                   uint64_t position_size);

/* Returns 1 and a position that the caller frees; 0 if there is no such file; -1 after a message. */
int snapshot_read(const char* file, network* net, progress* at, void** position, uint64_t* position_size);

#endif
