#include "fake_cuda/fake_cuda.h"

#include "fake_cuda/world.h"

using namespace fake_cuda;

namespace {

using Answer = int;
constexpr Answer kSuccess = 0;
constexpr Answer kInvalidValue = 1;
constexpr Answer kOutOfMemory = 2;
constexpr Answer kNoDevice = 100;
constexpr Answer kInvalidDevice = 101;
constexpr Answer kInvalidContext = 201;
constexpr Answer kInvalidHandle = 400;
constexpr Answer kNotReady = 600;
constexpr Answer kContextIsDestroyed = 709;

// Answers as the function says, unless it is to fail.
template <class Body>
Answer called(const char* function, Body&& body) {
  const Lock lock(world().mutex);
  world().advance();
  if (const Answer planned = world().count_call(function)) return planned;
  return body(world());
}

template <class Body>
Answer in_context(const char* function, Body&& body) {
  return called(function, [&](World& w) -> Answer {
    Context* const context = w.current();
    if (!context) {
      w.trap(std::string(function) + " without a current context");
      return kInvalidContext;
    }
    if (context->destroyed) return kContextIsDestroyed;
    return body(w, *context);
  });
}

Answer init(unsigned) {
  return called("cuInit", [](World& w) { return w.device_count == 0 ? kNoDevice : kSuccess; });
}
Answer device_get_count(int* count) {
  return called("cuDeviceGetCount", [&](World& w) {
    *count = w.device_count;
    return kSuccess;
  });
}
Answer device_get(int* device, int ordinal) {
  return called("cuDeviceGet", [&](World& w) {
    if (ordinal < 0 || ordinal >= w.device_count) return kInvalidDevice;
    *device = ordinal;
    return kSuccess;
  });
}
Answer device_get_attribute(int* value, int attribute, int) {
  return called("cuDeviceGetAttribute", [&](World&) {
    if (attribute != 134) return kInvalidValue;
    *value = 0;
    return kSuccess;
  });
}
Answer primary_retain(Context** context, int device) {
  return called("cuDevicePrimaryCtxRetain", [&](World& w) {
    *context = &w.primary(device);
    return kSuccess;
  });
}
Answer primary_state(int device, unsigned* flags, int* active) {
  return called("cuDevicePrimaryCtxGetState", [&](World& w) {
    *flags = 0;
    *active = w.has_primary(device) ? 1 : 0;
    return kSuccess;
  });
}
Answer push_current(Context* context) {
  return called("cuCtxPushCurrent", [&](World& w) {
    if (!w.knows(context)) {
      w.trap("cuCtxPushCurrent with what is no context");
      return kInvalidContext;
    }
    if (context->destroyed) return kContextIsDestroyed;
    // What is popped afterwards must have been pushed.
    if (w.plant == Plant::no_push) context = w.current();
    if (w.plant == Plant::wrong_device && w.device_count > 1) context = &w.primary(1 - context->device % 2);
    stack().push_back(context);
    return kSuccess;
  });
}
Answer pop_current(Context** context) {
  return called("cuCtxPopCurrent", [&](World& w) {
    if (stack().empty()) {
      w.trap("cuCtxPopCurrent without a current context");
      return kInvalidContext;
    }
    *context = stack().back();
    stack().pop_back();
    return kSuccess;
  });
}
Answer synchronize() {
  return in_context("cuCtxSynchronize", [](World& w, Context& context) {
    if (w.plant != Plant::no_synchronize) w.finish_context(context);
    return kSuccess;
  });
}
Answer mem_alloc(Address* address, size_t bytes) {
  return in_context("cuMemAlloc", [&](World& w, Context& context) {
    if (bytes == 0) return kInvalidValue;
    return w.allocate(context, bytes, *address) ? kSuccess : kOutOfMemory;
  });
}
Answer mem_free(Address address) {
  return in_context("cuMemFree",
                    [&](World& w, Context&) { return w.free(address) ? kSuccess : kInvalidValue; });
}
Answer mem_get_info(size_t* free, size_t* total) {
  return in_context("cuMemGetInfo", [&](World& w, Context& context) {
    *total = w.device_bytes;
    *free = w.device_bytes - w.used_bytes(context.device);
    return kSuccess;
  });
}
Answer host_register(void* data, size_t bytes, unsigned) {
  return in_context("cuMemHostRegister", [&](World& w, Context&) {
    if (w.plant != Plant::no_register) w.pinned[reinterpret_cast<uintptr_t>(data)] = bytes;
    return kSuccess;
  });
}
Answer host_unregister(void* data) {
  return in_context("cuMemHostUnregister",
                    [&](World& w, Context&) { return w.unpin(data) ? kSuccess : kInvalidValue; });
}
Answer copy_to_device(Address to, const void* from, size_t bytes, Stream* stream) {
  return in_context("cuMemcpyHtoDAsync", [&](World& w, Context& context) {
    return w.queue_copy(context, stream, to, from, bytes) ? kSuccess : kInvalidValue;
  });
}
Answer copy_to_host(void* to, Address from, size_t bytes) {
  return in_context("cuMemcpyDtoH", [&](World& w, Context& context) {
    w.finish_context(context);
    return w.read(from, bytes, to) ? kSuccess : kInvalidValue;
  });
}
Answer stream_create(Stream** stream, unsigned flags) {
  return in_context("cuStreamCreate", [&](World& w, Context& context) {
    *stream = w.make_stream(context, (flags & 1) == 0, false);
    return kSuccess;
  });
}
Answer stream_destroy(Stream* stream) {
  return in_context("cuStreamDestroy",
                    [&](World& w, Context&) { return w.end_stream(stream) ? kSuccess : kInvalidHandle; });
}
Answer stream_synchronize(Stream* stream) {
  return in_context("cuStreamSynchronize", [&](World& w, Context& context) {
    Stream* const found = w.find(context, stream);
    if (!found) return kInvalidHandle;
    if (w.plant != Plant::no_synchronize) w.finish_stream(*found);
    return kSuccess;
  });
}
Answer stream_wait_event(Stream* stream, Event* event, unsigned) {
  return in_context("cuStreamWaitEvent", [&](World& w, Context& context) {
    return w.queue_wait(context, stream, event) ? kSuccess : kInvalidHandle;
  });
}
Answer event_create(Event** event, unsigned) {
  return in_context("cuEventCreate", [&](World& w, Context& context) {
    *event = w.make_event(context);
    return kSuccess;
  });
}
Answer event_destroy(Event* event) {
  return in_context("cuEventDestroy",
                    [&](World& w, Context&) { return w.end_event(event) ? kSuccess : kInvalidHandle; });
}
Answer event_record(Event* event, Stream* stream) {
  return in_context("cuEventRecord", [&](World& w, Context& context) {
    return w.queue_record(context, stream, event) ? kSuccess : kInvalidHandle;
  });
}
Answer event_query(Event* event) {
  return in_context("cuEventQuery", [&](World& w, Context&) {
    if (!w.knows(event)) return kInvalidHandle;
    return w.plant == Plant::query_says_done || event->done() ? kSuccess : kNotReady;
  });
}
Answer event_synchronize(Event* event) {
  return in_context("cuEventSynchronize", [&](World& w, Context&) {
    if (!w.knows(event)) return kInvalidHandle;
    if (w.plant != Plant::no_event_synchronize) w.finish_event(*event);
    return kSuccess;
  });
}
Answer get_error_name(Answer answer, const char** name) {
  *name = answer == kOutOfMemory          ? "CUDA_ERROR_OUT_OF_MEMORY"
          : answer == kNoDevice           ? "CUDA_ERROR_NO_DEVICE"
          : answer == kInvalidContext     ? "CUDA_ERROR_INVALID_CONTEXT"
          : answer == kContextIsDestroyed ? "CUDA_ERROR_CONTEXT_IS_DESTROYED"
                                          : "CUDA_ERROR_OF_THE_FAKE";
  return kSuccess;
}
Answer get_error_string(Answer, const char** text) {
  *text = "as the fake driver was told";
  return kSuccess;
}

struct Function {
  const char* name;
  void* address;
};
const Function kFunctions[] = {
#define FAKE(name, function) \
  { name, reinterpret_cast<void*>(function) }
    FAKE("cuInit", init),
    FAKE("cuDeviceGetCount", device_get_count),
    FAKE("cuDeviceGet", device_get),
    FAKE("cuDeviceGetAttribute", device_get_attribute),
    FAKE("cuDevicePrimaryCtxRetain", primary_retain),
    FAKE("cuDevicePrimaryCtxGetState", primary_state),
    FAKE("cuCtxPushCurrent", push_current),
    FAKE("cuCtxPopCurrent", pop_current),
    FAKE("cuCtxSynchronize", synchronize),
    FAKE("cuMemAlloc", mem_alloc),
    FAKE("cuMemFree", mem_free),
    FAKE("cuMemGetInfo", mem_get_info),
    FAKE("cuMemHostRegister", host_register),
    FAKE("cuMemHostUnregister", host_unregister),
    FAKE("cuMemcpyHtoDAsync", copy_to_device),
    FAKE("cuMemcpyDtoH", copy_to_host),
    FAKE("cuStreamCreate", stream_create),
    FAKE("cuStreamDestroy", stream_destroy),
    FAKE("cuStreamSynchronize", stream_synchronize),
    FAKE("cuStreamWaitEvent", stream_wait_event),
    FAKE("cuEventCreate", event_create),
    FAKE("cuEventDestroy", event_destroy),
    FAKE("cuEventRecord", event_record),
    FAKE("cuEventQuery", event_query),
    FAKE("cuEventSynchronize", event_synchronize),
    FAKE("cuGetErrorName", get_error_name),
    FAKE("cuGetErrorString", get_error_string),
#undef FAKE
};

}  // namespace

extern "C" {

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int cuGetProcAddress(const char* symbol, void** function, int version, uint64_t flags) {
  *function = nullptr;
  // The legacy stream must be meant by 0, as the library's caller says.
  if (version < 11030 || flags != 1) return kInvalidValue;
  for (const Function& known : kFunctions) {
    if (std::string_view(known.name) == symbol) *function = known.address;
  }
  return *function ? kSuccess : kInvalidValue;
}

EXPORTED void fake_cuda_schedule(int when, uint64_t seed) {
  const Lock lock(world().mutex);
  world().when = when;
  world().random = seed * 2 + 1;
}
EXPORTED void fake_cuda_devices(int count, size_t bytes) {
  const Lock lock(world().mutex);
  world().device_count = count;
  world().device_bytes = bytes;
}
EXPORTED void fake_cuda_fail(const char* function, int after, int count, int answer) {
  const Lock lock(world().mutex);
  world().failing = {function, after, count, answer};
}
EXPORTED int64_t fake_cuda_calls(const char* function) {
  const Lock lock(world().mutex);
  return world().calls[function];
}
EXPORTED void fake_cuda_forget(void) {
  const Lock lock(world().mutex);
  world().calls.clear();
}
EXPORTED const char* fake_cuda_trap(void) {
  static thread_local std::string text;
  const Lock lock(world().mutex);
  text.swap(world().trapped);
  world().trapped.clear();
  return text.empty() ? nullptr : text.c_str();
}
EXPORTED void* fake_cuda_stream(int device, int blocking) {
  const Lock lock(world().mutex);
  return world().make_stream(world().primary(device), blocking != 0, true);
}
EXPORTED void fake_cuda_end_stream(void* stream) {
  const Lock lock(world().mutex);
  world().end_stream(static_cast<Stream*>(stream));
}
EXPORTED void fake_cuda_read(int device, void* stream, const void* from, size_t bytes, void* to) {
  const Lock lock(world().mutex);
  World& w = world();
  w.queue_read(w.primary(device), static_cast<Stream*>(stream), reinterpret_cast<Address>(from), bytes, to);
}
EXPORTED void fake_cuda_write(int device, void* stream, void* to, size_t bytes, int value) {
  const Lock lock(world().mutex);
  World& w = world();
  w.queue_write(w.primary(device), static_cast<Stream*>(stream), reinterpret_cast<Address>(to), bytes, value);
}
EXPORTED void fake_cuda_finish(void) {
  const Lock lock(world().mutex);
  world().finish_all();
}
EXPORTED void fake_cuda_device_reset(int device) {
  const Lock lock(world().mutex);
  world().reset(device);
}
EXPORTED void* fake_cuda_use(int device) {
  const Lock lock(world().mutex);
  stack().assign(1, &world().primary(device));
  return stack().back();
}
EXPORTED void* fake_cuda_current(int* depth) {
  const Lock lock(world().mutex);
  if (depth) *depth = static_cast<int>(stack().size());
  return world().current();
}
EXPORTED size_t fake_cuda_device_bytes(void) {
  const Lock lock(world().mutex);
  size_t bytes = 0;
  for (int i = 0; i < world().device_count; ++i) bytes += world().used_bytes(i);
  return bytes;
}
EXPORTED size_t fake_cuda_pinned_bytes(void) {
  const Lock lock(world().mutex);
  size_t sum = 0;
  for (const auto& [begin, bytes] : world().pinned) sum += bytes;
  return sum;
}
EXPORTED size_t fake_cuda_streams(void) {
  const Lock lock(world().mutex);
  return world().stream_count();
}
EXPORTED int fake_cuda_plants(void) { return static_cast<int>(Plant::count) - 1; }
EXPORTED const char* fake_cuda_plant_name(int plant) { return name_of(static_cast<Plant>(plant)); }
EXPORTED void fake_cuda_plant(int plant) {
  const Lock lock(world().mutex);
  world().plant = static_cast<Plant>(plant);
}

}  // extern "C"
