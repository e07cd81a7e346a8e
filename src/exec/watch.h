// Watch: shows tests all schedulers and queues, so that they can print which thread waits for which when
// nothing moves. Install it before the first of them is made. Only tests do.
#pragma once

#include <atomic>
#include <string>

namespace weir {

class Watch {
 public:
  virtual ~Watch() = default;
  // `describe` may be called on any thread until gone().
  virtual void made(void* object, std::string (*describe)(void* object)) = 0;
  virtual void gone(void* object) = 0;
};

inline std::atomic<Watch*> installed_watch{nullptr};

// Shows an object that has a describe() for as long as it lives.
template <class T>
class Shown {
 public:
  explicit Shown(T* object) : object_(object) {
    if (Watch* watch = installed_watch.load(std::memory_order_relaxed)) [[unlikely]]
      watch->made(object, [](void* shown) { return static_cast<T*>(shown)->describe(); });
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() {
    if (Watch* watch = installed_watch.load(std::memory_order_relaxed)) [[unlikely]]
      watch->gone(object_);
  }

 private:
  T* const object_;
};

// The name of a pointer in these descriptions.
std::string name_of(const void* object);

}  // namespace weir
