/* Trains a classifier of handwritten digits; all its data comes through weir.h.

   Two pipelines, one iterator: each epoch initialises it with the training data, then with the test data.
   With --feedable there are two iterators, and a feedable one that takes from either by its string handle, so
   the network is also tested in the middle of an epoch, and training goes on where it was.
   With --checkpoint the run can be killed at any moment and started again; it ends with the same weights,
   bit for bit. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "network.h"
#include "snapshot.h"
#include "weir/weir.h"

static const char kTrain[] =
    "param files: string\n"
    "list_files($files, seed: 7)\n"
    "  | interleave(f -> tfrecord(f, compression: \"gzip\"), cycle_length: 4)\n"
    "  | shuffle(1440, seed: 42)\n"
    "  | map(r -> parse_example(r, {image: string, label: int64}), num_parallel_calls: auto)\n"
    "  | map({image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label},\n"
    "        num_parallel_calls: auto)\n"
    "  | batch(32) | prefetch(auto)";

static const char kTest[] =
    "param files: string\n"
    "list_files($files, shuffle: false)\n"
    "  | flat_map(f -> tfrecord(f, compression: \"gzip\"))\n"
    "  | map(r -> parse_example(r, {image: string, label: int64}))\n"
    "  | map({image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label})\n"
    "  | batch(128) | prefetch(auto)";

typedef struct options {
  const char* data;
  const char* checkpoint; /* NULL: none */
  const char* weights;    /* NULL: not written */
  int64_t every;          /* steps between snapshots */
  int64_t epochs;
  int32_t threads;
  int trace;    /* one line per step */
  int feedable; /* two iterators, named by handle at each step */
} options;

/* What a step takes from. */
enum { kTraining, kTesting, kSources };

typedef struct source {
  weir_iterator iterator; /* the same in both places unless --feedable */
  weir_bytes handle;      /* empty unless --feedable */
} source;

typedef struct job {
  options opt;
  weir_runtime runtime;
  weir_dataset train;
  weir_dataset test;
  weir_iterator feedable;
  source sources[kSources];
  weir_element element;
  weir_error error;
  uint32_t image; /* the components of a batch */
  uint32_t label;
  network net;
  progress at;
} job;

/* What next() filled: images and labels of one batch. */
typedef struct batch {
  const float* images;
  const int64_t* labels;
  int64_t count;
} batch;

static void die(const char* what, const weir_error* error) {
  fprintf(stderr, "digits: %s: %s: %.*s\n", what, weir_code_name(error->code), (int)error->line.size,
          error->line.data ? error->line.data : "");
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 1: `out` is filled; 0: the epoch is over. */
static int next_batch(job* j, const source* from, batch* out) {
  if (j->opt.feedable) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.string_handle = from->handle.data;
    options.string_handle_size = from->handle.size;
    if (weir_iterator_initialize(j->feedable, (weir_dataset){0}, &options, &j->error) != WEIR_OK)
      die("reading", &j->error);
  }
  int32_t result = weir_iterator_next(j->opt.feedable ? j->feedable : from->iterator, j->element, &j->error);
  if (result == WEIR_END) return 0;
  if (result != WEIR_OK) die("reading", &j->error);
  weir_view images = WEIR_VIEW_INIT;
  weir_view labels = WEIR_VIEW_INIT;
  if (weir_element_view(j->element, j->image, &images, &j->error) != WEIR_OK ||
      weir_element_view(j->element, j->label, &labels, &j->error) != WEIR_OK) {
    die("viewing", &j->error);
  }
  out->images = images.data;
  out->labels = labels.data;
  out->count = labels.dims[0];
  return 1;
}

static void begin(job* j, const source* from, weir_dataset dataset, const char* pattern, const void* position,
                  uint64_t size) {
  char text[4096];
  int length = snprintf(text, sizeof text, "\"%s/%s\"", j->opt.data, pattern);
  if (length < 0 || (size_t)length >= sizeof text) {
    fprintf(stderr, "digits: the folder's name is too long\n");
    exit(2);
  }
  weir_argument files = WEIR_ARGUMENT_INIT;
  files.name = "files";
  files.name_size = WEIR_STRLEN;
  files.text = text;
  files.text_size = (uint64_t)length;
  weir_iterator_options begin = WEIR_ITERATOR_OPTIONS_INIT;
  begin.params = &files;
  begin.param_count = 1;
  begin.checkpoint = position;
  begin.checkpoint_size = size;
  if (weir_iterator_initialize(from->iterator, dataset, &begin, &j->error) != WEIR_OK)
    die("starting", &j->error);
}

static void write_snapshot(job* j) {
  weir_bytes position = WEIR_BYTES_INIT;
  if (weir_iterator_save(j->sources[kTraining].iterator, &position, &j->error) != WEIR_OK)
    die("saving", &j->error);
  if (snapshot_write(j->opt.checkpoint, &j->net, &j->at, position.data, position.size) != 0) exit(1);
  weir_bytes_release(&position);
}

static double test_accuracy(job* j) {
  int64_t correct = 0;
  int64_t count = 0;
  batch b;
  begin(j, &j->sources[kTesting], j->test, "test-*.tfrecord.gz", NULL, 0);
  while (next_batch(j, &j->sources[kTesting], &b)) {
    correct += network_count_correct(&j->net, b.images, b.labels, b.count);
    count += b.count;
  }
  return count ? (double)correct / (double)count : 0.0;
}

/* The rest of an epoch, from the iterator's position on. */
static void train_epoch(job* j) {
  float rate = 0.1f;
  for (int64_t i = 0; i < j->at.epoch; ++i) rate *= 0.95f;
  batch b;
  while (next_batch(j, &j->sources[kTraining], &b)) {
    j->at.loss_sum += network_train(&j->net, b.images, b.labels, b.count, rate);
    j->at.image_count += b.count;
    ++j->at.step;
    if (j->opt.trace) printf("step %" PRId64 "\n", j->at.step);
    if (j->at.step % j->opt.every != 0) continue;
    if (j->opt.checkpoint) write_snapshot(j);
    if (j->opt.feedable) printf("after step %" PRId64 ": accuracy %.4f\n", j->at.step, test_accuracy(j));
  }
}

static double run(job* j) {
  void* position = NULL;
  uint64_t position_size = 0;
  network_init(&j->net, 1);
  if (j->opt.checkpoint && snapshot_read(j->opt.checkpoint, &j->net, &j->at, &position, &position_size) < 0)
    exit(1);
  double accuracy = 0.0;
  for (; j->at.epoch < j->opt.epochs; ++j->at.epoch) {
    int64_t images_before = j->at.image_count;
    double started = now();
    begin(j, &j->sources[kTraining], j->train, "train-*.tfrecord.gz", position, position_size);
    free(position);
    position = NULL;
    position_size = 0;
    train_epoch(j);
    double rate = (double)(j->at.image_count - images_before) / (now() - started);
    accuracy = test_accuracy(j);
    printf("epoch %3" PRId64 "  loss %.4f  accuracy %.4f  images/s %.0f\n", j->at.epoch + 1,
           (double)j->at.loss_sum / (double)j->at.image_count, accuracy, rate);
    fflush(stdout);
    j->at.loss_sum = 0.0f;
    j->at.image_count = 0;
  }
  return accuracy;
}

/* One iterator for both, or one each and what names them. */
static void make_iterators(job* j, weir_spec spec) {
  const weir_dataset none = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.spec = spec;
  for (int i = 0; i < kSources; ++i) {
    source* from = &j->sources[i];
    if (i > 0 && !j->opt.feedable) {
      *from = j->sources[0];
      continue;
    }
    if (weir_iterator_create(j->runtime, none, &options, &from->iterator, &j->error) != WEIR_OK ||
        (j->opt.feedable &&
         weir_iterator_string_handle(from->iterator, &from->handle, &j->error) != WEIR_OK)) {
      die("building", &j->error);
    }
  }
  options.string_handle = j->sources[0].handle.data;
  options.string_handle_size = j->sources[0].handle.size;
  if (j->opt.feedable && weir_iterator_create(j->runtime, none, &options, &j->feedable, &j->error) != WEIR_OK)
    die("building", &j->error);
}

static void build(job* j) {
  weir_runtime_options runtime = WEIR_RUNTIME_OPTIONS_INIT;
  runtime.thread_count = j->opt.threads;
  weir_spec spec = {0};
  if (weir_runtime_create(&runtime, &j->runtime, &j->error) != WEIR_OK ||
      weir_dataset_parse(j->runtime, kTrain, WEIR_STRLEN, NULL, 0, &j->train, &j->error) != WEIR_OK ||
      weir_dataset_parse(j->runtime, kTest, WEIR_STRLEN, NULL, 0, &j->test, &j->error) != WEIR_OK ||
      weir_dataset_spec(j->train, &spec, &j->error) != WEIR_OK ||
      weir_spec_component(spec, "image", WEIR_STRLEN, &j->image, &j->error) != WEIR_OK ||
      weir_spec_component(spec, "label", WEIR_STRLEN, &j->label, &j->error) != WEIR_OK ||
      weir_element_create(&j->element, &j->error) != WEIR_OK) {
    die("building", &j->error);
  }
  make_iterators(j, spec);
  weir_spec_unref(spec);
}

static void tear_down(job* j) {
  weir_element_destroy(j->element);
  weir_iterator_destroy(j->feedable);
  for (int i = 0; i < kSources; ++i) {
    weir_bytes_release(&j->sources[i].handle);
    weir_iterator_destroy(j->sources[i].iterator);
  }
  weir_dataset_unref(j->test);
  weir_dataset_unref(j->train);
  weir_runtime_destroy(j->runtime);
  weir_error_clear(&j->error);
}

static void write_weights(const job* j) {
  FILE* out = fopen(j->opt.weights, "wb");
  if (!out || fwrite(&j->net.weights, sizeof j->net.weights, 1, out) != 1 || fclose(out) != 0) {
    fprintf(stderr, "digits: cannot write %s\n", j->opt.weights);
    exit(1);
  }
}

static int usage(void) {
  fprintf(stderr,
          "usage: digits [--data FOLDER] [--epochs N] [--threads N] [--checkpoint FILE [--every STEPS]]\n"
          "              [--weights FILE] [--trace] [--feedable]\n"
          "Trains on train-*.tfrecord.gz and tests on test-*.tfrecord.gz in FOLDER.\n"
          "--checkpoint  writes weights and position there every STEPS steps (20) and continues from it\n"
          "--weights     writes the final weights there\n"
          "--trace       prints a line per step\n"
          "--feedable    trains and tests through two handles, and tests every STEPS steps, too\n");
  return 2;
}

static int parse(int argc, char** argv, options* out) {
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--trace") == 0) {
      out->trace = 1;
      continue;
    }
    if (strcmp(argv[i], "--feedable") == 0) {
      out->feedable = 1;
      continue;
    }
    if (!value) return usage();
    if (strcmp(argv[i], "--data") == 0)
      out->data = value;
    else if (strcmp(argv[i], "--epochs") == 0)
      out->epochs = atoll(value);
    else if (strcmp(argv[i], "--threads") == 0)
      out->threads = atoi(value);
    else if (strcmp(argv[i], "--checkpoint") == 0)
      out->checkpoint = value;
    else if (strcmp(argv[i], "--every") == 0)
      out->every = atoll(value);
    else if (strcmp(argv[i], "--weights") == 0)
      out->weights = value;
    else
      return usage();
    ++i;
  }
  return out->every < 1 || out->epochs < 1 ? usage() : 0;
}

int main(int argc, char** argv) {
  static job j = {.opt = {.data = "examples/digits/data", .every = 20, .epochs = 30},
                  .error = WEIR_ERROR_INIT};
  int bad = parse(argc, argv, &j.opt);
  if (bad) return bad;
  setvbuf(stdout, NULL, _IOLBF, 0);
  build(&j);
  double accuracy = run(&j);
  if (j.opt.weights) write_weights(&j);
  tear_down(&j);
  printf("accuracy on the test set: %.4f\n", accuracy);
  return accuracy >= 0.97 || j.opt.epochs < 30 ? 0 : 1;
}
