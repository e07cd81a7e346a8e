/* A classifier of 8 x 8 images with one hidden layer: weights, one step of training, prediction.
   Plain float arithmetic in a fixed order, so that equal inputs give equal weights, bit for bit. */
#ifndef DIGITS_NETWORK_H
#define DIGITS_NETWORK_H

#include <stdint.h>

enum { PIXELS = 64, HIDDEN = 64, CLASSES = 10, MAX_BATCH = 1024 };

typedef struct layers {
  float w1[HIDDEN][PIXELS];
  float b1[HIDDEN];
  float w2[CLASSES][HIDDEN];
  float b2[CLASSES];
} layers;

typedef struct network {
  layers weights;
  layers velocity; /* of gradient descent with momentum */
} network;

/* Small random weights; equal seeds give equal ones. */
void network_init(network* net, uint64_t seed);

/* One step of gradient descent on `count` images (at most MAX_BATCH); returns the sum of their losses. */
float network_train(network* net, const float* images, const int64_t* labels, int64_t count, float rate);

/* How many of the images are classified as labelled. */
int64_t network_count_correct(const network* net, const float* images, const int64_t* labels, int64_t count);

#endif
