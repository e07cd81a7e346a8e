// weir.hpp: weir for C++17 and later. This header is the manual of the C++ interface; weir.h explains
// iterators, elements, callbacks and checkpoints. It needs only weir.h and the library, works without RTTI,
// and throws exceptions.
//
//   #include <cstdio>
//   #include "weir/weir.hpp"
//
//   int main() {
//     weir::Runtime runtime;
//     auto pipeline = weir::range(10).map("x -> (x, x * x)").batch(4);
//     weir::Iterator iterator(runtime, pipeline);
//     using Numbers = weir::Span<const int64_t>;
//     for (auto [numbers, squares] : iterator.elements<Numbers, Numbers>()) {
//       for (size_t i = 0; i < numbers.size(); ++i) {
//         std::printf("%d %d\n", static_cast<int>(numbers[i]), static_cast<int>(squares[i]));
//       }
//     }
//   }
//
// Objects. Each handle of weir.h has a class that owns it: Runtime, Iterator, Element, CheckpointManager,
// RecordWriter and ExampleBuilder can be moved and not copied; Dataset, Spec, Tensor and Callback are
// immutable, and copies share them. Destroy them in any order. A moved-from object can only be assigned to or
// destroyed; other calls throw invalid_argument. handle() returns the handle for functions of weir.h and
// keeps the ownership.
//
// Errors. A failed call throws weir::Error, with code(), message(), path(), file(), offset(), record() and
// line(). If element_failed() is true, only one element failed, and the next call of next(), or another loop,
// continues after it. All other errors are final. To continue in the same loop, put ignore_errors() into the
// pipeline.
//
//   weir::Iterator iterator(runtime, weir::parse(runtime, "range(-2, 3) | map(x -> 6 // x)"));
//   auto elements = iterator.elements<int64_t>();
//   for (bool more = true; more;) {
//     try {
//       for (int64_t x : elements) std::printf("%d\n", static_cast<int>(x));
//       more = false;
//     } catch (const weir::Error& error) {
//       if (!error.element_failed()) throw;
//       std::printf("failed: %s\n", error.message().c_str());
//     }
//   }
//
// Components are read in place, as the types given to elements() and get():
//
//   int64_t, float, bool, ...    a scalar; also std::complex, weir::Float16 and weir::BFloat16
//   std::string_view             a scalar string
//   weir::Span<const float>      all entries in row-major order, whatever the shape
//   weir::Array<float>           entries and dimensions: a(i, j), a.row(i), a.dims(); also of strings
//   weir_view                    any dtype, unchecked
//
// Another dtype, or for a scalar another shape, throws invalid_argument and names the component. elements()
// checks once, against the spec, so a loop costs as much as one over weir.h; row range_cpp of bench/README.md
// has the figure.
//
// Datasets come from texts, with values passed by name, or from chained calls; weir_operators.hpp lists the
// operators. An Expression is any value in the notation.
//
//   std::string file = "records with a \"name\"";
//   auto by_text = weir::parse(runtime, "range(3) | map(x -> (x, @file))", {{"file", file}});
//   auto by_calls = weir::range(weir::Expression("$n")).param("n", "int64").shuffle(100).build(runtime);
//   weir::Iterator five(runtime, by_calls, {{{"n", 5}}});
//
// Arrays of the program are read in place. from_arrays makes one element per row:
//
//   std::vector<float> points = {0, 1, 2, 3, 4, 5};
//   std::vector<int64_t> labels = {3, 1, 4};
//   auto rows = weir::from_arrays({{"point", weir::Tensor::wrap(points.data(), {3, 2})},
//                                  {"label", weir::Tensor::own(std::move(labels))}});
//
// Functions of the program can be used in place of lambdas. weir::Callback explains the forms and flags; an
// exception from a function is the error of its element.
//
//   int64_t offset = 100;
//   auto shifted = weir::range(5).map([offset](int64_t x) { return x + offset; });
//
// A dataset can be iterated any number of times. weir::elements() makes a new iterator each time, and every
// loop has the next order of the dataset's shuffles. (To pause one iterator for another, such as training for
// validation, take the elements through a feedable one.)
//
//   int64_t sum = 0;
//   weir::Dataset shuffled = weir::range(4).shuffle(4).build(runtime);
//   for (int epoch = 0; epoch < 2; ++epoch) {
//     for (int64_t x : weir::elements<int64_t>(runtime, shuffled)) sum += x;
//   }
//
// If all operators can find elements by position, elements can be read without those before them:
//
//   auto table = weir::range(1000).map("x -> {x, square: x * x}").build(runtime);
//   auto rows = weir::random_access<int64_t>(runtime, table, {"square"});
//   std::printf("%d of %d\n", static_cast<int>(rows[12]), static_cast<int>(rows.size()));
//
// Records are made of examples, whose features are values, containers or lists in braces:
//
//   weir::RecordWriter writer(runtime, "manual_examples.tfrecord");
//   weir::ExampleBuilder example;
//   writer.write(example.set("label", 7).set("weights", {0.5F, 2.0F}).set("words", {"a", "b"}).serialize());
//   writer.close();
//
// A CheckpointManager keeps the newest positions in a folder, each with bytes of the program's. After a crash
// the same lines continue from the newest saved one:
//
//   weir::Dataset all = weir::range(100).shuffle(10).build(runtime);
//   weir::CheckpointOptions often;
//   often.every_elements = 10;
//   weir::CheckpointManager manager(runtime, "manual_checkpoints", often);
//   int64_t total = 0;
//   weir::IteratorOptions from;
//   const std::optional<weir::Generation> newest = manager.load();
//   if (newest) {
//     from.checkpoint = newest->position;
//     total = std::stoll(newest->extra);
//   }
//   weir::Iterator kept(runtime, all, from);
//   for (int64_t x : kept.elements<int64_t>()) {
//     total += x;
//     if (manager.step()) manager.save(kept, std::to_string(total));
//   }
//
// Threads. As in weir.h: an Element, a range of elements(), a CheckpointManager, a RecordWriter, an
// ExampleBuilder and a Call belong to one thread at a time. Any number of threads may use everything else at
// once, so several may loop over one iterator, each with its own elements(); every element reaches exactly
// one of them. Assign, move or destroy an object only while no other thread uses it.
#pragma once

#if __cplusplus < 201703L
#error "weir.hpp needs C++17; weir.h serves older programs"
#endif

#include "weir/cpp/checkpoints.hpp"
#include "weir/cpp/iterator.hpp"
#include "weir/cpp/records.hpp"

namespace weir {
inline namespace v0 {

// One element per row of the arrays, without a copy. All have the same first dimension. By name, elements are
// dicts; otherwise they are the rows of the one array.
inline Pipeline from_arrays(std::initializer_list<std::pair<std::string_view, Tensor>> arrays) {
  std::vector<std::pair<std::string_view, Value>> members(arrays.begin(), arrays.end());
  return from_tensor_slices(Value::dict(members));
}
inline Pipeline from_arrays(const Tensor& array) { return from_tensor_slices(array); }

}  // namespace v0
}  // namespace weir
