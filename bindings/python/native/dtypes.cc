#include "plan.h"

namespace weirpy {

namespace {

struct Pair {
  int32_t dtype;
  int number;
};

constexpr Pair kPairs[] = {
    {WEIR_DTYPE_BOOL, NPY_BOOL},           {WEIR_DTYPE_INT8, NPY_INT8},
    {WEIR_DTYPE_INT16, NPY_INT16},         {WEIR_DTYPE_INT32, NPY_INT32},
    {WEIR_DTYPE_INT64, NPY_INT64},         {WEIR_DTYPE_UINT8, NPY_UINT8},
    {WEIR_DTYPE_UINT16, NPY_UINT16},       {WEIR_DTYPE_UINT32, NPY_UINT32},
    {WEIR_DTYPE_UINT64, NPY_UINT64},       {WEIR_DTYPE_FLOAT16, NPY_FLOAT16},
    {WEIR_DTYPE_FLOAT32, NPY_FLOAT32},     {WEIR_DTYPE_FLOAT64, NPY_FLOAT64},
    {WEIR_DTYPE_COMPLEX64, NPY_COMPLEX64}, {WEIR_DTYPE_COMPLEX128, NPY_COMPLEX128},
};

// The dtype of ml_dtypes.bfloat16 if that package is there.
PyArray_Descr* bfloat16() {
  static PyArray_Descr* found = [] {
    PyArray_Descr* descr = nullptr;
    PyObject* module = PyImport_ImportModule("ml_dtypes");
    PyObject* type = module ? PyObject_GetAttrString(module, "bfloat16") : nullptr;
    if (type) PyArray_DescrConverter(type, &descr);
    Py_XDECREF(type);
    Py_XDECREF(module);
    PyErr_Clear();
    return descr;
  }();
  return found;
}

}  // namespace

PyArray_Descr* descr_of(int32_t dtype) {
  static PyArray_Descr** table = [] {
    auto** made = new PyArray_Descr*[WEIR_DTYPE_DATASET + 1]();
    for (const Pair& pair : kPairs) made[pair.dtype] = PyArray_DescrFromType(pair.number);
    return made;
  }();
  PyArray_Descr* descr = dtype == WEIR_DTYPE_BFLOAT16 ? bfloat16() : table[dtype];
  Py_XINCREF(reinterpret_cast<PyObject*>(descr));
  return descr;
}

int32_t dtype_of(PyArray_Descr* descr) {
  if (!PyArray_ISNBO(descr->byteorder)) return 0;
  const int number = descr->type_num;
  // NumPy has two types of 64 bits.
  if (number == NPY_LONGLONG) return WEIR_DTYPE_INT64;
  if (number == NPY_ULONGLONG) return WEIR_DTYPE_UINT64;
  for (const Pair& pair : kPairs) {
    if (pair.number == number) return pair.dtype;
  }
  if (number == NPY_DATETIME || number == NPY_TIMEDELTA) return WEIR_DTYPE_INT64;
  PyArray_Descr* wide = number >= NPY_USERDEF ? bfloat16() : nullptr;
  return wide && wide->type_num == number ? WEIR_DTYPE_BFLOAT16 : 0;
}

}  // namespace weirpy
