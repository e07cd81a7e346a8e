// An element's bytes are the same however many are computed at once, on however many threads and with
// whatever instructions. (The checksum's own levels are compared in its test.)
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <thread>

#include "core/cpu.h"
#include "core/str.h"
#include "format/example.h"
#include "format/tfrecord.h"
#include "support/host_float_mode.h"
#include "support/pipeline.h"
#include "support/replace.h"
#include "support/row_bytes.h"

namespace weir {
namespace {

// FLOATS, DOUBLES and INTS stand for 300 numbers with signs, fractions, zeros and large values, VECTORS for
// vectors of 0 to 36 entries, RECORDS for serialized tf.Examples, RUN for what makes a map parallel.
const char* const kOneValueTexts[] = {
    // Arithmetic, for each class of dtypes.
    "FLOATS | map(x -> (x + 1.5, x * x, x / 3.0, x // 0.7, x % 0.7, -x, abs(x), clip(x, -3.0, 3.0))RUN)",
    "DOUBLES | map(x -> (x + 1.5, x * x, x / 3.0, x // 0.7, x % 0.7, minimum(x, 1.0), maximum(x, 1.0))RUN)",
    "INTS | map(x -> (x * x * x, x / 7, x // 7, x % 7, x ** 3, assert(x != 7, \"seven\", x), 100 // (x - 20))RUN)",
    "INTS | map(x -> (uint8(x) * uint8(7), int16(x) // int16(3), uint64(x) - uint64(9))RUN)",
    "FLOATS | map(x -> (float16(x) * float16(x), bfloat16(x) / bfloat16(3.0))RUN)",
    // Weir's own implementations, also after blocks of unequal shapes.
    "FLOATS | map(x -> (exp(x), log(abs(x)), sqrt(abs(x)), x ** 0.3, exp(x) ** -1.5)RUN)",
    "DOUBLES | map(x -> (exp(x), log(abs(x)), sqrt(abs(x)), x ** 0.3)RUN)",
    "VECTORS | map(v -> (exp(v), log(v * v), sqrt(abs(v)))RUN)",
    // Subnormals.
    "INTS | map(x -> (float32(x) * 1e-42, float64(x) * float64(5e-324), float16(float32(x) * 1e-9), x == 0 or float32(x) * 1e-42 == 0.0, bool(float32(x) * 1e-42), exp(float32(x) * 1e-42 - 95.0))RUN)",
    // Sums have a tree of their own.
    "VECTORS | map(v -> (sum(v), mean(v), sum(exp(v)), sum(float64(v)), sum(int64(v)))RUN)",
    "VECTORS | filter(v -> shape(v)[0] > 0) | map(v -> (max(v), argmax(v), argmax(-v), v[0], v[-1], v[::2])RUN)",
    "FLOATS | batch(24, drop_remainder: true) | map(m -> reshape(m, [2, 3, 4])) | map(m -> (sum(m), sum(m, axis: 0), sum(m, axis: 1), mean(m, axis: -1), max(m, axis: [0, 2]))RUN)",
    "FLOATS | batch(7) | map(v -> (sum(v), v - mean(v), concat([v, v]), stack([v, v], axis: 1))RUN)",
    // Casts.
    "FLOATS | map(x -> (float64(x), float16(x), bfloat16(x), bool(x), int32(clip(x, -9.0, 9.0)))RUN)",
    "INTS | map(x -> (int8(x), uint16(x), float32(x), float64(x), bitcast(x, float64), one_hot(x % 5, 5))RUN)",
    // Chains, by rows and by parts of a row.
    "INTS | map(x -> clip((float32(arange(700)) + float32(x)) * 0.37 - 9.0, -50.0, 50.0)RUN)",
    "range(9) | map(x -> sum(exp(float32(arange(9000)) * 0.001 - float32(x)) * 0.5)RUN)",
    // Branches see some of the rows only.
    "FLOATS | map(x -> if x < 0.0 then exp(x) else if x < 5.0 then sqrt(x) * x else log(x)RUN)",
    "INTS | map(x -> (where(x % 3 == 0, x, -x), if x % 2 == 0 then float32(x) / 3.0 else exp(float32(x % 9)))RUN)",
    "INTS | map(x -> if x % 5 == 1 then assert(x % 2 == 0, \"odd\", x) else 10 // (x % 16)RUN)",
    // Random functions draw by the row.
    "INTS | map(x -> (x, random_uniform([], seed: 5), random_uniform([3], max: 1000, dtype: int64, seed: 6))RUN)",
    "INTS | map(x -> if x % 3 == 0 then random_uniform([2], seed: 1) else random_uniform([2], min: -1.0, seed: 2)RUN)",
    "INTS | filter(x -> x % 3 != 0) | shuffle(50, seed: 4) | map(x -> random_uniform([x % 4], dtype: float64, seed: 9)RUN)",
    "range(40) | flat_map(x -> range(x % 9) | map(y -> (x, y, random_uniform([], seed: 3))RUN) | prefetch(2))",
    "INTS | map(x -> random_uniform([], max: 9, dtype: int64, seed: 3)RUN) | batch(13) | repeat(2) | prefetch(3)",
    // Records.
    "RECORDS | map(r -> parse_example(r, {i: int64, f: float32[3], s: string = \"none\"})RUN)",
    "RECORDS | filter(r -> string_length(r) > 130) | batch(9) | map(r -> parse_example(r, {s: string = \"none\", f: float32[3]})RUN)",
    "RECORDS | map(r -> parse_example(r, {s: varlen(string), f: sequence(float32), i: ragged(int64)})RUN)",
    "RECORDS | batch(9) | map(r -> parse_example(r, {s: varlen(string), f: sequence(float32) = -1.0, i: ragged(int64)})RUN)",
    "RECORDS | map(r -> parse_example(r, {raw: string})RUN) | map({raw} -> (decode_raw(raw, uint8), decode_raw(raw, int16), float32(decode_raw(raw, uint8)) / 255.0)RUN)",
    "RECORDS | map(r -> sum(float32(decode_raw(parse_example(r, {raw: string}).raw, uint8)) / 255.0)RUN)",
};

constexpr const char* kInts = "range(-150, 150) | map(x -> x * (if x % 10 == 0 then 123456789 else 1))";

std::string with_sources(std::string text, const std::string& records, bool parallel) {
  replace(text, "FLOATS", "range(-150, 150) | map(x -> float32(x) * (if x % 10 == 0 then 1e4 else 0.0371))");
  replace(text, "DOUBLES",
          "range(-150, 150) | map(x -> float64(x) * (if x % 10 == 0 then float64(1e4) else 0.0371))");
  replace(text, "VECTORS", "range(200) | map(x -> (float32(arange(x % 37)) - 12.5) * float32(x) * 0.013)");
  replace(text, "INTS", kInts);
  replace(text, "RECORDS", "tfrecord(\"" + records + "\")");
  replace(text, "RUN", parallel ? ", num_parallel_calls: 4" : "");
  return text;
}

// 200 records; every seventh has no string, every eleventh is damaged.
std::string write_records() {
  std::string name = WEIR_BINARY_DIR "/one_value.tfrecord";
  auto writer = require_value(RecordWriter::create(local_file_system(), name, Compression::none));
  for (int64_t i = 0; i < 200; ++i) {
    ExampleBuilder builder;
    float floats[3] = {static_cast<float>(i) / 7, -0.0f, 1e-40f};
    std::string text(static_cast<size_t>(i % 50), static_cast<char>('a' + i % 26));
    std::string raw(64, static_cast<char>(i * 3));
    Str views[2] = {{text.data(), text.size()}, {raw.data(), raw.size()}};
    builder.set_int64("i", {&i, 1});
    builder.set_float("f", floats);
    if (i % 7 != 0) builder.set_bytes("s", {&views[0], 1});
    builder.set_bytes("raw", {&views[1], 1});
    std::string bytes;
    require_ok(builder.serialize(bytes));
    if (i % 11 == 0) bytes.resize(bytes.size() / 2);
    require_ok(writer->write({bytes.data(), bytes.size()}));
  }
  require_ok(writer->close());
  return name;
}

TEST_CASE("one value: the same bytes for widths 1, 7, 128 on 1, 2, 8 threads at every level", "[contract]") {
  LevelScope scope;
  std::string records = write_records();
  ThreadsRuntime runtimes[] = {ThreadsRuntime(1), ThreadsRuntime(2), ThreadsRuntime(8)};
  for (const char* pattern : kOneValueTexts) {
    std::string text = with_sources(pattern, records, false);
    INFO(text);
    limit_cpu_level(CpuLevel::baseline);
    std::vector<std::string> expected = bytes_of(*runtimes[0], text, 1);
    REQUIRE(expected.size() > 5);
    // Errors only would say nothing.
    size_t errors = 0;
    for (const std::string& row : expected) errors += row.rfind("error: ", 0) == 0;
    CHECK(errors < expected.size());
    for (CpuLevel level : {CpuLevel::baseline, CpuLevel::avx2}) {
      limit_cpu_level(level);
      for (int width : {1, 7, 128}) {
        CHECK((bytes_of(*runtimes[0], text, width) == expected));
        for (ThreadsRuntime& runtime : runtimes) {
          CHECK((bytes_of(*runtime, with_sources(pattern, records, true), width) == expected));
        }
      }
    }
  }
  require_ok(local_file_system().remove(records));
}

// What is computed when a dataset is built, or outside functions: literals, constants, ranges.
const char* const kConstantTexts[] = {
    "from_tensors((0.1, float64(0.1), float16(0.1), bfloat16(0.1), 1e-40, float64(5e-324), 16777217.0))",
    "from_tensors([0.1, 0.2, -0.3, 1e-45, 3.4028235e38])",
    "from_tensors((1.0 / 3.0, float64(2.0) / 3.0, 1e-40 * 0.5, exp(1.0), float64(10.0) ** 0.3, 16777217 / 3))",
    "from_tensors((float32(16777217), float32(33554435), float64(9007199254740993), float16(2049.0)))",
    "range(16777210, 16777230, dtype: float32)",
    "range(9007199254740990, 9007199254741000, dtype: float64)",
    "range(2040, 2060, dtype: float16)",
    "range(250, 270, dtype: bfloat16)",
    "range(3) | take(if 0.1 + 0.2 > 0.3 then 3 else 2) | map(x -> x)",
    "range(3) | take(if 1e-40 * 0.5 == 0.0 then 3 else 2) | map(x -> x)",
};

// What a host sees: the text and the canonical text as well.
std::vector<std::string> seen_by_host(Runtime& runtime, const std::string& text) {
  std::vector<std::string> out = bytes_of(runtime, text, 7);
  for (std::string& line : all_lines(runtime, text, 1)) out.push_back(std::move(line));
  out.push_back(parse_text(runtime, text)->format());
  return out;
}

TEST_CASE("one value: whatever floating-point mode the host has set, which it finds again", "[contract]") {
  std::string records = write_records();
  std::vector<std::string> texts;
  for (const char* pattern : kOneValueTexts) {
    for (bool parallel : {false, true}) texts.push_back(with_sources(pattern, records, parallel));
  }
  texts.insert(texts.end(), std::begin(kConstantTexts), std::end(kConstantTexts));
  std::vector<std::vector<std::string>> expected;
  {
    ThreadsRuntime runtime(2);
    for (const std::string& text : texts) expected.push_back(seen_by_host(*runtime, text));
  }
  for (const HostFloatMode& mode : host_float_modes()) {
    INFO(mode.name);
    HostFloatScope host(mode);
    // Its threads begin with the mode of this one.
    ThreadsRuntime runtime(2);
    for (size_t i = 0; i < texts.size(); ++i) {
      INFO(texts[i]);
      const std::vector<std::string> found = seen_by_host(*runtime, texts[i]);
      CHECK((found == expected[i]));
      CHECK(float_control() == host.control());
    }
  }
  require_ok(local_file_system().remove(records));
}

// Says in which mode it is called, and on which thread.
class SeesMode final : public Callback {
 public:
  explicit SeesMode(CallbackFlags flags) : Callback(flags) {}
  Result<Spec> result(const Spec&) const override {
    return Spec::tuple({Spec::tensor(DType::int64), Spec::tensor(DType::boolean)});
  }
  Status call(Session&, const Block& in, Block& out) const override {
    int64_t* control = out.columns[0].make_dense<int64_t>(Shape(), in.rows);
    bool* on_host = out.columns[1].make_dense<bool>(Shape(), in.rows);
    for (int row = 0; row < in.rows; ++row) {
      control[row] = static_cast<int64_t>(float_control());
      on_host[row] = std::this_thread::get_id() == host_;
    }
    return Status();
  }

 private:
  const std::thread::id host_ = std::this_thread::get_id();
};

TEST_CASE("one value: a callback sees the mode of the host's thread, and on ours the usual one",
          "[contract]") {
  const uint64_t usual = float_control();
  const char* const texts[] = {
      "range(40) | map(x -> float32(x) / 3.0) | map(@f)",
      "range(4) | map(x -> range(9) | map(y -> float32(y) / 3.0) | map(@f) | reduce((0, true), (s, v) -> v))",
      "range(9) | flat_map(x -> range(x) | map(y -> y / 3) | map(@f))",
      "range(300) | map(x -> x / 3) | map(@f, num_parallel_calls: 3) | prefetch(50)",
  };
  for (const HostFloatMode& mode : host_float_modes()) {
    INFO(mode.name);
    HostFloatScope host(mode);
    ThreadsRuntime runtime(3);
    for (const char* text : texts) {
      INFO(text);
      for (bool blocking : {false, true}) {
        Handed handed;
        handed["f"] =
            CallbackRef(make_ref<SeesMode>(CallbackFlags{.concurrent = true, .blocking = blocking}));
        DocumentRef document = require_value(parse_document(*runtime, text, handed));
        OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
        require_ok(iterator->initialize(document, {{}, nullptr}));
        Block block;
        while (require_value(iterator->next(5, block)) == PullResult::rows) {
          for (int i = 0; i < block.rows; ++i) {
            const Components row = block.row(i);
            const uint64_t expected = *row[1].as<bool>() ? host.control() : usual;
            CHECK(static_cast<uint64_t>(*row[0].as<int64_t>()) == expected);
          }
        }
        CHECK(float_control() == host.control());
      }
    }
  }
}

}  // namespace
}  // namespace weir
