#include "format/example.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>

#include "format/tfrecord.h"
#include "support/failing_new.h"
#include "support/test_data.h"

namespace weir {
namespace {

FeatureConfig feature(std::string name, FeatureType type, size_t count = 1) {
  FeatureConfig config;
  config.name = std::move(name);
  config.type = type;
  config.count = count;
  return config;
}

constexpr FeatureType kInt = FeatureType::int64, kFloat = FeatureType::float32, kString = FeatureType::string;

// Bytes written as string literals, which may contain zeros.
template <size_t N>
std::string raw(const char (&text)[N]) {
  return std::string(text, N - 1);
}

// A field of a message that holds bytes.
std::string field(int number, const std::string& content) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = content.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  return out + content;
}

std::string entry(const std::string& name, const std::string& feature_bytes) {
  return field(1, field(1, name) + field(2, feature_bytes));
}

std::string example(const std::string& entries) { return field(1, entries); }

std::string ints(const std::string& varints) { return field(3, field(1, varints)); }

// The columns of a parse, as vectors of the features' types, and the records that strings point into.
struct Columns {
  std::vector<std::string> records;
  std::vector<std::vector<int64_t>> int64;
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<Str>> strings;
  std::vector<ExampleError> errors;

  std::string string(size_t f, size_t i) const { return {strings[f][i].data, strings[f][i].size}; }
};

Columns parse(const ExamplePlan& plan, std::vector<std::string> records) {
  const size_t count = plan.features().size();
  Columns columns{std::move(records),
                  std::vector<std::vector<int64_t>>(count),
                  std::vector<std::vector<float>>(count),
                  std::vector<std::vector<Str>>(count),
                  {}};
  std::vector<void*> pointers;
  for (size_t f = 0; f < count; ++f) {
    // Exactly as many places as the plan may write.
    const size_t values = plan.features()[f].count * columns.records.size();
    if (plan.features()[f].type == kInt) columns.int64[f].assign(values, 77);
    if (plan.features()[f].type == kFloat) columns.floats[f].assign(values, 77);
    if (plan.features()[f].type == kString) columns.strings[f].assign(values, {"?", 1});
    pointers.push_back(plan.features()[f].type == kInt     ? static_cast<void*>(columns.int64[f].data())
                       : plan.features()[f].type == kFloat ? static_cast<void*>(columns.floats[f].data())
                                                           : columns.strings[f].data());
  }
  std::vector<Str> views;
  for (const std::string& record : columns.records) views.push_back({record.data(), record.size()});
  plan.parse(views, pointers.data(), columns.errors);
  return columns;
}

std::shared_ptr<const ExamplePlan> compile(std::vector<FeatureConfig> features) {
  auto plan = ExamplePlan::compile(std::move(features));
  REQUIRE(plan.ok());
  return *plan;
}

// The error of one record, "" if it has none.
std::string error_of(const FeatureConfig& config, const std::string& record) {
  const Columns columns = parse(*compile({config}), {record});
  if (columns.errors.empty()) return "";
  CHECK(columns.errors.size() == 1);
  CHECK(columns.errors[0].row == 0);
  CHECK(columns.errors[0].status.code() == Code::invalid_argument);
  return columns.errors[0].status.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("example: one value of each type, whatever the order") {
  const auto plan = compile({feature("i", kInt), feature("f", kFloat), feature("s", kString)});
  const std::string record =
      raw("\n*\n\r\n\x01"
          "f\x12\x08\x12\x06\n\x04\x00\x00\xc0?"
          "\n\n\n\x01i\x12\x05\x1a\x03\n\x01\x07\n\r\n\x01s\x12\x08\n\x06\n\x04hi\x00\xff");
  const Columns columns = parse(*plan, {record, record});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{7, 7});
  CHECK(columns.floats[1] == std::vector<float>{1.5f, 1.5f});
  CHECK(columns.string(2, 0) == raw("hi\x00\xff"));
}

TEST_CASE("example: strings are views into the record") {
  const auto plan = compile({feature("s", kString)});
  const std::string record = example(entry("s", field(1, field(1, "a string longer than a small one"))));
  Str column;
  void* columns[] = {&column};
  REQUIRE(plan->parse_row({record.data(), record.size()}, 0, columns).ok());
  CHECK(column.data > record.data());
  CHECK(column.data + column.size == record.data() + record.size());
}

TEST_CASE("example: vectors, packed and not, and both in one list") {
  const std::string packed = ints("\x01\x02\x03");
  const std::string unpacked = field(3, "\x08\x01\x08\x02\x08\x03");
  const std::string mixed = field(3, "\x08\x01" + field(1, "\x02\x03"));
  const std::string split = field(3, "\x08\x01") + field(3, field(1, "\x02") + "\x08\x03");
  const auto plan = compile({feature("a", kInt, 3)});
  for (const std::string& list : {packed, unpacked, mixed, split}) {
    const Columns columns = parse(*plan, {example(entry("a", list))});
    CHECK(columns.errors.empty());
    CHECK(columns.int64[0] == std::vector<int64_t>{1, 2, 3});
  }
  const auto floats = compile({feature("f", kFloat, 2)});
  for (const std::string& list :
       {raw("\n\x08\x00\x00\x80?\x00\x00\x00@"), raw("\r\x00\x00\x80?\r\x00\x00\x00@"),
        raw("\r\x00\x00\x80?\n\x04\x00\x00\x00@")}) {
    const Columns columns = parse(*floats, {example(entry("f", field(2, list)))});
    CHECK(columns.errors.empty());
    CHECK(columns.floats[0] == std::vector<float>{1, 2});
  }
}

TEST_CASE("example: integers of all sizes") {
  const std::string record = example(
      entry("a", ints(raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
                          "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\xac\x02"))));
  const Columns columns = parse(*compile({feature("a", kInt, 4)}), {record});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{-1, INT64_MAX, INT64_MIN, 300});
}

TEST_CASE("example: special floats keep their bits") {
  const float values[] = {INFINITY, -INFINITY, NAN, -0.0f, 1e-45f};
  ExampleBuilder builder;
  builder.set_float("f", values);
  std::string record;
  REQUIRE(builder.serialize(record).ok());
  const Columns columns = parse(*compile({feature("f", kFloat, 5)}), {record});
  CHECK(std::memcmp(columns.floats[0].data(), values, sizeof(values)) == 0);
}

TEST_CASE("example: a default, of one value or as many as the shape has, where the feature is missing") {
  FeatureConfig a = feature("a", kInt, 2), f = feature("f", kFloat, 2), s = feature("s", kString, 2);
  a.has_default = f.has_default = s.has_default = true;
  a.int64_default = {-1};
  f.float_default = {0.5f, 1.5f};
  s.string_default = {"none", ""};
  const auto plan = compile({a, f, s});
  const Columns columns = parse(*plan, {"", example(entry("a", ints("\x01\x02"))), example("")});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{-1, -1, 1, 2, -1, -1});
  CHECK(columns.floats[1] == std::vector<float>{0.5f, 1.5f, 0.5f, 1.5f, 0.5f, 1.5f});
  CHECK(columns.string(2, 2) == "none");
  CHECK(columns.string(2, 5).empty());
  REQUIRE(plan->default_bytes());
  CHECK(columns.strings[2][0].data == reinterpret_cast<const char*>(plan->default_bytes()->data()));
}

TEST_CASE("example: what is wrong with a row, in words") {
  CHECK(
      error_of(feature("a", kInt), "") ==
      "the feature a is not in this record, which has none; give it a default, as in = 0, if records may lack it");
  const std::string image = entry("image", ints("\x01")), label = entry("label", ints("\x02"));
  CHECK(error_of(feature("lable", kInt), example(image + label + image)) ==
        "the feature lable is not in this record, which has image, label; did you mean label?");
  CHECK(error_of(feature("user/id", kInt), example(entry("user/ip", ints("\x01")))) ==
        "the feature \"user/id\" is not in this record, which has \"user/ip\"; did you mean \"user/ip\"?");
  CHECK(contains(error_of(feature("a", kInt), example(entry("a", field(2, raw("\n\x04\x00\x00\x80?"))))),
                 "another dtype in this record: found float32"));
  CHECK(contains(error_of(feature("a", kInt, 2), example(entry("a", ints("\x01\x02\x03")))),
                 "must have 2 values by its shape, and has 3"));
  CHECK(contains(error_of(feature("a", kInt), example(entry("a", ints("")))), "must have 1 values"));
  CHECK(contains(error_of(feature("a", kInt), "not an example"),
                 "expected a serialized tf.Example, found 14 bytes"));
  CHECK(contains(error_of(feature("a", kInt), example(entry("a", field(3, "\x0a\x05\x01")))), "is damaged"));
}

TEST_CASE("example: a wrong number of values is an error where there is a default, too; no kind is missing") {
  FeatureConfig config = feature("a", kInt);
  config.has_default = true;
  config.int64_default = {9};
  CHECK(contains(error_of(config, example(entry("a", ints("\x01\x02")))), "must have 1 values"));
  CHECK(contains(error_of(config, example(entry("a", ints("")))), "must have 1 values"));
  const Columns columns =
      parse(*compile({config}), {example(entry("a", "")), example(field(1, field(1, "a")))});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{9, 9});
  CHECK(contains(error_of(feature("a", kInt), example(entry("a", ""))), "is not in this record"));
}

TEST_CASE("example: of several entries of a name the last with a kind counts, also over a wrong one") {
  const std::string one = entry("a", ints("\x01")), two = entry("a", ints("\x02"));
  const std::string wrong = entry("a", field(2, raw("\n\x04\x00\x00\x80?"))),
                    damaged = entry("a", "\x1a\x7f");
  const std::string many = entry("a", ints("\x05\x06")), none = entry("a", "");
  const auto plan = compile({feature("a", kInt)});
  const Columns columns =
      parse(*plan, {example(one + two), example(two + none), example(wrong + one), example(many + two),
                    example(one) + example(two), example(damaged + one)});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{2, 2, 1, 2, 2, 1});
  CHECK(parse(*plan, {example(one + wrong), example(one + many), example(one + damaged)}).errors.size() == 3);
}

TEST_CASE("example: a failing row is zero, is listed once and leaves the others alone") {
  const auto plan = compile({feature("a", kInt), feature("b", kInt), feature("s", kString)});
  const auto record = [](const std::string& a, const std::string& b) {
    return example(entry("a", a) + entry("s", field(1, field(1, "x"))) + entry("b", b));
  };
  const std::string good = record(ints("\x05"), ints("\x06"));
  const Columns columns =
      parse(*plan, {good, record(ints("\x05"), ints("")), good, "junk", record("", ""), good});
  REQUIRE(columns.errors.size() == 3);
  CHECK(columns.errors[0].row == 1);
  CHECK(columns.errors[1].row == 3);
  CHECK(columns.errors[2].row == 4);
  CHECK(contains(columns.errors[2].status.error().message, "the feature a is not in this record"));
  CHECK(columns.int64[0] == std::vector<int64_t>{5, 0, 5, 0, 0, 5});
  CHECK(columns.int64[1] == std::vector<int64_t>{6, 0, 6, 0, 0, 6});
  CHECK(columns.strings[2][1].size == 0);
}

TEST_CASE("example: unknown features and fields are passed over, groups are damage") {
  const auto plan = compile({feature("a", kInt)});
  const std::string other = entry("other", field(1, field(1, "x"))) + entry("", ints("\x01"));
  const std::string extra = raw("\x18\x07\x21"
                                "12345678\x2d"
                                "1234") +
                            field(6, "anything");
  const std::string list = field(3, extra + field(1, "\x05") + extra);
  const Columns columns = parse(
      *plan, {example(other + entry("a", ints("\x05")) + other), extra + example(entry("a", ints("\x05"))),
              example(extra + entry("a", ints("\x05")) + extra),
              example(field(1, extra + field(1, "a") + extra + field(2, list))),
              example(field(1, field(2, ints("\x05")) + field(1, "a")))});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>(5, 5));
  CHECK(parse(*plan, {raw("\x1b\x1c") + example(entry("a", ints("\x05")))}).errors.size() == 1);
}

TEST_CASE("example: malformed bytes are an error of the row") {
  const auto plan = compile({feature("a", kInt)});
  const std::vector<std::string> bad = {
      raw("\n\xff\xff\xff\xff\x0f"),                            // a length beyond the end
      raw("\n"),                                                // a tag alone
      raw("\x02"),                                              // field number 0
      raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // a varint of 12 bytes
      raw("\x0c"),                                              // the end of a group that never began
      raw("\x0f"),                                              // a wire type that is none
      example("\n\x05\n\x01"),
      example(field(1, "\n\x05") + entry("a", ints("\x05"))),
  };
  CHECK(parse(*plan, bad).errors.size() == bad.size());
}

TEST_CASE("example: of a cut record either all comes or an error") {
  const std::string record =
      example(entry("a", ints("\xac\x02")) + entry("s", field(1, field(1, "abcdefgh"))));
  const auto plan = compile({feature("a", kInt), feature("s", kString)});
  for (size_t size = 0; size < record.size(); ++size) {
    // A copy of exactly that size, so that a read beyond it is seen.
    const std::vector<char> cut(record.begin(), record.begin() + static_cast<ptrdiff_t>(size));
    int64_t a;
    Str s;
    void* columns[] = {&a, &s};
    CHECK(!plan->parse_row({cut.data(), cut.size()}, 0, columns).ok());
  }
}

TEST_CASE("example: mutated records never lead outside of them") {
  ExampleBuilder builder;
  const int64_t numbers[] = {1, 300, -5};
  const float weights[] = {0.5f, 1.5f};
  const Str names[] = {{"first", 5}, {"second", 6}};
  builder.set_int64("numbers", numbers);
  builder.set_float("weights", weights);
  builder.set_bytes("names", names);
  builder.set_int64("ignored", numbers);
  std::string record;
  REQUIRE(builder.serialize(record).ok());
  const auto plan =
      compile({feature("names", kString, 2), feature("numbers", kInt, 3), feature("weights", kFloat, 2)});
  uint64_t state = 42;
  const auto draw = [&state](uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  size_t failures = 0, strings = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<char> mutated(record.begin(), record.end());
    for (uint64_t n = 1 + draw(4); n > 0; --n) {
      const size_t at = draw(mutated.size());
      switch (draw(4)) {
        case 0:
          mutated[at] = static_cast<char>(draw(256));
          break;
        case 1:
          mutated[at] = static_cast<char>(mutated[at] ^ (1 << draw(8)));
          break;
        case 2:
          mutated.erase(mutated.begin() + static_cast<ptrdiff_t>(at));
          break;
        default:
          mutated.insert(mutated.begin() + static_cast<ptrdiff_t>(at), static_cast<char>(draw(256)));
      }
    }
    mutated.shrink_to_fit();
    Str s[2];
    int64_t i[3];
    float f[2];
    void* columns[] = {s, i, f};
    if (!plan->parse_row({mutated.data(), mutated.size()}, 0, columns).ok()) {
      ++failures;
      continue;
    }
    for (const Str& view : s) {
      const bool inside =
          view.data >= mutated.data() && view.data + view.size <= mutated.data() + mutated.size();
      strings += inside;
      CHECK(inside);
    }
  }
  CHECK(failures > 1000);
  CHECK(strings > 1000);
}

TEST_CASE("example: records of other software") {
  auto reader =
      RecordReader::open(local_file_system(), test_data("records/people.tfrecord"), Compression::none);
  REQUIRE(reader.ok());
  RecordBatch batch;
  REQUIRE((*reader)->next_batch(100, 1 << 20, batch).ok());
  std::vector<std::string> records;
  for (const Str& record : batch.records) records.emplace_back(record.data, record.size);
  const auto plan = compile({feature("name", kString), feature("age", kInt), feature("scores", kFloat, 2)});
  const Columns columns = parse(*plan, records);
  CHECK(columns.errors.empty());
  CHECK(columns.int64[1] == std::vector<int64_t>{36, 41, 29, 55});
  CHECK(columns.floats[2] == std::vector<float>{1.5f, 2.5f, 3, -1, 0.5f, 0.25f, 9, 8});
  CHECK(columns.string(0, 3) == "dee");
}

TEST_CASE("example builder: sorted, the last setting counts, and what is built is parsed") {
  ExampleBuilder builder;
  const int64_t one[] = {1}, many[] = {-1, 300, INT64_MIN};
  const Str names[] = {{"a", 1}, {"", 0}};
  builder.set_int64("z", one);
  builder.set_bytes("names", names);
  builder.set_float("empty", {});
  builder.set_int64("a", one);
  builder.set_int64("z", many);
  std::string record;
  REQUIRE(builder.serialize(record).ok());
  CHECK(record.find("\n\x01"
                    "a") < record.find("empty"));
  CHECK(record.find("empty") < record.find("names"));
  CHECK(record.find("names") < record.find("\n\x01"
                                           "z"));
  const auto plan =
      compile({feature("z", kInt, 3), feature("names", kString, 2), feature("empty", kFloat, 0)});
  const Columns columns = parse(*plan, {record});
  CHECK(columns.errors.empty());
  CHECK(columns.int64[0] == std::vector<int64_t>{-1, 300, INT64_MIN});
  CHECK(columns.string(1, 0) == "a");
  CHECK(columns.string(1, 1).empty());
}

TEST_CASE("example builder: gives the bytes that other software gives") {
  ExampleBuilder builder;
  const int64_t age[] = {36};
  const Str name[] = {{"ada", 3}}, tags[] = {{"x", 1}, {"y", 1}};
  const float scores[] = {1.5f, 2.5f};
  builder.set_bytes("tags", tags);
  builder.set_float("scores", scores);
  builder.set_bytes("name", name);
  builder.set_int64("age", age);
  std::string built;
  REQUIRE(builder.serialize(built).ok());
  auto reader =
      RecordReader::open(local_file_system(), test_data("records/people.tfrecord"), Compression::none);
  REQUIRE(reader.ok());
  RecordBatch batch;
  REQUIRE((*reader)->next_batch(1, 1, batch).ok());
  CHECK(built == std::string(batch.records[0].data, batch.records[0].size));
  builder.clear();
  std::string nothing;
  REQUIRE(builder.serialize(nothing).ok());
  CHECK(nothing == raw("\n\x00"));
}

TEST_CASE("example plan: what can't be compiled") {
  const auto code = [](std::vector<FeatureConfig> features) {
    return ExamplePlan::compile(std::move(features)).status().code();
  };
  CHECK(code({}) == Code::ok);
  CHECK(code({feature("a", kInt), feature("a", kFloat)}) == Code::invalid_argument);
  CHECK(code({feature("a", kInt, SIZE_MAX)}) == Code::invalid_argument);
  FeatureConfig wrong_type = feature("a", kInt);
  wrong_type.has_default = true;
  wrong_type.string_default = {"x"};
  CHECK(code({wrong_type}) == Code::invalid_argument);
  FeatureConfig wrong_count = feature("a", kInt, 3);
  wrong_count.has_default = true;
  wrong_count.int64_default = {1, 2};
  CHECK(code({wrong_count}) == Code::invalid_argument);
}

TEST_CASE("example plan: a large shape takes no memory before there are records, default or not") {
  const LargestAllocation largest(1 << 20);
  for (const FeatureType type : {kInt, kFloat, kString}) {
    for (const bool has_default : {false, true}) {
      FeatureConfig vast = feature("a", type, size_t{1} << 31);
      vast.has_default = has_default;
      if (has_default && type == kInt) vast.int64_default = {7};
      if (has_default && type == kFloat) vast.float_default = {7};
      if (has_default && type == kString) vast.string_default = {"seven"};
      CHECK(ExamplePlan::compile({vast}).ok());
      vast.count += 1;
      CHECK(ExamplePlan::compile({vast}).status().code() == Code::invalid_argument);
    }
  }
}

TEST_CASE("example plan: one default stands for any number of values, none among them") {
  for (const size_t count : {0, 1, 2, 3, 7, 8, 9, 1000}) {
    FeatureConfig number = feature("n", kInt, count), text = feature("s", kString, count);
    number.has_default = text.has_default = true;
    number.int64_default = {-7};
    text.string_default = {"seven"};
    const auto plan = compile({number, text});
    const Columns columns = parse(*plan, {"", ""});
    CHECK(columns.errors.empty());
    CHECK(columns.int64[0] == std::vector<int64_t>(2 * count, -7));
    REQUIRE(columns.strings[1].size() == 2 * count);
    size_t wrong = 0;
    for (size_t i = 0; i < 2 * count; ++i) wrong += columns.string(1, i) != "seven";
    CHECK(wrong == 0);
  }
}

TEST_CASE("example plan: many features, and none") {
  std::vector<FeatureConfig> features;
  ExampleBuilder builder;
  for (int64_t i = 0; i < 300; ++i) {
    features.push_back(feature("a feature with the number " + std::to_string(i * 7919 % 300), kInt));
    const int64_t values[] = {i * 7919 % 300};
    builder.set_int64(features.back().name, values);
  }
  std::string record;
  REQUIRE(builder.serialize(record).ok());
  const Columns columns = parse(*compile(features), {record, record, record});
  CHECK(columns.errors.empty());
  size_t wrong = 0;
  for (size_t f = 0; f < features.size(); ++f) {
    for (int64_t value : columns.int64[f]) wrong += value != static_cast<int64_t>(f) * 7919 % 300;
  }
  CHECK(wrong == 0);
  CHECK(parse(*compile({}), {record, "", "junk"}).errors.size() == 1);
}

}  // namespace
}  // namespace weir
