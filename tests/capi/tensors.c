/* Memory in and out: wrapped, copied, as DLPack, and as elements. */
#include "check.h"
#include "weir/dlpack.h"

static void wrap_and_copy(void) {
  counts lent = {0, 0};
  int64_t dims[2] = {2, 3};
  float data[6] = {1, 2, 3, 4, 5, 6};
  weir_tensor tensor = {0};
  weir_view view = WEIR_VIEW_INIT;
  CHECK(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 2, dims, data, sizeof data, count_destroy, &lent, &tensor,
                         NULL) == 0);
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(view.data == data && view.rank == 2 && view.dims[1] == 3 && view.byte_size == sizeof data);
  CHECK(weir_tensor_ref(tensor, NULL) == WEIR_OK);
  weir_tensor_unref(tensor);
  CHECK(lent.destroyed == 0);
  weir_tensor_unref(tensor);
  CHECK(lent.destroyed == 1);
  CHECK(weir_tensor_view(tensor, &view, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  /* Released at once if the call fails: size, rank, dtype, alignment, no place for the result. */
  CHECK(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 2, dims, data, 4, count_destroy, &lent, &tensor, NULL) < 0);
  CHECK(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 9, dims, data, 24, count_destroy, &lent, &tensor, NULL) < 0);
  CHECK(weir_tensor_wrap(99, 2, dims, data, sizeof data, count_destroy, &lent, &tensor, NULL) < 0);
  CHECK(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 0, NULL, (char*)data + 1, 4, count_destroy, &lent, &tensor,
                         NULL) < 0);
  CHECK(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 2, dims, data, sizeof data, count_destroy, &lent, NULL, NULL) <
        0);
  CHECK(lent.destroyed == 6 && tensor.value == 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_FLOAT32, 2, dims, data, sizeof data, &tensor, NULL) == WEIR_OK);
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(view.data != data && memcmp(view.data, data, sizeof data) == 0);
  weir_tensor_unref(tensor);
}

static void extreme_sizes(void) {
  int64_t dims[3] = {INT64_MAX, INT64_MAX, 2};
  int64_t negative[1] = {-1};
  int64_t empty[2] = {0, INT64_MAX};
  weir_tensor tensor = {0};
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 3, dims, NULL, UINT64_MAX, &tensor, NULL) < 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 3, dims, NULL, 0, &tensor, NULL) < 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 1, negative, NULL, 0, &tensor, NULL) < 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, INT32_MAX, dims, NULL, 0, &tensor, NULL) < 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 1, NULL, NULL, 0, &tensor, NULL) < 0);
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 2, empty, NULL, 0, &tensor, NULL) == WEIR_OK);
  weir_tensor_unref(tensor);
  {
    /* The product leaves 63 bits before it comes to the 0. */
    const int64_t late[3] = {INT64_C(1) << 40, INT64_C(1) << 41, 0};
    weir_error error = WEIR_ERROR_INIT;
    CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 3, late, NULL, 0, &tensor, &error) ==
          -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(strstr(error.message.data, "63 bits") != NULL);
    CHECK(strstr(error.message.data, "[1099511627776, 2199023255552, 0]") != NULL);
    weir_error_clear(&error);
  }
}

/* Shapes beyond any memory, of tensors without entries and of rows that never come. */
static void vast_shapes(void) {
  static const char* const kTexts[] = {
      "from_tensor_slices(@t) | map(x -> x) | shuffle(3, seed: 1) | batch(2) | prefetch(1)",
      "from_tensor_slices(@t) | batch(2) | batch(3)",
      "from_tensors(@t) | repeat(3) | shuffle(2, seed: 1) | batch(2) | map(x -> x + x) | take(1)",
      "from_tensors(@t) | map(x -> (x, x)) | batch(4) | prefetch(2)"};
  static const int64_t kDims[][3] = {{0, INT64_MAX, INT64_MAX}, {0, INT64_MAX, 1}, {INT64_MAX, 1, 0}};
  weir_runtime runtime = make_runtime();
  weir_element element = make_element();
  for (int i = 0; i < 3; ++i) {
    weir_argument argument = WEIR_ARGUMENT_INIT;
    argument.name = "t";
    argument.name_size = 1;
    REQUIRE(weir_tensor_copy(WEIR_DTYPE_INT64, 3, kDims[i], NULL, 0, &argument.tensor, NULL) == WEIR_OK);
    for (int k = 0; k < 4; ++k) {
      weir_dataset dataset = {0};
      weir_iterator iterator = {0};
      int32_t result = weir_dataset_parse(runtime, kTexts[k], WEIR_STRLEN, &argument, 1, &dataset, NULL);
      if (result == WEIR_OK) result = weir_iterator_create(runtime, dataset, NULL, &iterator, NULL);
      /* The first elements, or the first refusal: nothing overflows on the way, which a sanitizer sees. */
      for (int n = 0; n < 3 && result == WEIR_OK; ++n) result = weir_iterator_next(iterator, element, NULL);
      CHECK(result == WEIR_OK || result == WEIR_END || result == WEIR_ELEMENT_FAILED || result < 0);
      weir_iterator_destroy(iterator);
      weir_dataset_unref(dataset);
    }
    weir_tensor_unref(argument.tensor);
  }
  weir_element_destroy(element);
  weir_runtime_destroy(runtime);
}

static void strings(void) {
  weir_string texts[2];
  int64_t dims[1] = {2};
  char first[6] = "hello";
  weir_tensor tensor = {0};
  weir_view view = WEIR_VIEW_INIT;
  texts[0].data = first;
  texts[0].size = 5;
  texts[1].data = NULL;
  texts[1].size = 0;
  CHECK(weir_tensor_copy(WEIR_DTYPE_STRING, 1, dims, texts, sizeof texts, &tensor, NULL) == WEIR_OK);
  first[0] = 'j';
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(text_is(((const weir_string*)view.data)[0], "hello"));
  weir_tensor_unref(tensor);
  texts[1].size = 7;
  CHECK(weir_tensor_copy(WEIR_DTYPE_STRING, 1, dims, texts, sizeof texts, &tensor, NULL) < 0);
}

typedef struct lent_dlpack {
  DLManagedTensorVersioned managed;
  int64_t shape[2];
  int64_t strides[2];
  int32_t data[6];
  int deleted;
} lent_dlpack;

static void delete_lent(DLManagedTensorVersioned* self) { ++((lent_dlpack*)self->manager_ctx)->deleted; }

static void lend(lent_dlpack* lent) {
  memset(lent, 0, sizeof *lent);
  lent->managed.version.major = DLPACK_MAJOR_VERSION;
  lent->managed.manager_ctx = lent;
  lent->managed.deleter = delete_lent;
  lent->managed.dl_tensor.data = lent->data;
  lent->managed.dl_tensor.device.device_type = kDLCPU;
  lent->managed.dl_tensor.ndim = 2;
  lent->managed.dl_tensor.dtype.code = kDLInt;
  lent->managed.dl_tensor.dtype.bits = 32;
  lent->managed.dl_tensor.dtype.lanes = 1;
  lent->managed.dl_tensor.shape = lent->shape;
  lent->shape[0] = 2;
  lent->shape[1] = 3;
  for (int i = 0; i < 6; ++i) lent->data[i] = i;
}

static void dlpack_in(void) {
  lent_dlpack lent;
  weir_tensor tensor = {0};
  weir_view view = WEIR_VIEW_INIT;
  lend(&lent);
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == WEIR_OK);
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(view.data == lent.data && view.dtype == WEIR_DTYPE_INT32 && lent.deleted == 0);
  weir_tensor_unref(tensor);
  CHECK(lent.deleted == 1);
  /* Transposed: copied, and returned at once. */
  lend(&lent);
  lent.managed.dl_tensor.strides = lent.strides;
  lent.strides[0] = 1;
  lent.strides[1] = 2;
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == WEIR_OK);
  CHECK(lent.deleted == 1);
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK);
  CHECK(((const int32_t*)view.data)[1] == 2 && ((const int32_t*)view.data)[3] == 1);
  weir_tensor_unref(tensor);
  /* What cannot be imported is returned. */
  lend(&lent);
  lent.managed.dl_tensor.device.device_type = 2;
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  lent.managed.dl_tensor.device.device_type = kDLCPU;
  lent.managed.dl_tensor.dtype.lanes = 4;
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  lent.managed.dl_tensor.dtype.lanes = 1;
  lent.managed.version.major = 7;
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  lent.managed.version.major = DLPACK_MAJOR_VERSION;
  lent.shape[0] = INT64_MAX;
  CHECK(weir_tensor_from_dlpack(&lent.managed, &tensor, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_tensor_from_dlpack(&lent.managed, NULL, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(lent.deleted == 5 && tensor.value == 0);
  CHECK(weir_tensor_from_dlpack(NULL, &tensor, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
}

/* A tensor handed to a text, its rows as elements, and out again. */
static void through_a_dataset(void) {
  weir_runtime runtime = make_runtime();
  counts lent = {0, 0};
  int64_t dims[2] = {3, 2};
  int64_t data[6] = {1, 2, 3, 4, 5, 6};
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  weir_tensor row = {0};
  DLManagedTensorVersioned* out = NULL;
  DLManagedTensorVersioned* copied = NULL;
  weir_dataset dataset;
  weir_iterator iterator;
  argument.name = "data";
  argument.name_size = 4;
  REQUIRE(weir_tensor_wrap(WEIR_DTYPE_INT64, 2, dims, data, sizeof data, count_destroy, &lent,
                           &argument.tensor, NULL) == WEIR_OK);
  dataset = parse_with(runtime, "from_tensor_slices(@data)", &argument, 1);
  weir_tensor_unref(argument.tensor);
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  CHECK(view.data == &data[2] && view.rank == 1 && view.dims[0] == 2 && view.byte_size == 16);
  CHECK(weir_element_view(element, 1, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_element_tensor(element, 0, &row, NULL) == WEIR_OK);
  CHECK(weir_element_dlpack(element, 0, 0, &out, NULL) == WEIR_OK);
  CHECK(weir_element_dlpack(element, 0, WEIR_DLPACK_WRITABLE, &copied, NULL) == WEIR_OK);
  CHECK(out && out->flags == DLPACK_FLAG_BITMASK_READ_ONLY && out->dl_tensor.data == &data[2]);
  CHECK(copied && copied->dl_tensor.data != &data[2] && !(copied->flags & DLPACK_FLAG_BITMASK_READ_ONLY));
  if (copied) copied->deleter(copied);
  CHECK(weir_element_dlpack(element, 0, 8, &copied, NULL) < 0 && copied == NULL);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  weir_tensor_unref(row);
  CHECK(lent.destroyed == 0);
  out->deleter(out);
  CHECK(lent.destroyed == 1);
}

/* A tensor can be a shape, which is known while the graph is built. */
static void shapes(void) {
  static const int64_t kShape[] = {2, 3};
  const int64_t dims[] = {2};
  weir_runtime runtime = make_runtime();
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_dataset dataset;
  weir_spec spec = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  argument.name = "shape";
  argument.name_size = WEIR_STRLEN;
  REQUIRE(weir_tensor_copy(WEIR_DTYPE_INT64, 1, dims, kShape, sizeof kShape, &argument.tensor, NULL) ==
          WEIR_OK);
  dataset = parse_with(runtime, "range(1) | map(x -> zeros(@shape))", &argument, 1);
  CHECK(weir_dataset_spec(dataset, &spec, NULL) == WEIR_OK);
  CHECK(weir_spec_format(spec, &text, NULL) == WEIR_OK && strcmp(text.data, "float32[2, 3]") == 0);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  weir_dataset_unref(dataset);
  weir_tensor_unref(argument.tensor);
  weir_runtime_destroy(runtime);
}

/* What only the element holds its receiver may write to; others get copies while it may. */
static void writable(void) {
  weir_runtime runtime = make_runtime();
  weir_dataset dataset = parse(runtime, "range(2) | map(x -> arange(100000) + 100000 * x)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  struct DLManagedTensorVersioned* first = NULL;
  struct DLManagedTensorVersioned* second = NULL;
  weir_tensor tensor = {0};
  weir_view view = WEIR_VIEW_INIT;
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_element_dlpack(element, 0, WEIR_DLPACK_READ_ONLY, &first, NULL) == WEIR_OK);
  REQUIRE(weir_element_dlpack(element, 0, WEIR_DLPACK_READ_ONLY, &second, NULL) == WEIR_OK);
  CHECK(first->flags == DLPACK_FLAG_BITMASK_READ_ONLY && second->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
  CHECK(second->dl_tensor.data == first->dl_tensor.data);
  first->deleter(first);
  CHECK(weir_element_dlpack(element, 0, 0, &first, NULL) == WEIR_OK);
  CHECK(first->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
  first->deleter(first);
  second->deleter(second);
  CHECK(weir_element_dlpack(element, 0, WEIR_DLPACK_WRITABLE | WEIR_DLPACK_READ_ONLY, &first, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);

  REQUIRE(weir_element_dlpack(element, 0, 0, &first, NULL) == WEIR_OK);
  CHECK(first->flags == 0);
  for (uint32_t flags = 0; flags <= WEIR_DLPACK_READ_ONLY; ++flags) {
    REQUIRE(weir_element_dlpack(element, 0, flags, &second, NULL) == WEIR_OK);
    CHECK(second->flags == DLPACK_FLAG_BITMASK_IS_COPIED && second->dl_tensor.data != first->dl_tensor.data);
    second->deleter(second);
  }
  REQUIRE(weir_element_tensor(element, 0, &tensor, NULL) == WEIR_OK);
  ((int64_t*)first->dl_tensor.data)[0] = 7;
  CHECK(weir_tensor_view(tensor, &view, NULL) == WEIR_OK && ((const int64_t*)view.data)[0] == 0);
  CHECK(((const int64_t*)view.data)[99999] == 99999);
  weir_tensor_unref(tensor);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK && ((const int64_t*)view.data)[0] == 7);
  /* The next element has memory of its own while the first is held. */
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(((int64_t*)first->dl_tensor.data)[0] == 7 && ((int64_t*)first->dl_tensor.data)[1] == 1);
  first->deleter(first);
  /* Without a receiver that may write, the memory is shared again. */
  REQUIRE(weir_element_dlpack(element, 0, 0, &first, NULL) == WEIR_OK);
  CHECK(first->flags == 0);
  first->deleter(first);
  REQUIRE(weir_element_tensor(element, 0, &tensor, NULL) == WEIR_OK);
  weir_view shared = WEIR_VIEW_INIT;
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  CHECK(weir_tensor_view(tensor, &shared, NULL) == WEIR_OK && shared.data == view.data);
  weir_tensor_unref(tensor);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

int main(void) {
  wrap_and_copy();
  extreme_sizes();
  vast_shapes();
  strings();
  dlpack_in();
  through_a_dataset();
  writable();
  shapes();
  return failures();
}
