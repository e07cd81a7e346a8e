/* Destruction in every order: all permutations of what holds a pipeline, while views are still in use. */
#include "check.h"
#include "weir/dlpack.h"

enum { kRuntime, kDataset, kIterator, kElement, kTensor, kDlpack, kInput, kKinds };

typedef struct house {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
  weir_tensor tensor; /* shares the element's memory */
  DLManagedTensorVersioned* dlpack;
  weir_tensor input; /* what the dataset was made from */
  counts lent;
  int64_t data[6];
} house;

/* A pipeline over lent memory: rows of it as they are, or copied into batches ahead of the caller. */
static void build(house* h, const char* text) {
  int64_t dims[2] = {3, 2};
  weir_argument argument = WEIR_ARGUMENT_INIT;
  memset(h, 0, sizeof *h);
  for (int64_t i = 0; i < 6; ++i) h->data[i] = i + 1;
  h->runtime = make_runtime();
  REQUIRE(weir_tensor_wrap(WEIR_DTYPE_INT64, 2, dims, h->data, sizeof h->data, count_destroy, &h->lent,
                           &h->input, NULL) == WEIR_OK);
  argument.name = "data";
  argument.name_size = 4;
  argument.tensor = h->input;
  h->dataset = parse_with(h->runtime, text, &argument, 1);
  h->iterator = iterate(h->runtime, h->dataset);
  h->element = make_element();
  REQUIRE(weir_iterator_next(h->iterator, h->element, NULL) == WEIR_OK);
  REQUIRE(weir_element_tensor(h->element, 0, &h->tensor, NULL) == WEIR_OK);
  REQUIRE(weir_element_dlpack(h->element, 0, 0, &h->dlpack, NULL) == WEIR_OK);
}

static void release(house* h, int kind) {
  switch (kind) {
    case kRuntime:
      weir_runtime_destroy(h->runtime);
      break;
    case kDataset:
      weir_dataset_unref(h->dataset);
      break;
    case kIterator:
      weir_iterator_destroy(h->iterator);
      break;
    case kElement:
      weir_element_destroy(h->element);
      break;
    case kTensor:
      weir_tensor_unref(h->tensor);
      break;
    case kDlpack:
      h->dlpack->deleter(h->dlpack);
      break;
    default:
      weir_tensor_unref(h->input);
  }
}

/* Everything not yet released reads as before. */
static void check_alive(const house* h, unsigned released) {
  weir_view view = WEIR_VIEW_INIT;
  if (!(released & 1u << kTensor)) {
    CHECK(weir_tensor_view(h->tensor, &view, NULL) == WEIR_OK);
    CHECK(((const int64_t*)view.data)[0] == 1 && ((const int64_t*)view.data)[1] == 2);
  }
  if (!(released & 1u << kElement)) {
    CHECK(weir_element_view(h->element, 0, &view, NULL) == WEIR_OK);
    CHECK(((const int64_t*)view.data)[1] == 2);
  }
  if (!(released & 1u << kDlpack)) CHECK(((const int64_t*)h->dlpack->dl_tensor.data)[1] == 2);
  if (!(released & 1u << kInput)) {
    CHECK(weir_tensor_view(h->input, &view, NULL) == WEIR_OK);
    CHECK(view.data == h->data && ((const int64_t*)view.data)[5] == 6);
  }
}

/* The iterator still gives its next element, although others went. */
static void check_goes_on(const house* h, unsigned released) {
  weir_element element;
  weir_view view = WEIR_VIEW_INIT;
  if (released & 1u << kIterator) return;
  element = make_element();
  CHECK(weir_iterator_next(h->iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  CHECK(((const int64_t*)view.data)[0] == 3);
  weir_element_destroy(element);
}

static void in_order(const char* text, const int* order) {
  house h;
  unsigned released = 0;
  build(&h, text);
  for (int i = 0; i < kKinds; ++i) {
    release(&h, order[i]);
    released |= 1u << order[i];
    check_alive(&h, released);
    if (i == 2) check_goes_on(&h, released);
  }
  /* Once, by the last one to go. */
  CHECK(h.lent.destroyed == 1);
}

/* Heap's algorithm: every order of the first `count` entries. Returns how many there were. */
static int permute(const char* text, int* order, int count) {
  int tried = 0;
  if (count == 1) {
    in_order(text, order);
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    int other = count % 2 ? 0 : i;
    int last;
    tried += permute(text, order, count - 1);
    last = order[count - 1];
    order[count - 1] = order[other];
    order[other] = last;
  }
  return tried;
}

static void every_order(const char* text) {
  int order[kKinds];
  for (int i = 0; i < kKinds; ++i) order[i] = i;
  CHECK(permute(text, order, kKinds) == 5040);
}

int main(void) {
  every_order("from_tensor_slices(@data)");
  every_order("from_tensor_slices(@data) | map(x -> x, num_parallel_calls: 2) | prefetch(1)");
  return failures();
}
