// Feedable iterators, and which iterator a handle of either kind is for.
#pragma once

#include <atomic>
#include <optional>
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

struct NamedIterator {
  explicit NamedIterator(uint64_t handle)
      : feedable(handle), source(feedable ? feedable->source() : Feedable::Source()), from(source.handle) {}
  Status status(uint64_t handle) const {
    if (!feedable) return pin_error(feedable, "an iterator", handle);
    return from ? Status() : from.busy() ? busy_handle("an iterator") : no_such_iterator();
  }

  Pin<Feedable> feedable;
  Feedable::Source source;
  Pin<IteratorObject> from;
};

// Lets `body(delivery, handle)` act on an iterator, or on the one that a feedable iterator names. There is
// one call of it, which the compiler inlines.
template <class Body>
Answer on_iterator(weir_iterator iterator, Body&& body) {
  Pin<IteratorObject> pinned(iterator.value);
  std::optional<NamedIterator> named;
  if (!pinned) [[unlikely]] {
    if (pinned.busy()) return busy_handle("an iterator");
    named.emplace(iterator.value);
    WEIR_TRY(named->status(iterator.value));
  }
  const Delivery delivery =
      named ? Delivery(*named->from, named->feedable->spec, named->feedable->components, named->source.order)
            : Delivery(*pinned);
  return body(delivery, named ? named->source.handle : iterator.value);
}

}  // namespace weir::capi
