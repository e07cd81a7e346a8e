// Bad input from end to end: each gives the documented error, says where it is, and loses nothing else.
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "core/text.h"
#include "format/tfrecord.h"
#include "graph/format_element.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// All different, so that damaged compression can't repeat a whole record, checksum and all.
const Lines kRecords = {"alpha beta!", "Gamma=Delta", "EPSILONZETA", "eta/thetaXY"};
constexpr size_t kFramed = 27;

std::string tfrecord_bytes(const Lines& records, Compression compression) {
  SimulatedFileSystem files;
  auto writer = require_value(RecordWriter::create(files, "f", compression));
  for (const std::string& record : records) require_ok(writer->write({record.data(), record.size()}));
  require_ok(writer->close());
  return require_value(files.read_file("f", 1 << 20));
}

std::string with_flipped_bit(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  return bytes;
}

// A pipeline over three files; the second is replaced each time.
class ThreeFiles {
 public:
  explicit ThreeFiles(const std::string& compression) {
    runtime_->files = &files_;
    files_.put("first", tfrecord_bytes({"1", "2"}, Compression::none));
    files_.put("last", tfrecord_bytes({"3"}, Compression::none));
    document_ = parse_text(*runtime_,
                           "tfrecord([\"first\", \"second\", \"last\"], compression: \"" + compression +
                               "\") | map(r -> (r, string_length(r)), num_parallel_calls: 2) | prefetch(3)");
  }

  SimulatedFileSystem& files() { return files_; }

  // The second file's part of the output, as printed elements, and its errors.
  Lines read(std::vector<ErrorPtr>& errors) {
    Iterator iterator(*runtime_, nullptr, document_->spec());
    require_ok(iterator.initialize(document_, {{}, nullptr}));
    Lines lines;
    Block block;
    while (require_value(iterator.next(8, block)) == PullResult::rows) {
      for (int i = 0; i < block.rows; ++i) {
        if (const ErrorPtr* error = block.error_of(i)) {
          errors.push_back(*error);
          lines.push_back("error");
        } else {
          lines.push_back(require_value(format_element(iterator.spec(), block.row(i))));
        }
      }
    }
    // Nothing is lost of the files around it.
    REQUIRE(lines.size() >= 3);
    CHECK(lines[0] == "(\"1\", 1)");
    CHECK(lines[1] == "(\"2\", 1)");
    CHECK(lines.back() == "(\"3\", 1)");
    return Lines(lines.begin() + 2, lines.end() - 1);
  }

 private:
  SimulatedFileSystem files_;
  ThreadsRuntime runtime_;
  DocumentRef document_;
};

Lines first_records(size_t count) {
  Lines lines;
  for (size_t i = 0; i < count; ++i) lines.push_back("(\"" + kRecords[i] + "\", 11)");
  return lines;
}

void check_damaged_at(ThreeFiles& files, size_t record, bool damaged) {
  Lines expected = first_records(record);
  if (damaged) expected.push_back("error");
  std::vector<ErrorPtr> errors;
  CHECK(files.read(errors) == expected);
  if (!damaged) return;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0]->code == Code::data_loss);
  CHECK(errors[0]->file == "second");
  CHECK(errors[0]->offset == static_cast<int64_t>(record * kFramed));
  CHECK(errors[0]->record == static_cast<int64_t>(record));
  CHECK(errors[0]->path.find("prefetch/map/tfrecord") == 0);
}

TEST_CASE("faults: a TFRecord cut at any byte costs its rest and says where", "[contract]") {
  ThreeFiles files("");
  const std::string bytes = tfrecord_bytes(kRecords, Compression::none);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    INFO("cut at " << size);
    files.files().put("second", bytes.substr(0, size));
    check_damaged_at(files, size / kFramed, size % kFramed != 0);
  }
}

TEST_CASE("faults: any flipped bit of a TFRecord costs its rest and says where", "[contract]") {
  ThreeFiles files("");
  const std::string bytes = tfrecord_bytes(kRecords, Compression::none);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    INFO("bit " << bit);
    files.files().put("second", with_flipped_bit(bytes, bit));
    check_damaged_at(files, bit / 8 / kFramed, true);
  }
}

// How much is decompressed before the damage is not known here: some first records, then one error.
void check_compressed(ThreeFiles& files, bool may_be_whole) {
  std::vector<ErrorPtr> errors;
  Lines found = files.read(errors);
  if (errors.empty()) {
    CHECK(may_be_whole);
    CHECK(found == first_records(kRecords.size()));
    return;
  }
  REQUIRE(errors.size() == 1);
  REQUIRE(found.size() <= kRecords.size() + 1);
  CHECK(errors[0]->code == Code::data_loss);
  CHECK(errors[0]->file == "second");
  CHECK(errors[0]->path.find("prefetch/map/tfrecord") == 0);
  CHECK(errors[0]->offset >= 0);
  CHECK(found.back() == "error");
  found.pop_back();
  CHECK(errors[0]->record == static_cast<int64_t>(found.size()));
  CHECK(found == first_records(found.size()));
}

TEST_CASE("faults: a compressed TFRecord, cut anywhere or with any bit flipped", "[contract]") {
  ThreeFiles files("auto");
  const std::string bytes = tfrecord_bytes(kRecords, Compression::gzip);
  for (size_t size = 1; size <= bytes.size(); ++size) {
    INFO("cut at " << size);
    files.files().put("second", bytes.substr(0, size));
    check_compressed(files, size == bytes.size());
  }
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    INFO("bit " << bit);
    files.files().put("second", with_flipped_bit(bytes, bit));
    // Nothing guards a gzip header's flags, time, level and system, nor the padding bits of the last byte.
    check_compressed(files, true);
  }
}

TEST_CASE("faults: a file that is missing, cannot be opened, or stops being readable", "[contract]") {
  ThreeFiles files("");
  std::vector<ErrorPtr> errors;
  CHECK(files.read(errors) == Lines{"error"});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0]->code == Code::not_found);
  CHECK(errors[0]->file == "second");
  CHECK(errors[0]->path.find("prefetch/map/tfrecord") == 0);

  files.files().put("second", tfrecord_bytes(kRecords, Compression::none));
  files.files().set_faults("second", {.fails_to_open = true});
  errors.clear();
  CHECK(files.read(errors) == Lines{"error"});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0]->code == Code::unavailable);

  for (uint64_t offset = 0; offset < 4 * kFramed; ++offset) {
    INFO("unreadable from " << offset);
    files.files().set_faults("second", {.read_error_offset = offset});
    check_damaged_at(files, offset / kFramed, true);
  }
}

// The next element of a running iterator, as printed.
std::string next_line(Iterator& iterator) { return take_lines(iterator, 1).at(0); }

TEST_CASE("faults: a wrong $param is refused by name and the old position stays", "[contract]") {
  ThreadsRuntime runtime;
  DocumentRef document =
      parse_text(*runtime, "param n: int64\nparam v: float32[2]\nrange($n) | map(x -> (x, $v))");
  Iterator iterator(*runtime, nullptr, document->spec(), document);
  const std::vector<ParamValue> good = {{"n", "100"}, {"v", "[1.0, 2.0]"}};
  require_ok(iterator.initialize(nullptr, {good, nullptr}));
  CHECK(next_line(iterator) == "(0, [1.0, 2.0])");
  struct Wrong {
    std::vector<ParamValue> params;
    const char* named;
  };
  const std::vector<Wrong> wrong = {
      {{}, "n"},
      {{good[0]}, "v"},
      {{good[0], good[1], {"m", "1"}}, "m"},
      {{good[0], good[1], good[0]}, "n"},
      {{{"n", "1.5"}, good[1]}, "n"},
      {{{"n", "[1]"}, good[1]}, "n"},
      {{{"n", "99999999999999999999"}, good[1]}, "n"},
      {{{"n", "1 +"}, good[1]}, "n"},
      {{{"n", ""}, good[1]}, "n"},
      {{good[0], {"v", "[1.0]"}}, "v"},
      {{good[0], {"v", "[1.0, \"x\"]"}}, "v"},
      {{good[0], {"v", HandedValue{Spec::tensor(DType::int64), {Tensor::scalar<int64_t>(1)}}}}, "v"},
  };
  int64_t position = 1;
  for (const Wrong& each : wrong) {
    INFO("case " << position);
    Status status = iterator.initialize(nullptr, {each.params, nullptr});
    CHECK(status.code() == Code::invalid_argument);
    if (!status.ok()) CHECK(status.error().message.find(each.named) != std::string::npos);
    CHECK(next_line(iterator) == concat("(", position++, ", [1.0, 2.0])"));
  }
}

// Returns x * 10, fails on multiples of three, throws on 5.
class Failing final : public Callback {
 public:
  Failing(CallbackFlags flags, int* destroyed) : Callback(flags), destroyed_(destroyed) {}
  ~Failing() override { ++*destroyed_; }

  Result<Spec> result(const Spec&) const override { return Spec::tensor(DType::int64); }
  Status call(Session&, const Block& in, Block& out) const override {
    out.reset(1);
    out.rows = in.rows;
    int64_t* values = out.columns[0].make_dense<int64_t>(Shape(), in.rows);
    for (int i = 0; i < in.rows; ++i) {
      int64_t x = *in.columns[0].row(i).as<int64_t>();
      if (x == 5) throw std::runtime_error("thrown at five");
      values[i] = x * 10;
      if (x % 3 != 0) continue;
      Status failed(Code::aborted, "planted");
      if (!flags.block) return failed;
      out.fail_row(i, failed.pointer());
    }
    return Status();
  }

 private:
  int* destroyed_;
};

TEST_CASE("faults: a failing callback costs its element only", "[contract]") {
  for (int variant = 0; variant < 16; ++variant) {
    CallbackFlags flags;
    flags.concurrent = (variant & 1) != 0;
    flags.blocking = (variant & 2) != 0;
    flags.on_caller = (variant & 4) != 0;
    const char* calls = (variant & 8) != 0 ? ", num_parallel_calls: 3" : "";
    INFO("variant " << variant);
    int destroyed = 0;
    {
      ThreadsRuntime runtime;
      Handed handed;
      handed["f"] = CallbackRef(make_ref<Failing>(flags, &destroyed));
      DocumentRef document = require_value(
          parse_document(*runtime, concat("range(8) | map(@f", calls, ") | prefetch(2)"), handed));
      Iterator iterator(*runtime, nullptr, document->spec());
      require_ok(iterator.initialize(document, {{}, nullptr}));
      std::vector<ErrorPtr> errors;
      Lines lines;
      Block block;
      while (require_value(iterator.next(1, block)) == PullResult::rows) {
        if (const ErrorPtr* error = block.error_of(0)) {
          errors.push_back(*error);
          lines.push_back("error");
        } else {
          lines.push_back(std::to_string(*block.columns[0].row(0).as<int64_t>()));
        }
      }
      CHECK(lines == Lines{"error", "10", "20", "error", "40", "error", "error", "70"});
      REQUIRE(errors.size() == 4);
      CHECK(errors[1]->code == Code::aborted);
      CHECK(errors[1]->message.find("planted") != std::string::npos);
      INFO(errors[2]->message);
      CHECK(errors[2]->message.find("thrown at five") != std::string::npos);
      for (const ErrorPtr& error : errors) CHECK(error->path == "prefetch/map");
    }
    CHECK(destroyed == 1);
  }
}

TEST_CASE("faults: a callback over blocks fails row by row", "[contract]") {
  int destroyed = 0;
  {
    ThreadsRuntime runtime;
    Handed handed;
    handed["f"] = CallbackRef(make_ref<Failing>(CallbackFlags{.block = true, .pure = true}, &destroyed));
    DocumentRef document = require_value(
        parse_document(*runtime, "range(10, 18) | map(@f) | ignore_errors() | batch(9)", handed));
    Iterator iterator(*runtime, nullptr, document->spec());
    require_ok(iterator.initialize(document, {{}, nullptr}));
    CHECK(all_lines(iterator) == Lines{"[100, 110, 130, 140, 160, 170]"});
  }
  CHECK(destroyed == 1);
}

// A pipeline with a bit of everything that has state.
constexpr const char* kSaved =
    "range(60) | shuffle(7, seed: 3) | map(x -> x + 1, num_parallel_calls: 2) | repeat(2) | interleave(x -> range(x % 4) | map(y -> x * 10 + y), cycle_length: 3) | batch(5) | prefetch(2)";

TEST_CASE("faults: of a checkpoint every flipped bit and every cut is found, and the old position stays",
          "[contract]") {
  ThreadsRuntime runtime;
  const Lines whole = all_lines(*runtime, kSaved);
  auto iterator = open_text(*runtime, kSaved);
  size_t position = 5;
  take_lines(*iterator, static_cast<int64_t>(position));
  const std::string saved = require_value(iterator->save());
  int refused = 0;
  auto refuse = [&](const std::string& bytes) {
    Status status = iterator->initialize(nullptr, {{}, &bytes});
    if (status.code() == Code::data_loss || status.code() == Code::failed_precondition) ++refused;
  };
  for (size_t size = 0; size < saved.size(); ++size) refuse(saved.substr(0, size));
  CHECK(refused == static_cast<int>(saved.size()));
  CHECK(next_line(*iterator) == whole[position++]);
  refused = 0;
  for (size_t bit = 0; bit < 8 * saved.size(); ++bit) refuse(with_flipped_bit(saved, bit));
  CHECK(refused == static_cast<int>(8 * saved.size()));
  refused = 0;
  refuse(saved + '\0');
  refuse(saved + saved);
  refuse(std::string(1000, 'x'));
  CHECK(refused == 3);
  CHECK(all_lines(*iterator) == Lines(whole.begin() + static_cast<ptrdiff_t>(position), whole.end()));
}

TEST_CASE("faults: a checkpoint of something else is refused by what differs", "[contract]") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(60) | shuffle(7, seed: 3) | batch(4)");
  take_lines(*iterator, 2);
  const std::string saved = require_value(iterator->save());
  struct Other {
    const char* text;
    const char* named;
  };
  for (const Other& other : {Other{"range(60) | shuffle(8, seed: 3) | batch(4)", "shuffle"},
                             Other{"range(60) | shuffle(7, seed: 4) | batch(4)", "seed"},
                             Other{"range(61) | shuffle(7, seed: 3) | batch(4)", "range"},
                             Other{"range(60) | shuffle(7, seed: 3) | batch(4) | take(9)", "take"},
                             Other{"range(60) | shuffle(7, seed: 3) | batch(5)", "batch"}}) {
    INFO(other.text);
    auto old = open_text(*runtime, other.text);
    const std::string first = next_line(*old);
    Status status = old->initialize(nullptr, {{}, &saved});
    REQUIRE(status.code() == Code::failed_precondition);
    CHECK(status.error().message.find(other.named) != std::string::npos);
    CHECK(next_line(*old) != first);
  }
}

TEST_CASE("faults: a forged state behind a right checksum never kills nor hangs", "[contract]") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, kSaved);
  take_lines(*iterator, 5);
  const std::string saved = require_value(iterator->save());
  Checkpoint forged = require_value(Checkpoint::from_bytes(saved));
  const std::string stage = forged.stage;
  int refused = 0;
  for (size_t bit = 0; bit < 8 * stage.size(); ++bit) {
    INFO("bit " << bit);
    forged.stage = with_flipped_bit(stage, bit);
    const std::string bytes = forged.to_bytes();
    auto victim = open_text(*runtime, kSaved);
    if (victim->initialize(nullptr, {{}, &bytes}).ok()) {
      take_lines(*victim, 200);
    } else {
      ++refused;
    }
  }
  // Keys are saved with the values, so most of it is found at once.
  CHECK(refused > 0);
  for (size_t size = 0; size < stage.size(); ++size) {
    forged.stage = stage.substr(0, size);
    const std::string bytes = forged.to_bytes();
    auto victim = open_text(*runtime, kSaved);
    if (victim->initialize(nullptr, {{}, &bytes}).ok()) take_lines(*victim, 200);
  }
}

}  // namespace
}  // namespace weir
