// Owners: what can be moved and what is shared, in any order of destruction.
#include <type_traits>

#include "support.h"

// As the specification of Arrow's C stream interface has them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace {

template <class T>
constexpr bool only_moves = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                            std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
static_assert(only_moves<weir::Runtime>);
static_assert(only_moves<weir::Iterator>);
static_assert(only_moves<weir::Element>);
static_assert(only_moves<weir::Bytes>);
static_assert(only_moves<weir::RecordWriter>);
static_assert(only_moves<weir::ExampleBuilder>);

template <class T>
constexpr bool is_shared =
    std::is_copy_constructible_v<T>&& std::is_copy_assignable_v<T>&& std::is_nothrow_move_constructible_v<T>;
static_assert(is_shared<weir::Dataset>);
static_assert(is_shared<weir::Spec>);
static_assert(is_shared<weir::Tensor>);
static_assert(std::is_copy_constructible_v<weir::Callback>);
static_assert(std::is_copy_constructible_v<weir::Pipeline>);

TEST_CASE("moving takes the handle along") {
  weir::Runtime first;
  const uint64_t handle = first.handle().value;
  weir::Runtime second = std::move(first);
  CHECK(second.handle().value == handle);
  CHECK(first.handle().value == 0);
  CHECK(error_of([&] { weir::parse(first, "range(1)"); }).code() == WEIR_CODE_INVALID_ARGUMENT);
  first = std::move(second);
  CHECK(lines_of(first, "range(2)") == Lines{"0", "1"});
  weir::Runtime& self = first;
  first = std::move(self);
  CHECK(first.handle().value == handle);
}

TEST_CASE("assigning releases what was there") {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(3));
  const weir_iterator old = iterator.handle();
  iterator = weir::Iterator(runtime, weir::range(7, 9));
  CHECK(weir_iterator_next(old, weir_element{0}, nullptr) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(lines(iterator) == Lines{"7", "8"});
}

TEST_CASE("copies share, and the last one releases") {
  const weir::Runtime runtime;
  weir_dataset handle{};
  {
    std::optional<weir::Dataset> first = weir::parse(runtime, "range(2)");
    handle = first->handle();
    weir::Dataset second = *first;
    CHECK(second.handle().value == handle.value);
    first.reset();
    CHECK(second.cardinality() == 2);
    second = weir::Dataset(second);
    CHECK(second.cardinality() == 2);
  }
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  CHECK(weir_dataset_view(handle, &info, nullptr) == -WEIR_CODE_INVALID_ARGUMENT);
}

TEST_CASE("things are destroyed in any order") {
  std::optional<weir::Runtime> runtime(std::in_place);
  std::optional<weir::Dataset> dataset = weir::range(3).build(*runtime);
  std::optional<weir::Iterator> iterator(std::in_place, *runtime, *dataset);
  runtime.reset();
  dataset.reset();
  CHECK(lines(*iterator) == Lines{"0", "1", "2"});
}

TEST_CASE("a spec is looked into") {
  const weir::Spec spec("{image: uint8[28, 28], label: (int64, string)}");
  CHECK(spec.text() == "{image: uint8[28, 28], label: (int64, string)}");
  CHECK(spec.info().kind == WEIR_SPEC_DICT);
  CHECK(spec.info().component_count == 3);
  CHECK(spec.key(1) == "label");
  CHECK(spec.child(0).info().dims[1] == 28);
  CHECK(spec.component("label.1") == 2);
  CHECK(error_of([&] { spec.component("lable"); }).code() == WEIR_CODE_NOT_FOUND);
  CHECK(error_of([] { weir::Spec("int65"); }).code() == WEIR_CODE_INVALID_ARGUMENT);
}

TEST_CASE("a dataset tells what it is, and survives as bytes") {
  const weir::Runtime runtime;
  const weir::Dataset dataset = weir::parse(runtime, "range( 10)|batch( 4 )");
  CHECK(dataset.text() == "range(10) | batch(4)");
  CHECK(dataset.spec().text() == "int64[?]");
  CHECK(dataset.cardinality() == 3);
  CHECK(dataset.explain(WEIR_TEXT).find("batch(4)  int64[?]  3\n  range(10)  int64  10\n") == 0);
  const weir::Bytes bytes = dataset.serialize();
  const weir::Dataset again = weir::deserialize(runtime, bytes);
  CHECK(again.fingerprint() == dataset.fingerprint());
  CHECK(again.fingerprint() != weir::parse(runtime, "range(10)").fingerprint());
  CHECK(error_of([&] { weir::deserialize(runtime, bytes.view().substr(1)); }).code() == WEIR_CODE_DATA_LOSS);
}

class CountingAllocator final : public weir::Allocator {
 public:
  explicit CountingAllocator(std::atomic<int>& destroyed) : counted_(destroyed) {}
  void* allocate(uint64_t size, uint64_t alignment) noexcept override {
    ++allocations;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  void release(void* data, uint64_t) noexcept override { std::free(data); }
  std::atomic<int> allocations{0};

 private:
  Counted counted_;
};

class KeepingLogger final : public weir::Logger {
 public:
  void log(int32_t, std::string_view line) noexcept override { lines += line; }
  std::string lines;
};

TEST_CASE("a runtime uses the allocator and logger that it is given, and lets them go") {
  std::atomic<int> destroyed{0};
  auto logger = std::make_shared<KeepingLogger>();
  auto allocator = std::make_shared<CountingAllocator>(destroyed);
  const std::weak_ptr<CountingAllocator> watched = allocator;
  {
    weir::RuntimeOptions options;
    options.thread_count = 1;
    options.allocator = allocator;
    options.logger = logger;
    const weir::Runtime runtime(options);
    weir::Iterator iterator(runtime, weir::parse(runtime, "range(40000) | batch(20000) | map(x -> x[0])"));
    CHECK(lines(iterator) == Lines{"0", "20000"});
    CHECK(allocator->allocations > 0);
    lines_of(runtime, "range(-1, 1) | map(x -> 1 // x) | ignore_errors(log: true)");
    CHECK(holds(logger->lines, "division by zero"));
    allocator.reset();
    CHECK(!watched.expired());
  }
  CHECK(destroyed == 1);
  weir::RuntimeOptions wrong;
  wrong.thread_count = -1;
  wrong.allocator = std::make_shared<CountingAllocator>(destroyed);
  CHECK(error_of([&] { weir::Runtime{wrong}; }).code() == WEIR_CODE_INVALID_ARGUMENT);
  wrong.allocator.reset();
  CHECK(destroyed == 2);
}

// Has no rows, and counts what is released.
struct EmptyStream {
  explicit EmptyStream(int& count) : released(count) {
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
      *out = {"l",    "",      nullptr, 0,
              0,      nullptr, nullptr, [](ArrowSchema* schema) { schema->release = nullptr; },
              nullptr};
      return 0;
    };
    stream.get_next = [](ArrowArrayStream*, ArrowArray* out) {
      *out = {};
      return 0;
    };
    stream.release = [](ArrowArrayStream* self) {
      ++static_cast<EmptyStream*>(self->private_data)->released;
      self->release = nullptr;
    };
  }

  int& released;
  ArrowArrayStream stream = {};
};

TEST_CASE("numbers are handed in by their names") {
  weir::Runtime runtime;
  const auto of = [&](std::string_view text, const weir::Arguments& arguments) {
    return lines(runtime, weir::parse(runtime, text, arguments));
  };
  CHECK(of("range(3) | batch(@n)", {{"n", 2}}) == Lines{"[0, 1]", "[2]"});
  CHECK(of("range(@from, @to) | map(x -> @scale * float64(x))",
           {{"from", uint8_t{2}}, {"to", size_t{4}}, {"scale", -2.5}}) == Lines{"-5.0", "-7.5"});
  CHECK(of("from_tensors((@half, @yes))", {{"half", 0.5F}, {"yes", true}}) == Lines{"(0.5, true)"});
  CHECK(weir::parse(runtime, "from_tensors((@a, @b, @c))", {{"a", short{-1}}, {"b", 0.5F}, {"c", false}})
            .spec()
            .text() == "(int64, float32, bool)");
  CHECK(lines(runtime, weir::apply(runtime, "batch", {weir::parse(runtime, "range(3)")}, {{"n", 2}})) ==
        Lines{"[0, 1]", "[2]"});
  CHECK(holds(error_of([&] { of("range(@n)", {{"n", ~uint64_t{0}}}); }).message(), "18446744073709551615"));
}

TEST_CASE("the call takes an Arrow stream over") {
  weir::Runtime runtime;
  int released = 0;
  EmptyStream given(released);
  const weir::Arguments arguments = {{"rows", &given.stream}};
  CHECK(released == 0);
  const weir::Dataset rows = weir::parse(runtime, "@rows", arguments);
  CHECK(released == 1);
  CHECK(given.stream.release == nullptr);
  CHECK(rows.spec().text() == "int64");
  CHECK(lines(runtime, rows).empty());
  CHECK(error_of([&] { weir::parse(runtime, "@rows", arguments); }).code() == WEIR_CODE_INVALID_ARGUMENT);
}

}  // namespace
