/* What the bindings are compared with: elements taken one by one in C, each with a look at its first entry.
 */
#ifndef WEIR_NEXT_LOOP_H
#define WEIR_NEXT_LOOP_H

#include <stdint.h>
#include <weir/weir.h>

/* The sum of `count` elements of one int64 each; -1 if one is missing. */
static inline int64_t weir_next_loop(weir_iterator iterator, weir_element element, int64_t count) {
  weir_error error = WEIR_ERROR_INIT;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    weir_view view = WEIR_VIEW_INIT;
    if (weir_iterator_next(iterator, element, &error) != WEIR_OK) return -1;
    if (weir_element_view(element, 0, &view, &error) != WEIR_OK) return -1;
    sum += *(const int64_t*)view.data;
  }
  return sum;
}

#endif
