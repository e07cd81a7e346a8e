/* Saves positions in several forms, for the test of `weir checkpoint`.
 *
 *   saver FOLDER DOCUMENT COUNT SHARDED
 *
 * Takes COUNT elements of the document, whose param is n = 20, and writes FOLDER/position and a generation of
 * rank 1 into FOLDER/kept. Writes two groups of ranks into FOLDER/groups, with positions in SHARDED: both
 * ranks of 2, then rank 1 of 3. */
#include "capi/check.h"

static void save_rank(weir_runtime runtime, weir_dataset dataset, const char* folder, uint32_t rank,
                      uint32_t world_size) {
  weir_checkpoint_manager_options managing = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_checkpoint_manager manager = {0};
  weir_iterator iterator = {0};
  managing.rank = options.rank = rank;
  managing.world_size = options.world_size = world_size;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_create(runtime, folder, WEIR_STRLEN, &managing, &manager, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_save(manager, iterator, NULL, 0, NULL) == WEIR_OK);
  weir_checkpoint_manager_destroy(manager);
  weir_iterator_destroy(iterator);
}

static void save_groups(weir_runtime runtime, const char* text, const char* folder) {
  weir_dataset dataset = parse(runtime, text);
  save_rank(runtime, dataset, folder, 0, 2);
  save_rank(runtime, dataset, folder, 1, 2);
  save_rank(runtime, dataset, folder, 1, 3);
  weir_dataset_unref(dataset);
}

int main(int count, char** words) {
  weir_runtime runtime = make_runtime();
  weir_checkpoint_manager_options managing = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_argument param = WEIR_ARGUMENT_TEXT("n", "20");
  weir_element element = make_element();
  weir_iterator iterator = {0};
  weir_dataset dataset;
  char name[1024];
  REQUIRE(count == 5);
  dataset = parse(runtime, words[2]);
  options.params = &param;
  options.param_count = 1;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  for (int i = 0; i < atoi(words[3]); ++i) REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  snprintf(name, sizeof name, "%s/position", words[1]);
  REQUIRE(weir_iterator_save_file(iterator, name, WEIR_STRLEN, NULL) == WEIR_OK);
  managing.rank = 1;
  snprintf(name, sizeof name, "%s/kept", words[1]);
  REQUIRE(weir_checkpoint_manager_create(runtime, name, WEIR_STRLEN, &managing, &manager, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_save(manager, iterator, "extra", 5, NULL) == WEIR_OK);
  snprintf(name, sizeof name, "%s/groups", words[1]);
  save_groups(runtime, words[4], name);
  weir_checkpoint_manager_destroy(manager);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return failures();
}
