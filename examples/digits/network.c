#include "network.h"

#include <math.h>
#include <string.h>

static uint64_t next_bits(uint64_t* state) { /* xorshift64* (Vigna 2016) */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

/* Uniform in [-1, 1). */
static float next_uniform(uint64_t* state) {
  return (float)(int32_t)(next_bits(state) >> 32) / 2147483648.0f;
}

void network_init(network* net, uint64_t seed) {
  uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  const float scale1 = sqrtf(6.0f / (PIXELS + HIDDEN));
  const float scale2 = sqrtf(6.0f / (HIDDEN + CLASSES));
  memset(net, 0, sizeof *net);
  for (int h = 0; h < HIDDEN; ++h)
    for (int p = 0; p < PIXELS; ++p) net->weights.w1[h][p] = scale1 * next_uniform(&state);
  for (int c = 0; c < CLASSES; ++c)
    for (int h = 0; h < HIDDEN; ++h) net->weights.w2[c][h] = scale2 * next_uniform(&state);
}

/* The hidden layer (rectified) and the scores of the classes for one image. */
static void forward(const layers* w, const float* image, float* hidden, float* scores) {
  for (int h = 0; h < HIDDEN; ++h) {
    float sum = w->b1[h];
    for (int p = 0; p < PIXELS; ++p) sum += w->w1[h][p] * image[p];
    hidden[h] = sum > 0.0f ? sum : 0.0f;
  }
  for (int c = 0; c < CLASSES; ++c) {
    float sum = w->b2[c];
    for (int h = 0; h < HIDDEN; ++h) sum += w->w2[c][h] * hidden[h];
    scores[c] = sum;
  }
}

/* Turns scores into probabilities and returns the loss of the right class. */
static float softmax(float* scores, int64_t label) {
  float highest = scores[0];
  for (int c = 1; c < CLASSES; ++c) highest = scores[c] > highest ? scores[c] : highest;
  float sum = 0.0f;
  for (int c = 0; c < CLASSES; ++c) sum += scores[c] = expf(scores[c] - highest);
  for (int c = 0; c < CLASSES; ++c) scores[c] /= sum;
  return -logf(scores[label] + 1e-12f);
}

/* Adds the gradient of one image's loss to `gradient`. */
static float backward(const layers* w, const float* image, int64_t label, layers* gradient) {
  float hidden[HIDDEN];
  float scores[CLASSES];
  forward(w, image, hidden, scores);
  float loss = softmax(scores, label);
  scores[label] -= 1.0f;
  float slope[HIDDEN] = {0};
  for (int c = 0; c < CLASSES; ++c) {
    gradient->b2[c] += scores[c];
    for (int h = 0; h < HIDDEN; ++h) {
      gradient->w2[c][h] += scores[c] * hidden[h];
      slope[h] += scores[c] * w->w2[c][h];
    }
  }
  for (int h = 0; h < HIDDEN; ++h) {
    if (hidden[h] <= 0.0f) continue;
    gradient->b1[h] += slope[h];
    for (int p = 0; p < PIXELS; ++p) gradient->w1[h][p] += slope[h] * image[p];
  }
  return loss;
}

float network_train(network* net, const float* images, const int64_t* labels, int64_t count, float rate) {
  static layers gradient;
  memset(&gradient, 0, sizeof gradient);
  float loss = 0.0f;
  for (int64_t i = 0; i < count; ++i)
    loss += backward(&net->weights, images + i * PIXELS, labels[i], &gradient);
  /* Both structures are nothing but floats in one order. */
  float* weight = (float*)&net->weights;
  float* velocity = (float*)&net->velocity;
  const float* slope = (const float*)&gradient;
  for (size_t i = 0; i < sizeof(layers) / sizeof(float); ++i) {
    velocity[i] = 0.9f * velocity[i] - rate * (slope[i] / (float)count);
    weight[i] += velocity[i];
  }
  return loss;
}

int64_t network_count_correct(const network* net, const float* images, const int64_t* labels, int64_t count) {
  int64_t correct = 0;
  for (int64_t i = 0; i < count; ++i) {
    float hidden[HIDDEN];
    float scores[CLASSES];
    forward(&net->weights, images + i * PIXELS, hidden, scores);
    int best = 0;
    for (int c = 1; c < CLASSES; ++c) best = scores[c] > scores[best] ? c : best;
    correct += best == labels[i];
  }
  return correct;
}
