// Credit: how many feeds of a group may be pulled at once; the others wait in line. CreditedFeed takes part in it.
//
// A feed that gives its credit back hands it to the one that has waited longest. That one keeps it until it has been
// pulled or destroyed, so no credit is lost with a Window that is gone.
//
// Feeds share their Credit, which is used on any thread. A pull takes its lock twice.
#pragma once

#include <memory>
#include <utility>

#include "core/ref.h"
#include "core/sync.h"
#include "exec/feed.h"

namespace weir {

class CreditedFeed;

class Credit : public RefCounted {
 public:
  // REQUIRES: limit >= 1
  explicit Credit(int limit) : free_(limit) {}

 private:
  friend class CreditedFeed;
  // Returns false if `feed` has to wait: `waker` is woken when it is its turn.
  bool take(CreditedFeed& feed, Waker* waker) noexcept;
  void give() noexcept;
  // Takes a feed that is going out of the line.
  void leave(CreditedFeed& feed) noexcept;

  // A leaf. It guards the line, and the members of feeds that are in it.
  Mutex mutex_;
  int free_;
  CreditedFeed* first_ = nullptr;
  CreditedFeed* last_ = nullptr;
};

class CreditedFeed final : public Feed {
 public:
  CreditedFeed(std::unique_ptr<Feed> feed, RefPtr<Credit> credit)
      : feed_(std::move(feed)), credit_(std::move(credit)) {}
  ~CreditedFeed() override { credit_->leave(*this); }
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override;

 private:
  friend class Credit;
  enum class Place : uint8_t { outside, in_line, granted };

  const std::unique_ptr<Feed> feed_;
  const RefPtr<Credit> credit_;
  Place place_ = Place::outside;
  RefPtr<Waker> waker_;
  CreditedFeed* before_ = nullptr;
  CreditedFeed* after_ = nullptr;
};

}  // namespace weir
