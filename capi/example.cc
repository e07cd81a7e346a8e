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

template <class T>
Result<std::span<const T>> values_of(const void* values, uint64_t count) {
  if (count > kMaxFeatureBytes / sizeof(T) || (count > 0 && !values)) {
    return invalid_argument(expected_found(concat("at most ", kMaxFeatureBytes / sizeof(T), " values"),
                                           concat(count, values ? "" : " at NULL")));
  }
  return std::span<const T>(static_cast<const T*>(values), static_cast<size_t>(count));
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

Status set(ExampleBuilder& builder, std::string_view key, int32_t dtype, const void* given, uint64_t count) {
  switch (dtype) {
    case WEIR_DTYPE_INT64: {
      WEIR_ASSIGN(auto values, values_of<int64_t>(given, count));
      builder.set_int64(key, values);
      return Status();
    }
    case WEIR_DTYPE_FLOAT32: {
      WEIR_ASSIGN(auto values, values_of<float>(given, count));
      builder.set_float(key, values);
      return Status();
    }
    case WEIR_DTYPE_STRING: {
      WEIR_ASSIGN(auto values, values_of<weir_string>(given, count));
      WEIR_TRY(check_strings(values));
      std::vector<Str> strings;
      for (const weir_string& value : values) strings.emplace_back(value.data, value.size);
      builder.set_bytes(key, strings);
      return Status();
    }
    default:
      return invalid_argument(expected_found("values of int64, float32 or string", concat("dtype ", dtype)));
  }
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

int32_t weir_example_set(weir_example example, const char* name, uint64_t name_size, int32_t dtype,
                         const void* values, uint64_t count, weir_error* error) {
  return guarded(error, [&]() -> Status {
    ExclusivePin<ExampleObject> pinned(example.value);
    if (!pinned) return pin_error(pinned, "an example", example.value);
    WEIR_ASSIGN(std::string_view key, read_string(name, name_size, "the name of a feature", kMaxNameBytes));
    return set(pinned->builder, key, dtype, values, count);
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
