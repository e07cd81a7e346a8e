#include "next_loop.h"

int64_t next_loop(weir_iterator iterator, weir_element element, int64_t count) {
  return weir_next_loop(iterator, element, count);
}
