// Line: first in, first out, through a link inside its members. Owns nothing and allocates nothing.
#pragma once

namespace weir {

template <class T, T* T::*link>
class Line {
 public:
  // Null if there is none.
  T* front() const { return head_; }
  // The one behind it; null for the last.
  static T* after(const T& one) { return one.*link; }
  int size() const { return size_; }
  void push(T* one) {
    one->*link = nullptr;
    (tail_ ? tail_->*link : head_) = one;
    tail_ = one;
    ++size_;
  }
  // It is the next to come.
  void push_front(T* one) {
    one->*link = head_;
    head_ = one;
    if (!tail_) tail_ = one;
    ++size_;
  }
  // Takes out one that is in it; false if it is not.
  bool remove(T* one) {
    T* before = nullptr;
    for (T* at = head_; at; before = at, at = at->*link) {
      if (at != one) continue;
      (before ? before->*link : head_) = one->*link;
      if (tail_ == one) tail_ = before;
      --size_;
      return true;
    }
    return false;
  }
  // Null if there is none.
  T* pop() {
    T* const one = head_;
    if (!one) return nullptr;
    head_ = one->*link;
    if (!head_) tail_ = nullptr;
    --size_;
    return one;
  }

 private:
  T* head_ = nullptr;
  T* tail_ = nullptr;
  int size_ = 0;
};

}  // namespace weir
