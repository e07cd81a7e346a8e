#include "capi/delivery.h"
#include "core/text.h"

namespace weir::capi {

namespace {

// Takes each element from the iterator that the caller names, and has no position of its own.
class Feedable final : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::feedable;
  explicit Feedable(SpecRef s) : spec(std::move(s)), components(spec->components()) {}

  const SpecRef spec;
  const std::vector<Component> components;

  // Puts into `order` where the components of `spec` stand in the rows of `object`; nothing if in their
  // places. Cost: about a nanosecond in that case, from the second call on; else a walk over both structures.
  Status find_order(const IteratorObject& object, uint64_t handle, std::vector<int>& order) {
    std::atomic<uint64_t>& place = fitting_[handle % kPlaces];
    if (place.load(std::memory_order_relaxed) == handle) [[likely]]
      return Status();
    const std::string difference = difference_of(*spec, *object.spec);
    if (!difference.empty()) {
      return invalid_argument(expected_found(concat("an iterator of elements ", spec->to_string()),
                                             concat("one of ", object.spec->to_string(), ": ", difference)));
    }
    order = moved_components(*object.spec, *spec);
    if (order.empty()) place.store(handle, std::memory_order_relaxed);
    return Status();
  }

 private:
  static constexpr size_t kPlaces = 16;
  // Handles of iterators whose rows are given as they are.
  std::atomic<uint64_t> fitting_[kPlaces] = {};
};

Status no_such_handle() {
  return Status(
      Code::not_found,
      expected_found("the string handle of an iterator of this process",
                     "one whose iterator is gone, or that weir_iterator_string_handle did not give"));
}

// Lets `deliver` take from the iterator that `text` names.
template <class Deliver>
Answer with_source(weir_feedable feedable, const char* text, uint64_t text_size, Deliver&& deliver) {
  Pin<Feedable> pinned(feedable.value);
  if (!pinned) return pin_error(pinned, "a feedable iterator", feedable.value);
  WEIR_ASSIGN(std::string_view name, read_string(text, text_size, "a string handle", kMaxNameBytes));
  const uint64_t handle = StringHandle::iterator_of(name);
  Pin<IteratorObject> source(handle);
  if (!source) return source.busy() ? busy_handle("an iterator") : no_such_handle();
  if (!source->string_handle.equals(name)) return no_such_handle();
  std::vector<int> order;
  WEIR_TRY(pinned->find_order(*source, handle, order));
  return deliver(Delivery(*source, pinned->spec, pinned->components, order));
}

}  // namespace
}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_feedable_create(weir_spec spec, weir_feedable* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(SpecRef structure, spec_of(spec));
    out->value = publish(HandleKind::feedable, std::make_unique<Feedable>(std::move(structure)));
    return Status();
  });
}

void weir_feedable_destroy(weir_feedable feedable) {
  released([&] { drop_owner(HandleKind::feedable, feedable.value); });
}

int32_t weir_feedable_next(weir_feedable feedable, const char* handle, uint64_t handle_size,
                           weir_element element, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    return with_source(feedable, handle, handle_size, [&](const Delivery& delivery) {
      return deliver(delivery, element, [](Iterator& from, Block& out) { return from.next(1, out); });
    });
  });
}

int32_t weir_feedable_try_next(weir_feedable feedable, const char* handle, uint64_t handle_size,
                               weir_element element, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    return with_source(feedable, handle, handle_size, [&](const Delivery& delivery) {
      return deliver(delivery, element, [](Iterator& from, Block& out) { return from.try_next(1, out); });
    });
  });
}

int32_t weir_feedable_next_within(weir_feedable feedable, const char* handle, uint64_t handle_size,
                                  int64_t timeout_ns, weir_element element, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    WEIR_TRY(check_timeout(timeout_ns));
    return with_source(feedable, handle, handle_size, [&](const Delivery& delivery) {
      return deliver(delivery, element,
                     [&](Iterator& from, Block& out) { return from.next_within(timeout_ns, 1, out); });
    });
  });
}

int32_t weir_feedable_next_block(weir_feedable feedable, const char* handle, uint64_t handle_size,
                                 int64_t max_rows, weir_element element, int64_t* out_rows,
                                 weir_error* error) {
  return guarded(error, out_rows, [&]() -> Answer {
    WEIR_TRY(check_max_rows(max_rows));
    return with_source(feedable, handle, handle_size, [&](const Delivery& delivery) {
      return deliver_block(delivery, element, max_rows, *out_rows);
    });
  });
}

int32_t weir_feedable_next_into(weir_feedable feedable, const char* handle, uint64_t handle_size,
                                weir_buffer* buffers, uint64_t buffer_count, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    return with_source(feedable, handle, handle_size, [&](const Delivery& delivery) {
      return deliver_into(delivery, buffers, buffer_count);
    });
  });
}
