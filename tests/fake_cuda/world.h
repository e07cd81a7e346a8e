// The state of the fake driver. Everything is guarded by World::mutex.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fake_cuda {

using Address = unsigned long long;
using Lock = std::lock_guard<std::recursive_mutex>;

enum class Plant : int {
  none,
#define PLANT(name, text) name,
#include "fake_cuda/plants.inc"
#undef PLANT
  count
};
const char* name_of(Plant plant);

struct Context {
  int device = 0;
  bool destroyed = false;
};

struct Event {
  Context* context = nullptr;
  uint64_t recorded = 0;
  // Whether its last recording is done, and the one before. Who waits for a recording waits for that one,
  // also when the event is recorded again, perhaps on another stream.
  std::shared_ptr<bool> last;
  std::shared_ptr<bool> former;
  bool done() const { return !last || *last; }
};

struct Op {
  enum class Kind : uint8_t { copy, read, write, record, wait };
  Kind kind = Kind::copy;
  uint64_t number = 0;
  // The device's memory, and the host's.
  Address address = 0;
  size_t bytes = 0;
  const void* from = nullptr;
  void* to = nullptr;
  int value = 0;
  // Of what a copy reads, when it was queued.
  uint64_t digest = 0;
  // What it does or waits for.
  std::shared_ptr<bool> recording;
};

struct Stream {
  Context* context = nullptr;
  bool legacy = false;
  bool blocking = false;
  // A consumer's, not the library's.
  bool consumer = false;
  std::deque<Op> ops;
};

struct Memory {
  size_t bytes = 0;
  size_t mapped = 0;
  uint8_t* alias = nullptr;
  Context* context = nullptr;
};

class World {
 public:
  void trap(const std::string& what);
  // Does some of the work that is queued, as the schedule says.
  void advance();
  int count_call(const char* function);
  Context* current() const;
  Context& primary(int device);
  bool has_primary(int device) const;
  bool knows(Context* context) const;
  bool knows(Event* event) const { return events_.count(event) > 0; }
  void reset(int device);

  bool allocate(Context& context, size_t bytes, Address& address);
  bool free(Address address);
  size_t used_bytes(int device) const;
  bool read(Address from, size_t bytes, void* to);
  bool unpin(void* data);

  Stream* make_stream(Context& context, bool blocking, bool consumer);
  bool end_stream(Stream* stream);
  size_t stream_count() const { return streams_.size(); }
  // 0 and 1 are the legacy stream, 2 that of this thread. Null if there is no such stream.
  Stream* find(Context& context, Stream* stream);
  Event* make_event(Context& context);
  bool end_event(Event* event);
  bool queue_copy(Context& context, Stream* stream, Address to, const void* from, size_t bytes);
  bool queue_wait(Context& context, Stream* stream, Event* event);
  bool queue_record(Context& context, Stream* stream, Event* event);
  void queue_read(Context& context, Stream* stream, Address from, size_t bytes, void* to);
  void queue_write(Context& context, Stream* stream, Address to, size_t bytes, int value);

  void finish_event(Event& event);
  void finish_stream(Stream& stream);
  void finish_context(Context& context);
  void finish_all();

  std::recursive_mutex mutex;
  int when = 1;
  uint64_t random = 1;
  int device_count = 2;
  size_t device_bytes = size_t{64} << 20;
  Plant plant = Plant::none;
  std::string trapped;
  std::map<std::string, int64_t> calls;
  std::map<uintptr_t, size_t> pinned;
  struct Failing {
    std::string function;
    int after = 0;
    int count = 0;
    int answer = 0;
  } failing;

 private:
  uint64_t draw();
  Op& push(Stream& stream, Op op);
  void insert_record(Stream& stream, Op op, bool before_all);
  bool may_run(const Stream& stream) const;
  bool run_one();
  void run(Stream& stream);
  uint8_t* memory_at(Address address, size_t bytes, const Context* context);
  bool uses_pending(Address begin, size_t bytes) const;
  bool reads_pending(uintptr_t begin, size_t bytes) const;
  bool is_copying(const Stream& stream) const {
    return !stream.legacy && !stream.consumer && !stream.blocking;
  }
  Stream* any_consumer(Context& context, const Stream* but);
  Stream* planted_wait_stream(Context& context, Stream* stream, bool reuse, Event* event,
                              std::shared_ptr<bool>& recording);
  Stream* planted_record_stream(Context& context, Stream* stream, bool ready, Event*& event);

  uint64_t number_ = 0;
  std::map<int, std::unique_ptr<Context>> primaries_;
  std::vector<std::unique_ptr<Context>> destroyed_;
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  std::map<Context*, Stream*> legacy_;
  std::map<std::pair<Context*, std::thread::id>, Stream*> of_threads_;
  std::map<Event*, std::shared_ptr<Event>> events_;
  std::map<Address, Memory> memory_;
  // What planted mistakes remember.
  int64_t nth_ = 0;
  bool waited_since_copy_ = false;
  Event* former_ = nullptr;
  Event* first_ = nullptr;
  std::map<Event*, uint64_t> waited_for_;
  std::vector<std::pair<Stream*, Op>> late_;
};

World& world();
// The contexts of this thread.
std::vector<Context*>& stack();

}  // namespace fake_cuda
