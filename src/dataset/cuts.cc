#include "dataset/cuts.h"

#include <algorithm>
#include <utility>

#include "core/exception.h"
#include "core/text.h"

namespace weir {

namespace {

[[noreturn]] void refuse() {
  throw StatusException(
      failed_precondition(Mistake(concat("more than ", AnchorFields::kMostCuts,
                                         " reads of files failed among the elements that are held back"),
                                  "take more elements before saving, or make the files readable")));
}

}  // namespace

bool has_failed_read(const Block& block) {
  return std::any_of(block.errors.begin(), block.errors.end(),
                     [](const RowError& error) { return error.error->read_failed; });
}

void Cuts::load(std::vector<Cut> ahead) {
  made_.clear();
  ahead_ = std::move(ahead);
  unanchored_ = Cut();
  lost_to_ = 0;
}

void Cuts::pass(AnchorRef anchor) {
  Cut cut = ahead_.front();
  cut.anchor = std::move(anchor);
  cut.again = cut.again && !cut.anchor;
  add(std::move(cut));
  ahead_.erase(ahead_.begin());
}

void Cuts::add(Cut cut) noexcept {
  if (made_.size() >= AnchorFields::kMostCuts) {
    lost_to_ = cut.next();
    return;
  }
  try {
    made_.push_back(std::move(cut));
  } catch (...) {
    add_without_memory(std::move(cut));
  }
}

void Cuts::add_without_memory(Cut cut) noexcept {
  if (unanchored_.again || !cut.error) {
    lost_to_ = cut.next();
    return;
  }
  unanchored_ = std::move(cut);
  unanchored_.anchor = nullptr;
  unanchored_.again = true;
}

void Cuts::forget_before(const Anchor& anchor) {
  if (anchor.ordinal >= lost_to_) lost_to_ = 0;
  if (unanchored_.again && unanchored_.next() <= anchor.ordinal) unanchored_ = Cut();
  if (made_.empty()) return;
  std::erase_if(made_, [&](const Cut& cut) { return cut.next() <= anchor.ordinal; });
}

const Cut* Cuts::before(const Anchor& anchor) const {
  const auto cut =
      std::find_if(made_.begin(), made_.end(), [&](const Cut& one) { return one.anchor.get() == &anchor; });
  return cut == made_.end() ? nullptr : &*cut;
}

void Cuts::check(int64_t ordinal) const {
  if (ordinal < lost_to_) refuse();
}

void Cuts::finish(AnchorFields& fields) const {
  if (unanchored_.again && unanchored_.next() > fields.ordinal) {
    const auto later = std::find_if(fields.cuts.begin(), fields.cuts.end(),
                                    [&](const Cut& cut) { return cut.ordinal > unanchored_.ordinal; });
    fields.cuts.insert(later, unanchored_);
  }
  if (fields.cuts.size() > AnchorFields::kMostCuts) refuse();
}

}  // namespace weir
