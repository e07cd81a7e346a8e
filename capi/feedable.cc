#include "capi/feedable.h"

namespace weir::capi {

Status no_such_iterator() {
  return Status(
      Code::not_found,
      expected_found("the string handle of an iterator of this process",
                     "one whose iterator is gone, or that weir_iterator_string_handle did not give"));
}

Status Feedable::name_source(std::string_view string_handle) {
  Source named{.handle = StringHandle::iterator_of(string_handle), .order = {}};
  Pin<IteratorObject> source(named.handle);
  if (!source) return source.busy() ? busy_handle("an iterator") : no_such_iterator();
  if (!source->string_handle.equals(string_handle)) return no_such_iterator();
  if (const std::string difference = difference_of(*spec, *source->spec); !difference.empty()) {
    return invalid_argument(expected_found(concat("an iterator of elements ", spec->to_string()),
                                           concat("one of ", source->spec->to_string(), ": ", difference)));
  }
  named.order = moved_components(*source->spec, *spec);
  MutexLock lock(mutex_);
  direct_.store(named.order.empty() ? named.handle : 0, std::memory_order_release);
  ordered_ = std::move(named);
  return Status();
}

Feedable::Source Feedable::source() const {
  if (const uint64_t handle = direct_.load(std::memory_order_acquire)) return {.handle = handle, .order = {}};
  MutexLock lock(mutex_);
  return ordered_;
}

}  // namespace weir::capi
