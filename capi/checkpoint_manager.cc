#include <variant>

#include "capi/barrier.h"
#include "capi/feedable.h"
#include "iterator/checkpoint_group.h"

namespace weir::capi {

namespace {

constexpr int32_t kDefaultKeep = 3;
constexpr int32_t kMaxKeep = 65536;

struct ManagerObject final : Object {
  static constexpr HandleKind kKind = HandleKind::checkpoint_manager;
  // The files of a rank by itself, or of a rank of a group.
  using Files = std::variant<CheckpointFolder, CheckpointGroup>;

  ManagerObject(RefPtr<RuntimeHost> h, Files f, const weir_checkpoint_manager_options& options)
      : host(std::move(h)),
        files(std::move(f)),
        every_elements(options.every_elements),
        every_ns(options.every_ns),
        saved_ns(now_ns()) {}

  int64_t now_ns() const { return host->runtime().clock->now_ns(); }

  void count(int64_t elements) { taken = elements > INT64_MAX - taken ? INT64_MAX : taken + elements; }
  bool due() const {
    return (every_elements > 0 && taken >= every_elements) ||
           (every_ns > 0 && now_ns() - saved_ns >= every_ns);
  }

  Status save(Iterator& iterator, const void* extra, uint64_t extra_size) {
    WEIR_ASSIGN(std::string_view beside, read_bytes(extra, extra_size, "extra bytes"));
    World whose;
    WEIR_ASSIGN(const std::string position, iterator.save(&whose));
    WEIR_TRY(check_world(whose));
    WEIR_TRY(std::visit([&](auto& own) { return own.save(position, beside); }, files).status());
    taken = 0;
    saved_ns = now_ns();
    return Status();
  }

  // A position in a pipeline with shard(auto, auto) knows its rank: that of another one must not take its
  // place.
  Status check_world(const World& whose) const {
    if (whose.size == 0) return Status();
    const uint32_t rank = std::visit([](const auto& own) { return own.rank(); }, files);
    const auto* group = std::get_if<CheckpointGroup>(&files);
    if (whose.rank == rank && (!group || whose.size == group->size())) return Status();
    return failed_precondition(
        expected_found(concat("an iterator of rank ", rank, group ? concat(" of ", group->size()) : ""),
                       concat("one of rank ", whose.rank, " of ", whose.size),
                       "give manager and iterator the same rank and world_size"));
  }

  Result<Generation> load() {
    if (auto* folder = std::get_if<CheckpointFolder>(&files)) return folder->load();
    auto& group = std::get<CheckpointGroup>(files);
    if (group.has_as_many_ranks()) return group.load(group.rank());
    if (group.saved_ranks() == 0)
      return not_found("expected a group whose ranks have all saved, found none; begin from the start");
    return failed_precondition(expected_found("a group of as many ranks",
                                              concat("one of ", group.saved_ranks()),
                                              "name a rank to take its position"));
  }
  Result<CheckpointGroup*> group() {
    if (auto* found = std::get_if<CheckpointGroup>(&files)) return found;
    return failed_precondition("the checkpoint manager has no world_size");
  }

  const RefPtr<RuntimeHost> host;
  Files files;
  const int64_t every_elements;
  const int64_t every_ns;
  // Elements since the last save, and when that was.
  int64_t taken = 0;
  int64_t saved_ns;
};

Status check_options(const weir_checkpoint_manager_options& options) {
  if (options.keep < 0 || options.keep > kMaxKeep)
    return invalid_argument(expected_found(concat("keep from 0 to ", kMaxKeep), concat(options.keep)));
  if (options.world_size > 0 && options.rank >= options.world_size) {
    return invalid_argument(
        expected_found("a rank below world_size", concat(options.rank, " of ", options.world_size)));
  }
  if (options.every_elements < 0)
    return invalid_argument(expected_found("every_elements of 0 and more", concat(options.every_elements)));
  if (options.every_ns < 0)
    return invalid_argument(expected_found("every_ns of 0 and more", concat(options.every_ns)));
  return Status();
}

Result<ManagerObject::Files> open(Runtime& runtime, std::string folder,
                                  const weir_checkpoint_manager_options& options) {
  const int keep = options.keep == 0 ? kDefaultKeep : options.keep;
  if (options.world_size == 0) {
    WEIR_ASSIGN(auto files, CheckpointFolder::open(runtime, std::move(folder), options.rank, keep));
    return ManagerObject::Files(std::move(files));
  }
  WEIR_ASSIGN(auto files,
              CheckpointGroup::open(runtime, std::move(folder), options.rank, options.world_size, keep));
  return ManagerObject::Files(std::move(files));
}

// Hands a generation over. `position` is not null.
Status deliver(Result<Generation> loaded, weir_bytes* position, weir_bytes* extra, int64_t* generation) {
  if (!loaded.ok()) return loaded.status();
  // Either may find no memory, so both are made before one is handed over.
  OwnedBytes at(std::move(loaded->position));
  OwnedBytes beside(extra ? std::move(loaded->extra) : std::string());
  *position = at.release();
  if (extra) *extra = beside.release();
  if (generation) *generation = loaded->name.number;
  return Status();
}

template <class Body>
int32_t with_manager(weir_checkpoint_manager manager, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Answer {
    ExclusivePin<ManagerObject> pinned(manager.value);
    if (!pinned) return pin_error(pinned, "a checkpoint manager", manager.value);
    return body(*pinned);
  });
}

// Hands over what `load(manager)` returns.
template <class Load>
int32_t load_with(weir_checkpoint_manager manager, weir_bytes* position, weir_bytes* extra,
                  int64_t* generation, weir_error* error, Load&& load) {
  if (extra) *extra = weir_bytes{};
  if (generation) *generation = 0;
  if (!position) return answer_null_out(error);
  *position = weir_bytes{};
  return with_manager(manager, error, [&](ManagerObject& object) -> Status {
    return deliver(load(object), position, extra, generation);
  });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_checkpoint_manager_create(weir_runtime runtime, const char* folder, uint64_t folder_size,
                                       const weir_checkpoint_manager_options* options,
                                       weir_checkpoint_manager* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    weir_checkpoint_manager_options known = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
    WEIR_TRY(read_struct("weir_checkpoint_manager_options", options, sizeof(weir_checkpoint_manager_options),
                         known));
    WEIR_TRY(check_options(known));
    WEIR_ASSIGN(std::string_view name,
                read_string(folder, folder_size, "the name of a folder", kMaxNameBytes));
    WEIR_ASSIGN(RefPtr<RuntimeHost> host, runtime_of(runtime));
    WEIR_ASSIGN(ManagerObject::Files files, open(host->runtime(), std::string(name), known));
    out->value = publish(HandleKind::checkpoint_manager,
                         std::make_unique<ManagerObject>(std::move(host), std::move(files), known));
    return Status();
  });
}

void weir_checkpoint_manager_destroy(weir_checkpoint_manager manager) {
  released([&] { drop_owner(HandleKind::checkpoint_manager, manager.value); });
}

int32_t weir_checkpoint_manager_save(weir_checkpoint_manager manager, weir_iterator iterator,
                                     const void* extra, uint64_t extra_size, weir_error* error) {
  return with_manager(manager, error, [&](ManagerObject& object) {
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t) -> Answer {
      return object.save(delivery.from.iterator, extra, extra_size);
    });
  });
}

int32_t weir_checkpoint_manager_step(weir_checkpoint_manager manager, int64_t elements, int32_t* due,
                                     weir_error* error) {
  if (!due) return answer_null_out(error);
  *due = 0;
  return with_manager(manager, error, [&](ManagerObject& object) -> Status {
    if (elements < 0)
      return invalid_argument(expected_found("a count of 0 elements and more", concat(elements)));
    object.count(elements);
    *due = object.due() ? 1 : 0;
    return Status();
  });
}

int32_t weir_checkpoint_manager_load(weir_checkpoint_manager manager, int64_t rank, weir_bytes* position,
                                     weir_bytes* extra, int64_t* generation, weir_error* error) {
  return load_with(
      manager, position, extra, generation, error, [&](ManagerObject& object) -> Result<Generation> {
        if (rank == WEIR_OWN_RANK) return object.load();
        WEIR_ASSIGN(CheckpointGroup * group, object.group());
        if (rank >= 0 && rank < group->saved_ranks()) return group->load(static_cast<uint32_t>(rank));
        return invalid_argument(expected_found(concat("WEIR_OWN_RANK or a rank below ", group->saved_ranks(),
                                                      ", the number of ranks that have saved"),
                                               concat(rank)));
      });
}

int32_t weir_checkpoint_manager_ranks(weir_checkpoint_manager manager, uint32_t* saved_ranks,
                                      int32_t* complete, weir_error* error) {
  if (saved_ranks) *saved_ranks = 0;
  if (complete) *complete = 0;
  return with_manager(manager, error, [&](ManagerObject& object) -> Status {
    WEIR_ASSIGN(const CheckpointGroup* group, object.group());
    if (complete) {
      WEIR_ASSIGN(const bool all, group->complete());
      *complete = all ? 1 : 0;
    }
    if (saved_ranks) *saved_ranks = group->saved_ranks();
    return Status();
  });
}
