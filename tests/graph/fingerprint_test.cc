#include <string>
#include <vector>

#include "build.h"

namespace weir {
namespace {

// A document over a tensor handed in.
DocumentRef over(HandedValue value) {
  Graph graph;
  return graph.build("from_tensor_slices(@v)", Handed{{"v", std::move(value)}});
}

HandedValue strings_of(const std::vector<std::string>& texts) {
  const Shape shape{static_cast<int64_t>(texts.size())};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return {Spec::tensor(DType::string, shape), {Tensor::strings(views, shape)}};
}

// Texts that all differ; up to 1,000 they print as literals, beyond that they stay outside.
std::vector<std::string> numbered(size_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) out.push_back("text " + std::to_string(i * 7919));
  return out;
}

bool told_apart(const DocumentRef& here, const DocumentRef& there) {
  const bool differ = !(here->fingerprint() == there->fingerprint());
  CHECK((here->digest() == there->digest()) == !differ);
  CHECK(equal(*here, *there) == !differ);
  return differ;
}

TEST_CASE("The names of variables do not count in the fingerprint, what they stand for does", "[graph]") {
  struct Row {
    const char* one;
    const char* other;
    bool equal;
  };
  for (const Row& row : {
           Row{"range(9) | filter(x -> x > 2)", "range(9) | filter(y -> y > 2)", true},
           Row{"range(9) | filter(x -> x > 2)", "range(9) | filter(x -> 2 > x)", false},
           Row{"zip(range(2), range(3)) | map((a, b) -> a - b)",
               "zip(range(2), range(3)) | map((c, a) -> c - a)", true},
           Row{"zip(range(2), range(3)) | map((a, b) -> a - b)",
               "zip(range(2), range(3)) | map((a, b) -> b - a)", false},
           Row{"zip(range(2), range(3)) | map((a, _) -> a)", "zip(range(2), range(3)) | map((_, a) -> a)",
               false},
           Row{"let n = 3 let m = 4 range(n) | take(m)", "let a = 3 let b = 4 range(a) | take(b)", true},
           Row{"let n = 3 let m = 4 range(n) | take(m)", "let n = 3 let m = 4 range(m) | take(n)", false},
           Row{"range(9) | map(x -> let y = x + 1 in y * x)", "range(9) | map(a -> let b = a + 1 in b * a)",
               true},
           Row{"range(9) | map(x -> let y = x + 1 in y * x)", "range(9) | map(x -> let x = x + 1 in x * x)",
               false},
           Row{"range(9) | flat_map(x -> range(x) | map(y -> y + x))",
               "range(9) | flat_map(y -> range(y) | map(x -> x + y))", true},
           Row{"range(9) | flat_map(x -> range(x) | map(y -> y + x))",
               "range(9) | flat_map(x -> range(x) | map(y -> y + y))", false},
           Row{"from_tensor_slices({a: [1], b: [2]}) | map({a, ...r} -> {...r, c: a})",
               "from_tensor_slices({a: [1], b: [2]}) | map({a: x, ...rest} -> {...rest, c: x})", true},
           Row{"from_tensor_slices({a: [1], b: [2]}) | map({a, ...r} -> {...r, c: a})",
               "from_tensor_slices({a: [1], b: [2]}) | map({a, ...r} -> {c: a, ...r})", false},
           Row{"let a = {x: range(2)} let b = {x: range(3)} zip({...a, ...b})",
               "let a = {x: range(2)} let b = {x: range(3)} zip({...b, ...a})", false},
           Row{"param n: int64 range($n)", "param m: int64 range($m)", false},
           Row{"range(9) | map(x -> sum([x, 1], 0))", "range(9) | map(y -> sum([y, 1], axis: 0))", true},
           Row{"range(9) | map(x -> sum([x, 1], 0))", "range(9) | map(x -> sum([x, 1]))", false},
       }) {
    INFO(row.one << "\n" << row.other);
    Graph graph;
    CHECK(told_apart(graph.build(row.one), graph.build(row.other)) == !row.equal);
  }
}

TEST_CASE("Every string of a tensor counts in the fingerprint, printed or not", "[graph]") {
  for (const size_t count : {size_t{1000}, size_t{1001}}) {
    const std::vector<std::string> texts = numbered(count);
    const DocumentRef plain = over(strings_of(texts));
    CHECK((plain->format().find("@v") != std::string::npos) == (count > 1000));
    CHECK_FALSE(told_apart(plain, over(strings_of(texts))));
    for (const size_t at : {size_t{0}, size_t{1}, count / 2, count - 1}) {
      INFO(count << " strings, number " << at << " changed");
      std::vector<std::string> changed = texts;
      changed[at].back() ^= 1;
      CHECK(told_apart(plain, over(strings_of(changed))));
      changed[at] = "";
      CHECK(told_apart(plain, over(strings_of(changed))));
    }
    // The same bytes, cut differently, in another order, and with an empty one.
    std::vector<std::string> moved = texts;
    moved[5] += moved[6][0];
    moved[6].erase(0, 1);
    CHECK(told_apart(plain, over(strings_of(moved))));
    std::vector<std::string> swapped = texts;
    swapped[3].swap(swapped[4]);
    CHECK(told_apart(plain, over(strings_of(swapped))));
    std::vector<std::string> longer = texts;
    longer.emplace_back();
    CHECK(told_apart(plain, over(strings_of(longer))));
  }
}

TEST_CASE("A string counts to its last byte, however long it is", "[graph]") {
  std::vector<std::string> texts = numbered(1001);
  texts[700] = std::string((2 << 20) + 1, 'x');
  const DocumentRef plain = over(strings_of(texts));
  for (const size_t at : {size_t{0}, size_t{1} << 20, texts[700].size() - 1}) {
    std::vector<std::string> changed = texts;
    changed[700][at] = 'y';
    CHECK(told_apart(plain, over(strings_of(changed))));
  }
}

TEST_CASE("Numbers count in full up to 1 MiB, and by 64 KiB at either end beyond", "[graph]") {
  for (const size_t size : {size_t{1} << 20, (size_t{1} << 20) + 1}) {
    const bool whole = size == size_t{1} << 20;
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * i % 251);
    const DocumentRef plain = over(vector_of(bytes));
    struct Row {
      size_t at;
      bool counts;
    };
    for (const Row& row : {Row{0, true}, Row{65'535, true}, Row{65'536, whole}, Row{size / 2, whole},
                           Row{size - 65'537, whole}, Row{size - 65'536, true}, Row{size - 1, true}}) {
      INFO(size << " bytes, number " << row.at << " changed");
      std::vector<uint8_t> changed = bytes;
      changed[row.at] ^= 1;
      CHECK(told_apart(plain, over(vector_of(changed))) == row.counts);
    }
  }
}

TEST_CASE("Dtype and shape count beside equal bytes", "[graph]") {
  const std::vector<int64_t> numbers(1001, 7);
  const std::vector<uint64_t> same(1001, 7);
  CHECK(told_apart(over(vector_of(numbers)), over(vector_of(same))));
  HandedValue flat = vector_of(std::vector<int64_t>(2002, 7));
  HandedValue square = flat;
  square.values[0].shape = Shape{1001, 2};
  square.spec = Spec::tensor(DType::int64, Shape{1001, 2});
  CHECK(told_apart(over(std::move(flat)), over(std::move(square))));
}

}  // namespace
}  // namespace weir
