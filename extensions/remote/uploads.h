// The parts of a file that is written, several of which are under way at once.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "remote/store.h"

namespace weir_remote {

class Uploads {
 public:
  static constexpr size_t kPartBytes = 8 << 20;
  static constexpr int kMostUnderWay = 4;

  Uploads(std::shared_ptr<Store> store, std::string name)
      : state_(std::make_shared<State>()), store_(std::move(store)), name_(std::move(name)) {}
  ~Uploads() { wait(0); }

  // Waits while there are too many. Throws the failure of an earlier part.
  void start(Request request);
  // Waits for all. Throws the first failure. Returns the ETag of each part, in the order of `start`.
  std::vector<std::string> finish();
  // Waits for all, whatever becomes of them.
  void settle() { wait(0); }
  size_t count() const { return count_; }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int under_way = 0;
    std::optional<Failure> failure;
    std::vector<std::string> tags;
  };
  void wait(int most);

  std::shared_ptr<State> state_;
  std::shared_ptr<Store> store_;
  std::string name_;
  size_t count_ = 0;
};

// How long part `index` is: parts grow, since a store takes only so many.
size_t part_bytes(size_t index);

}  // namespace weir_remote
