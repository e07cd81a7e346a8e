// Driver: the functions of NVIDIA's driver that weir uses. The library is opened at first use, so that weir
// loads and runs without it; no header of CUDA is needed. Everything that talks to a device goes through this
// table.
#pragma once

#include <cstddef>

#include "core/status.h"

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;

namespace weir::cuda {

// As in cuda.h, of CUDA 11.3 and later.
using Answer = int;
using Device = int;
using Address = unsigned long long;
using Context = CUctx_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;

inline constexpr Answer kSuccess = 0;
inline constexpr Answer kOutOfMemory = 2;
inline constexpr Answer kNotInitialized = 3;
inline constexpr Answer kDeinitialized = 4;
inline constexpr Answer kNoDevice = 100;
inline constexpr Answer kInvalidContext = 201;
inline constexpr Answer kInvalidHandle = 400;
inline constexpr Answer kNotReady = 600;
inline constexpr Answer kContextIsDestroyed = 709;

// Does not wait for the legacy stream, nor that for it.
inline constexpr unsigned kStreamNonBlocking = 1;
// A thread that waits sleeps; the time is not noted.
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kEventDisableTiming = 2;
// Pinned for all devices.
inline constexpr unsigned kHostRegisterPortable = 1;
// The NUMA node of the host that is nearest, -1 if there is none.
inline constexpr int kAttributeHostNumaId = 134;

// F(name, result of cuGetProcAddress, parameters)
#define WEIR_CUDA_FUNCTIONS(F)                                                                        \
  F(init, "cuInit", (unsigned flags))                                                                 \
  F(device_get_count, "cuDeviceGetCount", (int* count))                                               \
  F(device_get, "cuDeviceGet", (Device * device, int ordinal))                                        \
  F(device_get_attribute, "cuDeviceGetAttribute", (int* value, int attribute, Device device))         \
  F(primary_retain, "cuDevicePrimaryCtxRetain", (Context * context, Device device))                   \
  F(primary_state, "cuDevicePrimaryCtxGetState", (Device device, unsigned* flags, int* active))       \
  F(push_current, "cuCtxPushCurrent", (Context context))                                              \
  F(pop_current, "cuCtxPopCurrent", (Context * context))                                              \
  F(synchronize, "cuCtxSynchronize", ())                                                              \
  F(mem_alloc, "cuMemAlloc", (Address * address, size_t bytes))                                       \
  F(mem_free, "cuMemFree", (Address address))                                                         \
  F(mem_get_info, "cuMemGetInfo", (size_t * free, size_t * total))                                    \
  F(host_register, "cuMemHostRegister", (void* data, size_t bytes, unsigned flags))                   \
  F(host_unregister, "cuMemHostUnregister", (void* data))                                             \
  F(copy_to_device, "cuMemcpyHtoDAsync", (Address to, const void* from, size_t bytes, Stream stream)) \
  F(copy_to_host, "cuMemcpyDtoH", (void* to, Address from, size_t bytes))                             \
  F(stream_create, "cuStreamCreate", (Stream * stream, unsigned flags))                               \
  F(stream_destroy, "cuStreamDestroy", (Stream stream))                                               \
  F(stream_synchronize, "cuStreamSynchronize", (Stream stream))                                       \
  F(stream_wait_event, "cuStreamWaitEvent", (Stream stream, Event event, unsigned flags))             \
  F(event_create, "cuEventCreate", (Event * event, unsigned flags))                                   \
  F(event_destroy, "cuEventDestroy", (Event event))                                                   \
  F(event_record, "cuEventRecord", (Event event, Stream stream))                                      \
  F(event_query, "cuEventQuery", (Event event))                                                       \
  F(event_synchronize, "cuEventSynchronize", (Event event))                                           \
  F(get_error_name, "cuGetErrorName", (Answer answer, const char** name))                             \
  F(get_error_string, "cuGetErrorString", (Answer answer, const char** text))

struct Driver {
#define WEIR_CUDA_MEMBER(name, symbol, parameters) Answer(*name) parameters = nullptr;
  WEIR_CUDA_FUNCTIONS(WEIR_CUDA_MEMBER)
#undef WEIR_CUDA_MEMBER

  // "CUDA_ERROR_INVALID_VALUE (1: invalid argument)".
  std::string describe(Answer answer) const;
};

// The driver, opened and initialised. Tries again after a failure. Errors: failed_precondition if there is
// none, if it is too old, or in a process that was forked from one that used it.
Result<const Driver*> open_driver();
// Whether this process is the one that opened the driver, which a fork's child cannot use.
bool driver_is_ours();

}  // namespace weir::cuda
