// Part of weir/weir.hpp: checkpoint managers, and what saved positions say.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/cpp/dataset.hpp"
#include "weir/cpp/error.hpp"
#include "weir/cpp/iterator.hpp"
#include "weir/weir.h"

namespace weir {
inline namespace v0 {

struct CheckpointOptions {
  int32_t keep = 3;         // generations, 1 to 65536
  uint32_t rank = 0;        // whose generations these are; one manager at a time writes those of a rank
  uint32_t world_size = 0;  // 0: each rank by itself; else how many there are, in jobs where that may change
  int64_t every_elements = 0;         // elements after which step() says that a save is due; 0: never
  std::chrono::nanoseconds every{0};  // time after which it says so; 0: never
};

// What CheckpointManager::load() gives.
struct Generation {
  Bytes position;      // for IteratorOptions::checkpoint
  std::string extra;   // what save() was given
  int64_t number = 0;  // from 1
};

// Keeps the newest positions of an iterator in a folder, each with bytes of the caller's. One thread at a
// time may use a manager.
class CheckpointManager {
 public:
  // Creates the folder if it is missing.
  CheckpointManager(const Runtime& runtime, std::string_view folder, const CheckpointOptions& options = {}) {
    weir_checkpoint_manager_options given = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
    given.keep = options.keep;
    given.rank = options.rank;
    given.world_size = options.world_size;
    given.every_elements = options.every_elements;
    given.every_ns = options.every.count();
    weir_checkpoint_manager out{};
    detail::call(weir_checkpoint_manager_create, runtime.handle(), folder.data(),
                 static_cast<uint64_t>(folder.size()), &given, &out);
    handle_.reset(out);
  }

  weir_checkpoint_manager handle() const noexcept { return handle_.get(); }

  // Counts elements that were taken; true if a save is due, until save() succeeds. Touches no file.
  bool step(int64_t elements = 1) {
    int32_t due = 0;
    detail::call(weir_checkpoint_manager_step, handle(), elements, &due);
    return due != 0;
  }
  // Publishes the iterator's position and the extra bytes as the next generation, whole or not at all.
  void save(const Iterator& iterator, std::string_view extra = {}) {
    detail::call(weir_checkpoint_manager_save, handle(), iterator.handle(),
                 static_cast<const void*>(extra.data()), static_cast<uint64_t>(extra.size()));
  }
  // The newest valid generation; nothing if there is none at all, which is how a first run begins. If there
  // are some and none is valid, it throws data_loss.
  std::optional<Generation> load() {
    try {
      return loaded(WEIR_OWN_RANK);
    } catch (const Error& error) {
      if (error.code() != WEIR_CODE_NOT_FOUND) throw;
      return std::nullopt;
    }
  }

  // With a world size: the newest valid generation of each rank of the newest group that was complete when
  // this manager was made; empty if there was none. If there are as many as this job has ranks, continue from
  // this rank's own position; otherwise pass all of them as IteratorOptions::rank_checkpoints. Save before
  // taking anything, and take nothing before complete().
  std::vector<Generation> load_ranks() {
    uint32_t count = 0;
    detail::call(weir_checkpoint_manager_ranks, handle(), &count, static_cast<int32_t*>(nullptr));
    std::vector<Generation> out;
    for (uint32_t rank = 0; rank < count; ++rank) {
      out.push_back(loaded(rank));
    }
    return out;
  }
  // With a world size: whether all ranks of this job's group have saved.
  bool complete() const {
    int32_t all = 0;
    detail::call(weir_checkpoint_manager_ranks, handle(), static_cast<uint32_t*>(nullptr), &all);
    return all != 0;
  }

 private:
  Generation loaded(int64_t rank) const {
    weir_bytes position = WEIR_BYTES_INIT;
    weir_bytes extra = WEIR_BYTES_INIT;
    Generation out;
    detail::call(weir_checkpoint_manager_load, handle(), rank, &position, &extra, &out.number);
    out.position = Bytes(position);
    out.extra = Bytes(extra).str();
    return out;
  }

  detail::Unique<weir_checkpoint_manager, weir_checkpoint_manager_destroy> handle_;
};

// Describes a file that Iterator::save_file() or a CheckpointManager wrote, or the generations in a folder.
// JSON, or text with WEIR_TEXT in `flags`, which may also have WEIR_DESCRIBE_....
inline Bytes describe_checkpoint(const Runtime& runtime, std::string_view name, uint32_t flags = 0) {
  return detail::bytes_of(weir_checkpoint_describe, runtime.handle(), name.data(),
                          static_cast<uint64_t>(name.size()), flags);
}

}  // namespace v0
}  // namespace weir
