/* A driver in place of libcuda.so.1, for tests. It has streams whose work is done late, in any order that
 * their events and the rules of streams allow, events, several devices, and memory of devices that the host
 * cannot touch. A program that is linked with it, or has opened it, is given it for "libcuda.so.1". */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When queued work is done: at a synchronisation only; at any call, some of it, as the seed says; at once. */
#define FAKE_CUDA_LATE 0
#define FAKE_CUDA_SOME 1
#define FAKE_CUDA_NOW 2
void fake_cuda_schedule(int when, uint64_t seed);

/* How many devices there are, 2 at first, and the bytes of each, 64 MiB at first. */
void fake_cuda_devices(int count, size_t bytes);
/* Call number `after` of that function from now on, counted from 0, and all later ones up to `count`, give
 * this answer. "" ends it. */
void fake_cuda_fail(const char* function, int after, int count, int answer);
/* Calls of a function since the last fake_cuda_forget(). */
int64_t fake_cuda_calls(const char* function);
void fake_cuda_forget(void);

/* What was done wrong, or NULL: host memory was written under a copy that read it; memory was freed under
 * work that used it; a foreign or no context; memory that was not registered; work that can never be done.
 * Forgets it. */
const char* fake_cuda_trap(void);

/* A stream of the consumer's; `blocking` ones wait for the legacy stream and that for them. */
void* fake_cuda_stream(int device, int blocking);
void fake_cuda_end_stream(void* stream);
/* Queues work of a consumer that reads the memory of a device, or writes to it, when it is done. */
void fake_cuda_read(int device, void* stream, const void* from, size_t bytes, void* to);
void fake_cuda_write(int device, void* stream, void* to, size_t bytes, int value);
/* Does all queued work. */
void fake_cuda_finish(void);

/* As cudaDeviceReset. */
void fake_cuda_device_reset(int device);
/* Makes the primary context of a device current, as a host does; returns it. */
void* fake_cuda_use(int device);
/* The current context, and how many lie below it. */
void* fake_cuda_current(int* depth);
/* Bytes of all devices, and ranges of the host's memory, that are in use. */
size_t fake_cuda_device_bytes(void);
size_t fake_cuda_pinned_bytes(void);
/* Streams that were made and not destroyed, legacy ones and those of threads among them. */
size_t fake_cuda_streams(void);

/* Lets the program that uses the driver behave as if it had that mistake; 0: none. */
int fake_cuda_plants(void);
const char* fake_cuda_plant_name(int plant);
void fake_cuda_plant(int plant);

#ifdef __cplusplus
}
#endif
