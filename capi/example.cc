#include "format/example.h"

#include "capi/barrier.h"

namespace weir::capi {

namespace {

struct ExampleObject final : Object {
  static constexpr HandleKind kKind = HandleKind::example;
  ExampleBuilder builder;
};

// An Example of 2 GiB or more is refused when it is serialized; far larger features are refused at once.
constexpr uint64_t kMaxFeatureBytes = uint64_t{1} << 31;

template <class T, class Body>
int32_t set_feature(weir_example example, const char* name, uint64_t name_size, const T* values,
                    uint64_t count, weir_error* error, Body&& body) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<ExampleObject> pinned(example.value);
    if (!pinned) return pin_error(pinned, "an example", example.value);
    WEIR_ASSIGN(std::string_view key, read_string(name, name_size, "the name of a feature", kMaxNameBytes));
    if (count > kMaxFeatureBytes / sizeof(T) || (count > 0 && !values)) {
      return invalid_argument(expected_found(concat("at most ", kMaxFeatureBytes / sizeof(T), " values"),
                                             concat(count, values ? "" : " at NULL")));
    }
    return body(pinned->builder, key, std::span<const T>(values, static_cast<size_t>(count)));
  });
}

Status check_strings(std::span<const weir_string> values) {
  uint64_t total = 0;
  for (const weir_string& value : values) {
    if ((!value.data && value.size > 0) || value.size > kMaxFeatureBytes - total) {
      return invalid_argument(
          expected_found(concat("strings of at most ", kMaxFeatureBytes, " bytes together"),
                         concat("one of ", value.size, value.data ? "" : " at NULL")));
    }
    total += value.size;
  }
  return Status();
}

}  // namespace

}  // namespace weir::capi

using namespace weir;
using namespace weir::capi;

int32_t weir_example_create(weir_example* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    out->value = publish(HandleKind::example, std::make_unique<ExampleObject>());
    return Status();
  });
}

void weir_example_destroy(weir_example example) {
  released([&] { drop_owner(HandleKind::example, example.value); });
}

int32_t weir_example_set_int64(weir_example example, const char* name, uint64_t name_size,
                               const int64_t* values, uint64_t count, weir_error* error) {
  return set_feature(
      example, name, name_size, values, count, error,
      [](ExampleBuilder& builder, std::string_view key, std::span<const int64_t> all) -> Status {
        builder.set_int64(key, all);
        return Status();
      });
}

int32_t weir_example_set_float(weir_example example, const char* name, uint64_t name_size,
                               const float* values, uint64_t count, weir_error* error) {
  return set_feature(example, name, name_size, values, count, error,
                     [](ExampleBuilder& builder, std::string_view key, std::span<const float> all) -> Status {
                       builder.set_float(key, all);
                       return Status();
                     });
}

int32_t weir_example_set_bytes(weir_example example, const char* name, uint64_t name_size,
                               const weir_string* values, uint64_t count, weir_error* error) {
  return set_feature(
      example, name, name_size, values, count, error,
      [](ExampleBuilder& builder, std::string_view key, std::span<const weir_string> all) -> Status {
        WEIR_TRY(check_strings(all));
        std::vector<Str> strings;
        for (const weir_string& value : all) strings.emplace_back(value.data, value.size);
        builder.set_bytes(key, strings);
        return Status();
      });
}

int32_t weir_example_serialize(weir_example example, weir_bytes* out, weir_error* error) {
  return guarded(error, out, [&]() -> Status {
    ExclusivePin<ExampleObject> pinned(example.value);
    if (!pinned) return pin_error(pinned, "an example", example.value);
    std::string bytes;
    WEIR_TRY(pinned->builder.serialize(bytes));
    *out = make_bytes(std::move(bytes));
    return Status();
  });
}
