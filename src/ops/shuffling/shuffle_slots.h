// ShuffleSlots: the ring of slots in which a shuffle's elements wait, and the draws from it
// (ops/shuffling/shuffle_order.h). These are the steps that need no memory and see no errors; the cursor
// (ops/transforms/shuffle.cc) is derived from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/origins.h"
#include "core/rowstore.h"
#include "ops/shuffling/live_runs.h"
#include "ops/shuffling/shuffle_order.h"

namespace weir {

class ShuffleSlots {
 protected:
  ShuffleSlots(std::span<const Component> components, int64_t capacity)
      : store_(components), capacity_(capacity), live_(capacity) {}

  int64_t held() const { return values_ - draws_; }

  // Puts the first `count` staged elements.
  void put_many(int count) {
    if (has_origins_ || back_ + count > capacity_) {
      for (int i = 0; i < count; ++i) put_staged(i);
      return;
    }
    store_.place_run(count, back_, values_);
    live_.add(values_, count);
    values_ += count;
    back_ += count;
    if (back_ == capacity_) back_ = 0;
  }
  // Puts staged rows and draws as many, to be given as rows from `lifted` on.
  void exchange(int count, int lifted) {
    if (!has_origins_) return draw_many(count, lifted, true);
    for (int i = 0; i < count; ++i) {
      put_staged(i);
      draw_value(i, lifted + i);
    }
  }
  // Makes the draws that were chosen, where all elements have values and none has an origin.
  void draw_many(int count, int lifted, bool puts) {
    const std::span<const int64_t> slots(chosen_.data(), static_cast<size_t>(count));
    RowStore::Ring ring{back_, front_, capacity_};
    if (puts) {
      store_.exchange(slots, ring, values_, lifted);
      live_.add(values_, count);
      values_ += count;
    } else {
      store_.draw(slots, ring, lifted);
    }
    for (int i = 0; i < count; ++i) live_.remove(store_.lifted_tag(lifted + i));
    draws_ += count;
    back_ = ring.back;
    front_ = ring.front;
  }

  void put_staged(int staged) {
    store_.place(staged, back_, values_);
    origins_.place(staged, back_);
    live_.add(values_);
    end_put();
  }
  void end_put() {
    ++values_;
    if (++back_ == capacity_) back_ = 0;
  }

  // Chooses the slots of the next draws early, so that their memory is being loaded when they are made. Each
  // next draw finds `shrinks` fewer elements.
  void choose(int count, int64_t found, int64_t shrinks) {
    chosen_.resize(static_cast<size_t>(count));
    if (count == 0) return;
    int64_t front = front_;
    const ShuffleDraws::Among among(found);
    for (int i = 0; i < count; ++i, found -= shrinks) {
      const int64_t offset =
          shrinks == 0 ? order_.offset(draws_ + i, among) : order_.offset(draws_ + i, found);
      const int64_t slot = offset < capacity_ - front ? front + offset : front + offset - capacity_;
      chosen_[static_cast<size_t>(i)] = slot;
      store_.prefetch(slot);
      if (++front == capacity_) front = 0;
    }
  }

  void draw_value(int chosen, int lifted) {
    const int64_t slot = chosen_[static_cast<size_t>(chosen)];
    live_.remove(store_.tag(slot));
    store_.lift(slot, lifted);
    origins_.lift(slot, lifted);
    if (slot != front_) {
      store_.move(front_, slot);
      origins_.move(front_, slot);
    }
    end_draw();
  }
  void end_draw() {
    ++draws_;
    if (++front_ == capacity_) front_ = 0;
  }

  RowStore store_;
  OriginSlots origins_;
  // Some element had an origin.
  bool has_origins_ = false;
  const int64_t capacity_;
  LiveRuns live_;
  ShuffleDraws order_;
  // Elements put into the buffer and drawn from it, and the next slots.
  int64_t values_ = 0;
  int64_t draws_ = 0;
  int64_t back_ = 0;
  int64_t front_ = 0;
  // Scratch memory of one call.
  std::vector<int64_t> chosen_;
};

}  // namespace weir
