// Part of weir/weir.hpp: functions of the program in a pipeline.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/cpp/array.hpp"
#include "weir/cpp/error.hpp"

namespace weir {
inline namespace v0 {

// What a callback of the form f(Call&) is given. It is valid until the callback returns; one thread at a time
// may use it.
class Call {
 public:
  explicit Call(weir_call handle) noexcept : handle_(handle) {}

  weir_call handle() const noexcept { return handle_; }
  // 1 without WEIR_CALLBACK_BLOCK.
  int64_t rows() const noexcept { return weir_call_rows(handle_); }
  // Component `index` of the element; with WEIR_CALLBACK_BLOCK, the rows are its first dimension.
  template <class T>
  T input(uint32_t index) const {
    return detail::read_checked<T>(view(index), std::to_string(index));
  }
  weir_view view(uint32_t index) const {
    weir_view out = WEIR_VIEW_INIT;
    detail::call(weir_call_input, handle_, index, &out);
    return out;
  }
  // Uninitialised memory for component `index` of the result, to be filled whole. T is an entry's type, or
  // weir_string with bytes from keep() or from an input. Throws invalid_argument if the component's entries
  // are of another type.
  template <class T>
  Span<T> output(uint32_t index, const std::vector<int64_t>& dims = {}) {
    return output<T>(index, dims.data(), dims.size());
  }
  template <class T>
  Span<T> output(uint32_t index, const int64_t* dims, size_t rank) {
    using Value = std::conditional_t<std::is_same_v<T, weir_string>, std::string_view, T>;
    constexpr auto kDType = static_cast<int32_t>(detail::Entry<Value>::dtype);
    constexpr auto kMaxRank = static_cast<size_t>(WEIR_CALL_DTYPE(1) - 1);
    void* out = nullptr;
    detail::call(weir_call_output, handle_, index,
                 static_cast<int32_t>(rank < kMaxRank ? rank : kMaxRank) + WEIR_CALL_DTYPE(kDType), dims,
                 &out);
    return {static_cast<T*>(out), detail::count_of(dims, rank)};
  }
  // A copy of the text that lives as long as the results.
  weir_string keep(std::string_view text) {
    void* out = nullptr;
    detail::call(weir_call_allocate, handle_, static_cast<uint64_t>(text.size()), &out);
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
    return {static_cast<const char*>(out), text.size()};
  }
  // Fails one row; the callback may continue with others.
  void fail(int64_t row, int32_t code, std::string_view message) {
    detail::call(weir_call_fail, handle_, row, code, message.data(), static_cast<uint64_t>(message.size()));
  }
  // The result is no longer needed, so that a long callback should return.
  bool cancelled() const noexcept { return weir_call_cancelled(handle_) != 0; }

 private:
  weir_call handle_;
};

namespace detail {

class CallbackBody {
 public:
  CallbackBody() = default;
  CallbackBody(const CallbackBody&) = delete;
  CallbackBody& operator=(const CallbackBody&) = delete;
  virtual ~CallbackBody() = default;
  virtual int32_t run(weir_call call) = 0;

  // Empty, or what it saves and takes back.
  std::function<std::string()> save{};
  std::function<void(std::string_view)> restore{};
  // What was saved last.
  std::string saved{};
  // The Callbacks are one, and each taking over by the library is one.
  std::atomic<int64_t> owners{1};
};

inline void release_body(CallbackBody* body) noexcept {
  if (body->owners.fetch_sub(1) == 1) delete body;
}
template <class Body, class... Args>
std::shared_ptr<CallbackBody> make_body(Args&&... args) {
  return {new Body(std::forward<Args>(args)...), release_body};
}

// Fails rows from `first` up to `last` without throwing; the message of an exception may have any length.
inline void fail_rows(weir_call call, int64_t first, int64_t last, int32_t code, std::string_view message) {
  constexpr size_t kMaxMessage = 4096;
  const std::string_view text = message.substr(0, kMaxMessage);
  for (int64_t row = first; row < last; ++row) {
    weir_call_fail(call, row, code, text.data(), text.size(), nullptr);
  }
}

// Runs code of the program: what it throws becomes the error of these rows. False if it threw.
template <class Body>
bool run_guarded(weir_call call, int64_t first, int64_t last, Body&& body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    fail_rows(call, first, last, error.code(), error.message());
  } catch (const std::bad_alloc&) {
    fail_rows(call, first, last, WEIR_CODE_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::exception& error) {
    fail_rows(call, first, last, WEIR_CODE_UNKNOWN, error.what());
  } catch (...) {
    fail_rows(call, first, last, WEIR_CODE_UNKNOWN,
              "the callback threw something other than a std::exception");
  }
  return false;
}

// A callback of the form f(Call&).
template <class F>
class WholeCall final : public CallbackBody {
 public:
  explicit WholeCall(F function) : function_(std::move(function)) {}
  int32_t run(weir_call handle) override {
    const int64_t rows = weir_call_rows(handle);
    run_guarded(handle, 0, rows, [&] {
      Call call(handle);
      function_(call);
    });
    return WEIR_OK;
  }

 private:
  F function_;
};

// An input component of a row-wise function: the rows of a block, or the only row.
template <class T>
class RowInput {
 public:
  RowInput(weir_call call, uint32_t index, bool by_block) : by_block_(by_block) {
    detail::call(weir_call_input, call, index, &view_);
    row_ = view_;
    if (by_block_) {
      --row_.rank;
      ++row_.dims;
      row_.byte_size = view_.dims[0] == 0 ? 0 : view_.byte_size / static_cast<uint64_t>(view_.dims[0]);
    }
    read_checked<T>(row_, std::to_string(index));
  }
  T get(int64_t row) {
    row_.data = static_cast<const char*>(view_.data) + static_cast<uint64_t>(row) * row_.byte_size;
    return Component<T>::read(row_);
  }

 private:
  weir_view view_ = WEIR_VIEW_INIT;
  weir_view row_ = WEIR_VIEW_INIT;
  bool by_block_;
};

// A component of a row-wise function's result: its spec, the dimensions of a row, and how a row is stored.
// Only a result of fixed dimensions can be written by block; dims() gets NULL for those.
template <class R>
struct RowResult {
  using Stored = typename Entry<R>::Stored;
  static constexpr bool fixed = true;
  static std::string spec() { return name(Entry<R>::dtype); }
  static std::vector<int64_t> dims(const R*) { return {}; }
  static void store(Call& call, Stored* out, const R& value) {
    if constexpr (std::is_same_v<R, std::string_view>) {
      *out = call.keep(value);
    } else {
      *out = value;
    }
  }
};
template <>
struct RowResult<std::string> {
  using Stored = weir_string;
  static constexpr bool fixed = true;
  static std::string spec() { return "string"; }
  static std::vector<int64_t> dims(const std::string*) { return {}; }
  static void store(Call& call, weir_string* out, const std::string& value) { *out = call.keep(value); }
};
template <class R, size_t N>
struct RowResult<std::array<R, N>> {
  using Stored = typename RowResult<R>::Stored;
  static constexpr bool fixed = true;
  static std::string spec() { return RowResult<R>::spec() + "[" + std::to_string(N) + "]"; }
  static std::vector<int64_t> dims(const std::array<R, N>*) { return {static_cast<int64_t>(N)}; }
  static void store(Call& call, Stored* out, const std::array<R, N>& value) {
    for (const R& entry : value) RowResult<R>::store(call, out++, entry);
  }
};
template <class R>
struct RowResult<std::vector<R>> {
  using Stored = typename RowResult<R>::Stored;
  static constexpr bool fixed = false;
  static std::string spec() { return RowResult<R>::spec() + "[?]"; }
  static std::vector<int64_t> dims(const std::vector<R>* value) {
    return {static_cast<int64_t>(value->size())};
  }
  static void store(Call& call, Stored* out, const std::vector<R>& value) {
    for (const R& entry : value) RowResult<R>::store(call, out++, entry);
  }
};

// Where one component of the result goes.
template <class R>
class RowOutput {
 public:
  RowOutput(Call& call, uint32_t index, bool by_block) : call_(call), index_(index), by_block_(by_block) {
    if constexpr (RowResult<R>::fixed) {
      if (!by_block_) return;
      std::vector<int64_t> dims = RowResult<R>::dims(nullptr);
      width_ = count_of(dims.data(), dims.size());
      dims.insert(dims.begin(), call_.rows());
      out_ = call_.output<Stored>(index_, dims).data();
    }
  }
  void store(int64_t row, const R& value) {
    if (!by_block_) out_ = call_.output<Stored>(index_, RowResult<R>::dims(&value)).data();
    RowResult<R>::store(call_, out_ + static_cast<size_t>(row) * width_, value);
  }

 private:
  using Stored = typename RowResult<R>::Stored;
  Call& call_;
  uint32_t index_;
  bool by_block_;
  size_t width_ = 1;
  Stored* out_ = nullptr;
};

// A result of several components is a tuple.
template <class R>
struct ResultList {
  using Tuple = std::tuple<R>;
  static constexpr bool fixed = RowResult<R>::fixed;
  static std::string spec() { return RowResult<R>::spec(); }
  static std::tuple<const R&> tie(const R& value) { return std::tuple<const R&>(value); }
};
template <class... R>
struct ResultList<std::tuple<R...>> {
  using Tuple = std::tuple<R...>;
  static constexpr bool fixed = (RowResult<R>::fixed && ...);
  static std::string spec() {
    std::string out;
    ((out += (out.empty() ? "(" : ", ") + RowResult<R>::spec()), ...);
    return out + (sizeof...(R) == 1 ? ",)" : ")");
  }
  static const std::tuple<R...>& tie(const std::tuple<R...>& value) { return value; }
};
template <class A, class B>
struct ResultList<std::pair<A, B>> : ResultList<std::tuple<A, B>> {
  static std::tuple<const A&, const B&> tie(const std::pair<A, B>& value) {
    return {value.first, value.second};
  }
};

// What a lambda takes and gives.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = std::decay_t<R>;
  using Parameters = std::tuple<std::decay_t<A>...>;
};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R (*)(A...)> {};

// A function of one row's components, applied to each row of a block where its result has fixed dimensions.
template <class F, class Result, class Parameters, class Outputs>
class RowFunction;

template <class F, class Result, class... A, class... R>
class RowFunction<F, Result, std::tuple<A...>, std::tuple<R...>> final : public CallbackBody {
 public:
  RowFunction(F function, bool by_block) : function_(std::move(function)), by_block_(by_block) {}

  int32_t run(weir_call handle) override {
    run_guarded(handle, 0, weir_call_rows(handle),
                [&] { run_rows(handle, std::index_sequence_for<A...>(), std::index_sequence_for<R...>()); });
    return WEIR_OK;
  }

 private:
  template <size_t... In, size_t... Out>
  void run_rows(weir_call handle, std::index_sequence<In...>, std::index_sequence<Out...>) {
    Call call(handle);
    check_count(handle);
    // In braces, so that they are made in this order.
    std::tuple<RowInput<A>...> inputs{RowInput<A>(handle, static_cast<uint32_t>(In), by_block_)...};
    std::tuple<RowOutput<R>...> outputs{RowOutput<R>(call, static_cast<uint32_t>(Out), by_block_)...};
    const int64_t rows = call.rows();
    for (int64_t row = 0; row < rows; ++row) {
      run_guarded(handle, row, row + 1, [&] {
        const Result result = function_(std::get<In>(inputs).get(row)...);
        const auto& parts = ResultList<Result>::tie(result);
        (std::get<Out>(outputs).store(row, std::get<Out>(parts)), ...);
      });
    }
  }
  static void check_count(weir_call handle) {
    weir_view view = WEIR_VIEW_INIT;
    if (weir_call_input(handle, sizeof...(A), &view, nullptr) != WEIR_OK) return;
    fail_invalid("callback: expected elements of " + std::to_string(sizeof...(A)) +
                 (sizeof...(A) == 1 ? " component" : " components") +
                 ", as the function has parameters, found more; give it a parameter for each");
  }

  F function_;
  const bool by_block_;
};

inline int32_t run_callback(void* body, weir_call call) {
  return static_cast<CallbackBody*>(body)->run(call);
}
// What save or restore throws fails the checkpoint, without its message: an exception may not leave them.
template <class Body>
int32_t state_result(Body&& body) {
  try {
    body();
    return WEIR_OK;
  } catch (...) {
    return 1;
  }
}
inline int32_t save_callback(void* body, const void** data, uint64_t* size) {
  CallbackBody& self = *static_cast<CallbackBody*>(body);
  return state_result([&] {
    self.saved = self.save();
    *data = self.saved.data();
    *size = self.saved.size();
  });
}
inline int32_t restore_callback(void* body, const void* data, uint64_t size) {
  CallbackBody& self = *static_cast<CallbackBody*>(body);
  return state_result([&] { self.restore({static_cast<const char*>(data), static_cast<size_t>(size)}); });
}
inline void destroy_callback(void* body) { release_body(static_cast<CallbackBody*>(body)); }

// A function of the form f(Call&), and one with typed parameters.
template <class F>
constexpr bool takes_call = std::is_invocable_v<F&, Call&>;
template <class F, class = void>
struct IsTyped : std::bool_constant<std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>> {};
template <class F>
struct IsTyped<F, std::void_t<decltype(&F::operator())>> : std::true_type {};

template <class F>
constexpr bool is_function = takes_call<F> || IsTyped<F>::value;

}  // namespace detail

// A function of the program that map, filter and others call. There are two forms.
//
//   Callback([](int64_t x, Span<const float> y) { return std::tuple(x + 1, y[0]); })
//     is called once per element, with its components in the order of the flat list, each of a type that
//     Iterator::elements() knows. It returns a value, a std::string, a std::array, a std::vector (one
//     dimension), or a std::tuple of these; the result spec follows from that.
//   Callback([](Call& call) { ... }, "(int64, float32)")
//     reads and writes through the Call. Without a spec, the result has the structure of the input.
//
// `flags` is WEIR_CALLBACK_CONCURRENT, _PURE, _BLOCKING, _ON_CALLER, and for the second form _BLOCK, as
// weir.h explains them. Without CONCURRENT, calls come one at a time, also those of copies. Without PURE, a
// position of the dataset is saved only with a state(), or as IteratorOptions::checkpoint_policy says.
//
// The function and what it captured are destroyed once, with the last Callback, Pipeline, dataset and
// iterator that holds it, on any thread. What it throws becomes the error of the element: an Error with its
// code and message, std::bad_alloc as resource_exhausted, and everything else as unknown.
class Callback {
 public:
  template <class F, class = std::enable_if_t<!detail::takes_call<F> && detail::is_function<F>>>
  Callback(F function, uint32_t flags = 0) : flags_(flags) {
    using Signature = detail::Signature<F>;
    using Results = detail::ResultList<typename Signature::Result>;
    if (flags & WEIR_CALLBACK_BLOCK) {
      detail::fail_invalid(
          "callback: expected no WEIR_CALLBACK_BLOCK for a function of one element, which is called for each row "
          "of a block by itself; leave the flag out");
    }
    // One that waits gets a thread for each call.
    const bool by_block = Results::fixed && !(flags & WEIR_CALLBACK_BLOCKING);
    if (by_block) flags_ |= WEIR_CALLBACK_BLOCK;
    result_spec_ = Results::spec();
    body_ =
        detail::make_body<detail::RowFunction<F, typename Signature::Result, typename Signature::Parameters,
                                              typename Results::Tuple>>(std::move(function), by_block);
  }
  template <class F, class = std::enable_if_t<detail::takes_call<F>>>
  Callback(F function, std::string result_spec = {}, uint32_t flags = 0)
      : flags_(flags),
        result_spec_(std::move(result_spec)),
        body_(detail::make_body<detail::WholeCall<F>>(std::move(function))) {}

  // What a function that is not pure remembers from call to call goes into checkpoints: `save` returns it,
  // `restore` takes it back before the first call of an iterator that begins there. The state is the
  // function's, so use it in one iterator at a time. What they throw makes saving or creating the iterator
  // fail with unknown.
  Callback& state(std::function<std::string()> save, std::function<void(std::string_view)> restore) {
    check();
    body_->save = std::move(save);
    body_->restore = std::move(restore);
    return *this;
  }

  uint32_t flags() const noexcept { return flags_; }
  // Empty: that of the input.
  const std::string& result_spec() const noexcept { return result_spec_; }

  // For a call of weir.h, which takes it over: it must be given to one, or destroyed with its own function.
  // Its strings live as long as this object.
  weir_callback make_handed() const {
    check();
    weir_callback out = WEIR_CALLBACK_INIT;
    out.flags = flags_;
    out.function = &detail::run_callback;
    out.destroy = &detail::destroy_callback;
    if (body_->save) {
      out.save = &detail::save_callback;
      out.restore = &detail::restore_callback;
    }
    body_->owners.fetch_add(1);
    out.user_data = body_.get();
    out.result_spec = result_spec_.empty() ? nullptr : result_spec_.data();
    out.result_spec_size = result_spec_.size();
    return out;
  }

 private:
  void check() const {
    if (!body_) detail::fail_invalid("callback: expected a function, found a Callback that was moved from");
  }

  uint32_t flags_;
  std::string result_spec_;
  std::shared_ptr<detail::CallbackBody> body_;
};

}  // namespace v0
}  // namespace weir
