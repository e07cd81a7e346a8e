// A dataset as a stream of Arrow record batches: one row an element, over the library's memory. A reader may
// call it on any thread, with the GIL or without it, which only the main thread takes, to let signals end a
// wait.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "arrow.h"
#include "iterator.h"
#include "spec.h"

namespace weirpy {

namespace {

constexpr int64_t kBatchRows = 1024;

const char* format_of(int32_t dtype) {
  constexpr const char* kFormats[] = {nullptr, "b", "c",     "s", "i", "l",     "C",     "S", "I",
                                      "L",     "e", nullptr, "f", "g", nullptr, nullptr, "Z", nullptr};
  return kFormats[dtype];
}

// One field: a struct of others, or a tensor.
struct Field {
  std::string name;
  std::string format;
  std::vector<Field> children;
  int32_t component = -1;     // of the flat list; -1 for a struct
  std::vector<int64_t> dims;  // of a tensor; -1 where unknown
  bool fixed = true;          // all dimensions are known
};

// Throws for what Arrow has no columns for.
Field field_of(const Plan& plan, std::string name) {
  Field out;
  out.name = std::move(name);
  if (plan.kind == WEIR_SPEC_TUPLE || plan.kind == WEIR_SPEC_DICT) {
    out.format = "+s";
    for (size_t i = 0; i < plan.children.size(); ++i) {
      const bool keyed = plan.kind == WEIR_SPEC_DICT;
      out.children.push_back(
          field_of(plan.children[i], keyed ? std::string(nb::str(plan.keys[i]).c_str()) : std::to_string(i)));
    }
    return out;
  }
  const char* format = plan.kind == WEIR_SPEC_TENSOR ? format_of(plan.dtype) : nullptr;
  if (!format || plan.rank < 0) {
    throw nb::type_error(
        ("component \"" + out.name +
         "\" cannot be an Arrow column: it must be a tensor of known rank, of integers, floats up to "
         "float64, bools or strings; convert it with map")
            .c_str());
  }
  out.format = format;
  out.component = static_cast<int32_t>(plan.first);
  out.dims = plan.dims;
  for (int64_t size : out.dims) out.fixed = out.fixed && size >= 0;
  return out;
}

// ---- schemas

struct SchemaHolder {
  std::string format, name;
  std::vector<ArrowSchema*> children;
};

void release_schema(ArrowSchema* schema) {
  auto* holder = static_cast<SchemaHolder*>(schema->private_data);
  for (ArrowSchema* child : holder->children) {
    if (child->release) child->release(child);
    delete child;
  }
  delete holder;
  schema->release = nullptr;
}

void fill_schema(ArrowSchema* out, std::string format, std::string name, std::vector<ArrowSchema*> children) {
  auto* holder = new SchemaHolder{std::move(format), std::move(name), std::move(children)};
  *out = {holder->format.c_str(),
          holder->name.c_str(),
          nullptr,
          0,
          static_cast<int64_t>(holder->children.size()),
          holder->children.data(),
          nullptr,
          release_schema,
          holder};
}

// A tensor of some rank is a list of lists, each of a fixed size where all dimensions are known.
ArrowSchema* tensor_schema(const Field& field, size_t level, const std::string& name) {
  auto* out = new ArrowSchema;
  if (level == field.dims.size()) {
    fill_schema(out, field.format, name, {});
  } else {
    const std::string format = field.fixed ? "+w:" + std::to_string(field.dims[level]) : "+L";
    fill_schema(out, format, name, {tensor_schema(field, level + 1, "item")});
  }
  return out;
}

ArrowSchema* schema_of(const Field& field) {
  if (field.component >= 0) return tensor_schema(field, 0, field.name);
  std::vector<ArrowSchema*> children;
  for (const Field& child : field.children) children.push_back(schema_of(child));
  auto* out = new ArrowSchema;
  fill_schema(out, "+s", field.name, std::move(children));
  return out;
}

// ---- arrays

struct ArrayHolder {
  std::shared_ptr<OwnedElement> owner;  // of the memory that buffers point to
  std::vector<uint8_t> made;            // a buffer that had to be made
  std::unique_ptr<uint8_t[]> bytes;     // of strings
  std::vector<const void*> buffers;
  std::vector<ArrowArray*> children;
};

void release_array(ArrowArray* array) {
  auto* holder = static_cast<ArrayHolder*>(array->private_data);
  for (ArrowArray* child : holder->children) {
    if (child->release) child->release(child);
    delete child;
  }
  delete holder;
  array->release = nullptr;
}

void fill_array(ArrowArray* out, int64_t length, std::unique_ptr<ArrayHolder> holder) {
  *out = {length,
          0,
          0,
          static_cast<int64_t>(holder->buffers.size()),
          static_cast<int64_t>(holder->children.size()),
          holder->buffers.data(),
          holder->children.data(),
          nullptr,
          release_array,
          nullptr};
  out->private_data = holder.release();
}

// Rows that were taken at once.
struct Rows {
  std::shared_ptr<OwnedElement> element;
  int64_t count;
};

// What an array is made of: entries, or lists of them.
struct Piece {
  weir_view view = WEIR_VIEW_INIT;
  int64_t count = 0;
};

int64_t count_of(const std::vector<Piece>& pieces) {
  int64_t count = 0;
  for (const Piece& piece : pieces) count += piece.count;
  return count;
}

int64_t* make_offsets(ArrayHolder& holder, int64_t count) {
  holder.made.resize((static_cast<size_t>(count) + 1) * sizeof(int64_t));
  return reinterpret_cast<int64_t*>(holder.made.data());
}

void fill_strings(ArrayHolder& holder, const std::vector<Piece>& pieces) {
  int64_t* offset = make_offsets(holder, count_of(pieces));
  for (const Piece& piece : pieces) {
    const auto* entries = static_cast<const weir_string*>(piece.view.data);
    for (int64_t i = 0; i < piece.count; ++i, ++offset)
      offset[1] = offset[0] + static_cast<int64_t>(entries[i].size);
  }
  // Not a vector, which would write the bytes twice.
  holder.bytes = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(*offset));
  uint8_t* to = holder.bytes.get();
  for (const Piece& piece : pieces) {
    const auto* entries = static_cast<const weir_string*>(piece.view.data);
    for (int64_t i = 0; i < piece.count; to += entries[i++].size)
      if (entries[i].size) std::memcpy(to, entries[i].data, entries[i].size);
  }
  holder.buffers = {nullptr, holder.made.data(), holder.bytes.get()};
}

void fill_bits(ArrayHolder& holder, const std::vector<Piece>& pieces) {
  holder.made.resize(static_cast<size_t>(count_of(pieces) + 7) / 8, 0);
  int64_t at = 0;
  for (const Piece& piece : pieces) {
    const auto* bytes = static_cast<const uint8_t*>(piece.view.data);
    for (int64_t i = 0; i < piece.count; ++i, ++at) {
      if (bytes[i]) holder.made[static_cast<size_t>(at / 8)] |= static_cast<uint8_t>(1u << (at % 8));
    }
  }
  holder.buffers = {nullptr, holder.made.data()};
}

// One piece is shared, several are joined.
void fill_numbers(ArrayHolder& holder, const std::vector<Piece>& pieces) {
  holder.buffers = {nullptr, pieces[0].view.data};
  if (pieces.size() == 1) return;
  size_t size = 0;
  for (const Piece& piece : pieces) size += piece.view.byte_size;
  holder.bytes = std::make_unique_for_overwrite<uint8_t[]>(size);
  uint8_t* to = holder.bytes.get();
  for (const Piece& piece : pieces) {
    if (piece.view.byte_size) std::memcpy(to, piece.view.data, piece.view.byte_size);
    to += piece.view.byte_size;
  }
  holder.buffers[1] = holder.bytes.get();
}

// Dimension 0 of a view are the rows, so level 0 of the field is its dimension 1. `owner` is that of the
// first piece. REQUIRES: there is one
ArrowArray* tensor_array(const Field& field, std::vector<Piece> pieces, size_t level,
                         const std::shared_ptr<OwnedElement>& owner) {
  auto holder = std::make_unique<ArrayHolder>();
  holder->owner = owner;
  const int64_t count = count_of(pieces);
  if (level == field.dims.size()) {
    if (pieces[0].view.dtype == WEIR_DTYPE_STRING) {
      fill_strings(*holder, pieces);
    } else if (pieces[0].view.dtype == WEIR_DTYPE_BOOL) {
      fill_bits(*holder, pieces);
    } else {
      fill_numbers(*holder, pieces);
    }
  } else {
    int64_t* offset = field.fixed ? nullptr : make_offsets(*holder, count);
    for (Piece& piece : pieces) {
      const int64_t size = piece.view.dims[level + 1];
      for (int64_t i = 0; offset && i < piece.count; ++i, ++offset) offset[1] = offset[0] + size;
      piece.count *= size;
    }
    holder->children.push_back(tensor_array(field, std::move(pieces), level + 1, owner));
    holder->buffers = {nullptr};
    if (offset) holder->buffers.push_back(holder->made.data());
  }
  auto* out = new ArrowArray;
  fill_array(out, count, std::move(holder));
  return out;
}

// REQUIRES: there are rows
ArrowArray* array_of(const Field& field, const std::vector<Rows>& rows) {
  if (field.component >= 0) {
    std::vector<Piece> pieces(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      weir_element_view(rows[i].element->get(), static_cast<uint32_t>(field.component), &pieces[i].view,
                        nullptr);
      pieces[i].count = rows[i].count;
    }
    // Several are copied.
    return tensor_array(field, std::move(pieces), 0, rows.size() == 1 ? rows[0].element : nullptr);
  }
  auto holder = std::make_unique<ArrayHolder>();
  holder->buffers = {nullptr};
  for (const Field& child : field.children) holder->children.push_back(array_of(child, rows));
  int64_t count = 0;
  for (const Rows& part : rows) count += part.count;
  auto* out = new ArrowArray;
  fill_array(out, count, std::move(holder));
  return out;
}

// ---- signals

// The exception of a signal that ended a read, until it is raised. Readers raise an exception of their own
// for what a stream answers; this one takes its place when the reader, or what it came in, is released on the
// way out. If neither is, the interpreter raises it before it runs on. Guarded by the GIL.
nb::object& interruption() {
  static auto* kept = new nb::object;
  return *kept;
}

bool raise_interruption() {
  const nb::object raised = std::exchange(interruption(), nb::object());
  if (!raised.is_valid()) return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  return true;
}

void raise_instead() {
  if (!PyGILState_Check() || !interruption().is_valid() || !PyErr_Occurred()) return;
  const nb::python_error theirs;
  PyException_SetContext(interruption().ptr(), nb::borrow(theirs.value()).release().ptr());
  raise_interruption();
}

// REQUIRES: the GIL, and the exception is set
void keep_interruption() {
  interruption() = nb::borrow(nb::python_error().value());
  Py_AddPendingCall([](void*) { return raise_interruption() ? -1 : 0; }, nullptr);
}

// ---- the stream

struct Stream {
  OwnedIterator iterator;
  Field root;
  std::string error;
  SignalWatch watch;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  ArrowSchema* made = schema_of(static_cast<Stream*>(stream->private_data)->root);
  *out = *made;
  delete made;
  return 0;
}

bool signalled(Stream& self, bool waited) {
  if (!on_main_thread() || finalizing()) return false;
  return waited ? with_gil([] { return PyErr_CheckSignals() < 0; }) : self.watch.interrupted(true);
}

int32_t next_batch(Stream& self, weir_element element, int64_t* rows, Error& error) {
  const weir_iterator from = self.iterator.get();
  std::optional<WithoutGil> released;
  if (PyGILState_Check()) released.emplace();
  int32_t result = WEIR_OK;
  bool ends = false;
  // Before rows are taken, which would be lost.
  while (!ends && !signalled(self, result == WEIR_PENDING)) {
    result = weir_iterator_next_block(from, kBatchRows + WEIR_BLOCK_TRY, element, rows, error);
    if (result == WEIR_PENDING) {
      pollfd ready{-1, POLLIN, 0};
      result = weir_iterator_ready_fd(from, &ready.fd, error);
      if (result == WEIR_OK) ::poll(&ready, 1, static_cast<int>(kSignalSlice / 1'000'000));
      if (result == WEIR_OK) result = WEIR_PENDING;
    }
    ends = result == WEIR_ELEMENT_FAILED && !finalizing() && was_interrupted();
    if (!ends && result != WEIR_PENDING) return result;
  }
  with_gil(keep_interruption);
  return kInterrupted;
}

// Fails for an element on a device, which no reader of the stream expects.
int32_t check_memory(weir_element element, const Field& field, Error& error) {
  weir_view view = host_view();
  int32_t result = WEIR_OK;
  if (field.component >= 0)
    result = weir_element_view(element, static_cast<uint32_t>(field.component), &view, error);
  for (size_t i = 0; result == WEIR_OK && field.component < 0 && i < field.children.size(); ++i)
    result = check_memory(element, field.children[i], error);
  return result;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& self = *static_cast<Stream*>(stream->private_data);
  auto element = std::make_shared<OwnedElement>();
  Error error;
  int64_t rows = 0;
  int32_t result = weir_element_create(element->out(), error);
  if (result == WEIR_OK) result = next_batch(self, element->get(), &rows, error);
  if (result == WEIR_OK) result = check_memory(element->get(), self.root, error);
  if (result == WEIR_END) {
    *out = {};
    return 0;
  }
  if (result == kInterrupted) {
    self.error = "a signal ended the wait for an element";
    return EINTR;
  }
  if (result != WEIR_OK) {
    self.error = to_view(static_cast<weir_error*>(error)->line);
    return EIO;
  }
  ArrowArray* made = array_of(self.root, {{element, rows}});
  *out = *made;
  delete made;
  return 0;
}

const char* get_last_error(ArrowArrayStream* stream) {
  const auto& self = *static_cast<Stream*>(stream->private_data);
  return self.error.empty() ? nullptr : self.error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<Stream*>(stream->private_data);
  stream->release = nullptr;
  raise_instead();
}

void destroy_capsule(PyObject* capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
  if (stream->release) stream->release(stream);
  delete stream;
  raise_instead();
}

// The columns of an element: a structure, whose members they are, or a tensor, the one column "value".
Field root_of(const Plan& plan) {
  Field made = field_of(plan, plan.kind == WEIR_SPEC_TENSOR ? "value" : "");
  if (made.component < 0) return made;
  Field root;
  root.format = "+s";
  root.children.push_back(std::move(made));
  return root;
}

void destroy_schema(PyObject* capsule) {
  auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule, "arrow_schema"));
  if (schema->release) schema->release(schema);
  delete schema;
}

void destroy_array(PyObject* capsule) {
  auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(capsule, "arrow_array"));
  if (array->release) array->release(array);
  delete array;
}

nb::object schema_capsule(const Field& root) {
  return nb::steal(PyCapsule_New(schema_of(root), "arrow_schema", destroy_schema));
}

nb::object arrow_schema(const Spec& spec) { return schema_capsule(root_of(Plan::of(spec.handle.get()))); }

// So many elements, fewer only at the end, as the capsules of one Arrow array, its schema first; None at the
// end.
nb::object next_arrow(Iterator& self, int64_t count) {
  check_interrupt(self);
  const LateInterrupt late(&self);
  const Field root = root_of(self.plan);
  std::vector<Rows> taken;
  for (int64_t left = count; left > 0;) {
    Rows rows = {std::make_shared<OwnedElement>(), 0};
    Error error;
    check(weir_element_create(rows.element->out(), error), error);
    if (!next_rows(self, std::min(left, kBatchRows), rows.element->get(), rows.count)) break;
    left -= rows.count;
    taken.push_back(std::move(rows));
  }
  if (taken.empty()) return nb::none();
  nb::object array = nb::steal(PyCapsule_New(array_of(root, taken), "arrow_array", destroy_array));
  return nb::make_tuple(schema_capsule(root), array);
}

nb::object arrow_stream(const Dataset& dataset) {
  OwnedSpec spec;
  Error error;
  check(weir_dataset_spec(dataset.handle.get(), spec.out(), error), error);
  auto self = std::make_unique<Stream>();
  self->root = root_of(Plan::of(spec.get()));
  const weir_runtime host = dataset.host();
  checked_without_gil([&](Error& failed) {
    return weir_iterator_create(host, dataset.handle.get(), nullptr, self->iterator.out(), failed);
  });
  auto* stream = new ArrowArrayStream{get_schema, get_next, get_last_error, release_stream, self.release()};
  return nb::steal(PyCapsule_New(stream, "arrow_array_stream", destroy_capsule));
}

}  // namespace

void define_arrow_in(nb::module_& module);

void define_arrow(nb::module_& module) {
  module.def("arrow_stream", arrow_stream, nb::arg("dataset"));
  module.def("arrow_schema", arrow_schema, nb::arg("spec"));
  module.def("next_arrow", next_arrow, nb::arg("iterator"), nb::arg("count"));
  define_arrow_in(module);
}

}  // namespace weirpy
