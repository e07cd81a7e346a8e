/* An extension with a function, vowels(text), a source, countdown(from, step: 1), and a file system, whose
 * files "text://…" hold their own names. Build it as a shared library, with its index beside it:
 *   cc -shared -fPIC -fvisibility=hidden extension.c -o libweir-example.so $(pkg-config --cflags --libs weir)
 *   WEIR_EXTENSIONS=$PWD weir run -e 'from_list(["alpha", "beta"]) | map(s -> vowels(s))'
 *   WEIR_EXTENSIONS=$PWD weir run -e 'countdown(10, step: 3)'
 *   WEIR_EXTENSIONS=$PWD weir run -e 'text_line("text://one line")'
 */
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

/* A function gets a block: the first dimension counts its rows. */
static int32_t vowels(void* data, weir_call call) {
  (void)data;
  weir_view text = WEIR_VIEW_INIT;
  int64_t* counts = NULL;
  if (weir_call_input(call, 0, &text, NULL) != WEIR_OK) return -1;
  if (weir_call_output(call, 0, text.rank, text.dims, (void**)&counts, NULL) != WEIR_OK) return -1;
  const weir_string* entries = text.data;
  for (int64_t i = 0; i < text.dims[0]; ++i) {
    counts[i] = 0;
    for (uint64_t j = 0; j < entries[i].size; ++j)
      counts[i] += memchr("aeiouAEIOU", entries[i].data[j], 10) != NULL;
  }
  return WEIR_OK;
}

/* A run of the source, which gives `next`, `next` - `step`, … above 0. */
typedef struct countdown {
  int64_t next, step;
} countdown;

/* Those of the source, in the order of its signature. */
static int32_t read_arguments(weir_call arguments, countdown* out) {
  weir_view from = WEIR_VIEW_INIT, step = WEIR_VIEW_INIT;
  if (weir_call_input(arguments, 0, &from, NULL) != WEIR_OK) return -1;
  if (weir_call_input(arguments, 1, &step, NULL) != WEIR_OK) return -1;
  out->next = *(const int64_t*)from.data;
  out->step = *(const int64_t*)step.data;
  if (out->step > 0) return WEIR_OK;
  weir_call_fail(arguments, 0, WEIR_CODE_INVALID_ARGUMENT, "expected a step of 1 or more", WEIR_STRLEN, NULL);
  return -1;
}

static int32_t infer_countdown(void* data, weir_call arguments, weir_spec* spec) {
  (void)data;
  countdown run;
  if (read_arguments(arguments, &run) != WEIR_OK) return -1;
  return weir_spec_parse("int64", WEIR_STRLEN, spec, NULL);
}

static int32_t count_countdown(void* data, weir_call arguments, int64_t* count) {
  (void)data;
  countdown all;
  if (read_arguments(arguments, &all) != WEIR_OK) return -1;
  *count = all.next <= 0 ? 0 : (all.next - 1) / all.step + 1;
  return WEIR_OK;
}

/* Since it counts, it can be started at every position, and has no state to save. */
static int32_t start_countdown(void* data, weir_call arguments, int64_t position, void** state) {
  (void)data;
  countdown* run = malloc(sizeof *run);
  if (!run || read_arguments(arguments, run) != WEIR_OK) return free(run), -1;
  run->next -= position * run->step;
  *state = run;
  return WEIR_OK;
}

static int32_t next_numbers(void* data, void* state, weir_call call) {
  (void)data;
  countdown* run = state;
  if (run->next <= 0) return WEIR_END;
  int64_t rows = (run->next - 1) / run->step + 1;
  if (rows > weir_call_rows(call)) rows = weir_call_rows(call);
  int64_t* out = NULL;
  if (weir_call_output(call, 0, 1, &rows, (void**)&out, NULL) != WEIR_OK) return -1;
  for (int64_t i = 0; i < rows; ++i, run->next -= run->step) out[i] = run->next;
  return WEIR_OK;
}

static int32_t stat_text(void* data, weir_string name, weir_file_info* out, weir_call call) {
  (void)data, (void)call;
  out->size = name.size - strlen("text://");
  out->version = (weir_string){"1", 1};
  return WEIR_OK;
}

static int32_t open_text(void* data, weir_string name, weir_file_info* out, void** file, weir_call call) {
  char* text = malloc(name.size);
  if (!text) return -1;
  memcpy(text, name.data + strlen("text://"), name.size - strlen("text://"));
  *file = text;
  return stat_text(data, name, out, call);
}

/* A store that is far away returns at once, and calls weir_call_done when the bytes are there. */
static int32_t read_text(void* data, void* file, uint64_t offset, void* out, uint64_t size, weir_call call) {
  (void)data;
  memcpy(out, (const char*)file + offset, size);
  weir_call_done(call, size);
  return WEIR_OK;
}

static void free_open(void* data, void* open) {
  (void)data;
  free(open);
}

WEIR_API int32_t weir_extension_load(weir_runtime runtime, weir_extension* out, weir_error* error) {
  weir_callback function = WEIR_CALLBACK_INIT;
  weir_generator source = WEIR_GENERATOR_INIT;
  weir_file_system files = WEIR_FILE_SYSTEM_INIT;
  out->abi = WEIR_EXTENSION_ABI;
  out->name = "weir-example";
  out->version = "1.0.0";

  function.flags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE | WEIR_CALLBACK_BLOCK;
  function.function = vowels;
  function.signature = "{text: string}";
  function.signature_size = WEIR_STRLEN;
  function.result_spec = "int64";
  function.result_spec_size = WEIR_STRLEN;
  function.doc = "Counts the vowels of ASCII in a text.";
  function.doc_size = WEIR_STRLEN;
  if (weir_runtime_register(runtime, "vowels", WEIR_STRLEN, &function, error) != WEIR_OK) return -1;

  source.flags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE | WEIR_CALLBACK_BLOCK;
  source.signature = "{from: int64, step: int64}";
  source.signature_size = WEIR_STRLEN;
  source.defaults = "{step: 1}";
  source.defaults_size = WEIR_STRLEN;
  source.doc = "The numbers from `from` down to 1, each `step` below the last.";
  source.doc_size = WEIR_STRLEN;
  source.infer = infer_countdown;
  source.count = count_countdown;
  source.start = start_countdown;
  source.next = next_numbers;
  source.close = free_open;
  if (weir_runtime_register_source(runtime, "countdown", WEIR_STRLEN, &source, error) != WEIR_OK) return -1;

  files.schemes = "text";
  files.schemes_size = WEIR_STRLEN;
  files.stat = stat_text;
  files.open = open_text;
  files.read = read_text;
  files.close = free_open;
  return weir_runtime_register_file_system(runtime, &files, error);
}
