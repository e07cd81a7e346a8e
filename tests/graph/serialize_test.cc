#include "build.h"
#include "format/proto/graph.pb.h"
#include "graph/envelope.h"
#include "graph/same_draws.h"
#include "support/damage.h"

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

TEST_CASE("What was drawn travels with the graph, and its text stays the same", "[graph]") {
  const std::string all =
      "let d = range(9) | shuffle(3) | map(x -> x + random_uniform([], max: 9, dtype: int64) + int64(random_normal([], seed: none))) "
      "zip(d, d, range(9) | flat_map(x -> range(x) | shuffle(4)), range(9) | global_shuffle(seed: (0, 0)), "
      "range(3) | rejection_resample(x -> x, [0.5, 0.5]), random(), sample_from_datasets([range(3), d]))";
  Graph graph;
  for (const std::string& text :
       {all, all + " | shuffle(5, seed: 3)", std::string("range(9) | shuffle(4, seed: 1)")}) {
    DocumentRef document = graph.build(text);
    const std::string bytes = *document->serialize();
    auto read = deserialize_document(graph.runtime, bytes);
    REQUIRE(read.ok());
    CHECK(drawn_seeds((*read)->root()->sites()) == drawn_seeds(document->root()->sites()));
    CHECK(drawn_seeds(document->root()->sites()).size() == (text.starts_with("range") ? 0 : 8));
    CHECK((*read)->format() == document->format());
    CHECK(equal(**read, *document));
    CHECK(*(*read)->serialize() == bytes);
    CHECK(equal(*graph.build(text), *document));
  }
}

TEST_CASE("Graphs with other numbers of seeds than they leave open are not read", "[graph]") {
  Graph graph;
  const auto read = [&](std::initializer_list<uint64_t> seeds) {
    weir::graph::Graph message;
    message.set_text("range(9) | shuffle(3) | map(x -> random_uniform([], seed: 7))");
    for (uint64_t seed : seeds) message.add_seeds(seed);
    const EnvelopeKind kind{.magic = "weirgrph", .version = 2};
    return deserialize_document(graph.runtime, enclose(kind, message.SerializeAsString()));
  };
  REQUIRE(read({5, 6}).ok());
  CHECK(drawn_seeds((*read({5, 6}))->root()->sites()) == SeedPairs{{5, 6}});
  for (const auto& seeds : {std::initializer_list<uint64_t>{}, {5}, {5, 6, 7}, {5, 6, 7, 8}}) {
    CHECK(read(seeds).status().code() == Code::invalid_argument);
    CHECK(contains(read(seeds).status().error().message, "2 numbers for the seeds"));
  }
}

TEST_CASE("Datasets that are built again for their $params keep what they drew", "[graph]") {
  Graph graph;
  DocumentRef inner = graph.build("param n: int64 range($n) | shuffle(9)");
  const auto drawn = drawn_seeds(inner->root()->sites());
  REQUIRE(drawn.size() == 1);
  auto outer = apply_operator(graph.runtime, "batch", {inner}, {{"n", "2"}});
  REQUIRE(outer.ok());
  CHECK(drawn_seeds((*outer)->root()->sites()) == drawn);
  auto twice = graph.build("zip(@a, @b | map(x -> random_uniform([])))", {{"a", *outer}, {"b", inner}});
  REQUIRE(drawn_seeds(twice->root()->sites()).size() == 2);
  CHECK(drawn_seeds(twice->root()->sites())[0] == drawn[0]);
}

// A pipeline, one with a tensor of more than 20 kB, and one with strings and a dataset handed in.
std::vector<std::string> graphs(Graph& graph) {
  std::vector<int64_t> numbers(3000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i * i);
  std::vector<std::string> texts;
  for (int i = 0; i < 1001; ++i) texts.push_back("entry " + std::to_string(i));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Handed handed = {
      {"v", vector_of(numbers)},
      {"s", HandedValue{Spec::tensor(DType::string, {1001}), {Tensor::strings(views, {1001})}}},
      {"d", graph.build("range(7) | shuffle(3, seed: 5)")}};
  std::vector<std::string> out;
  for (const char* text :
       {"range(10) | map(x -> x * 3 + 1) | batch(2)", "from_tensor_slices(@v) | shuffle(9, seed: 4)",
        "param n: int64 zip(from_tensor_slices(@s), @d, range($n))"}) {
    auto bytes = graph.build(text, handed)->serialize();
    REQUIRE(bytes.ok());
    out.push_back(*bytes);
  }
  REQUIRE(out[1].size() > 20'000);
  return out;
}

TEST_CASE("Every flipped bit, cut and appended byte is data_loss", "[graph]") {
  Graph graph;
  for (std::string& bytes : graphs(graph)) {
    INFO(bytes.size() << " bytes");
    REQUIRE(deserialize_document(graph.runtime, bytes).ok());
    const auto open = [&](std::string_view given) {
      return deserialize_document(graph.runtime, given).status();
    };
    CHECK(damages_not_refused(bytes, open) == 0);
  }
}

TEST_CASE("Bytes of another version are refused by its number, a checkpoint by its name", "[graph]") {
  Graph graph;
  auto read = [&](EnvelopeKind kind) {
    weir::graph::Graph message;
    message.set_text("range(3)");
    return deserialize_document(graph.runtime, enclose(kind, message.SerializeAsString())).status();
  };
  EnvelopeKind kind{.magic = "weirgrph", .version = 2};
  REQUIRE(read(kind).ok());
  kind.version = 3;
  CHECK(read(kind).code() == Code::failed_precondition);
  CHECK(contains(read(kind).error().message, "format version 2, found 3"));
  kind.magic = "weirckpt";
  CHECK(read(kind).code() == Code::data_loss);
  CHECK(contains(read(kind).error().message, "found \"weirckpt\""));
}

TEST_CASE("Hostile sizes and structures are refused before anything is allocated", "[graph]") {
  Graph graph;
  auto refused = [&](auto change) {
    weir::graph::Graph message;
    message.set_text("from_tensor_slices(@v)");
    weir::graph::Handed* handed = message.add_handed();
    handed->set_word("v");
    handed->mutable_value()->set_spec("int64[?]");
    weir::graph::Tensor* tensor = handed->mutable_value()->add_components();
    tensor->set_dtype(5);
    tensor->add_dims(1);
    tensor->set_entries(std::string(8, '\0'));
    const EnvelopeKind kind{.magic = "weirgrph", .version = 2};
    REQUIRE(deserialize_document(graph.runtime, enclose(kind, message.SerializeAsString())).ok());
    change(message, *handed, *tensor);
    auto read = deserialize_document(graph.runtime, enclose(kind, message.SerializeAsString()));
    return !read.ok() && read.status().code() == Code::invalid_argument;
  };
  using weir::graph::Handed;
  using weir::graph::Tensor;
  using Message = weir::graph::Graph;
  CHECK(refused([](Message& m, Handed&, Tensor&) { m.set_text("range("); }));
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
