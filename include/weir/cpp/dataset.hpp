// Part of weir/weir.hpp: runtimes, datasets, and what is handed to them by name.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weir/cpp/callback.hpp"
#include "weir/cpp/error.hpp"
#include "weir/cpp/tensor.hpp"

namespace weir {
inline namespace v0 {

// Makes batch buffers of 64 KiB and more, for example in pinned memory. Both functions may be called on any
// thread, and as long as such a buffer is in use.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // NULL means out of memory and fails the element.
  virtual void* allocate(uint64_t size, uint64_t alignment) noexcept = 0;
  virtual void release(void* data, uint64_t size) noexcept = 0;
};

// Receives the library's few log lines. Called on any thread; it must not call into the library.
class Logger {
 public:
  virtual ~Logger() = default;
  // `level` is a WEIR_LOG_....
  virtual void log(int32_t level, std::string_view line) noexcept = 0;
};

struct RuntimeOptions {
  int32_t thread_count = 0;  // for computing; 0: one per CPU that the process may use
  int64_t pool_bytes = 0;    // free batch buffers kept for reuse; 0: at most 256 MiB; negative: none
  int32_t log_level = 0;     // WEIR_LOG_...: lines below it are dropped; 0: warning
  int64_t record_bytes = 0;  // the longest record that is read; 0: 256 MiB
  int64_t memory_bytes = 0;  // what shuffles and caches may hold together; 0: no limit
  bool top = false;          // shows what its iterators do to `weir top`
  std::string trace_file{};  // for a timeline, written when the runtime ends; empty: none
  // Folders with extensions, separated by colons, before those of the environment.
  std::string extensions{};
  std::shared_ptr<Allocator> allocator{};  // kept as long as a buffer is in use; none: the library's own
  std::shared_ptr<Logger> logger{};        // none: standard error
};

// Threads, memory and logging that iterators share. Most programs need one. It may be destroyed before what
// was made with it, which stays usable.
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options = {}) {
    weir_runtime_options given = WEIR_RUNTIME_OPTIONS_INIT;
    given.thread_count = options.thread_count;
    given.pool_bytes = options.pool_bytes;
    given.log_level = options.log_level;
    given.record_bytes = options.record_bytes;
    given.memory_bytes = options.memory_bytes;
    given.flags = options.top ? WEIR_RUNTIME_TOP : 0;
    given.trace_file = options.trace_file.data();
    given.trace_file_size = options.trace_file.size();
    given.extensions = options.extensions.data();
    given.extensions_size = options.extensions.size();
    std::unique_ptr<KeptAllocator> kept_allocator;
    weir_allocator allocator = WEIR_ALLOCATOR_INIT;
    if (options.allocator) {
      kept_allocator = std::make_unique<KeptAllocator>(options.allocator);
      allocator.allocate = [](void* kept, uint64_t size, uint64_t alignment) {
        return (*static_cast<KeptAllocator*>(kept))->allocate(size, alignment);
      };
      allocator.release = [](void* kept, void* data, uint64_t size) {
        (*static_cast<KeptAllocator*>(kept))->release(data, size);
      };
      allocator.destroy = [](void* kept) { delete static_cast<KeptAllocator*>(kept); };
      given.allocator = &allocator;
    }
    std::unique_ptr<KeptLogger> kept_logger;
    weir_logger logger = WEIR_LOGGER_INIT;
    if (options.logger) {
      kept_logger = std::make_unique<KeptLogger>(options.logger);
      logger.log = [](void* kept, int32_t level, const char* line, uint64_t size) {
        (*static_cast<KeptLogger*>(kept))->log(level, {line, static_cast<size_t>(size)});
      };
      logger.destroy = [](void* kept) { delete static_cast<KeptLogger*>(kept); };
      given.logger = &logger;
    }
    // Taken over by the call, also if it fails.
    allocator.user_data = kept_allocator.release();
    logger.user_data = kept_logger.release();
    weir_runtime out{};
    detail::call(weir_runtime_create, &given, &out);
    handle_.reset(out);
  }
  // Takes over a handle of weir.h.
  explicit Runtime(weir_runtime handle) noexcept : handle_(handle) {}

  weir_runtime handle() const noexcept { return handle_.get(); }

  // Every text parsed with this runtime may use the callback as @NAME, and serialized graphs keep the name.
  void add_callback(std::string_view name, const Callback& callback) {
    const weir_callback handed = callback.make_handed();
    detail::call(weir_runtime_register, handle(), name.data(), static_cast<uint64_t>(name.size()), &handed);
  }

  // Loads an extension, a shared library with an absolute name.
  void load_extension(std::string_view file) {
    detail::call(weir_runtime_load_extension, handle(), file.data(), static_cast<uint64_t>(file.size()));
  }

 private:
  using KeptAllocator = std::shared_ptr<Allocator>;
  using KeptLogger = std::shared_ptr<Logger>;
  detail::Unique<weir_runtime, weir_runtime_destroy> handle_;
};

class Element;

// An immutable description of a sequence. Copies share it. Any number of threads may use one.
class Dataset {
 public:
  Dataset() noexcept = default;
  // Takes over a handle of weir.h.
  explicit Dataset(weir_dataset handle)
      : handle_(handle), loops_(std::make_shared<std::atomic<uint64_t>>(uint64_t{0})) {}

  weir_dataset handle() const noexcept { return handle_.get(); }
  // The structure of the elements.
  Spec spec() const {
    weir_spec out{};
    detail::call(weir_dataset_spec, handle(), &out);
    return Spec(out);
  }
  // The number of elements, WEIR_CARDINALITY_INFINITE or WEIR_CARDINALITY_UNKNOWN.
  int64_t cardinality() const { return info().cardinality; }
  // The canonical text.
  std::string text() const { return detail::bytes_of(weir_dataset_format, handle()).str(); }
  // What it will do, as JSON, or as text with WEIR_TEXT in `flags`.
  std::string explain(uint32_t flags = 0) const {
    return detail::bytes_of(weir_dataset_explain, handle(), flags).str();
  }
  // The graph as bytes, for deserialize().
  Bytes serialize() const { return detail::bytes_of(weir_dataset_serialize, handle()); }
  // 128 bits that equal graphs share.
  std::array<uint64_t, 2> fingerprint() const {
    const weir_dataset_info out = info();
    return {out.fingerprint[0], out.fingerprint[1]};
  }
  // Fills `element` with the element at `position` of the first epoch, counted from 0, without those before
  // it; weir_dataset_at lists the operators that know where their elements are. Throws out_of_range beyond
  // the last one, and an Error with element_failed() where the element failed. Any number of threads may call
  // it, each with an element of its own. random_access() reads typed components.
  void at(const Runtime& runtime, int64_t position, Element& element) const;
  // How many loops were begun before this one, for IteratorOptions::epoch. Copies count together.
  uint64_t count_loop() const noexcept { return loops_ ? loops_->fetch_add(1) : 0; }

 private:
  weir_dataset_info info() const {
    weir_dataset_info out = WEIR_DATASET_INFO_INIT;
    detail::call(weir_dataset_view, handle(), &out);
    return out;
  }

  detail::Shared<weir_dataset, weir_dataset_ref, weir_dataset_unref> handle_;
  std::shared_ptr<std::atomic<uint64_t>> loops_;
};

namespace detail {
class Written;
}

// Something that a document calls @NAME: a text, which is a string byte for byte; a number, which is a scalar
// of int64, float32 or float64, or of bool; a tensor; a dataset; the address of an Arrow stream, whose rows
// are a dataset and which the call moves out of its place; a callback, or a function that becomes one. Of an
// operator, it is a parameter's value: a text of the notation, or what the operators of Pipeline take, such
// as Value("a string").
class Argument {
 public:
  using Value = std::variant<std::string, Tensor, Dataset, Callback, double, ArrowArrayStream*>;

  template <class T>
  Argument(std::string name, T&& value) {
    if constexpr (std::is_base_of_v<detail::Written, std::decay_t<T>>) {
      *this = value.argument();
    } else {
      value_ = value_of(std::forward<T>(value));
    }
    name_ = std::move(name);
  }
  // A value of a WEIR_VALUE_...; of a call, `value` is the operator.
  Argument(uint32_t kind, Value value, std::vector<Argument> members = {})
      : kind_(kind),
        value_(std::move(value)),
        members_(std::make_shared<const std::vector<Argument>>(std::move(members))) {}

  const std::string& name() const noexcept { return name_; }
  uint32_t kind() const noexcept { return kind_; }
  const Value& value() const noexcept { return value_; }
  const std::vector<Argument>& members() const noexcept {
    static const std::vector<Argument> none;
    return members_ ? *members_ : none;
  }

 private:
  template <class T>
  static Value value_of(T&& value) {
    if constexpr (std::is_convertible_v<T&&, std::string_view>) {
      return std::string(std::string_view(value));
    } else if constexpr (detail::is_function<std::decay_t<T>>) {
      return Callback(std::forward<T>(value));
    } else if constexpr (std::is_integral_v<std::decay_t<T>> && !std::is_same_v<std::decay_t<T>, bool>) {
      const auto number = static_cast<int64_t>(value);
      if (std::is_unsigned_v<std::decay_t<T>> && number < 0) {
        detail::fail_invalid("expected a whole number that int64 holds, found " + std::to_string(value));
      }
      return Tensor::scalar(number);
    } else if constexpr (std::is_arithmetic_v<std::decay_t<T>>) {
      return Tensor::scalar(value);
    } else {
      static_assert(
          std::is_constructible_v<Value, T&&>,
          "weir: an argument is a text, a number, a Tensor, a Dataset, a Callback, a function, or the "
          "address of an ArrowArrayStream");
      return std::forward<T>(value);
    }
  }

  std::string name_;
  uint32_t kind_ = 0;
  Value value_;
  std::shared_ptr<const std::vector<Argument>> members_;
};
using Arguments = std::vector<Argument>;

namespace detail {

// Arguments as weir.h takes them. Callbacks that were not handed over are destroyed.
class HandedArguments {
 public:
  explicit HandedArguments(const Arguments& arguments) : HandedArguments() { list_ = add(arguments); }
  HandedArguments(const HandedArguments&) = delete;
  HandedArguments& operator=(const HandedArguments&) = delete;
  ~HandedArguments() {
    if (handed_over_) return;
    for (const weir_callback& callback : callbacks_) callback.destroy(callback.user_data);
  }

  uint64_t count() const noexcept { return list_->size(); }
  const weir_argument* list() const noexcept { return list_->data(); }
  // Right before the call that takes them over, also if it fails.
  void hand_over() noexcept { handed_over_ = true; }

 private:
  HandedArguments() = default;

  const std::vector<weir_argument>* add(const Arguments& arguments) {
    std::vector<weir_argument>& list = lists_.emplace_back();
    list.reserve(arguments.size());
    for (const Argument& argument : arguments) list.push_back(handed(argument));
    return &list;
  }
  weir_argument handed(const Argument& argument) {
    weir_argument given = WEIR_ARGUMENT_INIT;
    given.kind = argument.kind();
    given.name = argument.name().data();
    given.name_size = argument.name().size();
    const auto* text = std::get_if<std::string>(&argument.value());
    if (text && (!text->empty() || given.kind == 0)) {
      given.text = text->data();
      given.text_size = text->size();
    } else if (const auto* number = std::get_if<double>(&argument.value())) {
      given.number = *number;
    } else if (const auto* tensor = std::get_if<Tensor>(&argument.value())) {
      given.tensor = tensor->handle();
    } else if (const auto* dataset = std::get_if<Dataset>(&argument.value())) {
      given.dataset = dataset->handle();
    } else if (const auto* callback = std::get_if<Callback>(&argument.value())) {
      given.callback = &callbacks_.emplace_back(callback->make_handed());
    } else if (auto* const* arrow = std::get_if<ArrowArrayStream*>(&argument.value())) {
      given.arrow = *arrow;
    }
    const std::vector<weir_argument>* members = add(argument.members());
    given.members = members->data();
    given.member_count = members->size();
    return given;
  }

  // Neither moves what it holds.
  std::deque<weir_callback> callbacks_;
  std::deque<std::vector<weir_argument>> lists_;
  const std::vector<weir_argument>* list_ = nullptr;
  bool handed_over_ = false;
};

}  // namespace detail

// A dataset from a document. Throws invalid_argument, with line, column and a caret below the place.
inline Dataset parse(const Runtime& runtime, std::string_view text, const Arguments& arguments = {}) {
  detail::HandedArguments handed(arguments);
  weir_dataset out{};
  handed.hand_over();
  detail::call(weir_dataset_parse, runtime.handle(), text.data(), static_cast<uint64_t>(text.size()),
               handed.list(), handed.count(), &out);
  return Dataset(out);
}

// A dataset made by applying one operator to others, for programs that have its name as a text:
//
//   weir::apply(runtime, "batch", {dataset}, {{"n", "32"}, {"drop_remainder", "true"}})
//
// Arguments are the operator's parameters by name, or by position if the name is empty. Here a text is a
// value of the notation; a string, such as a file's name, is Value(file). The first input stands to the left
// of a transformation; further ones, and those of a source such as zip, become its first positional
// arguments.
inline Dataset apply(const Runtime& runtime, std::string_view operator_name,
                     const std::vector<Dataset>& inputs, const Arguments& arguments = {}) {
  std::vector<weir_dataset> handles;
  handles.reserve(inputs.size());
  for (const Dataset& input : inputs) handles.push_back(input.handle());
  detail::HandedArguments handed(arguments);
  weir_dataset out{};
  handed.hand_over();
  detail::call(weir_dataset_apply, runtime.handle(), operator_name.data(),
               static_cast<uint64_t>(operator_name.size()), static_cast<const weir_dataset*>(handles.data()),
               static_cast<uint64_t>(handles.size()), handed.list(), handed.count(), &out);
  return Dataset(out);
}

// The mistakes of a document, as a JSON array; "[]" if it builds.
inline Bytes check(const Runtime& runtime, std::string_view text, const Arguments& arguments = {}) {
  detail::HandedArguments handed(arguments);
  handed.hand_over();
  return detail::bytes_of(weir_dataset_check, runtime.handle(), text.data(),
                          static_cast<uint64_t>(text.size()), handed.list(), handed.count(), uint32_t{0});
}

// What Dataset::serialize() gave.
inline Dataset deserialize(const Runtime& runtime, std::string_view bytes, const Arguments& arguments = {}) {
  detail::HandedArguments handed(arguments);
  weir_dataset out{};
  handed.hand_over();
  detail::call(weir_dataset_deserialize, runtime.handle(), static_cast<const void*>(bytes.data()),
               static_cast<uint64_t>(bytes.size()), handed.list(), handed.count(), &out);
  return Dataset(out);
}

}  // namespace v0
}  // namespace weir
