#include "fake_cuda/world.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace fake_cuda {
namespace {

constexpr size_t kPage = 4096;

uint64_t digest_of(const void* data, size_t bytes) {
  uint64_t digest = 1469598103934665603u;
  const auto* at = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < bytes; ++i) digest = (digest ^ at[i]) * 1099511628211u;
  return digest;
}

}  // namespace

World& world() {
  static World& instance = *new World;
  return instance;
}

std::vector<Context*>& stack() {
  static thread_local std::vector<Context*> contexts;
  return contexts;
}

const char* name_of(Plant plant) {
  switch (plant) {
#define PLANT(name, text) \
  case Plant::name:       \
    return text;
#include "fake_cuda/plants.inc"
#undef PLANT
    default:
      return "no mistake";
  }
}

void World::trap(const std::string& what) {
  if (trapped.empty()) trapped = what;
}

uint64_t World::draw() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random;
}

void World::advance() {
  if (when == 0) return;
  if (when == 2) {
    while (run_one()) {
    }
    return;
  }
  for (uint64_t n = draw() % 4; n > 0 && run_one(); --n) {
  }
}

int World::count_call(const char* function) {
  ++calls[function];
  if (failing.function != function) return 0;
  if (failing.after-- > 0 || failing.count <= 0) return 0;
  --failing.count;
  return failing.answer;
}

// ---- Contexts

Context* World::current() const { return stack().empty() ? nullptr : stack().back(); }

Context& World::primary(int device) {
  auto& context = primaries_[device];
  if (!context) {
    context = std::make_unique<Context>();
    context->device = device;
  }
  return *context;
}

bool World::has_primary(int device) const { return primaries_.count(device) > 0; }

bool World::knows(Context* context) const {
  const auto is_it = [&](const auto& each) { return each.get() == context; };
  return std::any_of(destroyed_.begin(), destroyed_.end(), is_it) ||
         std::any_of(primaries_.begin(), primaries_.end(), [&](const auto& p) { return is_it(p.second); });
}

// Its work, streams, events and memory are gone.
void World::reset(int device) {
  const auto found = primaries_.find(device);
  if (found == primaries_.end()) return;
  Context* const context = found->second.get();
  context->destroyed = true;
  destroyed_.push_back(std::move(found->second));
  primaries_.erase(found);
  for (auto& [handle, stream] : streams_) {
    if (stream->context == context) stream->ops.clear();
  }
  for (auto at = memory_.begin(); at != memory_.end();) {
    Memory& memory = at->second;
    if (memory.context != context) {
      ++at;
      continue;
    }
    ::munmap(memory.alias, memory.mapped);
    ::munmap(reinterpret_cast<void*>(at->first), memory.mapped);
    at = memory_.erase(at);
  }
}

// ---- Memory

// The device's memory is mapped twice: the address that the program gets cannot be touched.
bool World::allocate(Context& context, size_t bytes, Address& address) {
  if (used_bytes(context.device) + bytes > device_bytes) return false;
  Memory memory;
  memory.bytes = bytes;
  memory.mapped = (bytes + kPage - 1) / kPage * kPage;
  memory.context = &context;
  const int file = ::memfd_create("fake_cuda", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(memory.mapped)) != 0) return false;
  void* alias = ::mmap(nullptr, memory.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* outside = ::mmap(nullptr, memory.mapped, PROT_NONE, MAP_SHARED, file, 0);
  ::close(file);
  if (alias == MAP_FAILED || outside == MAP_FAILED) return false;
  memory.alias = static_cast<uint8_t*>(alias);
  std::memset(alias, 0xA5, memory.mapped);
  address = reinterpret_cast<Address>(outside);
  memory_[address] = memory;
  return true;
}

bool World::free(Address address) {
  const auto found = memory_.find(address);
  if (found == memory_.end()) {
    trap("cuMemFree of what is no memory");
    return false;
  }
  if (uses_pending(address, found->second.bytes)) {
    trap("memory of a device was freed under work that uses it");
    finish_all();
  }
  ::munmap(found->second.alias, found->second.mapped);
  ::munmap(reinterpret_cast<void*>(address), found->second.mapped);
  memory_.erase(found);
  return true;
}

size_t World::used_bytes(int device) const {
  size_t sum = 0;
  for (const auto& [address, memory] : memory_) {
    if (memory.context->device == device) sum += memory.bytes;
  }
  return sum;
}

uint8_t* World::memory_at(Address address, size_t bytes, const Context* context) {
  auto after = memory_.upper_bound(address);
  if (after == memory_.begin()) {
    trap("work on what is no memory of a device");
    return nullptr;
  }
  const auto& [begin, memory] = *--after;
  if (address + bytes > begin + memory.bytes) {
    trap("work on what is no memory of a device");
    return nullptr;
  }
  if (context && memory.context != context) trap("work on the memory of a foreign context");
  return memory.alias + (address - begin);
}

bool World::read(Address from, size_t bytes, void* to) {
  const uint8_t* data = memory_at(from, bytes, nullptr);
  if (data) std::memcpy(to, data, bytes);
  return data != nullptr;
}

bool World::uses_pending(Address begin, size_t bytes) const {
  for (const auto& [handle, stream] : streams_) {
    for (const Op& op : stream->ops) {
      if (op.bytes > 0 && op.address < begin + bytes && begin < op.address + op.bytes) return true;
    }
  }
  return false;
}

bool World::reads_pending(uintptr_t begin, size_t bytes) const {
  for (const auto& [handle, stream] : streams_) {
    for (const Op& op : stream->ops) {
      const auto from = reinterpret_cast<uintptr_t>(op.from);
      if (op.kind == Op::Kind::copy && from < begin + bytes && begin < from + op.bytes) return true;
    }
  }
  return false;
}

bool World::unpin(void* data) {
  const auto found = pinned.find(reinterpret_cast<uintptr_t>(data));
  if (found == pinned.end()) {
    trap("cuMemHostUnregister of what is not registered");
    return false;
  }
  if (reads_pending(found->first, found->second)) {
    trap("pinned memory was given up under a copy that reads it");
    finish_all();
  }
  pinned.erase(found);
  return true;
}

// ---- Streams and events

Stream* World::make_stream(Context& context, bool blocking, bool consumer) {
  auto stream = std::make_unique<Stream>();
  stream->context = &context;
  stream->blocking = blocking;
  stream->consumer = consumer;
  Stream* const handle = stream.get();
  streams_[handle] = std::move(stream);
  return handle;
}

bool World::end_stream(Stream* stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    trap("a stream that is no stream was destroyed");
    return false;
  }
  finish_stream(*stream);
  streams_.erase(found);
  return true;
}

Stream* World::find(Context& context, Stream* stream) {
  const auto number = reinterpret_cast<uintptr_t>(stream);
  if (number <= 1) {
    Stream*& legacy = legacy_[&context];
    if (!legacy) {
      legacy = make_stream(context, true, true);
      legacy->legacy = true;
    }
    return legacy;
  }
  if (number == 2) {
    Stream*& own = of_threads_[{&context, std::this_thread::get_id()}];
    if (!own) own = make_stream(context, true, true);
    return own;
  }
  if (streams_.count(stream) > 0) return stream;
  trap("work for a stream that is no stream");
  return nullptr;
}

Stream* World::any_consumer(Context& context, const Stream* but) {
  for (auto& [handle, stream] : streams_) {
    if (stream->consumer && !stream->legacy && stream->context == &context && handle != but) return handle;
  }
  return find(context, nullptr);
}

Event* World::make_event(Context& context) {
  auto event = std::make_shared<Event>();
  event->context = &context;
  Event* const handle = event.get();
  events_[handle] = std::move(event);
  return handle;
}

bool World::end_event(Event* event) {
  if (former_ == event) former_ = nullptr;
  if (first_ == event) first_ = nullptr;
  waited_for_.erase(event);
  if (events_.erase(event) > 0) return true;
  trap("an event that is no event was destroyed");
  return false;
}

Op& World::push(Stream& stream, Op op) {
  op.number = ++number_;
  stream.ops.push_back(std::move(op));
  return stream.ops.back();
}

bool World::queue_copy(Context& context, Stream* given, Address to, const void* from, size_t bytes) {
  ++nth_;
  const auto second = nth_ % 2 == 0;
  if (plant == Plant::copy_on_legacy || (plant == Plant::second_copy_on_legacy && second)) given = nullptr;
  if (plant == Plant::copy_on_thread) given = reinterpret_cast<Stream*>(2);
  if (plant == Plant::copy_on_consumer) given = any_consumer(context, nullptr);
  Stream* const stream = find(context, given);
  if (!stream) return false;
  if (stream->context != &context) trap("a copy on a stream of a foreign context");
  if (!memory_at(to, bytes, &context)) return false;
  auto range = pinned.upper_bound(reinterpret_cast<uintptr_t>(from));
  const bool is_pinned = range != pinned.begin() &&
                         (--range, reinterpret_cast<uintptr_t>(from) + bytes <= range->first + range->second);
  if (!is_pinned) trap("a copy from memory that is not registered");
  Op op;
  op.kind = Op::Kind::copy;
  op.address = to;
  op.bytes = bytes;
  op.from = from;
  op.digest = digest_of(from, bytes);
  push(*stream, std::move(op));
  waited_since_copy_ = false;
  for (auto& [target, late] : late_) {
    if (plant == Plant::reuse_wait_late) push(*target, late);
  }
  if (plant == Plant::reuse_wait_late) late_.clear();
  return true;
}

Stream* World::planted_wait_stream(Context& context, Stream* stream, bool reuse, Event* event,
                                   std::shared_ptr<bool>& recording) {
  const bool second = ++nth_ % 2 == 0;
  Event* const given = event;
  const auto is = [&](Plant of_reuse, Plant of_consumer) {
    return plant == (reuse ? of_reuse : of_consumer);
  };
  if (is(Plant::drop_reuse_wait, Plant::drop_consumer_wait)) return nullptr;
  if (second && is(Plant::drop_second_reuse_wait, Plant::drop_second_consumer_wait)) return nullptr;
  if (is(Plant::reuse_wait_on_legacy, Plant::consumer_wait_on_legacy)) stream = find(context, nullptr);
  if (is(Plant::reuse_wait_on_thread, Plant::consumer_wait_on_thread))
    stream = find(context, reinterpret_cast<Stream*>(2));
  if (reuse && plant == Plant::reuse_wait_on_consumer) stream = any_consumer(context, nullptr);
  if (!reuse && plant == Plant::consumer_wait_on_copy_stream) {
    for (auto& [handle, other] : streams_) {
      if (is_copying(*other) && other->context == &context) stream = handle;
    }
  }
  if (reuse && plant == Plant::one_reuse_wait && std::exchange(waited_since_copy_, true)) return nullptr;
  if (!reuse && plant == Plant::one_consumer_wait &&
      std::exchange(waited_for_[event], event->recorded) == event->recorded)
    return nullptr;
  if (is(Plant::reuse_waits_for_former, Plant::consumer_waits_for_former)) {
    if (former_) event = former_;
    former_ = given;
  }
  if (is(Plant::reuse_waits_for_first, Plant::consumer_waits_for_first)) {
    if (!first_) first_ = given;
    event = first_;
  }
  recording = is(Plant::reuse_waits_for_old, Plant::consumer_waits_for_old) ? event->former : event->last;
  return stream;
}

bool World::queue_wait(Context& context, Stream* given, Event* event) {
  Stream* stream = find(context, given);
  if (!stream) return false;
  if (!knows(event)) {
    trap("a stream was to wait for an event that is no event");
    return false;
  }
  const bool reuse = is_copying(*stream);
  Op op;
  op.kind = Op::Kind::wait;
  stream = planted_wait_stream(context, stream, reuse, event, op.recording);
  if (!stream) return true;
  if (plant == (reuse ? Plant::reuse_wait_late : Plant::consumer_wait_late)) {
    late_.emplace_back(stream, std::move(op));
  } else {
    push(*stream, std::move(op));
  }
  return true;
}

Stream* World::planted_record_stream(Context& context, Stream* stream, bool ready, Event*& event) {
  const bool second = ++nth_ % 2 == 0;
  Event* const given = event;
  const auto is = [&](Plant of_ready, Plant of_use) { return plant == (ready ? of_ready : of_use); };
  if (is(Plant::drop_ready_record, Plant::drop_use_record)) return nullptr;
  if (second && is(Plant::drop_second_ready_record, Plant::drop_second_use_record)) return nullptr;
  if (is(Plant::ready_on_legacy, Plant::use_on_legacy)) stream = find(context, nullptr);
  if (is(Plant::ready_on_thread, Plant::use_on_thread)) stream = find(context, reinterpret_cast<Stream*>(2));
  if (is(Plant::ready_on_consumer, Plant::use_on_other_consumer)) stream = any_consumer(context, stream);
  if (!ready && plant == Plant::use_on_copy_stream) {
    for (auto& [handle, other] : streams_) {
      if (is_copying(*other) && other->context == &context) stream = handle;
    }
  }
  if (is(Plant::ready_records_former, Plant::use_records_former)) {
    if (former_) event = former_;
    former_ = given;
  }
  return stream;
}

// Before the last piece of work, or all that is queued.
void World::insert_record(Stream& stream, Op op, bool before_all) {
  const auto works = [](const Op& queued) { return queued.bytes > 0; };
  auto at = stream.ops.end();
  for (auto each = stream.ops.begin(); each != stream.ops.end(); ++each) {
    if (works(*each) && (!before_all || at == stream.ops.end())) at = each;
  }
  op.number = ++number_;
  stream.ops.insert(at, std::move(op));
}

bool World::queue_record(Context& context, Stream* given, Event* event) {
  Stream* stream = find(context, given);
  if (!stream) return false;
  if (!knows(event)) {
    trap("an event that is no event was recorded");
    return false;
  }
  if (event->context != stream->context) {
    trap("an event was recorded on a stream of a foreign context");
    return false;
  }
  const bool ready = is_copying(*stream);
  stream = planted_record_stream(context, stream, ready, event);
  if (!stream) return true;
  Op op;
  op.kind = Op::Kind::record;
  op.recording = std::make_shared<bool>(false);
  ++event->recorded;
  event->former = std::exchange(event->last, op.recording);
  const bool before_last = plant == (ready ? Plant::ready_before_last_copy : Plant::use_before_last_work);
  const bool before_all = plant == (ready ? Plant::ready_before_copies : Plant::use_before_all_work);
  if (before_last || before_all) {
    insert_record(*stream, std::move(op), before_all);
  } else {
    push(*stream, std::move(op));
  }
  return true;
}

void World::queue_read(Context& context, Stream* given, Address from, size_t bytes, void* to) {
  Stream* const stream = find(context, given);
  Op op;
  op.kind = Op::Kind::read;
  op.address = from;
  op.bytes = bytes;
  op.to = to;
  if (stream) push(*stream, std::move(op));
  if (plant != Plant::consumer_wait_late) return;
  for (auto& [target, late] : late_) push(*target, late);
  late_.clear();
}

void World::queue_write(Context& context, Stream* given, Address to, size_t bytes, int value) {
  Stream* const stream = find(context, given);
  Op op;
  op.kind = Op::Kind::write;
  op.address = to;
  op.bytes = bytes;
  op.value = value;
  if (stream) push(*stream, std::move(op));
}

// ---- Work

bool World::may_run(const Stream& stream) const {
  if (stream.ops.empty()) return false;
  const Op& op = stream.ops.front();
  if (op.kind == Op::Kind::wait && op.recording && !*op.recording) return false;
  if (!stream.legacy && !stream.blocking) return true;
  for (const auto& [handle, other] : streams_) {
    if (other->context != stream.context || handle == &stream || other->ops.empty()) continue;
    const bool ordered = stream.legacy ? other->blocking : other->legacy;
    if (ordered && other->ops.front().number < op.number) return false;
  }
  return true;
}

bool World::run_one() {
  std::vector<Stream*> ready;
  for (auto& [handle, stream] : streams_) {
    if (may_run(*stream)) ready.push_back(handle);
  }
  if (ready.empty()) return false;
  run(*ready[draw() % ready.size()]);
  return true;
}

void World::run(Stream& stream) {
  const Op op = std::move(stream.ops.front());
  stream.ops.pop_front();
  uint8_t* data = op.bytes > 0 ? memory_at(op.address, op.bytes, stream.context) : nullptr;
  switch (op.kind) {
    case Op::Kind::copy:
      if (digest_of(op.from, op.bytes) != op.digest)
        trap("the host wrote to memory under a copy that reads it");
      if (data) std::memcpy(data, op.from, op.bytes);
      break;
    case Op::Kind::read:
      if (data) std::memcpy(op.to, data, op.bytes);
      break;
    case Op::Kind::write:
      if (data) std::memset(data, op.value, op.bytes);
      break;
    case Op::Kind::record:
      *op.recording = true;
      break;
    case Op::Kind::wait:
      break;
  }
}

void World::finish_event(Event& event) {
  if (plant == Plant::no_host_wait) return;
  while (!event.done()) {
    if (!run_one()) return trap("the host waits for work that can never be done");
  }
}

void World::finish_stream(Stream& stream) {
  if (plant == Plant::no_host_wait) return;
  while (!stream.ops.empty()) {
    if (!run_one()) return trap("the host waits for work that can never be done");
  }
}

void World::finish_context(Context& context) {
  if (plant == Plant::no_host_wait) return;
  for (auto& [handle, stream] : streams_) {
    if (stream->context == &context) finish_stream(*stream);
  }
}

void World::finish_all() {
  while (run_one()) {
  }
  for (auto& [handle, stream] : streams_) {
    if (!stream->ops.empty()) trap("some work can never be done");
  }
}

}  // namespace fake_cuda
