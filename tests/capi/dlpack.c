/* Importing DLPack tensors: offsets, strides of every kind, and impossible memory. */
#include "weir/dlpack.h"

#include "check.h"

enum { kEntries = 24 };

/* A tensor over its own memory, with guards around it that no import may show. */
typedef struct lent {
  DLManagedTensorVersioned managed;
  int64_t shape[8];
  int64_t strides[8];
  int32_t before[4];
  int32_t data[kEntries];
  int32_t after[4];
  int deleted;
} lent;

static void delete_lent(DLManagedTensorVersioned* self) { ++((lent*)self->manager_ctx)->deleted; }

static void lend(lent* out, int32_t ndim) {
  memset(out, 0, sizeof *out);
  memset(out->before, 0x55, sizeof out->before);
  memset(out->after, 0x55, sizeof out->after);
  out->managed.version.major = DLPACK_MAJOR_VERSION;
  out->managed.manager_ctx = out;
  out->managed.deleter = delete_lent;
  out->managed.dl_tensor.data = out->data;
  out->managed.dl_tensor.device.device_type = kDLCPU;
  out->managed.dl_tensor.ndim = ndim;
  out->managed.dl_tensor.dtype.code = kDLInt;
  out->managed.dl_tensor.dtype.bits = 32;
  out->managed.dl_tensor.dtype.lanes = 1;
  out->managed.dl_tensor.shape = out->shape;
  for (int i = 0; i < kEntries; ++i) out->data[i] = 100 + i;
}

/* Imports, and checks the entries and whether they are lent or copied. */
static void imports(lent* from, const int32_t* expected, uint64_t count, const void* in_place) {
  weir_tensor tensor = {0};
  weir_view view = WEIR_VIEW_INIT;
  weir_error error = WEIR_ERROR_INIT;
  if (weir_tensor_from_dlpack(&from->managed, &tensor, &error) != WEIR_OK) {
    fprintf(stderr, "%s\n", error.line.data);
    REQUIRE(0);
  }
  REQUIRE(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(view.byte_size == 4 * count);
  CHECK(count == 0 || memcmp(view.data, expected, 4 * count) == 0);
  CHECK(in_place ? view.data == in_place : view.data != (const void*)from->data);
  CHECK(from->deleted == (in_place ? 0 : 1));
  weir_tensor_unref(tensor);
  CHECK(from->deleted == 1);
  weir_error_clear(&error);
}

/* Refused with this code and message, and returned at once. */
static void refused(lent* from, int32_t code, const char* text) {
  weir_tensor tensor = {7};
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_tensor_from_dlpack(&from->managed, &tensor, &error) == -code);
  CHECK(tensor.value == 0 && from->deleted == 1);
  if (!error.message.data || !strstr(error.message.data, text)) {
    fprintf(stderr, "expected an error with \"%s\", found: %s\n", text, error.line.data);
    CHECK(0);
  }
  weir_error_clear(&error);
}

static void offsets(void) {
  static const int32_t kRow[] = {103, 104, 105};
  static const int32_t kTransposed[] = {103, 106, 104, 107, 105, 108};
  lent from;
  int32_t expected[3];
  /* Aligned: in place, after the offset. */
  lend(&from, 1);
  from.shape[0] = 3;
  from.managed.dl_tensor.byte_offset = 12;
  imports(&from, kRow, 3, &from.data[3]);
  /* Not aligned: copied from after the offset. */
  for (uint64_t offset = 1; offset < 12; ++offset) {
    if (offset % 4 == 0) continue;
    lend(&from, 1);
    from.shape[0] = 3;
    from.managed.dl_tensor.byte_offset = offset;
    memcpy(expected, (const char*)from.data + offset, sizeof expected);
    imports(&from, expected, 3, NULL);
  }
  /* With strides that are row-major after all, and with others. */
  lend(&from, 1);
  from.shape[0] = 3;
  from.strides[0] = 1;
  from.managed.dl_tensor.strides = from.strides;
  from.managed.dl_tensor.byte_offset = 12;
  imports(&from, kRow, 3, &from.data[3]);
  lend(&from, 2);
  from.shape[0] = 3;
  from.shape[1] = 2;
  from.strides[0] = 1;
  from.strides[1] = 3;
  from.managed.dl_tensor.strides = from.strides;
  from.managed.dl_tensor.byte_offset = 12;
  imports(&from, kTransposed, 6, NULL);
  /* A bool is copied, whatever the offset. */
  lend(&from, 1);
  from.shape[0] = 4;
  from.managed.dl_tensor.dtype.code = kDLBool;
  from.managed.dl_tensor.dtype.bits = 8;
  from.managed.dl_tensor.byte_offset = 2;
  memcpy(from.data, "\1\1\0\7\1\0\1\1", 8);
  memcpy(expected, "\0\1\1\0", 4);
  imports(&from, expected, 1, NULL);
}

static void strides(void) {
  static const int32_t kReversed[] = {105, 103, 101};
  static const int32_t kRepeated[] = {100, 101, 100, 101};
  static const int32_t kMixed[] = {102, 103, 100, 101};
  lent from;
  lend(&from, 1);
  from.managed.dl_tensor.strides = from.strides;
  from.managed.dl_tensor.byte_offset = 20;
  from.shape[0] = 3;
  from.strides[0] = -2;
  imports(&from, kReversed, 3, NULL);
  lend(&from, 2);
  from.managed.dl_tensor.strides = from.strides;
  from.shape[0] = from.shape[1] = 2;
  from.strides[0] = 0;
  from.strides[1] = 1;
  imports(&from, kRepeated, 4, NULL);
  lend(&from, 2);
  from.managed.dl_tensor.strides = from.strides;
  from.managed.dl_tensor.byte_offset = 8;
  from.shape[0] = from.shape[1] = 2;
  from.strides[0] = -2;
  from.strides[1] = 1;
  imports(&from, kMixed, 4, NULL);
  /* The stride of a dimension of 1 does not matter. */
  lend(&from, 3);
  from.managed.dl_tensor.strides = from.strides;
  from.shape[0] = from.shape[2] = 1;
  from.shape[1] = 3;
  from.strides[0] = INT64_MAX;
  from.strides[1] = 1;
  from.strides[2] = INT64_MIN;
  imports(&from, from.data, 3, from.data);
}

static void without_entries(void) {
  static const int64_t kShapes[][3] = {{0, 5, 5}, {5, 0, 5}, {0, INT64_MAX, 1}, {INT64_MAX, 1, 0}};
  lent from;
  for (int i = 0; i < 4; ++i) {
    for (int with_strides = 0; with_strides < 2; ++with_strides) {
      lend(&from, 3);
      memcpy(from.shape, kShapes[i], sizeof kShapes[i]);
      from.managed.dl_tensor.data = NULL;
      from.managed.dl_tensor.byte_offset = UINT64_MAX;
      from.strides[0] = from.strides[1] = from.strides[2] = INT64_MAX;
      if (with_strides) from.managed.dl_tensor.strides = from.strides;
      imports(&from, NULL, 0, NULL);
    }
  }
  lend(&from, 1);
  from.shape[0] = 1;
  from.managed.dl_tensor.data = NULL;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "found NULL");
}

static void beyond_memory(void) {
  static const int64_t kStrides[] = {INT64_MAX,     INT64_MIN,         INT64_MAX / 2,
                                     INT64_MIN / 2, INT64_MAX / 4 + 1, INT64_MIN / 4 - 1};
  lent from;
  for (int i = 0; i < 6; ++i) {
    for (int axis = 0; axis < 2; ++axis) {
      lend(&from, 2);
      from.managed.dl_tensor.strides = from.strides;
      from.shape[0] = from.shape[1] = 2;
      from.strides[axis] = kStrides[i];
      from.strides[1 - axis] = 1;
      refused(&from, WEIR_CODE_INVALID_ARGUMENT, axis == 0 ? "dimension 0" : "dimension 1");
    }
  }
  /* Each within 63 bits, both together beyond. */
  lend(&from, 2);
  from.managed.dl_tensor.strides = from.strides;
  from.shape[0] = from.shape[1] = 2;
  from.strides[0] = from.strides[1] = INT64_MAX / 4 - 1;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "dimension 1");
  /* Within 63 bits, but before or after all memory. */
  lend(&from, 1);
  from.managed.dl_tensor.strides = from.strides;
  from.shape[0] = 2;
  from.strides[0] = INT64_MIN / 4;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "entries within memory");
  lend(&from, 1);
  from.shape[0] = 2;
  from.managed.dl_tensor.byte_offset = UINT64_MAX - (uintptr_t)from.data - 6;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "entries within memory");
  lend(&from, 1);
  from.shape[0] = 1;
  from.managed.dl_tensor.byte_offset = UINT64_MAX;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "byte_offset");
  /* Sizes: the product of the dimensions, and 64 GiB. */
  lend(&from, 2);
  from.shape[0] = INT64_MAX;
  from.shape[1] = 2;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "product");
  lend(&from, 1);
  from.shape[0] = (INT64_C(1) << 34) + 1;
  refused(&from, WEIR_CODE_RESOURCE_EXHAUSTED, "the limit tensor_bytes");
  lend(&from, 1);
  from.managed.dl_tensor.shape = NULL;
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "NULL");
  lend(&from, 9);
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "rank");
  lend(&from, -1);
  refused(&from, WEIR_CODE_INVALID_ARGUMENT, "rank");
}

int main(void) {
  offsets();
  strides();
  without_entries();
  beyond_memory();
  return failures();
}
