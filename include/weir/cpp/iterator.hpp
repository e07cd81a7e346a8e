// Part of weir/weir.hpp: elements, and the positions that give them.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/cpp/array.hpp"
#include "weir/cpp/dataset.hpp"
#include "weir/cpp/error.hpp"
#include "weir/cpp/tensor.hpp"
#include "weir/weir_operators.hpp"

namespace weir {
inline namespace v0 {

// Where an element came from.
struct Origin {
  std::string file;     // empty where it is not known
  int64_t record = -1;  // counted from 0, -1 where it is not known
};

// Holds the element that an iterator gave last; its memory is reused for the next one. One thread at a time
// may use an element.
class Element {
 public:
  Element() {
    weir_element out{};
    detail::call(weir_element_create, &out);
    handle_.reset(out);
  }

  weir_element handle() const noexcept { return handle_.get(); }
  // Component `index` of the flat list as T: a value (int64_t, float, std::string_view), Span<const float>
  // with all entries, Array<float>, or a weir_view of any dtype. Valid until the element is filled again,
  // cleared or destroyed. Throws invalid_argument if the dtype, or for a value the shape, is another one.
  template <class T>
  T get(uint32_t index) const {
    return detail::read_checked<T>(view(index), std::to_string(index));
  }
  weir_view view(uint32_t index) const {
    weir_view out = WEIR_VIEW_INIT;
    detail::call(weir_element_view, handle(), index, &out);
    return out;
  }
  // The component without a copy; filling the element again does not touch it.
  Tensor tensor(uint32_t index) const {
    weir_tensor out{};
    detail::call(weir_element_tensor, handle(), index, &out);
    return Tensor(out);
  }
  // The dataset that the component holds, such as one of window; it stays whatever becomes of the element.
  Dataset dataset(uint32_t index) const {
    weir_dataset out{};
    detail::call(weir_element_dataset, handle(), index, &out);
    return Dataset(out);
  }
  // The receiver calls its deleter. `flags` is 0 or one of WEIR_DLPACK_....
  DLManagedTensorVersioned* dlpack(uint32_t index, uint32_t flags = 0) const {
    DLManagedTensorVersioned* out = nullptr;
    detail::call(weir_element_dlpack, handle(), index, flags, &out);
    return out;
  }
  // One line, in the notation or as JSON.
  std::string text() const { return detail::bytes_of(weir_element_format, handle(), WEIR_TEXT).str(); }
  std::string json() const { return detail::bytes_of(weir_element_format, handle(), uint32_t{0}).str(); }
  // The record and file that the element came from, or one row of a block.
  Origin origin(uint32_t row = 0) const {
    weir_origin out = WEIR_ORIGIN_INIT;
    detail::call(weir_element_origin, handle(), row, &out);
    return {std::string(detail::view(out.file)), out.record};
  }
  // Releases the values.
  void clear() noexcept { weir_element_clear(handle()); }

 private:
  detail::Unique<weir_element, weir_element_destroy> handle_;
};

namespace detail {

// A position as weir_dataset_at takes it: further below it would be one with WEIR_AT_TRY.
inline int64_t waiting(int64_t position) noexcept {
  return position < WEIR_AT_TRY / 2 ? WEIR_AT_TRY / 2 : position;
}

}  // namespace detail

inline void Dataset::at(const Runtime& runtime, int64_t position, Element& element) const {
  detail::call(weir_dataset_at, runtime.handle(), handle(), detail::waiting(position), element.handle());
}

namespace detail {

// Components read together: a tuple of one T each; for one T, the value itself; without any, the element.
template <class... T>
struct Row {
  using Type = std::tuple<T...>;
};
template <class T>
struct Row<T> {
  using Type = T;
};
template <>
struct Row<> {
  using Type = Element&;
};

// Which component of an element each T reads, checked once against the structure.
template <class... T>
class Columns {
 public:
  // No paths: all components, in the order of the flat list. Throws invalid_argument, as `caller`, unless
  // they fit.
  void bind(const Spec& spec, std::initializer_list<std::string_view> paths, const char* caller) {
    if constexpr (sizeof...(T) > 0) {
      const std::vector<Part> parts = parts_of(spec);
      const size_t found = paths.size() == 0 ? parts.size() : paths.size();
      if (found != sizeof...(T)) {
        fail_invalid(std::string(caller) + ": expected a type for each component of " + spec.text() + ", " +
                     std::to_string(found) + (paths.size() == 0 ? "" : " of them by path") + ", found " +
                     std::to_string(sizeof...(T)) + "; name the components that are to be read");
      }
      for (size_t i = 0; i < sizeof...(T); ++i) {
        index_[i] = paths.size() == 0 ? static_cast<uint32_t>(i) : spec.component(paths.begin()[i]);
      }
      size_t i = 0;
      ((check<T>(parts[index_[i]], i), ++i), ...);
    } else if (paths.size() != 0) {
      fail_invalid(std::string(caller) + ": expected a type for each path, found none");
    }
  }
  // REQUIRES: the element is filled, and of the structure that was bound.
  typename Row<T...>::Type read(Element& element) const {
    return read(element, std::index_sequence_for<T...>());
  }

 private:
  template <size_t... I>
  typename Row<T...>::Type read(Element& element, std::index_sequence<I...>) const {
    if constexpr (sizeof...(T) == 0) {
      return element;
    } else {
      return typename Row<T...>::Type{read_component<T>(element, I)...};
    }
  }
  template <class C>
  C read_component(const Element& element, size_t i) const {
    weir_view view = WEIR_VIEW_INIT;
    // It cannot fail: the element is filled, and the spec has the component.
    weir_element_view(element.handle(), index_[i], &view, nullptr);
    if (view.device_type == WEIR_DEVICE_CUDA) return read_checked<C>(view, std::to_string(index_[i]));
    if (check_rank_[i] && view.rank != 0) return read_checked<C>(view, std::to_string(index_[i]));
    return Component<C>::read(view);
  }
  template <class C>
  void check(const Part& part, size_t i) {
    check_component<C>(part.path, part.dtype, part.rank, part.text);
    check_rank_[i] = Component<C>::scalar && part.rank < 0;
  }

  std::array<uint32_t, sizeof...(T)> index_{};
  std::array<bool, sizeof...(T)> check_rank_{};
};

}  // namespace detail

// Values for `param NAME: spec`, by name.
using Params = std::vector<std::pair<std::string, Value>>;

// As WEIR_CHECKPOINT_...; unchanged: what the iterator had before, else refuse.
enum class CheckpointPolicy : uint32_t {
  unchanged = 0,
  refuse = WEIR_CHECKPOINT_REFUSE,
  by_value = WEIR_CHECKPOINT_BY_VALUE,
  ignore = WEIR_CHECKPOINT_IGNORE
};

// Where an iterator begins. At most one of checkpoint, checkpoint_file, rank_checkpoints and epoch is set.
struct IteratorOptions {
  Params params{};
  std::string_view checkpoint{};  // what Iterator::save() gave; copied
  std::string checkpoint_file{};  // what Iterator::save_file() wrote
  bool uninitialized = false;     // even if the dataset needs no parameters
  // How often the dataset was gone through before: shuffles and random functions begin with their order of
  // that epoch.
  uint64_t epoch = 0;
  // The iterator's rank and the number of ranks, for shard(auto, auto); world_size 0: as the environment
  // says.
  uint32_t rank = 0;
  uint32_t world_size = 0;
  // Instead of a checkpoint: what the iterators of all ranks saved, in any order. Another number of ranks
  // continues only where partition divides the pipeline.
  std::vector<std::string_view> rank_checkpoints{};
  // What saving does where elements cannot be made again.
  CheckpointPolicy checkpoint_policy = CheckpointPolicy::unchanged;
  // For feedable iterators, and alone: which iterator to take from, by its string_handle().
  std::string_view string_handle{};
};

enum class Next { element, end, pending };

namespace detail {

inline Next next_of(int32_t result) {
  return result == WEIR_OK ? Next::element : result == WEIR_END ? Next::end : Next::pending;
}

}  // namespace detail

template <class... T>
class Elements;

// A position in a dataset. Any number of threads may call one iterator; they take turns.
//
// If an element failed, functions that return elements throw an Error with element_failed(); the next call
// continues after it.
class Iterator {
 public:
  // At the beginning, or at the position of the checkpoint.
  Iterator(const Runtime& runtime, const Dataset& dataset, const IteratorOptions& options = {}) {
    const HandedOptions handed(options);
    weir_iterator out{};
    detail::call(weir_iterator_create, runtime.handle(), dataset.handle(), &handed.options, &out);
    handle_.reset(out);
  }
  Iterator(const Runtime& runtime, const Pipeline& pipeline, const IteratorOptions& options = {})
      : Iterator(runtime, pipeline.build(runtime), options) {}
  // Uninitialised, for any dataset of this structure. With a string handle it is feedable: each next takes
  // from the iterator that the handle names, which keeps its position. initialize({.string_handle = …}) names
  // another one. Throws not_found if that is gone, and invalid_argument if its elements don't fit.
  Iterator(const Runtime& runtime, const Spec& spec, std::string_view string_handle = {}) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.spec = spec.handle();
    options.string_handle = string_handle.data();
    options.string_handle_size = string_handle.size();
    weir_iterator out{};
    detail::call(weir_iterator_create, runtime.handle(), weir_dataset{}, &options, &out);
    handle_.reset(out);
  }
  // Takes over a handle of weir.h.
  explicit Iterator(weir_iterator handle) noexcept : handle_(handle) {}

  weir_iterator handle() const noexcept { return handle_.get(); }
  Spec spec() const {
    weir_spec out{};
    detail::call(weir_iterator_spec, handle(), &out);
    return Spec(out);
  }

  // Starts a dataset of the same structure; epochs continue to count, and a cancellation ends.
  void initialize(const Dataset& dataset, const IteratorOptions& options = {}) {
    const HandedOptions handed(options);
    detail::call(weir_iterator_initialize, handle(), dataset.handle(), &handed.options);
  }
  // Starts the current dataset again.
  void initialize(const IteratorOptions& options = {}) { initialize(Dataset(), options); }

  // A range of the remaining elements, for a loop: each is a tuple of one T per component, in the order of
  // the flat list; for one T, the value itself; without any, an Element&. The types are those of
  // Element::get(). With paths, those components only, in that order:
  //
  //   for (auto [image, label] : iterator.elements<Span<const uint8_t>, int64_t>({"image", "label"}))
  //
  // The types are checked here, against the spec, and not per element, except that a component of unknown
  // rank is checked to be a scalar at each element. Memory that a T borrows is valid until the loop
  // continues. If an element failed, the loop throws; another loop over the same range, or iterator,
  // continues after it.
  //
  // The range refers to the iterator, unless that is a temporary, which it keeps. One thread at a time may
  // use a range; each of several threads makes its own.
  template <class... T>
  Elements<T...> elements(std::initializer_list<std::string_view> paths = {}) & {
    return Elements<T...>(*this, paths);
  }
  template <class... T>
  Elements<T...> elements(std::initializer_list<std::string_view> paths = {}) && {
    return Elements<T...>(std::move(*this), paths);
  }

  // Fills the element with the next one; false at the end, and from then on.
  bool next(Element& element) {
    return detail::call(weir_iterator_next, handle(), element.handle()) != WEIR_END;
  }
  // Fills it with up to max_rows elements at once, 1 to 1024, which are the first dimension of each
  // component; returns how many, 0 at the end.
  int64_t next_block(int64_t max_rows, Element& element) {
    int64_t rows = 0;
    check_max_rows(max_rows);
    detail::call(weir_iterator_next_block, handle(), max_rows, element.handle(), &rows);
    return rows;
  }
  // Copies the next element into memory of the caller, one buffer per component; false at the end.
  bool next_into(Span<weir_buffer> buffers) {
    return detail::call(weir_iterator_next_into, handle(), buffers.data(),
                        static_cast<uint64_t>(buffers.size())) != WEIR_END;
  }
  // Like next(), but instead of waiting for other threads it returns Next::pending.
  Next try_next(Element& element) {
    return detail::next_of(detail::call(weir_iterator_try_next, handle(), element.handle()));
  }
  // The same for next_block(); `rows` says how many there are.
  Next try_next_block(int64_t max_rows, Element& element, int64_t& rows) {
    check_max_rows(max_rows);
    return detail::next_of(
        detail::call(weir_iterator_next_block, handle(), max_rows + WEIR_BLOCK_TRY, element.handle(), &rows));
  }
  // Like next(), but returns Next::pending if there is none after that long; nothing is lost.
  Next next_within(std::chrono::nanoseconds timeout, Element& element) {
    const auto ns = static_cast<int64_t>(timeout.count());
    return detail::next_of(detail::call(weir_iterator_next_within, handle(), ns, element.handle()));
  }
  // Readable while try_next() is worth calling. It belongs to the iterator.
  int ready_fd() const {
    int32_t out = -1;
    detail::call(weir_iterator_ready_fd, handle(), &out);
    return out;
  }
  // Returns the iterator that has this name within its runtime: this one, unless another has it already. The
  // last of its owners to go releases it.
  Iterator share(std::string_view name) const {
    weir_iterator out{};
    detail::call(weir_iterator_share, handle(), name.data(), static_cast<uint64_t>(name.size()), &out);
    return Iterator(out);
  }
  // A text that names this iterator to feedable ones: the same after initialize(), and impossible to guess.
  std::string string_handle() const { return detail::bytes_of(weir_iterator_string_handle, handle()).str(); }
  // What it and its stages have done, as JSON or as WEIR_STATS_... in `flags` say. Waits for nothing.
  std::string stats(uint32_t flags = 0) const {
    return detail::bytes_of(weir_iterator_stats, handle(), flags).str();
  }
  // Makes every next fail with cancelled, until the iterator is initialised again.
  void cancel() noexcept { weir_iterator_cancel(handle()); }

  // The position, for IteratorOptions: bytes, or a file that holds all of it or what it held before.
  Bytes save() const { return detail::bytes_of(weir_iterator_save, handle()); }
  void save_file(std::string_view file) const {
    detail::call(weir_iterator_save_file, handle(), file.data(), static_cast<uint64_t>(file.size()));
  }

 private:
  template <class... T>
  friend class Elements;

  static void check_max_rows(int64_t max_rows) {
    if (max_rows < 1 || max_rows > 1024)
      detail::fail_invalid("next_block: expected max_rows from 1 to 1024, found " + std::to_string(max_rows));
  }
  static Arguments arguments_of(const Params& params) {
    Arguments out;
    for (const auto& [name, value] : params) out.emplace_back(name, value);
    return out;
  }
  // Options as weir.h takes them.
  struct HandedOptions {
    explicit HandedOptions(const IteratorOptions& given)
        : arguments(arguments_of(given.params)), handed(arguments) {
      options.flags = given.uninitialized ? WEIR_ITERATOR_UNINITIALIZED : 0;
      options.params = handed.list();
      options.param_count = handed.count();
      options.checkpoint = given.checkpoint.empty() ? nullptr : given.checkpoint.data();
      options.checkpoint_size = given.checkpoint.size();
      options.checkpoint_file = given.checkpoint_file.empty() ? nullptr : given.checkpoint_file.data();
      options.checkpoint_file_size = given.checkpoint_file.size();
      options.epoch = given.epoch;
      options.rank = given.rank;
      options.world_size = given.world_size;
      for (const std::string_view rank : given.rank_checkpoints) ranks.push_back({rank.data(), rank.size()});
      options.rank_checkpoints = ranks.data();
      options.rank_checkpoint_count = ranks.size();
      options.checkpoint_policy = static_cast<uint32_t>(given.checkpoint_policy);
      options.string_handle = given.string_handle.data();
      options.string_handle_size = given.string_handle.size();
    }
    Arguments arguments;
    detail::HandedArguments handed;
    std::vector<weir_string> ranks;
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  };

  Iterator() noexcept = default;

  detail::Unique<weir_iterator, weir_iterator_destroy> handle_;
};

// What Iterator::elements() gives.
template <class... T>
class Elements {
 public:
  struct End {};

  // Stands at one element at a time.
  class Position {
   public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = typename detail::Row<T...>::Type;
    using pointer = void;
    using reference = value_type;

    explicit Position(Elements* range) noexcept : range_(range) {}
    reference operator*() const { return range_->columns_.read(range_->element_); }
    Position& operator++() {
      range_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Position& a, End) noexcept { return a.at_end(); }
    friend bool operator!=(const Position& a, End) noexcept { return !a.at_end(); }
    friend bool operator==(End, const Position& a) noexcept { return a.at_end(); }
    friend bool operator!=(End, const Position& a) noexcept { return !a.at_end(); }

   private:
    bool at_end() const noexcept { return range_->ended_; }

    Elements* range_;
  };

  // Goes on to the next element.
  Position begin() {
    advance();
    return Position(this);
  }
  End end() const noexcept { return {}; }
  // The current element of the loop, for text(), origin() and tensor().
  Element& element() noexcept { return element_; }

 private:
  friend class Iterator;

  Elements(Iterator& iterator, std::initializer_list<std::string_view> paths) : source_(iterator.handle()) {
    columns_.bind(iterator.spec(), paths, "elements");
  }
  Elements(Iterator&& iterator, std::initializer_list<std::string_view> paths)
      : owned_(std::move(iterator)), source_(owned_.handle()) {
    columns_.bind(owned_.spec(), paths, "elements");
  }

  void advance() {
    ended_ = false;
    ended_ = error_.check(weir_iterator_next(source_, element_.handle(), error_.get())) == WEIR_END;
  }
  Iterator owned_;
  weir_iterator source_;
  Element element_;
  detail::ErrorSlot error_;
  bool ended_ = false;
  detail::Columns<T...> columns_;
};

// A new loop over the dataset, like Iterator::elements(). The dataset counts such loops, those over copies of
// it too: each begins with the next epoch, so that its shuffles have another order every time.
template <class... T>
Elements<T...> elements(const Runtime& runtime, const Dataset& dataset,
                        std::initializer_list<std::string_view> paths = {}) {
  IteratorOptions options;
  options.epoch = dataset.count_loop();
  return Iterator(runtime, dataset, options).template elements<T...>(paths);
}

// Elements of a dataset by their position, as Dataset::at() reads them, with the types of
// Iterator::elements():
//
//   using Bytes = weir::Span<const uint8_t>;
//   auto rows = weir::random_access<Bytes, int64_t>(runtime, dataset, {"image", "label"});
//   auto [image, label] = rows[7];
//
// The types are checked once, when it is made. Memory that a T borrows is valid until the next call. One
// thread at a time may use it; each of several threads makes its own. It refers to the runtime and shares the
// dataset.
template <class... T>
class RandomAccess {
 public:
  RandomAccess(const Runtime& runtime, const Dataset& dataset,
               std::initializer_list<std::string_view> paths = {})
      : runtime_(runtime.handle()), dataset_(dataset) {
    columns_.bind(dataset.spec(), paths, "random_access");
  }

  // Throws as Dataset::at() does.
  typename detail::Row<T...>::Type operator[](int64_t position) {
    error_.check(weir_dataset_at(runtime_, dataset_.handle(), detail::waiting(position), element_.handle(),
                                 error_.get()));
    return columns_.read(element_);
  }
  // The number of elements, WEIR_CARDINALITY_INFINITE or WEIR_CARDINALITY_UNKNOWN.
  int64_t size() const { return dataset_.cardinality(); }
  // The element that was read last, for what the components don't tell: text(), origin(), tensor().
  Element& element() noexcept { return element_; }

 private:
  weir_runtime runtime_;
  Dataset dataset_;
  Element element_;
  detail::ErrorSlot error_;
  detail::Columns<T...> columns_;
};

template <class... T>
RandomAccess<T...> random_access(const Runtime& runtime, const Dataset& dataset,
                                 std::initializer_list<std::string_view> paths = {}) {
  return RandomAccess<T...>(runtime, dataset, paths);
}

}  // namespace v0
}  // namespace weir
