// Package reference is what the benchmarks are compared with, the same loop in C, and what the leak test looks at.
package reference

// #cgo pkg-config: weir
// #include <malloc.h>
// #include "../../../bench/next_loop.h"
//
// static int64_t begin(int64_t count, weir_iterator* iterator, weir_element* element, weir_runtime* runtime,
//                      const char* text) {
//   weir_dataset dataset = {0};
//   if (weir_runtime_create(NULL, runtime, NULL) != WEIR_OK ||
//       weir_dataset_parse(*runtime, text, WEIR_STRLEN, NULL, 0, &dataset, NULL) != WEIR_OK ||
//       weir_iterator_create(*runtime, dataset, NULL, iterator, NULL) != WEIR_OK ||
//       weir_element_create(element, NULL) != WEIR_OK)
//     return -1;
//   weir_dataset_unref(dataset);
//   return count;
// }
//
// static int64_t loop(weir_iterator iterator, weir_element element, int64_t count) {
//   return weir_next_loop(iterator, element, count);
// }
//
// static void nothing(void) {}
//
// static int64_t in_use(void) {
//   struct mallinfo2 info = mallinfo2();
//   return (int64_t)(info.uordblks + info.hblkhd);
// }
import "C"

// Loop is an iterator and an element for it.
type Loop struct {
	runtime  C.weir_runtime
	iterator C.weir_iterator
	element  C.weir_element
}

// Begin makes an iterator over a document of at least count elements.
func Begin(count int, text string) *Loop {
	out := &Loop{}
	bytes := append([]byte(text), 0)
	if C.begin(C.int64_t(count), &out.iterator, &out.element, &out.runtime, (*C.char)(bytesPointer(bytes))) < 0 {
		panic("no iterator for " + text)
	}
	return out
}

// Run takes elements in C and gives their sum.
func (l *Loop) Run(count int) int64 { return int64(C.loop(l.iterator, l.element, C.int64_t(count))) }

// End releases everything.
func (l *Loop) End() {
	C.weir_element_destroy(l.element)
	C.weir_iterator_destroy(l.iterator)
	C.weir_runtime_destroy(l.runtime)
}

// Nothing is a call of C that does nothing.
func Nothing() { C.nothing() }

// InUse is how many bytes malloc has given out.
func InUse() int64 { return int64(C.in_use()) }
