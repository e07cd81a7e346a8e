#include "iterator/iterator.h"

#include <algorithm>

#include "capi/arguments.h"
#include "capi/dataset_object.h"
#include "capi/element.h"
#include "capi/runtime.h"
#include "core/text.h"
#include "fs/file_system.h"

namespace weir::capi {

namespace {

struct IteratorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::iterator;
  IteratorObject(RefPtr<RuntimeHost> h, SpecRef s, DocumentRef document)
      : host(std::move(h)),
        spec(std::move(s)),
        components(spec->components()),
        draining_host(spec->has_dataset() ? host : nullptr),
        iterator(host->runtime(), host, *spec, std::move(document)) {}

  const RefPtr<RuntimeHost> host;
  const SpecRef spec;
  const std::vector<Component> components;
  // What its elements keep to drain nested datasets with.
  const RefPtr<RuntimeHost> draining_host;
  Iterator iterator;
};

// Options as they were given, read once.
struct TakenOptions {
  explicit TakenOptions(const weir_iterator_options* options)
      : status(read_struct("weir_iterator_options", options, sizeof(weir_iterator_options), known)),
        arguments(known.params, known.param_count) {}

  bool has_bytes() const { return known.checkpoint != nullptr; }
  bool has_file() const { return known.checkpoint_file != nullptr; }
  bool has_position() const { return has_bytes() || has_file(); }

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
  return read_checkpoint(*file, runtime.limits.checkpoint_bytes);
}

Status initialize(IteratorObject& object, DocumentRef document, const TakenOptions& options) {
  WEIR_ASSIGN(auto params, params_of(options.arguments));
  std::string checkpoint;
  if (options.has_position()) {
    WEIR_ASSIGN(checkpoint, checkpoint_of(*object.host, options));
  }
  return object.iterator.initialize(std::move(document), params,
                                    options.has_position() ? &checkpoint : nullptr);
}

// What can be said of them whether they are used or not.
Status check_options(const TakenOptions& options) {
  WEIR_TRY(options.status);
  const weir_iterator_options& known = options.known;
  if (known.flags & ~WEIR_ITERATOR_UNINITIALIZED) {
    return invalid_argument(expected_found("flags WEIR_ITERATOR_...", concat(known.flags)));
  }
  WEIR_TRY(read_bytes(known.checkpoint, known.checkpoint_size, "a checkpoint").status());
  WEIR_TRY(read_string(known.checkpoint_file, known.checkpoint_file_size, "the name of a checkpoint",
                       kMaxNameBytes)
               .status());
  if (options.has_bytes() && options.has_file()) {
    return invalid_argument("expected one of checkpoint and checkpoint_file, found both");
  }
  return options.arguments.status();
}

weir_iterator publish_iterator(std::unique_ptr<IteratorObject> object) {
  return weir_iterator{publish(HandleKind::iterator, std::move(object))};
}

Status cancelled() {
  return Status(Code::cancelled, "the iterator was cancelled; initialize it to use it again");
}

// What a pull comes to that gave no value; `block` is left empty.
Answer answer_without_value(const Result<PullResult>& pulled, Block& block) {
  if (pulled.ok() && *pulled == PullResult::rows) {
    ErrorPtr failed = block.errors[0].error;
    block.reset(block.columns.size());
    return Answer::element_failed(std::move(failed));
  }
  block.reset(block.columns.size());
  if (!pulled.ok()) return pulled.status();
  switch (*pulled) {
    case PullResult::end:
      return WEIR_END;
    case PullResult::pending:
      return WEIR_PENDING;
    default:
      return cancelled();
  }
}

// What a pull comes to, with `block` empty unless it is a value.
inline Answer answer_of(const Result<PullResult>& pulled, Block& block) {
  if (pulled.ok() && *pulled == PullResult::rows && block.errors.empty()) [[likely]]
    return WEIR_OK;
  return answer_without_value(pulled, block);
}

// Pins both and lets `pull(iterator, element)` fill the element.
template <class Body>
Answer with_element(weir_iterator iterator, weir_element element, Body&& pull) {
  Pin<IteratorObject> from(iterator.value);
  if (!from) return pin_error(from, "an iterator", iterator.value);
  ExclusivePin<Element> into(element.value);
  if (!into) return pin_error(into, "an element", element.value);
  Element& out = *into;
  // The table of names is the iterator's alone.
  if (out.source_names.get() != from->iterator.source_names().get()) {
    out.source_names = from->iterator.source_names();
    out.spec = from->spec;
    out.host = from->draining_host;
  }
  out.batched = false;
  try {
    return pull(from->iterator, out);
  } catch (...) {
    // What was pulled is gone, and must not be taken for a value.
    out.forget();
    throw;
  }
}

bool has_top_rank(const Spec& spec) {
  return (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) ||
         std::any_of(spec.children.begin(), spec.children.end(), has_top_rank);
}

// How many rows from the first on have its shape in every column.
int rows_of_one_shape(const Block& block) {
  int count = block.rows;
  for (const Column& column : block.columns) {
    if (column.dense()) continue;
    const auto& list = column.list();
    auto same = [&](const Tensor& tensor) { return tensor.shape == list[0].shape; };
    auto end = std::find_if_not(list.begin(), list.begin() + count, same);
    count = static_cast<int>(end - list.begin());
  }
  return count;
}

// Gives rows [begin, …) of the element back; where that fails they are gone, and so is the element.
Status give_back(Iterator& iterator, Element& element, int begin) {
  Status given = iterator.give_back(element.block, begin);
  if (!given.ok()) element.forget();
  return given;
}

Answer next_block(Iterator& iterator, Element& out, int64_t max_rows, int64_t& rows) {
  if (iterator.spec().has_dataset() || has_top_rank(iterator.spec())) {
    return unimplemented(
        "expected elements of tensors with a rank below 8, since a block adds a dimension; found " +
        iterator.spec().to_string());
  }
  Result<PullResult> pulled = iterator.next(static_cast<int>(max_rows), out.block);
  Answer answer = answer_of(pulled, out.block);
  if (answer.result() != WEIR_OK) return answer;
  int count = rows_of_one_shape(out.block);
  if (count < out.block.rows) {
    Block first = out.block.slice(0, count);
    WEIR_TRY(give_back(iterator, out, count));
    out.block = std::move(first);
  }
  for (Column& column : out.block.columns) {
    if (!column.dense() && column.list()[0].shape.rank() == kMaxRank) {
      WEIR_TRY(give_back(iterator, out, 0));
      out.forget();
      return unimplemented(
          "expected elements of tensors with a rank below 8, since a block adds a dimension");
    }
    if (!column.dense()) column.densify();
  }
  out.batched = true;
  rows = count;
  return WEIR_OK;
}

// A caller's buffers, which stand as far apart as its version of the struct is large.
class Buffers {
 public:
  static Result<Buffers> read(weir_buffer* buffers, uint64_t count) {
    if (count > kMaxArguments || (count > 0 && !buffers)) {
      return invalid_argument(
          expected_found("a buffer for each component", concat(count, buffers ? "" : " at NULL")));
    }
    Buffers out(buffers, count);
    for (uint64_t i = 0; i < count; ++i) {
      const weir_buffer& buffer = out[i];
      WEIR_TRY(check_out_struct("weir_buffer", buffer.struct_size, sizeof(weir_buffer)));
      if (buffer.struct_size != buffers->struct_size) {
        return invalid_argument("expected all weir_buffers of a call to have one struct_size, found several");
      }
      if (!buffer.data && buffer.capacity > 0) {
        return invalid_argument(expected_found(concat("memory in buffer ", i), "NULL with a capacity"));
      }
    }
    return out;
  }

  weir_buffer& operator[](uint64_t i) const {
    auto* bytes = reinterpret_cast<char*>(first_);
    return *reinterpret_cast<weir_buffer*>(bytes +
                                           i * bytes_of_struct(first_->struct_size, sizeof(weir_buffer)));
  }
  uint64_t count() const { return count_; }

 private:
  Buffers(weir_buffer* first, uint64_t count) : first_(first), count_(count) {}
  weir_buffer* first_;
  uint64_t count_;
};

Status check_buffers(const Buffers& buffers, const std::vector<Component>& components) {
  if (buffers.count() != components.size()) {
    return invalid_argument(
        expected_found(concat(components.size(), " buffers, one a component"), concat(buffers.count())));
  }
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    DType dtype = components[i].dtype;
    if (has_owners(dtype)) {
      return invalid_argument(expected_found("components of numbers",
                                             concat("component ", i, " of dtype ", dtype_name(dtype)),
                                             "weir_iterator_next takes it"));
    }
    if (buffers[i].dtype != 0 && buffers[i].dtype != static_cast<int32_t>(dtype)) {
      return invalid_argument(expected_found(concat("buffer ", i, " for component dtype ", dtype_name(dtype)),
                                             concat("dtype ", buffers[i].dtype)));
    }
  }
  return Status();
}

Answer next_into(IteratorObject& object, const Buffers& buffers) {
  WEIR_TRY(check_buffers(buffers, object.components));
  Iterator& iterator = object.iterator;
  Block block;
  Result<PullResult> pulled = iterator.next(1, block);
  Answer answer = answer_of(pulled, block);
  if (answer.result() != WEIR_OK) return answer;
  Components row = block.row(0);
  bool fits = true;
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    buffers[i].used = row[i].byte_size();
    fits = fits && buffers[i].used <= buffers[i].capacity;
  }
  if (!fits) {
    WEIR_TRY(iterator.give_back(block, 0));
    return Status(
        Code::out_of_range,
        "expected buffers that hold the element, found one that is too small; `used` says what is needed");
  }
  for (uint64_t i = 0; i < buffers.count(); ++i) {
    if (buffers[i].used > 0) std::memcpy(buffers[i].data, row[i].data, buffers[i].used);
  }
  return WEIR_OK;
}

template <class Body>
int32_t with_iterator(weir_iterator iterator, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Answer {
    Pin<IteratorObject> pinned(iterator.value);
    if (!pinned) return pin_error(pinned, "an iterator", iterator.value);
    return body(*pinned);
  });
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
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(DocumentRef document, document_of(dataset));
    auto spec = std::make_shared<const Spec>(document->spec());
    auto object = std::make_unique<IteratorObject>(std::move(host), std::move(spec), document);
    bool lacks_params = !document->params().empty() && taken.known.param_count == 0 && !taken.has_position();
    if (!lacks_params && !(taken.known.flags & WEIR_ITERATOR_UNINITIALIZED)) {
      WEIR_TRY(initialize(*object, document, taken));
    }
    *out = publish_iterator(std::move(object));
    return Status();
  });
}

int32_t weir_iterator_create_from_spec(weir_runtime runtime, weir_spec spec, weir_iterator* out,
                                       weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    WEIR_ASSIGN(auto host, runtime_of(runtime));
    WEIR_ASSIGN(SpecRef structure, spec_of(spec));
    *out = publish_iterator(std::make_unique<IteratorObject>(std::move(host), std::move(structure), nullptr));
    return Status();
  });
}

int32_t weir_iterator_initialize(weir_iterator iterator, weir_dataset dataset,
                                 const weir_iterator_options* options, weir_error* error) {
  return guarded(error, [&]() -> Status {
    TakenOptions taken(options);
    WEIR_TRY(check_options(taken));
    if (taken.known.flags & WEIR_ITERATOR_UNINITIALIZED) {
      return invalid_argument(
          "expected options to begin with, found WEIR_ITERATOR_UNINITIALIZED, which is for "
          "weir_iterator_create");
    }
    Pin<IteratorObject> pinned(iterator.value);
    if (!pinned) return pin_error(pinned, "an iterator", iterator.value);
    DocumentRef document;
    if (dataset.value != 0) {
      WEIR_ASSIGN(document, document_of(dataset));
    }
    return initialize(*pinned, std::move(document), taken);
  });
}

void weir_iterator_destroy(weir_iterator iterator) {
  guarded(nullptr, [&]() -> Status {
    Pin<IteratorObject> pinned(iterator.value);
    // Of several that destroy it, one closes; whoever unpins last frees.
    if (pinned && drop_owner(HandleKind::iterator, iterator.value)) pinned->iterator.close();
    return Status();
  });
}

int32_t weir_iterator_spec(weir_iterator iterator, weir_spec* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    Pin<IteratorObject> pinned(iterator.value);
    if (!pinned) return pin_error(pinned, "an iterator", iterator.value);
    *out = publish_spec(pinned->spec);
    return Status();
  });
}

int32_t weir_iterator_next(weir_iterator iterator, weir_element element, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    return with_element(iterator, element, [](Iterator& from, Element& out) {
      return answer_of(from.next(1, out.block), out.block);
    });
  });
}

int32_t weir_iterator_try_next(weir_iterator iterator, weir_element element, weir_error* error) {
  return guarded(error, [&]() -> Answer {
    return with_element(iterator, element, [](Iterator& from, Element& out) {
      return answer_of(from.try_next(1, out.block), out.block);
    });
  });
}

int32_t weir_iterator_next_block(weir_iterator iterator, int64_t max_rows, weir_element element,
                                 int64_t* out_rows, weir_error* error) {
  return guarded(error, out_rows, [&]() -> Answer {
    if (max_rows < 1 || max_rows > kMaxBlockRows) {
      return invalid_argument(expected_found(concat("max_rows from 1 to ", kMaxBlockRows), concat(max_rows)));
    }
    return with_element(iterator, element, [&](Iterator& from, Element& out) {
      return next_block(from, out, max_rows, *out_rows);
    });
  });
}

int32_t weir_iterator_next_into(weir_iterator iterator, weir_buffer* buffers, uint64_t buffer_count,
                                weir_error* error) {
  return with_iterator(iterator, error, [&](IteratorObject& object) -> Answer {
    auto checked = Buffers::read(buffers, buffer_count);
    if (!checked.ok()) return checked.status();
    return next_into(object, *checked);
  });
}

int32_t weir_iterator_ready_fd(weir_iterator iterator, int32_t* out, weir_error* error) {
  if (!out) return answer_null_out(error);
  *out = -1;
  return with_iterator(iterator, error, [&](IteratorObject& object) -> Answer {
    auto descriptor = object.iterator.ready_descriptor();
    if (!descriptor.ok()) return descriptor.status();
    *out = *descriptor;
    return WEIR_OK;
  });
}

void weir_iterator_cancel(weir_iterator iterator) {
  with_iterator(iterator, nullptr, [](IteratorObject& object) -> Answer {
    object.iterator.cancel();
    return WEIR_OK;
  });
}

int32_t weir_iterator_save(weir_iterator iterator, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    Pin<IteratorObject> pinned(iterator.value);
    if (!pinned) return pin_error(pinned, "an iterator", iterator.value);
    WEIR_ASSIGN(std::string bytes, pinned->iterator.save());
    *out = make_bytes(std::move(bytes));
    return Status();
  });
}

int32_t weir_iterator_save_file(weir_iterator iterator, const char* file, uint64_t file_size,
                                weir_error* error) {
  return with_iterator(iterator, error, [&](IteratorObject& object) -> Answer {
    auto name = read_string(file, file_size, "the name of a file", kMaxNameBytes);
    if (!name.ok()) return name.status();
    return object.iterator.save_file(std::string(*name));
  });
}
