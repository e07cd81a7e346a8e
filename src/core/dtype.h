// DType: the type of a tensor's entries.
// Cost: table look-ups.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/str.h"

namespace weir {

// The numbers are part of the C ABI and of checkpoints: append only.
enum class DType : uint8_t {
  invalid = 0,
  boolean = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  uint8 = 6,
  uint16 = 7,
  uint32 = 8,
  uint64 = 9,
  float16 = 10,
  bfloat16 = 11,
  float32 = 12,
  float64 = 13,
  complex64 = 14,
  complex128 = 15,
  string = 16,
  // A nested dataset: entries are pointers to NestedDataset (core/value.h). Never seen outside the library.
  dataset = 17,
};

// Bytes an entry takes in a tensor: 16 for a string (a Str), 8 for a dataset (a pointer).
inline size_t dtype_size(DType dtype) {
  constexpr uint8_t kSizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 16, 8};
  return kSizes[static_cast<size_t>(dtype)];
}
// As written in the notation: "bool", "int64" …; "dataset" for a nested dataset.
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

inline bool is_integer(DType d) { return d >= DType::int8 && d <= DType::uint64; }
inline bool is_signed_integer(DType d) { return d >= DType::int8 && d <= DType::int64; }
inline bool is_float(DType d) { return d >= DType::float16 && d <= DType::float64; }
inline bool is_complex(DType d) { return d == DType::complex64 || d == DType::complex128; }
inline bool is_number(DType d) { return d >= DType::int8 && d <= DType::complex128; }
// Entries hold pointers, so that owners must live as long as the tensor.
inline bool has_owners(DType d) { return d == DType::string || d == DType::dataset; }

// IEEE binary16 and bfloat16 as storage; arithmetic goes through float.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
float to_float(Float16 value);
float to_float(BFloat16 value);
// Round to nearest, ties to even; NaN stays NaN.
Float16 to_float16(float value);
Float16 to_float16(double value);
BFloat16 to_bfloat16(float value);

template <class T>
struct DTypeOf;
#define WEIR_DTYPE_OF(type, name)               \
  template <>                                   \
  struct DTypeOf<type> {                        \
    static constexpr DType value = DType::name; \
  };
WEIR_DTYPE_OF(bool, boolean)
WEIR_DTYPE_OF(int8_t, int8)
WEIR_DTYPE_OF(int16_t, int16)
WEIR_DTYPE_OF(int32_t, int32)
WEIR_DTYPE_OF(int64_t, int64)
WEIR_DTYPE_OF(uint8_t, uint8)
WEIR_DTYPE_OF(uint16_t, uint16)
WEIR_DTYPE_OF(uint32_t, uint32)
WEIR_DTYPE_OF(uint64_t, uint64)
WEIR_DTYPE_OF(Float16, float16)
WEIR_DTYPE_OF(BFloat16, bfloat16)
WEIR_DTYPE_OF(float, float32)
WEIR_DTYPE_OF(double, float64)
WEIR_DTYPE_OF(std::complex<float>, complex64)
WEIR_DTYPE_OF(std::complex<double>, complex128)
WEIR_DTYPE_OF(Str, string)
#undef WEIR_DTYPE_OF
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace weir
