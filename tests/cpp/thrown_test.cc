// Functions of the host that throw through weir.h, which says that they should not: each exception becomes an
// error where it is thrown, and nothing else is lost.
#include <cstdlib>
#include <stdexcept>

#include "support.h"
#include "weir/weir.h"

namespace {

// Which function throws, and how often each was called.
struct Host {
  const char* thrower = "";
  int opened = 0;
  int closed = 0;
  int destroyed = 0;
  int64_t at = 0;

  void maybe(std::string_view function) const {
    if (function == thrower) throw std::runtime_error(std::string("from ") + thrower);
  }
};

Host& host(void* user_data) { return *static_cast<Host*>(user_data); }

int32_t fill(weir_call call, int64_t value) {
  void* out = nullptr;
  const int32_t result = weir_call_output(call, 0, 0, nullptr, &out, nullptr);
  if (result == WEIR_OK) *static_cast<int64_t*>(out) = value;
  return result;
}

weir_generator generator_of(Host& self) {
  weir_generator generator = WEIR_GENERATOR_INIT;
  generator.user_data = &self;
  generator.open = [](void* user_data, void** state) -> int32_t {
    ++host(user_data).opened;
    host(user_data).maybe("open");
    host(user_data).at = 0;
    *state = user_data;
    return WEIR_OK;
  };
  generator.next = [](void* user_data, void*, weir_call call) -> int32_t {
    if (host(user_data).at == 3) return WEIR_END;
    const int64_t value = host(user_data).at++;
    if (value == 1) host(user_data).maybe("next");
    return fill(call, value);
  };
  generator.close = [](void* user_data, void*) {
    ++host(user_data).closed;
    host(user_data).maybe("close");
  };
  generator.destroy = [](void* user_data) {
    ++host(user_data).destroyed;
    host(user_data).maybe("destroy");
  };
  generator.save = [](void* user_data, void*, const void** data, uint64_t* size) -> int32_t {
    host(user_data).maybe("save");
    *data = &host(user_data).at;
    *size = sizeof host(user_data).at;
    return WEIR_OK;
  };
  generator.restore = [](void* user_data, const void*, uint64_t, void** state) -> int32_t {
    ++host(user_data).opened;
    host(user_data).maybe("restore");
    *state = user_data;
    return WEIR_OK;
  };
  return generator;
}

// The elements of the generator, an error as its message.
Lines generated(Host& self) {
  Lines out;
  {
    const weir::Runtime runtime;
    const weir_generator generator = generator_of(self);
    const weir_argument argument = WEIR_ARGUMENT_GENERATOR("g", &generator);
    weir_dataset dataset{};
    REQUIRE(weir_dataset_parse(runtime.handle(), "from_generator(@g, int64)", WEIR_STRLEN, &argument, 1,
                               &dataset, nullptr) == WEIR_OK);
    weir_iterator iterator{};
    weir_element element{};
    weir_error error = WEIR_ERROR_INIT;
    REQUIRE(weir_iterator_create(runtime.handle(), dataset, nullptr, &iterator, nullptr) == WEIR_OK);
    REQUIRE(weir_element_create(&element, nullptr) == WEIR_OK);
    weir_dataset_unref(dataset);
    for (int i = 0; i < 20; ++i) {
      const int32_t result = weir_iterator_next(iterator, element, &error);
      if (result == WEIR_END) break;
      weir_bytes text = WEIR_BYTES_INIT;
      if (result == WEIR_OK) weir_element_format(element, WEIR_TEXT, &text, nullptr);
      out.emplace_back(result == WEIR_OK ? text.data : error.message.data);
      weir_bytes_release(&text);
      if (self.thrower == std::string_view("save") && i == 0) {
        CHECK(weir_iterator_save(iterator, &text, &error) < 0);
        CHECK(holds(error.message.data, "from save"));
      }
    }
    weir_error_clear(&error);
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
  }
  return out;
}

TEST_CASE("a generator's functions that throw") {
  const auto with = [](const char* thrower) {
    Host self;
    self.thrower = thrower;
    Lines out = generated(self);
    CHECK(self.destroyed == 1);
    CHECK(self.closed == (self.thrower == std::string_view("open") ? 0 : self.opened));
    return out;
  };
  CHECK(with("") == Lines{"0", "1", "2"});
  // One error, and the end.
  CHECK(with("open") == Lines{"unexpected exception: from open"});
  CHECK(with("next") == Lines{"0", "unexpected exception: from next", "2"});
  CHECK(with("close") == Lines{"0", "1", "2"});
  CHECK(with("destroy") == Lines{"0", "1", "2"});
  CHECK(with("save") == Lines{"0", "1", "2"});
}

TEST_CASE("a callback that throws fails its row alone, and may throw when it is destroyed") {
  Host self;
  self.thrower = "destroy";
  {
    const weir::Runtime runtime;
    weir_callback callback = WEIR_CALLBACK_INIT;
    callback.user_data = &self;
    callback.function = [](void*, weir_call call) -> int32_t {
      weir_view in = WEIR_VIEW_INIT;
      weir_call_input(call, 0, &in, nullptr);
      const int64_t x = *static_cast<const int64_t*>(in.data);
      if (x % 3 == 1) throw 7;
      return fill(call, 10 * x);
    };
    callback.destroy = [](void* user_data) {
      ++host(user_data).destroyed;
      host(user_data).maybe("destroy");
    };
    CHECK(weir_runtime_register(runtime.handle(), "f", WEIR_STRLEN, &callback, nullptr) == WEIR_OK);
    const std::string error = "error: internal";
    CHECK(lines_of(runtime, "range(6) | map(@f)") == Lines{"0", error, "20", "30", error, "50"});
    // A batch demands blocks.
    CHECK(lines_of(runtime, "range(6) | map(@f) | batch(2)") == Lines{error, "[20, 30]", error, "[50]"});
  }
  CHECK(self.destroyed == 1);
}

TEST_CASE("an allocator and a logger that throw") {
  Host self;
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  allocator.user_data = &self;
  allocator.allocate = [](void* user_data, uint64_t size, uint64_t alignment) -> void* {
    if (++host(user_data).opened > 1) throw std::runtime_error("no pinned memory");
    return std::aligned_alloc(alignment, size);
  };
  allocator.release = [](void* user_data, void* data, uint64_t) {
    ++host(user_data).closed;
    std::free(data);
    throw std::runtime_error("released");
  };
  allocator.destroy = [](void* user_data) {
    ++host(user_data).destroyed;
    throw std::runtime_error("destroyed");
  };
  weir_logger logger = WEIR_LOGGER_INIT;
  logger.user_data = &self;
  logger.log = [](void*, int32_t, const char*, uint64_t) { throw std::runtime_error("logged"); };
  logger.destroy = [](void*) { throw std::runtime_error("destroyed"); };
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.allocator = &allocator;
  options.logger = &logger;
  options.pool_bytes = -1;
  options.thread_count = 1;
  weir_runtime runtime{};
  REQUIRE(weir_runtime_create(&options, &runtime, nullptr) == WEIR_OK);
  weir_dataset dataset{};
  REQUIRE(weir_dataset_parse(runtime, "range(4) | map(x -> zeros([65536], int32)) | batch(2)", WEIR_STRLEN,
                             nullptr, 0, &dataset, nullptr) == WEIR_OK);
  weir_iterator iterator{};
  weir_element element{};
  weir_error error = WEIR_ERROR_INIT;
  REQUIRE(weir_iterator_create(runtime, dataset, nullptr, &iterator, nullptr) == WEIR_OK);
  REQUIRE(weir_element_create(&element, nullptr) == WEIR_OK);
  int failed = 0;
  int32_t result = WEIR_OK;
  for (int i = 0; i < 20 && (result = weir_iterator_next(iterator, element, &error)) != WEIR_END; ++i) {
    if (result != WEIR_ELEMENT_FAILED) continue;
    ++failed;
    CHECK(error.code == WEIR_CODE_RESOURCE_EXHAUSTED);
  }
  CHECK(result == WEIR_END);
  CHECK(failed >= 1);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(self.closed == 1);
  CHECK(self.destroyed == 1);
}

TEST_CASE("a release function that throws") {
  int released = 0;
  const int64_t dims[] = {2};
  static const int64_t values[] = {1, 2};
  weir_tensor tensor{};
  const auto release = [](void* user_data) {
    ++*static_cast<int*>(user_data);
    throw std::runtime_error("released");
  };
  CHECK(weir_tensor_wrap(WEIR_DTYPE_INT64, 1, dims, values, sizeof values, release, &released, &tensor,
                         nullptr) == WEIR_OK);
  weir_tensor_unref(tensor);
  CHECK(released == 1);
  CHECK(weir_tensor_wrap(WEIR_DTYPE_INT64, 1, dims, values, 7, release, &released, &tensor, nullptr) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_tensor_wrap(WEIR_DTYPE_INT64, 1, dims, values, 7, release, &released, nullptr, nullptr) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(released == 3);
}

}  // namespace
