#include "build.h"
#include "format/proto/graph.pb.h"

namespace weir {
namespace {

class Same : public Callback {
 public:
  Same() : Callback({}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block&, Block&) const override { return {}; }
};

TEST_CASE("Graphs survive as bytes", "[graph]") {
  Graph graph;
  for (const char* text :
       {"range(5)", "param n: int64 let a = range($n) zip(a, a | take(2))",
        "range(3) | flat_map(x -> range(x) | map(y -> x + y)) | reduce(0, (s, x) -> s + x)"}) {
    DocumentRef document = graph.build(text);
    auto bytes = document->serialize();
    REQUIRE(bytes.ok());
    auto read = deserialize_document(graph.runtime, *bytes);
    REQUIRE(read.ok());
    CHECK(equal(**read, *document));
    CHECK(*(*read)->serialize() == *bytes);
  }
}

TEST_CASE("Large tensors travel by value", "[graph]") {
  Graph graph;
  Handed handed = {{"v", vector_of<int64_t>(std::vector<int64_t>(2000, 3))}};
  std::vector<std::string_view> words(1500, "word");
  handed["s"] = HandedValue{Spec::tensor(DType::string, {1500}), {Tensor::strings(words, {1500})}};
  DocumentRef document = graph.build("zip(from_tensor_slices(@v), from_tensor_slices(@s))", handed);
  auto bytes = document->serialize();
  REQUIRE(bytes.ok());
  auto read = deserialize_document(graph.runtime, *bytes);
  REQUIRE(read.ok());
  CHECK(equal(**read, *document));
}

TEST_CASE("Callbacks travel by their registered name", "[graph]") {
  Graph graph;
  Handed handed = {{"f", make_ref<Same>()}, {"1", make_ref<Same>()}};
  DocumentRef named = graph.build("range(3) | map(@f)", handed);
  CHECK(named->format() == "range(3) | map(@f)");
  auto bytes = named->serialize();
  REQUIRE(bytes.ok());
  CHECK(deserialize_document(graph.runtime, *bytes).status().code() == Code::not_found);
  auto read = deserialize_document(graph.runtime, *bytes, handed);
  REQUIRE(read.ok());
  CHECK(equal(**read, *named));

  auto unnamed = graph.build("range(3) | map(@1)", handed)->serialize();
  CHECK(unnamed.status().code() == Code::failed_precondition);
}

TEST_CASE("Damaged bytes are errors", "[graph]") {
  Graph graph;
  Handed handed = {{"v", vector_of<int64_t>(std::vector<int64_t>(1001, 3))}};
  std::string bytes = *graph.build("from_tensor_slices(@v) | batch(2)", handed)->serialize();
  for (size_t size = 0; size < bytes.size(); size += 7) {
    CHECK_FALSE(deserialize_document(graph.runtime, std::string_view(bytes).substr(0, size)).ok());
  }
  // A flipped bit may still be a graph, but never a crash.
  for (size_t bit = 0; bit < 8 * 160; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    (void)deserialize_document(graph.runtime, damaged);
  }
}

TEST_CASE("Hostile sizes and structures are refused before anything is allocated", "[graph]") {
  Graph graph;
  auto refused = [&](auto change) {
    weir::graph::Graph message;
    message.set_version(1);
    message.set_text("from_tensor_slices(@v)");
    weir::graph::Handed* handed = message.add_handed();
    handed->set_word("v");
    handed->mutable_value()->set_spec("int64[?]");
    weir::graph::Tensor* tensor = handed->mutable_value()->add_components();
    tensor->set_dtype(5);
    tensor->add_dims(1);
    tensor->set_entries(std::string(8, '\0'));
    REQUIRE(deserialize_document(graph.runtime, message.SerializeAsString()).ok());
    change(message, *handed, *tensor);
    auto read = deserialize_document(graph.runtime, message.SerializeAsString());
    return !read.ok() && read.status().code() == Code::invalid_argument;
  };
  using weir::graph::Handed;
  using weir::graph::Tensor;
  using Message = weir::graph::Graph;
  CHECK(refused([](Message& m, Handed&, Tensor&) { m.set_version(2); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) { t.set_dims(0, int64_t{1} << 60); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) { t.set_dims(0, -1); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) { t.set_dtype(99); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) { t.set_dtype(17); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) { t.set_entries("123"); }));
  CHECK(refused([](Message&, Handed&, Tensor& t) {
    for (int i = 0; i < 20; ++i) t.add_dims(1);
  }));
  CHECK(refused([](Message&, Handed& h, Tensor&) { h.mutable_value()->set_spec("string[?]"); }));
  CHECK(refused([](Message&, Handed& h, Tensor&) { h.mutable_value()->set_spec("(int64[?], int64)"); }));
  CHECK(refused([](Message&, Handed& h, Tensor&) { h.mutable_value()->set_spec("ragged<int64>[2, ?]"); }));
  CHECK(refused([](Message&, Handed& h, Tensor&) { h.set_word("a b"); }));
  CHECK(refused([](Message& m, Handed& h, Tensor&) { *m.add_handed() = h; }));
}

}  // namespace
}  // namespace weir
