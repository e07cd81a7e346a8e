// How an element of one structure becomes Python objects.
#pragma once

#include <memory>

#include "common.h"

namespace weirpy {

// The tree of a spec, with the place of each part in the flat list of components.
struct Plan {
  int32_t kind = WEIR_SPEC_TENSOR;
  int32_t dtype = 0;
  int32_t rank = -1;
  std::vector<int64_t> dims;
  uint32_t first = 0;
  uint32_t count = 1;
  std::vector<Plan> children;
  std::vector<nb::object> keys;

  static Plan of(weir_spec spec, uint32_t first = 0);
};

// How strings and nested datasets leave.
struct Leaving {
  bool text = false;   // str and StringDType instead of bytes
  nb::object runtime;  // of nested datasets
};

class Filling;

// Where components come from: an element, or the call of a callback, whose inputs are copied.
struct Components {
  weir_element element;
  weir_call call;
  // Null, or whose element it is, which values on a device keep.
  Filling* filling = nullptr;
};

// A component on a device, which keeps the element. NULL with an exception.
PyObject* device_array(const Components& from, uint32_t index, const weir_view& view);

// The components of a plan as Python objects: a new reference, or NULL with an exception.
PyObject* convert(const Plan& plan, const Components& from, const Leaving& leaving);

inline PyObject* convert_element(const Plan& plan, weir_element element, const Leaving& leaving) {
  return convert(plan, {element, {0}}, leaving);
}

// One tensor copied into an array or scalar of its own. NULL with an exception.
PyObject* copy_view(const weir_view& view, bool text);

// The classes of weir that the extension makes objects of.
struct Classes {
  nb::object dataset, sparse, ragged, optional, string_dtype;
  // weir._intake.refit
  nb::object refit;
};
Classes& classes();

// The NumPy dtype of a weir dtype: a new reference. bfloat16 is that of ml_dtypes, NULL without an exception
// if there is none.
PyArray_Descr* descr_of(int32_t dtype);

// The weir dtype of a NumPy dtype, 0 if there is none.
int32_t dtype_of(PyArray_Descr* descr);

}  // namespace weirpy
