#include <cstddef>

#include "capi/arguments.h"
#include "capi/dataset_object.h"
#include "capi/feedable.h"
#include "fs/file_system.h"
#include "iterator/generation.h"

namespace weir::capi {

namespace {

// The first version of weir_iterator_options.
constexpr size_t kIteratorOptionsBytes = offsetof(weir_iterator_options, epoch);

constexpr uint64_t kMaxRanks = uint64_t{1} << 20;

// The options as given, read once.
struct TakenOptions {
  explicit TakenOptions(const weir_iterator_options* options)
      : status(read_struct("weir_iterator_options", options, kIteratorOptionsBytes, known)),
        arguments(known.params, known.param_count) {}

  bool has_bytes() const { return known.checkpoint != nullptr; }
  bool has_file() const { return known.checkpoint_file != nullptr; }
  bool has_ranks() const { return known.rank_checkpoint_count > 0; }
  bool has_name() const { return known.string_handle || known.string_handle_size > 0; }
  bool has_position() const { return has_bytes() || has_file() || has_ranks(); }
  bool has_beginning() const {
    return has_position() || known.flags != 0 || known.param_count > 0 || known.epoch != 0 ||
           known.world_size != 0 || known.checkpoint_policy != 0;
  }
  Result<std::string_view> name() const {
    return read_string(known.string_handle, known.string_handle_size, "a string handle", kMaxNameBytes);
  }

  weir_iterator_options known = WEIR_ITERATOR_OPTIONS_INIT;
  Status status;
  TakenArguments arguments;
};

// REQUIRES: check_options() found nothing
Result<std::string> checkpoint_of(RuntimeHost& host, const TakenOptions& options) {
  const weir_iterator_options& known = options.known;
  if (options.has_bytes()) {
    WEIR_ASSIGN(auto bytes, read_bytes(known.checkpoint, known.checkpoint_size, "a checkpoint"));
    return std::string(bytes);
  }
  WEIR_ASSIGN(std::string_view name, read_string(known.checkpoint_file, known.checkpoint_file_size,
                                                 "the name of a checkpoint", kMaxNameBytes));
  const Runtime& runtime = host.runtime();
  WEIR_ASSIGN(auto file, runtime.files->open(std::string(name)));
  WEIR_ASSIGN(Generation read, read_generation_or_checkpoint(*file, runtime.limits.checkpoint_bytes));
  return std::move(read.position);
}

Result<std::vector<std::string_view>> checkpoints_of_ranks(const weir_iterator_options& options) {
  std::vector<std::string_view> checkpoints;
  for (uint64_t i = 0; i < options.rank_checkpoint_count; ++i) {
    const weir_string& given = options.rank_checkpoints[i];
    WEIR_ASSIGN(auto bytes, read_bytes(given.data, given.size, "the checkpoint of a rank"));
    checkpoints.push_back(bytes);
  }
  return checkpoints;
}

Status initialize(IteratorObject& object, DocumentRef document, const TakenOptions& options) {
  WEIR_ASSIGN(auto params, params_of(options.arguments));
  Beginning beginning{.params = params, .epoch = options.known.epoch};
  if (options.known.checkpoint_policy != 0) {
    constexpr CheckpointPolicy kPolicies[] = {CheckpointPolicy::refuse, CheckpointPolicy::by_value,
                                              CheckpointPolicy::ignore};
    beginning.policy = kPolicies[options.known.checkpoint_policy - 1];
  }
  const World world{options.known.rank, options.known.world_size, {}};
  if (world.known()) beginning.world = &world;
  WEIR_ASSIGN(const auto ranks, checkpoints_of_ranks(options.known));
  beginning.rank_checkpoints = ranks;
  std::string checkpoint;
  if (options.has_bytes() || options.has_file()) {
    WEIR_ASSIGN(checkpoint, checkpoint_of(*object.host, options));
    beginning.checkpoint = &checkpoint;
  }
  return object.iterator.initialize(std::move(document), beginning);
}

// Checks what does not depend on whether they are used.
Status check_options(const TakenOptions& options) {
  WEIR_TRY(options.status);
  const weir_iterator_options& known = options.known;
  if (known.flags & ~(WEIR_ITERATOR_UNINITIALIZED | WEIR_ITERATOR_SHARE_CACHES)) {
    return invalid_argument(expected_found("flags WEIR_ITERATOR_...", concat(known.flags)));
  }
  WEIR_TRY(read_bytes(known.checkpoint, known.checkpoint_size, "a checkpoint").status());
  WEIR_TRY(read_string(known.checkpoint_file, known.checkpoint_file_size, "the name of a checkpoint",
                       kMaxNameBytes)
               .status());
  if (options.has_bytes() + options.has_file() + options.has_ranks() > 1) {
    return invalid_argument(
        "expected one of checkpoint, checkpoint_file and rank_checkpoints, found several of them");
  }
  if (known.rank_checkpoint_count > kMaxRanks || (options.has_ranks() && !known.rank_checkpoints)) {
    return invalid_argument(
        expected_found(concat("at most ", kMaxRanks, " rank_checkpoints"),
                       concat(known.rank_checkpoint_count, known.rank_checkpoints ? "" : " at NULL")));
  }
  if (known.world_size == 0 ? known.rank != 0 : known.rank >= known.world_size) {
    return invalid_argument(expected_found("a rank below world_size",
                                           concat(known.rank, " of ", known.world_size),
                                           known.world_size == 0 ? "world_size is given with rank" : ""));
  }
  if (known.checkpoint_policy > WEIR_CHECKPOINT_IGNORE || known.reserved != 0) {
    return invalid_argument(expected_found("a checkpoint_policy of WEIR_CHECKPOINT_... and a reserved of 0",
                                           concat(known.checkpoint_policy, " and ", known.reserved)));
  }
  if (options.has_position() && known.epoch != 0) {
    return invalid_argument("expected an epoch or a checkpoint, which has its own, found both");
  }
  return options.arguments.status();
}

weir_iterator publish_iterator(std::unique_ptr<IteratorObject> object) {
  return weir_iterator{publish(HandleKind::iterator, std::move(object))};
}

Result<weir_iterator> create_from_spec(weir_runtime runtime, weir_dataset dataset,
                                       const TakenOptions& options) {
  if (dataset.value != 0 || options.has_beginning())
    return invalid_argument("expected nothing but a string_handle beside a spec, found more");
  WEIR_ASSIGN(auto host, runtime_of(runtime));
  WEIR_ASSIGN(SpecRef structure, spec_of(options.known.spec));
  if (!options.has_name())
    return publish_iterator(std::make_unique<IteratorObject>(std::move(host), std::move(structure), nullptr));
  auto feedable = std::make_unique<Feedable>(std::move(structure));
  WEIR_ASSIGN(std::string_view name, options.name());
  WEIR_TRY(feedable->name_source(name));
  return weir_iterator{publish(HandleKind::feedable, std::move(feedable))};
}

Status name_source(weir_iterator iterator, weir_dataset dataset, const TakenOptions& options) {
  Pin<Feedable> feedable(iterator.value);
  if (!feedable || dataset.value != 0 || options.has_beginning()) {
    return invalid_argument(
        "expected a string_handle alone, for an iterator that was created with one, found another iterator, "
        "dataset or option");
  }
  WEIR_ASSIGN(std::string_view name, options.name());
  return feedable->name_source(name);
}

template <class Body>
int32_t with_iterator(weir_iterator iterator, weir_error* error, Body&& body) {
  return guarded(error, [&] { return on_iterator(iterator, body); });
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_iterator_create(weir_runtime runtime, weir_dataset dataset, const weir_iterator_options* options,
                             weir_iterator* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    TakenOptions taken(options);
    WEIR_TRY(check_options(taken));
    if (taken.known.spec.value != 0) {
      WEIR_ASSIGN(*out, create_from_spec(runtime, dataset, taken));
      return Status();
    }
    if (taken.has_name()) return invalid_argument("expected a spec with the string_handle, found none");
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    auto spec = std::make_shared<const Spec>(document->spec());
    auto object = std::make_unique<IteratorObject>(std::move(host), std::move(spec), document,
                                                   (taken.known.flags & WEIR_ITERATOR_SHARE_CACHES) != 0);
    bool lacks_params = !document->params().empty() && taken.known.param_count == 0 && !taken.has_position();
    if (!lacks_params && !(taken.known.flags & WEIR_ITERATOR_UNINITIALIZED)) {
      WEIR_TRY(initialize(*object, document, taken));
    }
    *out = publish_iterator(std::move(object));
    return Status();
  });
}

int32_t weir_iterator_initialize(weir_iterator iterator, weir_dataset dataset,
                                 const weir_iterator_options* options, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    TakenOptions taken(options);
    WEIR_TRY(check_options(taken));
    if (taken.known.flags != 0 || taken.known.spec.value != 0) {
      return invalid_argument(
          "expected options to begin with, found flags or a spec, which are for weir_iterator_create");
    }
    if (taken.has_name()) return name_source(iterator, dataset, taken);
    DocumentRef document;
    if (dataset.value != 0) {
      WEIR_ASSIGN(document, document_of(dataset));
    }
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t) -> Answer {
      return initialize(delivery.from, std::move(document), taken);
    });
  });
}

void weir_iterator_destroy(weir_iterator iterator) {
  guarded(nullptr, [&]() -> Status {
    Pin<IteratorObject> pinned(iterator.value);
    // Of several owners the last one closes; whoever unpins last frees.
    if (!pinned) {
      drop_owner(HandleKind::feedable, iterator.value);
    } else if (drop_owner(HandleKind::iterator, iterator.value) == DropResult::dropped_last) {
      pinned->iterator.close();
    }
    return Status();
  });
}

int32_t weir_iterator_spec(weir_iterator iterator, weir_spec* out, weir_error* error) {
  return guarded(error, out, [&]() -> Answer {
    // That of a feedable iterator doesn't need the one that it names.
    if (Pin<Feedable> feedable(iterator.value); feedable) {
      *out = publish_spec(feedable->spec);
      return WEIR_OK;
    }
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t) -> Answer {
      *out = publish_spec(delivery.spec);
      return WEIR_OK;
    });
  });
}

int32_t weir_iterator_next(weir_iterator iterator, weir_element element, weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) {
    return deliver(delivery, element, [](Iterator& from, Block& out) { return from.next(1, out); });
  });
}

int32_t weir_iterator_next_on(weir_iterator iterator, int64_t stream, weir_element element,
                              weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) -> Answer {
    WEIR_TRY(check_stream(stream));
    return deliver_on(stream, delivery, element);
  });
}

int32_t weir_iterator_try_next(weir_iterator iterator, weir_element element, weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) {
    return deliver(delivery, element, [](Iterator& from, Block& out) { return from.try_next(1, out); });
  });
}

int32_t weir_iterator_next_within(weir_iterator iterator, int64_t timeout_ns, weir_element element,
                                  weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) -> Answer {
    if (timeout_ns < 0)
      return invalid_argument(expected_found("a timeout of 0 ns or more", concat(timeout_ns)));
    return deliver(delivery, element,
                   [&](Iterator& from, Block& out) { return from.next_within(timeout_ns, 1, out); });
  });
}

int32_t weir_iterator_next_block(weir_iterator iterator, int64_t max_rows, weir_element element,
                                 int64_t* out_rows, weir_error* error) {
  return guarded(error, out_rows, [&]() -> Answer {
    WEIR_TRY(check_max_rows(max_rows));
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t) {
      return deliver_block(delivery, element, max_rows, *out_rows);
    });
  });
}

int32_t weir_iterator_next_into(weir_iterator iterator, weir_buffer* buffers, uint64_t buffer_count,
                                weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) {
    return deliver_into(delivery, buffers, buffer_count);
  });
}

int32_t weir_iterator_stats(weir_iterator iterator, uint32_t flags, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Answer {
    if (flags > WEIR_STATS_PROMETHEUS) {
      return invalid_argument(expected_found("flags 0, WEIR_TEXT or WEIR_STATS_PROMETHEUS", concat(flags)));
    }
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t handle) -> Answer {
      const IteratorStats stats = delivery.from.iterator.stats();
      *out = make_bytes(flags == WEIR_TEXT               ? stats_table(stats)
                        : flags == WEIR_STATS_PROMETHEUS ? stats_prometheus(stats, concat(handle))
                                                         : stats_json(stats));
      return WEIR_OK;
    });
  });
}

int32_t weir_iterator_share(weir_iterator iterator, const char* name, uint64_t name_size, weir_iterator* out,
                            weir_error* error) {
  return guarded(error, out, [&]() -> Answer {
    WEIR_ASSIGN(std::string_view given,
                read_string(name, name_size, "the name of an iterator", kMaxNameBytes));
    if (given.empty())
      return invalid_argument("expected a name to share the iterator by, found an empty one");
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t handle) -> Answer {
      IteratorObject& object = delivery.from;
      WEIR_ASSIGN(const uint64_t named, object.host->share_iterator(std::string(given), handle));
      Pin<IteratorObject> other(named);
      if (named == handle) object.named_handle.store(named);
      const std::string difference = other ? difference_of(*other->spec, *object.spec) : std::string();
      if (!difference.empty()) {
        if (drop_owner(HandleKind::iterator, named) == DropResult::dropped_last) other->iterator.close();
        return invalid_argument(
            expected_found(concat("elements ", other->spec->to_string(), ", as the iterator ", quote(given),
                                  " of this runtime has"),
                           concat(object.spec->to_string(), ": ", difference)));
      }
      *out = weir_iterator{named};
      return WEIR_OK;
    });
  });
}

int32_t weir_iterator_string_handle(weir_iterator iterator, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&] {
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t handle) -> Answer {
      RandomSource& random = *delivery.from.host->runtime().random;
      *out = make_bytes(std::string(delivery.from.string_handle.get(handle, random)));
      return WEIR_OK;
    });
  });
}

int32_t weir_iterator_ready_fd(weir_iterator iterator, int32_t* out, weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = -1;
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) -> Answer {
    WEIR_ASSIGN(*out, delivery.from.iterator.ready_descriptor());
    return WEIR_OK;
  });
}

void weir_iterator_cancel(weir_iterator iterator) {
  with_iterator(iterator, nullptr, [](const Delivery& delivery, uint64_t) -> Answer {
    delivery.from.iterator.cancel();
    return WEIR_OK;
  });
}

int32_t weir_iterator_save(weir_iterator iterator, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&] {
    return on_iterator(iterator, [&](const Delivery& delivery, uint64_t) -> Answer {
      WEIR_ASSIGN(std::string bytes, delivery.from.iterator.save());
      *out = make_bytes(std::move(bytes));
      return WEIR_OK;
    });
  });
}

int32_t weir_iterator_save_file(weir_iterator iterator, const char* file, uint64_t file_size,
                                weir_error* error) {
  return with_iterator(iterator, error, [&](const Delivery& delivery, uint64_t) -> Answer {
    WEIR_ASSIGN(std::string_view name, read_string(file, file_size, "the name of a file", kMaxNameBytes));
    return delivery.from.iterator.save_file(std::string(name));
  });
}
