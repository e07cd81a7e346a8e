/* What a program in which weir is embedded needs for the tests: weir loaded by its file's name, a pipeline
 * that uses everything that the library stands on, and a description of what the process is like. A library
 * of its own, which programs in C link and Python loads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Loads the library by dlopen with RTLD_NOW and RTLD_LOCAL, or RTLD_GLOBAL if `global`. Returns 0, or -1 with
 * a line on standard error. */
int probe_load(const char* library, int global);

/* The pipeline's document; its arguments are @digits, @people, @photo, @drawing and @moving. */
const char* probe_document(void);

/* Runs the pipeline on `threads` threads of the library, from as many threads of the host, each with an
 * iterator of its own. Returns the hash of the elements, or 0 with a line on standard error if something
 * failed or threads disagree. */
uint64_t probe_run(const char* folder, int threads);

/* The same in pieces, of one iterator: the first elements, and the rest with the hash of all. */
int probe_begin(const char* folder, int threads);
uint64_t probe_finish(void);
/* Takes an element of the iterator that was begun. Returns what weir_iterator_next returns. */
int32_t probe_next(void);
/* Leaves the line of the last error in `out`. */
void probe_error(char* out, size_t size);

/* Writes what of the process belongs to the host, as lines of "name: value". Returns the number of bytes. */
size_t probe_state(char* out, size_t size);
/* The number of threads that are called as the program is, or weir's by their name: a host's helpers have
 * names. */
int probe_threads(void);
