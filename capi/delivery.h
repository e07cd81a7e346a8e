// How rows leave an iterator: into an element, as a block, or into the caller's buffers.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "capi/barrier.h"
#include "capi/element.h"
#include "capi/iterator_object.h"

namespace weir::capi {

// The iterator that rows come from, and the structure that the caller was promised.
struct Delivery {
  IteratorObject& from;
  const SpecRef& spec;
  const std::vector<Component>& components;
  // The indices of the components of `spec` in the iterator's rows; empty if they are the same.
  std::span<const int> order;

  explicit Delivery(IteratorObject& object)
      : from(object), spec(object.spec), components(object.components) {}
  Delivery(IteratorObject& object, const SpecRef& promised, const std::vector<Component>& flat,
           std::span<const int> places)
      : from(object), spec(promised), components(flat), order(places) {}
};

// The answer to a pull that gave no value; leaves `block` empty.
Answer answer_without_value(const Result<PullResult>& pulled, Block& block);

// The answer to a pull; leaves `block` empty unless that is a value.
inline Answer answer_of(const Result<PullResult>& pulled, Block& block) {
  if (pulled.ok() && *pulled == PullResult::rows && block.errors.empty()) [[likely]]
    return WEIR_OK;
  return answer_without_value(pulled, block);
}

void reorder(Block& block, std::span<const int> order);

// Lets `fill(out)` fill the element, and the stream wait for values on a device.
template <class Fill>
Answer fill_element(const Delivery& delivery, weir_element element, StreamNumber stream, Fill&& fill) {
  ExclusivePin<Element> into(element.value);
  if (!into) return pin_error(into, "an element", element.value);
  Element& out = *into;
  out.release();
  Iterator& iterator = delivery.from.iterator;
  // The table of names tells the iterator, but not the structure, which may be that of a feedable one.
  if (out.source_names.get() != iterator.source_names().get() || out.spec.get() != delivery.spec.get()) {
    out.source_names = iterator.source_names();
    out.spec = delivery.spec;
    out.host = delivery.from.draining_host;
  }
  out.batched = false;
  try {
    Answer answer = fill(out);
    // What it had before has another structure.
    if (answer.result() != WEIR_OK) [[unlikely]]
      out.forget();
    if (iterator.stands_on_device()) [[unlikely]] {
      out.note_device();
      if (const Status usable = out.use_on(stream); !usable.ok())
        return Answer::element_failed(usable.pointer());
    }
    return answer;
  } catch (...) {
    // The pulled rows are gone, and must not be mistaken for values.
    out.forget();
    throw;
  }
}

// Lets `pull(iterator, block)` fill the element with one row, for which the stream waits.
template <class Pull>
Answer deliver(const Delivery& delivery, weir_element element, Pull&& pull, StreamNumber stream = kNoStream) {
  return fill_element(delivery, element, stream, [&](Element& out) -> Answer {
    Answer answer = answer_of(pull(delivery.from.iterator, out.block), out.block);
    if (!delivery.order.empty() && answer.result() == WEIR_OK) [[unlikely]]
      reorder(out.block, delivery.order);
    return answer;
  });
}

// Delivers the next element, for which the stream waits. Out of line, where it leaves the fast path of
// weir_iterator_next as it is.
Answer deliver_on(StreamNumber stream, const Delivery& delivery, weir_element element);

// Up to `max_rows` rows as one, each component with a new first dimension. REQUIRES: max_rows was checked
Answer deliver_block(const Delivery& delivery, weir_element element, int64_t max_rows, int64_t& rows);
Status check_max_rows(int64_t max_rows);

// One row into the caller's memory.
Answer deliver_into(const Delivery& delivery, weir_buffer* buffers, uint64_t count);

}  // namespace weir::capi
