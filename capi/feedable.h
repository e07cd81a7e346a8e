// Feedable iterators, and which iterator a handle of either kind is for.
#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "capi/delivery.h"
#include "core/sync.h"

namespace weir::capi {

// Takes from the iterator that a string handle names, and has no position of its own. May be used on any
// thread.
class Feedable final : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::feedable;
  explicit Feedable(SpecRef s) : spec(std::move(s)), components(spec->components()) {}

  // An iterator, and where the components of `spec` stand in its rows: empty if in their places.
  struct Source {
    uint64_t handle = 0;
    std::vector<int> order;
  };
  // A call in progress keeps the iterator that it began with. On error the former one stays: not_found,
  // invalid_argument if the elements don't fit.
  Status name_source(std::string_view string_handle);
  // Cost: a lock if there is an order.
  Source source() const;

  const SpecRef spec;
  const std::vector<Component> components;

 private:
  // The handle of a source without an order, else 0.
  std::atomic<uint64_t> direct_{0};
  mutable Mutex mutex_;
  Source ordered_;
};

Status no_such_iterator();

template <class Body>
[[gnu::cold, gnu::noinline]] Answer on_named_iterator(weir_iterator feedable, Body& body) {
  Pin<Feedable> pinned(feedable.value);
  if (!pinned) return pin_error(pinned, "an iterator", feedable.value);
  const Feedable::Source source = pinned->source();
  Pin<IteratorObject> from(source.handle);
  if (!from) return from.busy() ? busy_handle("an iterator") : no_such_iterator();
  return body(Delivery(*from, pinned->spec, pinned->components, source.order), source.handle);
}

// Lets `body(delivery, handle)` act on an iterator, or on the one that a feedable iterator names.
template <class Body>
Answer on_iterator(weir_iterator iterator, Body&& body) {
  Pin<IteratorObject> pinned(iterator.value);
  if (pinned) [[likely]]
    return body(Delivery(*pinned), iterator.value);
  return pinned.busy() ? busy_handle("an iterator") : on_named_iterator(iterator, body);
}

}  // namespace weir::capi
