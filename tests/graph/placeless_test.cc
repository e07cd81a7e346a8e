#include "graph/placeless.h"

#include <string>
#include <vector>

#include "build.h"

namespace weir {
namespace {

std::string replaced(std::string text, const std::string& place) {
  for (size_t at = text.find("HERE/"); at != std::string::npos; at = text.find("HERE/", at))
    text.replace(at, 5, place);
  return text;
}

// Whether a position fits a text in which HERE/ is one folder and another.
bool fits_elsewhere(const std::string& text, const std::string& place) {
  Graph graph;
  const DocumentRef here = graph.build(replaced(text, "data/"));
  const DocumentRef there = graph.build(replaced(text, place));
  CHECK_FALSE(equal(*here, *there));
  const bool fits = here->positional_fingerprint() == there->positional_fingerprint();
  CHECK((here->placeless_fingerprint() == there->placeless_fingerprint()) == fits);
  CHECK((here->digest() == there->digest()) == fits);
  return fits;
}

TEST_CASE("placeless: the place of a file counts nowhere where it is named") {
  for (const char* text : {
           R"(tfrecord("HERE/a"))",
           R"(tfrecord(["HERE/a", "HERE/x/b"], num_parallel_reads: 2) | shuffle(9, seed: 1))",
           R"(text_line(from_tensor_slices(["HERE/a", "HERE/b"]) | shuffle(2, seed: 1)))",
           R"(from_tensor_slices(["HERE/a", "HERE/b"]) | repeat(2) | interleave(f -> text_line(f)))",
           R"(from_list(["HERE/a", "HERE/b"]) | skip(1) | flat_map(f -> text_line(f) | batch(2)))",
           R"(from_tensors("HERE/a") | map(f -> read_file(f)))",
           R"(from_tensors("HERE/a") | filter(f -> true) | map(f -> (read_file(name: f), 1)))",
           R"(from_tensor_slices((["HERE/a", "HERE/b"], [0, 1])) | map((f, l) -> (read_file(f), l)))",
           R"(from_tensor_slices({f: ["HERE/a"], l: [0]}) | map({f, ...r} -> {...r, s: read_file(f)}))",
           R"(from_tensor_slices({f: ["HERE/a"], l: [0]}) | map(x -> read_file(x.f)))",
           R"(from_list([("HERE/a", 0), ("HERE/b", 1)]) | map(x -> read_file(x.0)))",
           R"(let files = ["HERE/a", "HERE/b"] csv(files, [int64]))",
           R"(let files = from_list(["HERE/a", "HERE/b"]) csv(files, [int64]))",
           R"(let root = "HERE/x" text_line([root + "/a", root + "/b"]))",
           R"(let root = "HERE/" from_list(["a", "b"]) | map(f -> root + f) | flat_map(f -> text_line(f)))",
           R"(from_list(["HERE/a"]) | map(f -> f + ".txt") | flat_map(f -> text_line(f)))",
           R"(range(3) | flat_map(i -> text_line("HERE/a-" + as_string(i))))",
           R"(range(3) | flat_map(i -> text_line(if i == 0 then "HERE/a" else "HERE/b")))",
           R"(range(3) | flat_map(i -> let f = "HERE/a" in text_line(f)))",
           R"(from_list(["HERE/a", "HERE/b"]) | partition(2, p -> p | flat_map(f -> text_line(f))))",
           R"(zip(text_line("HERE/a"), text_line("HERE/b")))",
           R"(text_line("HERE/a") | window(2) | flat_map(w -> w | batch(2)))",
       }) {
    INFO(text);
    CHECK(fits_elsewhere(text, "/mnt/other/data/"));
    CHECK(fits_elsewhere(text, "s3://bucket/"));
    CHECK(fits_elsewhere(text, "http://host:80/data/"));
  }
}

TEST_CASE("placeless: names, their order and other strings count") {
  struct Row {
    const char* one;
    const char* other;
  };
  for (const Row& row : {
           Row{R"(tfrecord("d/a"))", R"(tfrecord("d/b"))"},
           Row{R"(tfrecord("d/a"))", R"(tfrecord(["d/a"]))"},
           Row{R"(tfrecord(["d/a", "d/b"]))", R"(tfrecord(["d/b", "d/a"]))"},
           Row{R"(tfrecord(["d/a", "d/b"]))", R"(tfrecord(["d/a"]))"},
           // Only the folder that they share is left out.
           Row{R"(tfrecord(["d/x/a", "d/y/a"]))", R"(tfrecord(["d/y/a", "d/x/a"]))"},
           Row{R"(tfrecord(["d/x/a", "d/y/a"]))", R"(tfrecord(["d/a", "d/a"]))"},
           Row{R"(tfrecord(["d/x/a", "d/y/a"]))", R"(tfrecord(["e/x/a", "e/z/a"]))"},
           Row{R"(from_list(["d/a"]))", R"(from_list(["e/a"]))"},
           Row{R"(from_list(["d/a"]) | filter(f -> f != "d/a") | flat_map(f -> text_line(f)))",
               R"(from_list(["d/a"]) | filter(f -> f != "e/a") | flat_map(f -> text_line(f)))"},
           Row{R"(text_line("d/a") | map(l -> l + "d/a"))", R"(text_line("d/a") | map(l -> l + "e/a"))"},
           Row{R"(text_line("d/a") | map(l -> (l, "d/a")))", R"(text_line("d/a") | map(l -> (l, "e/a")))"},
           Row{R"(from_list([("d/a", "d/x")]) | map((f, x) -> (read_file(f), x)))",
               R"(from_list([("d/a", "e/x")]) | map((f, x) -> (read_file(f), x)))"},
           // What a function makes a name of is not told.
           Row{R"(from_list(["d/a"]) | map(f -> lower(f)) | flat_map(f -> text_line(f)))",
               R"(from_list(["e/a"]) | map(f -> lower(f)) | flat_map(f -> text_line(f)))"},
           Row{R"(text_line("d/a") | map(l -> read_file("d/a" + l)))",
               R"(text_line("d/a") | map(l -> read_file("d/b" + l)))"},
           Row{R"(text_line("d/a") | map(l -> read_file("d" + "/a")))",
               R"(text_line("d/a") | map(l -> read_file("d" + "/b")))"},
           Row{R"(csv("d/a", [string], na_value: "d/x"))", R"(csv("d/a", [string], na_value: "e/x"))"},
           Row{R"(sql("sqlite", "d/a", "select 1 as x", {x: int64}))",
               R"(sql("sqlite", "e/a", "select 1 as x", {x: int64}))"},
           Row{R"(from_list(["d/a"]) | flat_map(f -> range(2) | map(f -> read_file("x"))))",
               R"(from_list(["e/a"]) | flat_map(f -> range(2) | map(f -> read_file("x"))))"},
       }) {
    INFO(row.one << "\n" << row.other);
    Graph graph;
    const DocumentRef one = graph.build(row.one);
    const DocumentRef other = graph.build(row.other);
    CHECK_FALSE(one->positional_fingerprint() == other->positional_fingerprint());
    CHECK_FALSE(one->placeless_fingerprint() == other->placeless_fingerprint());
    CHECK_FALSE(one->digest() == other->digest());
  }
}

HandedValue strings(const std::vector<std::string>& texts) {
  const Shape shape{static_cast<int64_t>(texts.size())};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return {Spec::tensor(DType::string, shape), {Tensor::strings(views, shape)}};
}

TEST_CASE("placeless: of names that are handed in, too") {
  for (const size_t count : {size_t{3}, size_t{1200}}) {
    const auto over = [&](const std::string& text, const std::string& place) {
      std::vector<std::string> names;
      for (size_t i = 0; i < count; ++i) names.push_back(place + std::to_string(i));
      Graph graph;
      return graph.build(text, Handed{{"v", strings(names)}})->positional_fingerprint();
    };
    CHECK(over("text_line(@v)", "d/") == over("text_line(@v)", "s3://e/"));
    CHECK_FALSE(over("text_line(@v)", "d/a") == over("text_line(@v)", "d/b"));
    CHECK_FALSE(over("from_tensor_slices(@v)", "d/") == over("from_tensor_slices(@v)", "e/"));
    const std::string mapped = "from_tensor_slices(@v) | map(f -> read_file(f))";
    CHECK(over(mapped, "d/") == over(mapped, "e/"));
  }
}

TEST_CASE("placeless: a $param names files if it is used for nothing else") {
  const auto naming = [](const std::string& text) {
    Graph graph;
    return graph.build("param p: string " + text)->params()[0].names;
  };
  CHECK(naming("text_line($p)") == Naming::files);
  CHECK(naming("text_line($p) | map(l -> (l, read_file($p)))") == Naming::files);
  CHECK(naming(R"(text_line($p + ".txt"))") == Naming::files);
  CHECK(naming(R"(text_line([$p + "/a", $p + "/b"]))") == Naming::folders);
  CHECK(naming("range(2) | flat_map(i -> list_files($p))") == Naming::patterns);
  CHECK(naming("text_line($p) | map(l -> (l, $p))") == Naming::nothing);
  CHECK(naming(R"(zip(text_line($p), text_line($p + "/x")))") == Naming::nothing);
  CHECK(naming("from_tensors($p)") == Naming::nothing);
  CHECK(naming(R"(text_line("a" + $p))") == Naming::nothing);
}

TEST_CASE("placeless: what is far from its use stays as it is written, and takes no time") {
  const auto mapped = [](int maps) {
    std::string text = "from_list([\"HERE/a\"])";
    for (int i = 0; i < maps; ++i) text += " | map(f -> if true then f else f)";
    return text + " | flat_map(f -> text_line(f))";
  };
  CHECK(fits_elsewhere(mapped(40), "e/"));
  CHECK_FALSE(fits_elsewhere(mapped(100), "e/"));
}

}  // namespace
}  // namespace weir
