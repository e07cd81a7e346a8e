// parse_example and parse_sequence_example beside protobuf's own parser, on random records in random
// encodings.
#include <algorithm>
#include <cstring>

#include "core/values.h"
#include "example.pb.h"
#include "expr/harness.h"
#include "support/random_records.h"

namespace weir::test {

namespace {

constexpr int kRounds = 500;
constexpr const char* kTypes[] = {"", "string", "float32", "int64"};

// The values of a Feature as protobuf reads them.
struct Values {
  int kind = 0;  // 0: none
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;

  size_t count() const { return ints.size() + floats.size() + strings.size(); }
};

Values values_of(const weir_test::Feature& feature) {
  Values out;
  out.kind = static_cast<int>(feature.kind_case());
  const auto copy = [](const auto& list, auto& to) { to.assign(list.value().begin(), list.value().end()); };
  if (out.kind == 1) copy(feature.bytes_list(), out.strings);
  if (out.kind == 2) copy(feature.float_list(), out.floats);
  if (out.kind == 3) copy(feature.int64_list(), out.ints);
  return out;
}

// Those of a name; missing ones and those without a kind are none.
Values find(const weir_test::Features& features, const std::string& name) {
  const auto found = features.feature().find(name);
  return found == features.feature().end() ? Values() : values_of(found->second);
}

Tensor ints(const Shape& shape, const std::vector<int64_t>& values) {
  Tensor out = Tensor::allocate(DType::int64, shape);
  REQUIRE(out.count() == std::ssize(values));
  std::copy(values.begin(), values.end(), out.as<int64_t>());
  return out;
}

// A dense tensor of the values of one kind.
Tensor dense(int kind, const Shape& shape, const Values& values) {
  if (kind == 3) return ints(shape, values.ints);
  if (kind == 1) {
    const std::vector<std::string_view> views(values.strings.begin(), values.strings.end());
    REQUIRE(shape.count() == std::ssize(views));
    return Tensor::strings(views, shape);
  }
  Tensor out = Tensor::allocate(DType::float32, shape);
  REQUIRE(out.count() == std::ssize(values.floats));
  std::copy(values.floats.begin(), values.floats.end(), out.as<float>());
  return out;
}

void append(Values& to, const Values& from) {
  to.ints.insert(to.ints.end(), from.ints.begin(), from.ints.end());
  to.floats.insert(to.floats.end(), from.floats.begin(), from.floats.end());
  to.strings.insert(to.strings.end(), from.strings.begin(), from.strings.end());
}

// Fills up to `count` values of a kind.
void pad(Values& values, int kind, size_t count, int64_t with) {
  if (kind == 1) values.strings.resize(count, with == 0 ? "" : std::to_string(with));
  if (kind == 2) values.floats.resize(count, static_cast<float>(with));
  if (kind == 3) values.ints.resize(count, with);
}

int64_t longest_of(const std::vector<Values>& records) {
  size_t out = 0;
  for (const Values& record : records) out = std::max(out, record.count());
  return static_cast<int64_t>(out);
}

// One feature: how it is written, and what must come of the values of some records. No components: an error.
struct Declared {
  std::string form;
  int kind = 3;
  size_t step = 1;
  int64_t fill = 0;

  std::string text() const {
    const std::string type = kTypes[kind];
    if (form == "fixed") return type + "[" + std::to_string(step) + "] = " + default_text();
    if (form == "sparse") return "sparse(index_key: \"i\", value_key: \"v\", dtype: " + type + ", size: 10)";
    if (form != "sequence") return form + "(" + type + ")";
    return "sequence(" + type + "[" + std::to_string(step) + "])" + (fill == 0 ? "" : " = " + default_text());
  }

  Components expected(std::vector<Values> records, bool single) const {
    for (const Values& record : records) {
      if (record.kind != 0 && record.kind != kind) return {};
    }
    const auto n = static_cast<int64_t>(records.size());
    if (form == "fixed") return expected_fixed(std::move(records), single);
    if (form == "sequence") return expected_sequence(std::move(records), single);
    Values all;
    std::vector<int64_t> places, splits = {0};
    for (int64_t r = 0; r < n; ++r) {
      const Values& record = records[static_cast<size_t>(r)];
      append(all, record);
      for (int64_t i = 0;
           i < std::ssize(record.ints) + std::ssize(record.floats) + std::ssize(record.strings); ++i) {
        if (!single) places.push_back(r);
        places.push_back(i);
      }
      splits.push_back(static_cast<int64_t>(all.count()));
    }
    const auto count = static_cast<int64_t>(all.count());
    const Tensor values = dense(kind, Shape{count}, all);
    if (form == "ragged" && single) return {values};
    if (form == "ragged") return {values, ints(Shape{n + 1}, splits)};
    const int64_t longest = longest_of(records);
    return {ints(Shape{count, single ? 1 : 2}, places), values,
            single ? ints(Shape{1}, {longest}) : ints(Shape{2}, {n, longest})};
  }

  // Of the feature i, whose values are the places of those of v.
  Components expected_sparse(const std::vector<Values>& indices, const std::vector<Values>& records,
                             bool single) const {
    constexpr int64_t kSize = 10;
    Values all;
    std::vector<int64_t> places;
    for (size_t r = 0; r < records.size(); ++r) {
      const Values& i = indices[r];
      const Values& v = records[r];
      if ((i.kind != 0 && i.kind != 3) || (v.kind != 0 && v.kind != kind) || i.count() != v.count())
        return {};
      std::vector<size_t> order(i.ints.size());
      for (size_t at = 0; at < order.size(); ++at) order[at] = at;
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return i.ints[a] < i.ints[b]; });
      for (const size_t at : order) {
        if (i.ints[at] < 0 || i.ints[at] >= kSize) return {};
        if (!single) places.push_back(static_cast<int64_t>(r));
        places.push_back(i.ints[at]);
        if (kind == 1) all.strings.push_back(v.strings[at]);
        if (kind == 2) all.floats.push_back(v.floats[at]);
        if (kind == 3) all.ints.push_back(v.ints[at]);
      }
    }
    const auto count = static_cast<int64_t>(all.count());
    return {ints(Shape{count, single ? 1 : 2}, places), dense(kind, Shape{count}, all),
            single ? ints(Shape{1}, {kSize}) : ints(Shape{2}, {static_cast<int64_t>(records.size()), kSize})};
  }

 private:
  std::string default_text() const {
    const std::string number = std::to_string(fill);
    return kind == 1 ? (fill == 0 ? "\"\"" : "\"" + number + "\"") : kind == 2 ? number + ".0" : number;
  }

  Components expected_fixed(std::vector<Values> records, bool single) const {
    Values all;
    for (Values& record : records) {
      if (record.kind == 0) pad(record, kind, step, fill);
      if (record.count() != step) return {};
      append(all, record);
    }
    const auto width = static_cast<int64_t>(step);
    return {dense(kind, single ? Shape{width} : Shape{std::ssize(records), width}, all)};
  }

  Components expected_sequence(std::vector<Values> records, bool single) const {
    const int64_t longest = longest_of(records);
    const auto width = static_cast<int64_t>(step);
    Values all;
    for (Values& record : records) {
      if (record.count() % step != 0) return {};
      pad(record, kind, static_cast<size_t>(longest), fill);
      append(all, record);
    }
    const int64_t steps = longest / width;
    return {dense(kind, single ? Shape{steps, width} : Shape{std::ssize(records), steps, width}, all)};
  }
};

// A dict of features, which are named a, b … save the sparse one.
struct Schema {
  std::vector<Declared> features;

  static std::string name(size_t f) { return std::string(1, static_cast<char>('a' + f)); }
  std::string text() const {
    std::string out;
    for (size_t f = 0; f < features.size(); ++f)
      out += (f == 0 ? "" : ", ") + name(f) + ": " + features[f].text();
    return "{" + out + "}";
  }
  // No components: an error.
  Components expected(const std::vector<const weir_test::Features*>& records, bool single) const {
    Components out;
    for (size_t f = 0; f < features.size(); ++f) {
      const auto all = [&](const std::string& name) {
        std::vector<Values> values;
        for (const weir_test::Features* record : records) values.push_back(find(*record, name));
        return values;
      };
      const Components part = features[f].form == "sparse"
                                  ? features[f].expected_sparse(all("i"), all("v"), single)
                                  : features[f].expected(all(name(f)), single);
      if (part.empty()) return {};
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }
};

Declared random_feature(RandomRecords& writer, const std::vector<const char*>& forms) {
  Declared out;
  out.form = forms[writer.draw(forms.size())];
  out.kind = static_cast<int>(1 + writer.draw(3));
  out.step = 1 + writer.draw(3);
  out.fill = static_cast<int64_t>(writer.draw(3));
  return out;
}

// Values that mostly fit.
std::string random_value(RandomRecords& writer, const Declared& feature) {
  const bool wrong = writer.chance(60);
  const auto kind = static_cast<uint32_t>(wrong ? 1 + writer.draw(3) : static_cast<uint64_t>(feature.kind));
  const size_t steps = feature.form == "fixed" ? 1 : writer.draw(5);
  return writer.feature(kind, writer.chance(60) ? writer.draw(6) : steps * feature.step);
}

// The entries of a record: some missing, some twice, some without a kind.
std::string random_entries(RandomRecords& writer, const Schema& schema) {
  std::vector<std::string> entries = {writer.entry("other", writer.feature(3, writer.draw(3)))};
  for (size_t f = 0; f < schema.features.size(); ++f) {
    const Declared& feature = schema.features[f];
    if (feature.form == "sparse") {
      std::vector<int64_t> indices(writer.draw(5));
      for (int64_t& index : indices) index = static_cast<int64_t>(writer.draw(writer.chance(80) ? 12 : 10));
      if (writer.chance(100)) indices.push_back(-1);
      const size_t count = indices.size() + (writer.chance(60) ? 1 : 0);
      entries.push_back(writer.entry("i", writer.indices(indices)));
      entries.push_back(writer.entry("v", writer.feature(static_cast<uint32_t>(feature.kind), count)));
      continue;
    }
    const std::string name = Schema::name(f);
    if (writer.chance(5)) continue;
    if (writer.chance(20)) {
      entries.push_back(writer.entry(name, ""));
      continue;
    }
    std::string both = writer.chance(8) ? writer.entry(name, random_value(writer, feature)) : "";
    entries.push_back(both + writer.entry(name, random_value(writer, feature)));
  }
  for (size_t left = entries.size(); left > 1; --left)
    std::swap(entries[left - 1], entries[writer.draw(left)]);
  std::string out;
  for (const std::string& entry : entries) out += entry;
  return out;
}

void check_rows(Lab& lab, const std::string& lambda, const Shape& shape, const std::vector<Tensor>& rows,
                const std::vector<Components>& expected, int& good) {
  INFO(lambda);
  Block in;
  for (const Tensor& row : rows) {
    Block single;
    single.set_row({row});
    in.append(single, 0, 1);
  }
  Result<FunctionRef> f = lab.compile(lambda, Spec::tensor(DType::string, shape));
  if (!f.ok()) FAIL(f.status().error().message);
  for (const int width : {1, 3, 128}) {
    const Block out = lab.run(**f, in, width);
    for (int row = 0; row < in.rows; ++row) {
      INFO("width " << width << ", row " << row);
      const Components& want = expected[static_cast<size_t>(row)];
      REQUIRE(out.failed(row) == want.empty());
      if (want.empty()) continue;
      ++good;
      const Components have = out.row(row);
      REQUIRE(have.size() == want.size());
      bool equal = check_value((*f)->result(), have).ok();
      for (size_t i = 0; i < want.size(); ++i) equal = equal && bit_equal(have[i], want[i]);
      REQUIRE(equal);
    }
  }
}

}  // namespace

TEST_CASE("parse_example reads random records as protobuf does") {
  Lab lab;
  int good = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    INFO("round " << round);
    RandomRecords writer(round);
    Schema schema;
    for (uint64_t left = 1 + writer.draw(4); left > 0; --left) {
      schema.features.push_back(random_feature(writer, {"fixed", "varlen", "sequence", "ragged"}));
    }
    if (writer.chance(2)) schema.features.push_back(random_feature(writer, {"sparse"}));
    std::vector<Tensor> rows, scalars;
    std::vector<Components> expected, expected_scalars;
    for (int row = 0; row < 4; ++row) {
      std::vector<std::string> records(writer.draw(4));
      std::vector<weir_test::Example> messages(records.size());
      std::vector<const weir_test::Features*> features;
      for (size_t i = 0; i < records.size(); ++i) {
        records[i] = writer.unknown() + RandomRecords::field(1, random_entries(writer, schema));
        REQUIRE(messages[i].ParseFromString(records[i]));
        features.push_back(&messages[i].features());
        scalars.push_back(Tensor::string(records[i]));
        expected_scalars.push_back(schema.expected({features.back()}, true));
      }
      const std::vector<std::string_view> views(records.begin(), records.end());
      rows.push_back(Tensor::strings(views, Shape{std::ssize(views)}));
      expected.push_back(schema.expected(features, false));
    }
    const std::string lambda = "r -> parse_example(r, " + schema.text() + ")";
    check_rows(lab, lambda, Shape{kUnknownDim}, rows, expected, good);
    if (!scalars.empty()) check_rows(lab, lambda, Shape(), scalars, expected_scalars, good);
  }
  CHECK(good > 4 * kRounds);
}

namespace {

// What must come of a list of steps. No components: an error.
Components expected_list(const Declared& list, const weir_test::FeatureLists& lists,
                         const std::string& name) {
  const auto found = lists.feature_list().find(name);
  if (found == lists.feature_list().end() && list.form == "sequence" && list.fill != 0) return {};
  std::vector<Values> steps;
  if (found != lists.feature_list().end()) {
    for (const weir_test::Feature& feature : found->second.feature()) steps.push_back(values_of(feature));
  }
  if (list.form != "sequence") return list.expected(steps, false);
  Values all;
  for (const Values& step : steps) {
    if (step.kind != list.kind || step.count() != list.step) return {};
    append(all, step);
  }
  return {dense(list.kind, Shape{std::ssize(steps), static_cast<int64_t>(list.step)}, all)};
}

std::string list_text(const Declared& list) {
  const std::string type = kTypes[list.kind];
  if (list.form != "sequence") return list.form + "(" + type + ")";
  return "sequence(" + type + "[" + std::to_string(list.step) + "]" +
         (list.fill == 0 ? ", allow_missing: true)" : ")");
}

std::string random_lists(RandomRecords& writer, const std::vector<Declared>& lists) {
  std::string out;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (writer.chance(12)) continue;
    for (uint64_t copies = writer.chance(8) ? 2 : 1; copies > 0; --copies) {
      std::string steps = writer.unknown();
      for (uint64_t left = writer.draw(4); left > 0; --left) {
        const bool none = writer.chance(40);
        Declared fitting = lists[i];
        if (fitting.form == "sequence") fitting.form = "fixed";
        steps += RandomRecords::field(1, none ? "" : random_value(writer, fitting));
      }
      out += writer.entry(Schema::name(i), steps);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("parse_sequence_example reads random records as protobuf does") {
  Lab lab;
  int good = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    INFO("round " << round);
    RandomRecords writer(round);
    Schema context;
    for (uint64_t left = writer.draw(3); left > 0; --left) {
      context.features.push_back(random_feature(writer, {"fixed", "varlen", "ragged"}));
    }
    std::vector<Declared> lists;
    for (uint64_t left = 1 + writer.draw(3); left > 0; --left) {
      lists.push_back(random_feature(writer, {"sequence", "varlen", "ragged"}));
    }
    std::string text;
    for (size_t i = 0; i < lists.size(); ++i)
      text += (i == 0 ? "" : ", ") + Schema::name(i) + ": " + list_text(lists[i]);
    std::vector<Tensor> rows;
    std::vector<Components> expected;
    for (int row = 0; row < 5; ++row) {
      const std::string record = RandomRecords::field(1, random_entries(writer, context)) + writer.unknown() +
                                 RandomRecords::field(2, random_lists(writer, lists));
      weir_test::SequenceExample message;
      REQUIRE(message.ParseFromString(record));
      Components all = context.expected({&message.context()}, true);
      bool fails = all.empty() && !context.features.empty();
      for (size_t i = 0; i < lists.size(); ++i) {
        const Components part = expected_list(lists[i], message.feature_lists(), Schema::name(i));
        fails = fails || part.empty();
        all.insert(all.end(), part.begin(), part.end());
      }
      rows.push_back(Tensor::string(record));
      expected.push_back(fails ? Components() : all);
    }
    check_rows(lab, "r -> parse_sequence_example(r, " + context.text() + ", {" + text + "})", Shape(), rows,
               expected, good);
  }
  CHECK(good > 4 * kRounds);
}

}  // namespace weir::test
