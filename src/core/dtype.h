// DType: the type of a tensor's entries.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/str.h"

namespace weir {

// IEEE binary16 and bfloat16 as storage; arithmetic goes through float.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// The dtypes, one per line:
//   ENTRY(name, number, ABI name, name in the notation, class, type of an entry)
// The numbers are part of the C ABI (WEIR_DTYPE_…) and of checkpoints: append only. `dataset` is a nested
// dataset: entries are pointers to NestedDataset (core/value.h), never seen outside the library.
#define WEIR_DTYPES(ENTRY)                                                       \
  ENTRY(boolean, 1, BOOL, "bool", boolean, bool)                                 \
  ENTRY(int8, 2, INT8, "int8", signed_integer, int8_t)                           \
  ENTRY(int16, 3, INT16, "int16", signed_integer, int16_t)                       \
  ENTRY(int32, 4, INT32, "int32", signed_integer, int32_t)                       \
  ENTRY(int64, 5, INT64, "int64", signed_integer, int64_t)                       \
  ENTRY(uint8, 6, UINT8, "uint8", unsigned_integer, uint8_t)                     \
  ENTRY(uint16, 7, UINT16, "uint16", unsigned_integer, uint16_t)                 \
  ENTRY(uint32, 8, UINT32, "uint32", unsigned_integer, uint32_t)                 \
  ENTRY(uint64, 9, UINT64, "uint64", unsigned_integer, uint64_t)                 \
  ENTRY(float16, 10, FLOAT16, "float16", floating, Float16)                      \
  ENTRY(bfloat16, 11, BFLOAT16, "bfloat16", floating, BFloat16)                  \
  ENTRY(float32, 12, FLOAT32, "float32", floating, float)                        \
  ENTRY(float64, 13, FLOAT64, "float64", floating, double)                       \
  ENTRY(complex64, 14, COMPLEX64, "complex64", complex, std::complex<float>)     \
  ENTRY(complex128, 15, COMPLEX128, "complex128", complex, std::complex<double>) \
  ENTRY(string, 16, STRING, "string", owner, Str)                                \
  ENTRY(dataset, 17, DATASET, "dataset", owner, const NestedDataset*)

class NestedDataset;

enum class DType : uint8_t {
  invalid = 0,
#define WEIR_DTYPE_ENTRY(name, number, abi, text, kind, type) name = number,
  WEIR_DTYPES(WEIR_DTYPE_ENTRY)
#undef WEIR_DTYPE_ENTRY
};

// `owner`: entries hold pointers to what Tensor::owners keeps alive.
enum class DTypeClass : uint8_t {
  none,
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  owner,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  DTypeClass kind;
  // The bytes of one entry in a tensor.
  uint8_t size;
};

// Indexed by DType.
inline constexpr DTypeInfo kDTypes[] = {{DType::invalid, "invalid", DTypeClass::none, 0},
#define WEIR_DTYPE_ENTRY(name, number, abi, text, kind, type) \
  {DType::name, text, DTypeClass::kind, sizeof(type)},
                                        WEIR_DTYPES(WEIR_DTYPE_ENTRY)
#undef WEIR_DTYPE_ENTRY
};

constexpr const DTypeInfo& dtype_info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr size_t dtype_size(DType dtype) { return dtype_info(dtype).size; }
// As written in the notation: "bool", "int64" …; "dataset" for a nested dataset.
constexpr std::string_view dtype_name(DType dtype) { return dtype_info(dtype).name; }
// Finds a dtype that can be written, which a nested dataset's cannot.
std::optional<DType> dtype_from_name(std::string_view name);

constexpr bool is_signed_integer(DType d) { return dtype_info(d).kind == DTypeClass::signed_integer; }
constexpr bool is_integer(DType d) {
  return is_signed_integer(d) || dtype_info(d).kind == DTypeClass::unsigned_integer;
}
constexpr bool is_float(DType d) { return dtype_info(d).kind == DTypeClass::floating; }
constexpr bool is_complex(DType d) { return dtype_info(d).kind == DTypeClass::complex; }
constexpr bool is_number(DType d) { return is_integer(d) || is_float(d) || is_complex(d); }
constexpr bool has_owners(DType d) { return dtype_info(d).kind == DTypeClass::owner; }

float to_float(Float16 value);
float to_float(BFloat16 value);
// Round to nearest, ties to even; NaN stays NaN.
Float16 to_float16(float value);
Float16 to_float16(double value);
BFloat16 to_bfloat16(float value);

template <class T>
struct DTypeOf;
#define WEIR_DTYPE_ENTRY(name, number, abi, text, kind, type) \
  template <>                                                 \
  struct DTypeOf<type> {                                      \
    static constexpr DType value = DType::name;               \
  };
WEIR_DTYPES(WEIR_DTYPE_ENTRY)
#undef WEIR_DTYPE_ENTRY
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace weir
