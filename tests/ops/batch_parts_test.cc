// What the operators have in common that join elements into batches or split them: joined_batch,
// batch_cursor, padding and batch_rows.
#include <atomic>

#include "core/exception.h"
#include "expr/types/callback.h"
#include "ops/pipelines.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

TEST_CASE("batch parts: elements of the highest rank have no batch") {
  const std::string seven = "range(4) | map(x -> ones([1, 1, 1, 1, 1, 1, 1])) | ";
  const std::string eight = "range(4) | map(x -> ones([1, 1, 1, 1, 1, 1, 1, 1])) | ";
  for (const char* batch : {"batch(2)", "padded_batch(2)", "ragged_batch(2)", "map_and_batch(x -> x, 2)",
                            "bucket_by_sequence_length(x -> 1, [2], [2, 2])",
                            "bucket_by_sequence_length(x -> 1, [2], [2, 2], no_padding: true)",
                            "sparse_batch(2, [1, 1, 1, 1, 1, 1, 1, 1])"}) {
    CAPTURE(batch);
    CHECK(contains(build_error(eight + batch), "below 8"));
    if (std::string_view(batch).substr(0, 6) != "sparse") CHECK(run(seven + batch).size() == 2);
  }
  const std::string sparse = "range(4) | map(x -> from_dense(ones([1, 1, 1, 1, 1, 1, 1, 1]))) | batch(2)";
  CHECK(contains(build_error(sparse), "below 8"));
  CHECK(contains(build_error(eight + "padded_batch(2, shapes: [1, 1, 1, 1, 1, 1, 1, 1])"), "below 8"));
}

TEST_CASE("batch parts: an empty batch has no entries, in dimensions that are as large as they must be") {
  CHECK(run("range(3) | map(x -> from_dense(full([x], x))) | batch(3) | rebatch([0, 9])")[0] ==
        "sparse(indices: zeros([0, 2]), values: [], shape: [0, 0])");
  CHECK(run("range(3) | map(x -> from_dense(full([x, 4], x))) | batch(3) | rebatch([0, 9])")[0] ==
        "sparse(indices: zeros([0, 3]), values: [], shape: [0, 0, 4])");
  CHECK(
      run("range(3) | map(x -> (full([x, 2], x), full([2, 3], x))) | ragged_batch(3) | rebatch([0, 9]) | map((r, d) -> shape(d))")
          [0] == "[0, 2, 3]");
}

TEST_CASE("batch parts: what a dataset left out of its last batch is in no batch of the next one") {
  const std::string rows = "range(3) | flat_map(x -> range(3) | map(y -> x * 10 + y) | ";
  const Lines full = {"[0, 1]", "[10, 11]", "[20, 21]"};
  CHECK(run(rows + "batch(2, drop_remainder: true))") == full);
  CHECK(run(rows + "padded_batch(2, drop_remainder: true))") == full);
  CHECK(run(rows + "map_and_batch(y -> y, 2, drop_remainder: true))") == full);
  CHECK(run(rows + "map(y -> full([y % 10], y)) | ragged_batch(2, drop_remainder: true))") ==
        Lines{"ragged([[], [1]])", "ragged([[], [11]])", "ragged([[], [21]])"});
}

TEST_CASE("batch parts: of several errors in a batch that goes on behind them, it is the first") {
  const std::string text =
      "range(8) | map_and_batch(x -> assert(x != 1, \"one\", assert(x != 2, \"two\", x)), 4)";
  CHECK(contains(first_error(text), "map: one"));
  CHECK(run(text) == Lines{"error: invalid_argument", "[4, 5, 6, 7]"});
}

// Lacks memory for element 1, and refuses element 2.
class Lacking final : public Callback {
 public:
  Lacking() : Callback({.concurrent = true, .pure = true}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    out.columns = in.columns;
    for (int row = 0; row < in.rows; ++row) {
      const int64_t x = *in.columns[0].row(row).as<int64_t>();
      if (x == 1) out.fail_row(row, out_of_memory());
      if (x == 2) out.fail_row(row, invalid_argument("two").pointer());
    }
    return Status();
  }
};

// Gives its argument, and says nothing of its shape.
class Unranked final : public Callback {
 public:
  Unranked() : Callback({.concurrent = true, .pure = true}) {}
  Result<Spec> result(const Spec& input) const override {
    return Spec::tensor(input.dtype, Shape::unknown_rank());
  }
  Status call(Session&, const Block& in, Block& out) const override {
    out.columns = in.columns;
    return Status();
  }
};

// Of a text with the two.
DocumentRef with_callbacks(Runtime& runtime, const std::string& text) {
  Handed handed;
  handed.emplace("lacking", CallbackRef(make_ref<Lacking>()));
  handed.emplace("unranked", CallbackRef(make_ref<Unranked>()));
  return require_value(parse_document(runtime, text, handed));
}

Lines lines_of_lacking(const std::string& text) {
  ThreadsRuntime runtime;
  const DocumentRef document = with_callbacks(*runtime, text);
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}}));
  return all_lines(*iterator);
}

TEST_CASE("batch parts: a ragged batch of tensors of unknown rank is a dense one") {
  const std::string text = "range(4) | map(x -> [x, x]) | map(@unranked) | ragged_batch(2)";
  ThreadsRuntime runtime;
  CHECK_FALSE(contains(with_callbacks(*runtime, text)->spec().to_string(), "ragged"));
  CHECK(lines_of_lacking(text) == Lines{"[[0, 0], [1, 1]]", "[[2, 2], [3, 3]]"});
}

TEST_CASE(
    "batch parts: a batch that memory ran out for ends with an element that fails, and the next one is whole") {
  CHECK(lines_of_lacking("range(9) | map(@lacking) | batch(4)") ==
        Lines{"error: invalid_argument", "[3, 4, 5, 6]", "[7, 8]"});
  // Where none fails, its rows are lost with it.
  CHECK(lines_of_lacking("range(9) | filter(x -> x != 2) | map(@lacking) | batch(4)") ==
        Lines{"error: resource_exhausted", "[5, 6, 7, 8]"});
}

TEST_CASE("batch parts: elements that memory ran out for are not missing in what is written") {
  TemporaryFolder folder;
  const std::string text = "range(4) | map(@lacking) | " + call("snapshot", folder.at("s"));
  const Lines lines = {"0", "error: resource_exhausted", "error: invalid_argument", "3"};
  CHECK(lines_of_lacking(text) == lines);
  CHECK(files_in(folder.at("s")).size() < 2);
  CHECK(lines_of_lacking(text) == lines);
}

TEST_CASE("batch parts: a padding is a number that the dtype has") {
  const auto padded = [](const std::string& dtype, const std::string& value) {
    return build_error("range(2, dtype: " + dtype + ") | padded_batch(2, values: " + value + ")").empty();
  };
  CHECK(padded("uint8", "255"));
  CHECK_FALSE(padded("uint8", "256"));
  CHECK_FALSE(padded("uint8", "-1"));
  CHECK(padded("int8", "-128"));
  CHECK_FALSE(padded("int8", "-129"));
  CHECK(padded("uint64", "9223372036854775807"));
  CHECK_FALSE(padded("uint64", "-1"));
  CHECK(padded("int64", "-1"));
  CHECK(padded("float32", "-1"));
}

TEST_CASE("batch parts: several failed elements among those whose rows come together") {
  CHECK(run("probe(9, errors: \"2,5,6\") | map(x -> [x, x + 10]) | unbatch()", 1024) ==
        Lines{"0", "10", "1", "11", "error: data_loss", "3", "13", "4", "14", "error: data_loss",
              "error: data_loss", "7", "17", "8", "18"});
}

TEST_CASE("batch parts: no element is asked for before its first row is") {
  for (const int64_t rows : {1, 2, 3, 4, 6, 7}) {
    CAPTURE(rows);
    CHECK(demand("probe(50) | map(x -> [x, x, x]) | unbatch() | take(" + std::to_string(rows) + ")", 100) ==
          (rows + 2) / 3);
  }
}

// Gives the rows that follow the first `taken` ones after the file of an element's length has changed.
Lines rows_after_change(const std::string& split, int taken, const char* length) {
  TemporaryFolder folder;
  const std::string text = "text_line(\"" + folder.at("n") + "\") | map(s -> to_number(s, int64)) | " + split;
  std::ofstream(folder.at("n")) << "5\n2\n";
  ThreadsRuntime runtime;
  std::string saved;
  {
    auto iterator = open_text(*runtime, text);
    take_lines(*iterator, taken);
    saved = require_value(iterator->save());
  }
  std::ofstream(folder.at("n")) << length << "\n2\n";
  auto restored = open_text(*runtime, text, &saved);
  return all_lines(*restored);
}

TEST_CASE("batch parts: an element with no row left after the saved position is shorter than it was") {
  for (const char* split : {"map(n -> full([n], n)) | unbatch()",
                            "map(n -> from_dense(full([n, 2], n))) | unbatch() | map(s -> to_dense(s)[0])"}) {
    CAPTURE(split);
    CHECK(rows_after_change(split, 3, "5") == Lines{"5", "5", "2", "2"});
    CHECK(rows_after_change(split, 3, "4") == Lines{"4", "2", "2"});
    CHECK(rows_after_change(split, 3, "3") == Lines{"error: data_loss"});
    CHECK(rows_after_change(split, 3, "2") == Lines{"error: data_loss"});
  }
}

TEST_CASE("batch parts: the number of what a window holds, in one block or several") {
  CHECK(run("range(2500) | window(2100) | map(w -> w | cardinality())") == Lines{"2100", "400"});
  CHECK(run("range(7) | window(3) | map(w -> w | cardinality())") == Lines{"3", "3", "1"});
}

// Each look takes ten microseconds.
struct LookedAtClock final : Clock {
  int64_t now_ns() override { return now += 10'000; }
  std::atomic<int64_t> now = 0;
};

TEST_CASE(
    "batch parts: who waits for a millisecond does not wait for millions of elements that give no row") {
  for (const char* text : {"range(3000000) | map(x -> zeros([0])) | unbatch()",
                           "range(3000000) | map(x -> from_dense(zeros([0, 2]))) | unbatch()",
                           "range(300000000) | map(x -> x + 1) | shard(300000000, 299999999)"}) {
    CAPTURE(text);
    ThreadsRuntime runtime(1);
    LookedAtClock clock;
    runtime->clock = &clock;
    auto iterator = open_text(*runtime, text);
    Block block;
    CHECK(require_value(iterator->next_within(1'000'000, 1, block)) == PullResult::pending);
  }
}

}  // namespace
}  // namespace weir::test
