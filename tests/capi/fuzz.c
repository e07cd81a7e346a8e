/* Random calls over the whole interface, with NULLs, stale and made-up handles and extreme sizes: nothing
 * crashes. WEIR_FUZZ_CALLS sets how many (100,000), WEIR_FUZZ_SEED the seed. */
#include "check.h"
#include "weir/dlpack.h"

static uint64_t g_state = 1;

static uint64_t draw(void) {
  g_state ^= g_state << 13;
  g_state ^= g_state >> 7;
  g_state ^= g_state << 17;
  return g_state;
}
static uint64_t below(uint64_t n) { return draw() % n; }

enum { kDataset, kSpec, kTensor, kIterator, kElement, kExample, kManager, kCall, kKinds };
#define KEPT 8
/* The last handles of each kind, live and stale. */
static uint64_t g_kept[kKinds][KEPT];

static void keep(int kind, uint64_t value) {
  if (value != 0) g_kept[kind][below(KEPT)] = value;
}

/* Usually a handle of that kind. */
static uint64_t any_handle(int kind) {
  switch (below(16)) {
    case 0:
      return 0;
    case 1:
      return draw();
    case 2:
      return g_kept[kind][below(KEPT)] ^ (UINT64_C(1) << below(64));
    case 3:
      return g_kept[below(kKinds)][below(KEPT)];
    default:
      return g_kept[kind][below(KEPT)];
  }
}

static uint64_t extreme(void) {
  static const uint64_t kSizes[] = {UINT64_MAX - 1, UINT64_MAX / 2, UINT64_C(1) << 62, UINT64_C(1) << 45};
  return kSizes[below(4)];
}

static const char* const kTexts[] = {"range(5)",
                                     "range(100) | shuffle(9, seed: 1) | batch(3)",
                                     "range(",
                                     "int64",
                                     "{a: string[?], b: (int8,)}",
                                     "param n: int64 range($n)",
                                     "range(9) | map(x -> assert(x % 3 != 0, \"no\", x)) | prefetch(2)",
                                     "batch",
                                     "n",
                                     ""};

/* A string, and a size: its own, WEIR_STRLEN, or beyond every limit. */
static const char* any_text(uint64_t* size) {
  const char* text = kTexts[below(sizeof kTexts / sizeof *kTexts)];
  switch (below(8)) {
    case 0:
      *size = below(2) ? 0 : extreme();
      return NULL;
    case 1:
      *size = extreme();
      return text;
    case 2:
      *size = WEIR_STRLEN;
      return text;
    default:
      *size = strlen(text);
      return text;
  }
}

static int32_t any_call(void* user_data, weir_call call) {
  void* out = NULL;
  weir_view view = WEIR_VIEW_INIT;
  int64_t dims[2] = {(int64_t)below(3), (int64_t)extreme()};
  (void)user_data;
  weir_call_input(call, (uint32_t)below(3), below(4) ? &view : NULL, NULL);
  weir_call_output(call, (uint32_t)below(2), (int32_t)below(3), below(4) ? dims : NULL, &out, NULL);
  weir_call_allocate(call, below(2) ? below(100) : extreme(), &out, NULL);
  if (below(3) == 0)
    weir_call_fail(call, (int64_t)below(3), (int32_t)below(20), "no", below(2) ? 2 : extreme(), NULL);
  keep(kCall, call.value);
  if (weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK) *(int64_t*)out = 1;
  return (int32_t)below(3) - 1;
}

static counts g_counted;
static uint64_t g_elements = 0;
static int g_handed_over;

static weir_argument any_argument(weir_callback* callback) {
  weir_argument argument = WEIR_ARGUMENT_INIT;
  if (below(8) == 0) argument.struct_size = (uint32_t)draw();
  argument.name = any_text(&argument.name_size);
  switch (below(4)) {
    case 0:
      argument.text = any_text(&argument.text_size);
      break;
    case 1:
      *callback = (weir_callback)WEIR_CALLBACK_INIT;
      callback->function = below(8) ? any_call : NULL;
      callback->destroy = count_destroy;
      callback->user_data = &g_counted;
      callback->flags = (uint32_t)below(40);
      callback->result_spec = below(2) ? "int64" : NULL;
      callback->result_spec_size = callback->result_spec ? WEIR_STRLEN : 0;
      argument.callback = callback;
      if (argument.struct_size == sizeof argument) ++g_handed_over;
      break;
    case 2:
      argument.dataset.value = any_handle(kDataset);
      break;
    default:
      argument.tensor.value = any_handle(kTensor);
  }
  return argument;
}

static weir_error g_error = WEIR_ERROR_INIT;
static weir_error* any_error(void) { return below(2) ? &g_error : NULL; }

static void call_datasets(weir_runtime runtime) {
  weir_callback callback;
  weir_argument argument = any_argument(&callback);
  weir_dataset dataset = {any_handle(kDataset)};
  weir_dataset out = {0};
  weir_element element = {any_handle(kElement)};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  weir_spec spec = {0};
  uint64_t size;
  const char* text = any_text(&size);
  /* Callbacks are taken over even if there is no place for the result. */
  weir_dataset_parse(runtime, text, size, &argument, 1, below(16) ? &out : NULL, any_error());
  keep(kDataset, out.value);
  weir_dataset_apply(runtime, text, size, &dataset, below(2) ? 1 : extreme(), NULL, below(8) ? 0 : extreme(),
                     &out, any_error());
  keep(kDataset, out.value);
  weir_dataset_ref(dataset, any_error());
  weir_dataset_unref(dataset);
  weir_dataset_spec(dataset, &spec, any_error());
  keep(kSpec, spec.value);
  weir_dataset_view(dataset, below(8) ? &info : NULL, any_error());
  weir_dataset_at(runtime, dataset, below(4) ? (int64_t)below(9) : (int64_t)extreme(), element, any_error());
  weir_dataset_format(dataset, below(8) ? &bytes : NULL, any_error());
  weir_bytes_release(&bytes);
  if (weir_dataset_serialize(dataset, &bytes, any_error()) == WEIR_OK) {
    weir_dataset_deserialize(runtime, bytes.data, below(bytes.size + 1), NULL, 0, &out, any_error());
    keep(kDataset, out.value);
  }
  weir_bytes_release(&bytes);
  if (below(2)) weir_dataset_unref(dataset);
}

static void call_specs_and_tensors(void) {
  static int64_t data[8];
  uint64_t size;
  const char* text = any_text(&size);
  weir_spec spec = {any_handle(kSpec)};
  weir_spec child = {0};
  weir_tensor tensor = {0};
  weir_spec_info info = WEIR_SPEC_INFO_INIT;
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_string key;
  uint32_t component;
  /* As many as the largest rank below can need. */
  int64_t dims[12] = {(int64_t)below(5), below(4) ? 2 : (int64_t)extreme()};
  weir_spec_parse(text, size, &child, any_error());
  keep(kSpec, child.value);
  weir_spec_view(spec, below(8) ? &info : NULL, any_error());
  weir_spec_child(spec, (uint32_t)below(4), &child, below(2) ? &key : NULL, any_error());
  keep(kSpec, child.value);
  weir_spec_format(spec, &bytes, any_error());
  weir_bytes_release(&bytes);
  weir_spec_component(spec, text, size, below(8) ? &component : NULL, any_error());
  weir_schema(text, size, (uint32_t)below(3), &bytes, any_error());
  weir_bytes_release(&bytes);
  weir_spec_ref(spec, any_error());
  weir_spec_unref(spec);
  if (below(3) == 0) weir_spec_unref(spec);
  weir_tensor_copy((int32_t)below(20), (int32_t)below(12) - 1, below(8) ? dims : NULL, below(8) ? data : NULL,
                   below(2) ? (uint64_t)dims[0] * 16 : extreme(), &tensor, any_error());
  keep(kTensor, tensor.value);
  weir_tensor_wrap(WEIR_DTYPE_INT64, 2, dims, data, below(2) ? (uint64_t)dims[0] * 16 : extreme(),
                   count_destroy, &g_counted, below(8) ? &tensor : NULL, any_error());
  ++g_handed_over;
  keep(kTensor, tensor.value);
  tensor.value = any_handle(kTensor);
  view.struct_size = below(4) ? view.struct_size : (uint32_t)draw();
  weir_tensor_view(tensor, below(8) ? &view : NULL, any_error());
  weir_tensor_unref(tensor);
}

static void call_iterators(weir_runtime runtime) {
  weir_iterator iterator = {any_handle(kIterator)};
  weir_iterator made = {0};
  weir_dataset dataset = {any_handle(kDataset)};
  weir_element element = {any_handle(kElement)};
  weir_spec spec = {any_handle(kSpec)};
  weir_element filled = {0};
  weir_tensor tensor = {0};
  weir_dataset nested = {0};
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_callback callback;
  weir_argument argument;
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_buffer buffer = WEIR_BUFFER_INIT;
  DLManagedTensorVersioned* managed = NULL;
  char memory[64];
  int64_t rows;
  int32_t descriptor;
  weir_iterator_create(runtime, dataset, NULL, &made, any_error());
  keep(kIterator, made.value);
  options.spec = spec;
  options.string_handle = any_text(&options.string_handle_size);
  weir_iterator_create(runtime, dataset, below(2) ? &options : NULL, below(8) ? &made : NULL, any_error());
  keep(kIterator, made.value);
  weir_element_create(&filled, any_error());
  keep(kElement, filled.value);
  if (weir_iterator_save(iterator, below(8) ? &bytes : NULL, any_error()) == WEIR_OK) {
    options.checkpoint = bytes.data;
    options.checkpoint_size = below(4) ? bytes.size : below(bytes.size + 1);
  }
  if (below(4) == 0) {
    argument = any_argument(&callback);
    options.params = &argument;
    options.param_count = 1;
  }
  weir_iterator_initialize(iterator, dataset, below(2) ? &options : NULL, any_error());
  weir_bytes_release(&bytes);
  g_elements += weir_iterator_next(iterator, element, any_error()) == WEIR_OK;
  weir_iterator_try_next(iterator, filled, any_error());
  weir_iterator_next_block(iterator, below(4) ? (int64_t)below(50) : (int64_t)extreme(), element, &rows,
                           any_error());
  buffer.data = memory;
  buffer.capacity = sizeof memory;
  weir_iterator_next_into(iterator, &buffer, below(4) ? 1 : extreme(), any_error());
  if (below(8) == 0) weir_iterator_ready_fd(iterator, &descriptor, any_error());
  if (below(8) == 0) weir_iterator_cancel(iterator);
  weir_element_view(element, (uint32_t)below(3), below(8) ? &view : NULL, any_error());
  weir_element_tensor(element, (uint32_t)below(3), &tensor, any_error());
  keep(kTensor, tensor.value);
  weir_element_dataset(element, (uint32_t)below(3), below(8) ? &nested : NULL, any_error());
  keep(kDataset, nested.value);
  if (weir_element_dlpack(filled, 0, (uint32_t)below(3), &managed, any_error()) == WEIR_OK)
    managed->deleter(managed);
  weir_element_format(element, (uint32_t)below(3), &bytes, any_error());
  weir_bytes_release(&bytes);
  if (below(4) == 0) weir_element_clear(element);
  if (below(2)) weir_element_destroy(element);
  if (below(2)) weir_iterator_destroy(iterator);
}

static void call_examples(void) {
  weir_example example = {any_handle(kExample)};
  weir_example made = {0};
  weir_record_writer writer = {any_handle(kCall)};
  weir_bytes bytes = WEIR_BYTES_INIT;
  int64_t values[4] = {1, 2, 3, 4};
  uint64_t size;
  const char* name = any_text(&size);
  weir_example_create(&made, any_error());
  keep(kExample, made.value);
  weir_example_set(example, name, size, below(4) ? WEIR_DTYPE_INT64 : (int32_t)below(16),
                   below(4) ? values : NULL, below(2) ? below(5) : extreme(), any_error());
  weir_example_serialize(example, &bytes, any_error());
  weir_bytes_release(&bytes);
  if (below(2)) weir_example_destroy(example);
  weir_record_writer_write(writer, name, extreme(), any_error());
  weir_record_writer_close(writer, any_error());
  weir_record_writer_destroy(writer);
}

static void call_managers(weir_runtime runtime) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = {any_handle(kManager)};
  weir_checkpoint_manager made = {0};
  weir_iterator iterator = {any_handle(kIterator)};
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  int64_t generation;
  int32_t due;
  uint64_t size;
  const char* name = any_text(&size);
  if (below(8) == 0) options.struct_size = (uint32_t)draw();
  if (below(8) == 0) options.keep = (int32_t)draw();
  options.every_elements = below(4) ? (int64_t)below(3) : (int64_t)extreme();
  options.every_ns = below(4) ? 0 : (int64_t)draw();
  /* Other names would be folders that are left behind. */
  weir_checkpoint_manager_create(runtime, below(8) ? WEIR_BINARY_DIR "/fuzz_checkpoints" : NULL,
                                 below(8) ? WEIR_STRLEN : extreme(), below(4) ? &options : NULL,
                                 below(8) ? &made : NULL, any_error());
  keep(kManager, made.value);
  weir_checkpoint_manager_step(manager, below(4) ? (int64_t)below(5) : (int64_t)draw(),
                               below(8) ? &due : NULL, any_error());
  /* Each waits for the disk twice. */
  if (below(16) == 0)
    weir_checkpoint_manager_save(manager, iterator, below(2) ? "extra" : NULL,
                                 below(4) ? below(6) : extreme(), any_error());
  weir_checkpoint_manager_load(manager, (int64_t)below(3) - 1, below(8) ? &position : NULL,
                               below(2) ? &extra : NULL, below(2) ? &generation : NULL, any_error());
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  if (below(2)) {
    weir_checkpoint_describe(runtime, WEIR_BINARY_DIR "/fuzz_checkpoints", WEIR_STRLEN, (uint32_t)below(5),
                             below(8) ? &position : NULL, any_error());
  } else {
    weir_checkpoint_describe(runtime, name, size, (uint32_t)below(5), below(8) ? &position : NULL,
                             any_error());
  }
  weir_bytes_release(&position);
  if (below(2)) weir_checkpoint_manager_destroy(manager);
}

static void call_inside_out(void) {
  weir_call call = {any_handle(kCall)};
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes bytes = {"x", 1, any_handle(kCall)};
  void* out;
  weir_call_rows(call);
  weir_call_cancelled(call);
  weir_call_input(call, 0, &view, any_error());
  weir_call_output(call, 0, 0, NULL, &out, any_error());
  weir_call_allocate(call, 8, &out, any_error());
  weir_call_fail(call, 0, 1, "x", 1, any_error());
  weir_bytes_release(&bytes);
  if (below(4) == 0) g_error.owner = any_handle(kCall);
  if (below(4) == 0) weir_error_clear(&g_error);
}

int main(void) {
  const char* calls_text = getenv("WEIR_FUZZ_CALLS");
  const char* seed_text = getenv("WEIR_FUZZ_SEED");
  uint64_t calls = calls_text ? strtoull(calls_text, NULL, 10) : 100000;
  weir_runtime runtime = make_runtime();
  g_state = seed_text ? strtoull(seed_text, NULL, 10) | 1 : 88172645463325252u;
  /* A round makes about fifteen calls. */
  for (uint64_t i = 0; i < calls; i += 15) {
    weir_runtime used = {below(10) ? runtime.value : any_handle(kCall)};
    switch (below(6)) {
      case 0:
        call_datasets(used);
        break;
      case 1:
        call_specs_and_tensors();
        break;
      case 2:
        call_examples();
        break;
      case 3:
        call_inside_out();
        break;
      case 4:
        call_managers(used);
        break;
      default:
        call_iterators(used);
    }
  }
  weir_error_clear(&g_error);
  weir_runtime_destroy(runtime);
  /* Some calls must have succeeded, or this tests nothing. */
  CHECK(calls < 10000 || g_elements > 0);
  CHECK(g_counted.destroyed <= g_handed_over);
  return failures();
}
