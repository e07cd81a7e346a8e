#include "iterator.h"

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "callback.h"

namespace weirpy {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kCheap = std::chrono::microseconds(20);
constexpr auto kDear = std::chrono::microseconds(100);
constexpr uint32_t kSampled = 16;  // every so many calls are timed
constexpr uint32_t kCheapInARow = 3;
constexpr int64_t kMostExitWait = 500'000'000;

std::unordered_set<Iterator*>& alive() {
  static auto* made = new std::unordered_set<Iterator*>;
  return *made;
}

// The next element without the GIL. Most answers need no waiting, so the first try has no deadline.
int32_t next_released(Iterator& self, weir_element element, Error& error) {
  int32_t result;
  {
    WithoutGil released;
    result = weir_iterator_try_next(self.handle.get(), element, error);
  }
  if (result != WEIR_PENDING) return result;
  return wait_in_slices(
      [&](int64_t slice) { return weir_iterator_next_within(self.handle.get(), slice, element, error); });
}

int32_t next_held(Iterator& self, weir_element element, Error& error) {
  const int32_t result = weir_iterator_try_next(self.handle.get(), element, error);
  return result == WEIR_PENDING ? next_released(self, element, error) : result;
}

// Giving up the GIL costs more than a cheap element, and lets other threads keep it for milliseconds. So it
// is kept where elements turn out to be cheap, for as long as they are; what waits for other threads always
// gives it up.
int32_t timed(Iterator& self, weir_element element, Error& error) {
  const auto begun = Clock::now();
  const int32_t result =
      self.holds_gil ? next_held(self, element, error) : next_released(self, element, error);
  const auto took = Clock::now() - begun;
  if (took > (self.holds_gil ? kDear : kCheap)) {
    self.cheap = 0;
  } else {
    ++self.cheap;
  }
  self.holds_gil = self.cheap >= kCheapInARow;
  return result;
}

int32_t next(Iterator& self, weir_element element, Error& error) {
  if (self.calls++ % kSampled == 0) return timed(self, element, error);
  return self.holds_gil ? next_held(self, element, error) : next_released(self, element, error);
}

// What is wrong, as an exception. False for the end.
bool raise_result(int32_t result, const Error& error) {
  if (result == WEIR_END) return false;
  if (result != kInterrupted) set_exception(error.error, result == WEIR_ELEMENT_FAILED);
  return true;
}

PyObject* iterator_next(PyObject* object) {
  if (traces > 0 && !ask_outside()) [[unlikely]]
    return nullptr;
  Iterator& self = *nb::inst_ptr<Iterator>(object);
  if (LateInterrupt::comes(&self)) return nullptr;
  LateInterrupt late(&self);
  Filling filling(self.element);
  Error error;
  const int32_t result = next(self, filling.get(), error);
  self.settled = result != kInterrupted;
  if (result == WEIR_OK) [[likely]]
    return late.keep([&] { return filling.convert(self.plan, self.leaving); });
  raise_result(result, error);
  return nullptr;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  if (!nb::inst_ready(object)) return 0;
  Iterator& self = *nb::inst_ptr<Iterator>(object);
  Py_VISIT(self.leaving.runtime.ptr());
  return 0;
}

PyType_Slot kSlots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                        {Py_tp_iternext, reinterpret_cast<void*>(iterator_next)},
                        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                        {0, nullptr}};

nb::object converted(Iterator& self, LateInterrupt& late, int32_t result, Filling& filling,
                     const Error& error) {
  self.settled = result != WEIR_PENDING && result != kInterrupted;
  if (result == WEIR_PENDING) return nb::none();
  if (result != WEIR_OK) {
    if (!raise_result(result, error)) PyErr_SetNone(PyExc_StopIteration);
    throw nb::python_error();
  }
  PyObject* value = late.keep([&] { return filling.convert(self.plan, self.leaving); });
  if (!value) throw nb::python_error();
  return nb::steal(value);
}

// A call on a thread of its own, for what nothing but a cancel could end: this thread waits, and lets signals
// end the wait.
class Beside {
 public:
  template <class Call>
  explicit Beside(Call call) {
    std::thread([call = std::move(call), shared = shared_] {
      call();
      const std::lock_guard lock(shared->mutex);
      shared->ended = true;
      shared->changed.notify_all();
    }).detach();
  }
  // False with the exception of a signal; the call continues.
  bool wait() {
    for (;;) {
      if (wait_for(kSignalSlice)) return true;
      if (PyErr_CheckSignals() < 0) return false;
    }
  }
  // Whether it has ended.
  bool wait_for(int64_t slice) {
    const WithoutGil released;
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, std::chrono::nanoseconds(slice), [&] { return shared_->ended; });
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;
  };
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Whether an element may be in the making, for which other calls would wait. A thread inside next has taken
// the element.
bool makes_elements(const Iterator& self) { return !self.settled || !self.element; }

// What begins an iterator. The pieces live as long as the options.
struct Options {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  Arguments params;
  std::string file;
  std::vector<weir_string> ranks;
  nb::object checkpoint;
  nb::list rank_checkpoints;

  Options(nb::sequence pairs, nb::object position, std::optional<std::string> checkpoint_file,
          nb::list all_ranks, uint64_t epoch, uint32_t rank, uint32_t world_size, uint32_t policy,
          uint32_t flags)
      : params(pairs),
        file(checkpoint_file.value_or("")),
        checkpoint(std::move(position)),
        rank_checkpoints(all_ranks) {
    options.flags = flags;
    options.params = params.data();
    options.param_count = params.size();
    options.epoch = epoch;
    options.rank = rank;
    options.world_size = world_size;
    options.checkpoint_policy = policy;
    if (!checkpoint.is_none()) {
      options.checkpoint = PyBytes_AsString(checkpoint.ptr());
      options.checkpoint_size = static_cast<uint64_t>(PyBytes_Size(checkpoint.ptr()));
      if (PyErr_Occurred()) throw nb::python_error();
    }
    if (checkpoint_file) {
      options.checkpoint_file = file.data();
      options.checkpoint_file_size = file.size();
    }
    for (nb::handle bytes : rank_checkpoints) {
      ranks.push_back({PyBytes_AsString(bytes.ptr()), static_cast<uint64_t>(PyBytes_Size(bytes.ptr()))});
      if (PyErr_Occurred()) throw nb::python_error();
    }
    options.rank_checkpoints = ranks.data();
    options.rank_checkpoint_count = ranks.size();
  }
  bool has_position() const {
    return options.checkpoint || options.checkpoint_file || options.rank_checkpoint_count;
  }
};

void learn_spec(Iterator& self) {
  OwnedSpec spec;
  Error error;
  check(weir_iterator_spec(self.handle.get(), spec.out(), error), error);
  self.plan = Plan::of(spec.get());
  check(weir_element_create(self.element.out(), error), error);
  watch(&self);
}

// Begins a dataset, or the present one again. A signal cancels what takes long, if that is done `beside`.
void begin(weir_iterator iterator, const Dataset* dataset, const Options& options, bool beside) {
  Error error;
  int32_t result = 0;
  const auto call = [&] {
    result = weir_iterator_initialize(iterator, dataset ? dataset->handle.get() : weir_dataset{0},
                                      &options.options, error);
  };
  if (!beside) {
    const WithoutGil released;
    call();
  } else if (Beside beginning(call); !beginning.wait()) {
    const nb::python_error raised;
    do {
      weir_iterator_cancel(iterator);
    } while (!beginning.wait_for(kSignalSlice));
    weir_iterator_cancel(iterator);
    throw raised;
  }
  check(result, error);
}

void create(Iterator* self, const Dataset& dataset, nb::object runtime, nb::sequence params,
            nb::object checkpoint, std::optional<std::string> checkpoint_file, nb::list rank_checkpoints,
            uint64_t epoch, uint32_t rank, uint32_t world_size, uint32_t policy, bool initialize, bool text) {
  Options options(params, checkpoint, checkpoint_file, rank_checkpoints, epoch, rank, world_size, policy,
                  WEIR_ITERATOR_SHARE_CACHES | (initialize ? 0u : WEIR_ITERATOR_UNINITIALIZED));
  // A checkpoint opens what it is of, which may take any time.
  const bool beside = initialize && options.has_position() && on_main_thread() && !dataset.on_caller;
  // Parameters without values are then an error of this call.
  const bool later = beside || (initialize && !options.has_position() && options.options.param_count == 0);
  if (later) options.options.flags |= WEIR_ITERATOR_UNINITIALIZED;
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  OwnedIterator handle;
  checked_without_gil([&](Error& error) {
    return weir_iterator_create(host, dataset.handle.get(), &options.options, handle.out(), error);
  });
  options.options.flags = 0;
  if (later) begin(handle.get(), &dataset, options, beside);
  new (self) Iterator();
  self->handle = std::move(handle);
  self->leaving = {text, runtime};
  self->on_caller = dataset.on_caller;
  learn_spec(*self);
}

// `source` is the string handle of the iterator that a feedable one takes from.
void create_from_spec(Iterator* self, const Spec& spec, nb::object runtime, bool text,
                      std::optional<std::string> source) {
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.spec = spec.handle.get();
  if (source) {
    options.string_handle = source->data();
    options.string_handle_size = source->size();
  }
  OwnedIterator handle;
  checked_without_gil([&](Error& error) {
    return weir_iterator_create(host, weir_dataset{0}, &options, handle.out(), error);
  });
  new (self) Iterator();
  // Its callbacks may be of any kind.
  self->on_caller = source.has_value();
  self->handle = std::move(handle);
  self->leaving = {text, runtime};
  learn_spec(*self);
}

void initialize(Iterator& self, const Dataset* dataset, nb::sequence params, nb::object checkpoint,
                std::optional<std::string> checkpoint_file, nb::list rank_checkpoints, uint64_t epoch,
                uint32_t rank, uint32_t world_size, uint32_t policy) {
  check_outside();
  Options options(params, checkpoint, checkpoint_file, rank_checkpoints, epoch, rank, world_size, policy, 0);
  if (dataset) self.on_caller = self.on_caller || dataset->on_caller;
  begin(self.handle.get(), dataset, options,
        (options.has_position() || makes_elements(self)) && on_main_thread() && !self.on_caller);
  self.settled = false;
}

void feed(Iterator& self, const std::string& source) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.string_handle = source.data();
  options.string_handle_size = source.size();
  Error error;
  check(weir_iterator_initialize(self.handle.get(), weir_dataset{0}, &options, error), error);
}

// Waits for up to `seconds` (for ever if negative) for an element; None if there is none.
nb::object next_within(Iterator& self, double seconds) {
  check_interrupt(self);
  LateInterrupt interrupt(&self);
  Filling filling(self.element);
  Error error;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  bool late = false;
  const int32_t result = wait_in_slices([&](int64_t slice) {
    const int64_t left = std::chrono::nanoseconds(deadline - Clock::now()).count();
    const int32_t answer = weir_iterator_next_within(
        self.handle.get(), std::max<int64_t>(0, std::min(left, slice)), filling.get(), error);
    late = answer == WEIR_PENDING && left <= slice;
    return late ? WEIR_OK : answer;
  });
  return converted(self, interrupt, late ? WEIR_PENDING : result, filling, error);
}

nb::object try_next(Iterator& self) {
  check_interrupt(self);
  LateInterrupt late(&self);
  Filling filling(self.element);
  Error error;
  int32_t result;
  {
    WithoutGil released;
    result = weir_iterator_try_next(self.handle.get(), filling.get(), error);
  }
  return converted(self, late, result, filling, error);
}

// WEIR_PENDING, so that the caller looks again, or what failed.
int32_t ready_fd(Iterator& self, int& fd, Error& error) {
  const int32_t result = weir_iterator_ready_fd(self.handle.get(), &fd, error);
  return result == WEIR_OK ? WEIR_PENDING : result;
}

nb::object next_block(Iterator& self, int64_t max_rows) {
  check_interrupt(self);
  LateInterrupt late(&self);
  Filling filling(self.element);
  int64_t rows = 0;
  const bool given = next_rows(self, max_rows, filling.get(), rows);
  nb::object value = converted(self, late, given ? WEIR_OK : WEIR_END, filling, Error());
  return nb::make_tuple(value, rows);
}

nb::object origin_of_next(Iterator& self) {
  weir_origin out = WEIR_ORIGIN_INIT;
  Error error;
  check(weir_element_origin(self.element.get(), 0, &out, error), error);
  nb::object file = nb::none();
  if (out.file.size) file = nb::str(out.file.data, out.file.size);
  nb::object record = nb::none();
  if (out.record >= 0) record = nb::int_(out.record);
  return nb::make_tuple(file, record);
}

nb::bytes save(Iterator& self) {
  check_outside();
  settle(self);
  return bytes_by(
      [&](weir_bytes* out, Error& error) { return weir_iterator_save(self.handle.get(), out, error); });
}

nb::str stats(Iterator& self, uint32_t flags) {
  return text_by([&](weir_bytes* out, Error& error) {
    return weir_iterator_stats(self.handle.get(), flags, out, error);
  });
}

void close(Iterator& self) {
  unwatch(&self);
  self.handle.reset();
}

// Ends the iterators that are left. A function of Python may block for ever: as for Python's own daemon
// threads, the exit does not wait for it.
void shutdown() {
  std::vector<weir_iterator> closing;
  for (Iterator* iterator : alive()) closing.push_back(iterator->handle.release());
  alive().clear();
  if (closing.empty()) return;
  for (weir_iterator iterator : closing) weir_iterator_cancel(iterator);
  Beside ending([closing] {
    for (weir_iterator iterator : closing) weir_iterator_destroy(iterator);
  });
  for (int64_t waited = 0; !ending.wait_for(kSignalSlice); waited += kSignalSlice) {
    if (waited >= kMostExitWait && running_functions > 0) return;
    if (PyErr_CheckSignals() < 0) throw nb::python_error();
  }
}

}  // namespace

uint32_t traces = 0;

bool next_rows(Iterator& self, int64_t max_rows, weir_element element, int64_t& rows) {
  Error error;
  const bool in_range = max_rows >= 1 && max_rows < WEIR_BLOCK_TRY;
  int fd = -1;
  const int32_t result = wait_in_slices([&](int64_t slice) {
    const int64_t wanted = in_range ? max_rows + WEIR_BLOCK_TRY : max_rows;
    const int32_t answer = weir_iterator_next_block(self.handle.get(), wanted, element, &rows, error);
    if (answer != WEIR_PENDING) return answer;
    if (fd < 0) return ready_fd(self, fd, error);
    pollfd ready{fd, POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(slice / 1'000'000));
    return answer;
  });
  self.settled = result != kInterrupted;
  if (result != WEIR_OK && raise_result(result, error)) throw nb::python_error();
  return result == WEIR_OK;
}

void check_interrupt(Iterator& self) {
  check_outside();
  if (LateInterrupt::comes(&self)) throw nb::python_error();
}

bool ask_outside() {
  try {
    nb::module_::import_("weir._trace").attr("outside_of_iterator")();
    return true;
  } catch (nb::python_error& raised) {
    raised.restore();
    return false;
  }
}

void settle(Iterator& self) {
  if (!makes_elements(self) || !on_main_thread() || self.on_caller) return;
  Beside saving([from = self.handle.get()] {
    Bytes unused;
    weir_iterator_save(from, &unused.bytes, nullptr);
  });
  if (!saving.wait()) throw nb::python_error();
}

void watch(Iterator* iterator) { alive().insert(iterator); }
void unwatch(Iterator* iterator) { alive().erase(iterator); }

void define_iterator(nb::module_& module) {
  nb::class_<Iterator>(module, "Iterator", nb::type_slots(kSlots), nb::is_weak_referenceable())
      .def("__init__", create, nb::arg("dataset"), nb::arg("runtime"), nb::arg("params"),
           nb::arg("checkpoint").none(), nb::arg("checkpoint_file").none(), nb::arg("rank_checkpoints"),
           nb::arg("epoch"), nb::arg("rank"), nb::arg("world_size"), nb::arg("policy"), nb::arg("initialize"),
           nb::arg("text"))
      .def("__init__", create_from_spec, nb::arg("spec"), nb::arg("runtime"), nb::arg("text"),
           nb::arg("source").none() = nb::none())
      .def("_feed", feed, nb::arg("source"))
      .def("_initialize", initialize, nb::arg("dataset").none(), nb::arg("params"),
           nb::arg("checkpoint").none(), nb::arg("checkpoint_file").none(), nb::arg("rank_checkpoints"),
           nb::arg("epoch"), nb::arg("rank"), nb::arg("world_size"), nb::arg("policy"))
      .def("_share",
           [](Iterator& self, const std::string& name) {
             OwnedIterator other;
             checked_without_gil([&](Error& error) {
               return weir_iterator_share(self.handle.get(), name.data(), name.size(), other.out(), error);
             });
             self.handle = std::move(other);
           })
      .def("_next_within", next_within, nb::arg("seconds"))
      .def("_try_next", try_next)
      .def("_next_block", next_block, nb::arg("max_rows"))
      .def("_origin", origin_of_next)
      .def("save", save)
      .def("_save_file",
           [](Iterator& self, const std::string& file) {
             check_outside();
             settle(self);
             checked_without_gil([&](Error& error) {
               return weir_iterator_save_file(self.handle.get(), file.data(), file.size(), error);
             });
           })
      .def("fileno",
           [](Iterator& self) {
             int32_t out = -1;
             Error error;
             check(weir_iterator_ready_fd(self.handle.get(), &out, error), error);
             return out;
           })
      .def("_stats", stats, nb::arg("flags"))
      .def("cancel", [](Iterator& self) { weir_iterator_cancel(self.handle.get()); })
      .def("close", close)
      .def_prop_ro("handle",
                   [](Iterator& self) {
                     return text_by([&](weir_bytes* out, Error& error) {
                       return weir_iterator_string_handle(self.handle.get(), out, error);
                     });
                   })
      .def_prop_ro("spec", [](Iterator& self) {
        OwnedSpec spec;
        Error error;
        check(weir_iterator_spec(self.handle.get(), spec.out(), error), error);
        return Spec(std::move(spec));
      });
  module.def(
      "count_traces", [](int32_t by) { traces += static_cast<uint32_t>(by); }, nb::arg("by"));
  module.def("shutdown", shutdown);
}

}  // namespace weirpy
