// RefCounted and RefPtr: shared ownership with an atomic count inside the object.
//
// A new object has no owner; the last RefPtr to go deletes it through its virtual destructor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace weir {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void ref() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void unref() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<RefCounted*>(this)->last_owner_gone();
  }
  // True if there is exactly one owner; only that owner may conclude anything from it.
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~RefCounted() = default;
  // Called when the last owner goes; a pool overrides it to take the object back.
  virtual void last_owner_gone() { delete this; }

 private:
  mutable std::atomic<uint32_t> count_{0};
};

template <class T>
class RefPtr {
 public:
  RefPtr() = default;
  RefPtr(std::nullptr_t) {}
  explicit RefPtr(T* object) : object_(object) {
    if (object_) object_->ref();
  }
  RefPtr(const RefPtr& other) : RefPtr(other.object_) {}
  RefPtr(RefPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires(std::is_convertible_v<U*, T*>) RefPtr(const RefPtr<U>& other)
      : RefPtr(static_cast<T*>(other.get())) {}
  template <class U>
  requires(std::is_convertible_v<U*, T*>) RefPtr(RefPtr<U>&& other)
  noexcept : object_(other.release()) {}
  ~RefPtr() {
    if (object_) object_->unref();
  }
  RefPtr& operator=(RefPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const RefPtr& other) const { return object_ == other.object_; }
  // Gives up the pointer without releasing it.
  T* release() { return std::exchange(object_, nullptr); }
  // Takes over a reference that release() gave up.
  static RefPtr adopt(T* object) {
    RefPtr out;
    out.object_ = object;
    return out;
  }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
RefPtr<T> make_ref(Args&&... args) {
  return RefPtr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace weir
