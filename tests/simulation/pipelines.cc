#include "simulation/pipelines.h"

#include <stdexcept>

#include "core/text.h"
#include "format/tfrecord.h"
#include "graph/format_element.h"
#include "support/pipeline.h"
#include "support/probe.h"
#include "support/replace.h"
#include "support/sim_world.h"

namespace weir::sim {
namespace {

// PROBE stands for a source that answers pending and fails as the seed says. Faults of files belong to the
// file (FaultPlan), so a restored position meets them again.
constexpr const char* kTexts[kPipelines] = {
    "PROBE | prefetch(3) | map(x -> x * 2) | prefetch(2) | map(x -> (x + 1, x)) | prefetch(auto)",

    "PROBE | map(x -> assert(x % 7 != 3, \"planted in map\", (x, x * x)), num_parallel_calls: 3) | map((a, b) -> a + b + random_uniform([], max: 1000, dtype: int64, seed: 3), num_parallel_calls: auto)",

    "PROBE | prefetch(4) | shuffle(6, seed: 5) | repeat(3) | prefetch(5)",

    "PROBE | flat_map(x -> range(x % 5) | map(y -> x * 10 + y) | shuffle(3, seed: 2) | prefetch(2)) | prefetch(3)",

    "list_files(\"/data/part-*\", seed: 3) | interleave(f -> tfrecord(f, compression: \"auto\") | enumerate(), cycle_length: 3, block_length: 2) | prefetch(4)",

    "zip(PROBE | prefetch(2), {a: range(40) | shuffle(7, seed: 2) | prefetch(3), b: PROBE | map(x -> -x, num_parallel_calls: 2)})",

    "PROBE | map(x -> [x, x + 1], num_parallel_calls: 4) | filter(v -> v[0] % 3 != 1) | batch(4) | prefetch(2)",

    // Epochs and inputs end on the reader's own thread.
    "PROBE | prefetch(8) | repeat(2) | take(17) | concatenate(range(5) | prefetch(2)) | skip(2)",

    "tfrecord(list_files(\"/data/part-*\", seed: 4), compression: \"auto\", num_parallel_reads: 3) | map(r -> (r, string_length(r)), num_parallel_calls: 2) | ignore_errors() | prefetch(4)",

    "PROBE | flat_map(x -> range(x % 6) | prefetch(2) | map(y -> y * x, num_parallel_calls: 2) | batch(3) | prefetch(1)) | map(v -> sum(v), num_parallel_calls: 2) | reduce(0, (s, x) -> s * 3 + x)",

    "range(5) | interleave(x -> PROBE | map(y -> x * 100 + y), cycle_length: 3, block_length: 2, num_parallel_calls: 2) | prefetch(3)",

    "PROBE | flat_map(z -> range(z % 4) | interleave(x -> range(x + z) | shuffle(2, seed: 4) | prefetch(1), cycle_length: 2, num_parallel_calls: auto)) | repeat(2)",

    "list_files(\"/data/part-*\", seed: 3) | interleave(f -> tfrecord(f, compression: \"auto\") | enumerate(), cycle_length: 3, block_length: 2, num_parallel_calls: 3)",

    // Can be cancelled in the middle of a block.
    "list_files(\"/data/part-*\", seed: 3) | interleave(f -> tfrecord(f, compression: \"auto\") | enumerate(), cycle_length: 3, block_length: 2) | window(3, shift: 2) | flat_map((a, b) -> zip(a, b))",

    // With the driver of tests/fake_cuda.
    "PROBE | map(x -> (x, x * 3), num_parallel_calls: 2) | batch(2) | to_device(\"cuda:0\", depth: 3)",
};

// Removes `begin`, its argument, and `end`, wherever they stand.
void remove_all(std::string& text, const std::string& begin, const std::string& end) {
  for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    size_t last = text.find_first_not_of("0123456789auto", at + begin.size());
    text.erase(at, last - at + end.size());
  }
}

std::string record(uint64_t file, uint64_t number) {
  return concat("record ", number, " of ", file) + std::string(number * 7 % 60, '.');
}

std::string file_name(uint64_t number) { return "/data/part-" + std::to_string(number); }

// Six files, every other one compressed; written once for all seeds.
const std::vector<std::string>& file_contents() {
  static const std::vector<std::string> contents = [] {
    std::vector<std::string> out;
    SimulatedFileSystem files;
    for (uint64_t file = 0; file < 6; ++file) {
      auto writer = require_value(
          RecordWriter::create(files, "f", file % 2 == 0 ? Compression::none : Compression::gzip));
      for (uint64_t i = 0; i < file * 3 % 8; ++i) {
        std::string bytes = record(file, i);
        require_ok(writer->write({bytes.data(), bytes.size()}));
      }
      require_ok(writer->close());
      out.push_back(require_value(files.read_file("f", 1 << 20)));
    }
    return out;
  }();
  return contents;
}

std::unique_ptr<SimulatedFileSystem> make_files(Dice& dice) {
  FaultPlan plan;
  plan.seed = dice.draw(UINT64_MAX);
  if (!dice.one_in(3)) plan = {plan.seed, 150, 150, 200, 300};
  auto files = std::make_unique<SimulatedFileSystem>(plan);
  for (uint64_t i = 0; i < file_contents().size(); ++i) files->put(file_name(i), file_contents()[i]);
  // What a test saves there must be read again.
  files->set_faults("/saved", {});
  return files;
}

// What the plain text gives without helping threads: the sequence that all others must give.
std::vector<std::string> sequence_of(const Case& what) {
  std::vector<std::string> lines;
  SimWorld world(0, {.lanes = SimOptions::Lanes::refusing});
  world.runtime().files = what.files.get();
  world.client("the reference", [&] {
    auto iterator = open_text(world.runtime(), what.plain);
    Block block;
    while (require_value(iterator->next(1, block)) == PullResult::rows) {
      lines.push_back(line_of(iterator->spec(), block, 0));
    }
  });
  std::string failure = world.run();
  if (!failure.empty()) throw std::runtime_error("the reference: " + failure);
  return lines;
}

}  // namespace

uint64_t Dice::draw(uint64_t bound) {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) % bound;
}

Case make_case(uint64_t number, Dice& dice) {
  register_probe();
  Case out;
  out.text = kTexts[number];
  uint64_t rows = dice.draw(28);
  std::string errors;
  if (!dice.one_in(3)) {
    for (uint64_t i = dice.draw(4) + 1; i > 0; --i) errors += std::to_string(dice.draw(rows + 1)) + ",";
  }
  std::string probe = "probe(" + std::to_string(rows) + ", errors: \"" + errors + "\"";
  std::string pending = dice.one_in(3) ? std::string() : ", pending: " + std::to_string(1 + dice.draw(1000));
  out.plain = out.text;
  const char* once = dice.one_in(3) ? ", once: true" : "";
  replace(out.text, "PROBE", probe + pending + once + ")");
  replace(out.plain, "PROBE", probe + ")");
  remove_all(out.plain, " | prefetch(", ")");
  remove_all(out.plain, ", num_parallel_calls: ", "");
  // Where something is tuned, it may begin, or stay, with nobody but the reader to run pumps.
  const size_t last = out.plain.find(" | to_device(");
  if (last != std::string::npos) out.plain.resize(last);
  const bool ends = last != std::string::npos || out.text.find("| reduce(") != std::string::npos;
  if (!ends && dice.one_in(4)) out.text += " | options(tuned: \"alone 1\")";
  if (!ends && dice.one_in(8)) out.text += " | options(autotune: false)";
  out.files = make_files(dice);
  out.expected = sequence_of(out);
  return out;
}

std::string line_of(const Spec& spec, const Block& block, int row) {
  const ErrorPtr* failed = block.error_of(row);
  if (!failed) return require_value(format_element(spec, on_host_row(block.row(row))));
  const Error& error = **failed;
  if (error.path.empty()) throw std::runtime_error("an error without a path: " + error.message);
  return concat("error: ", code_name(error.code), ": ", error.message, " ", error.file, " ", error.offset,
                " ", error.record);
}

}  // namespace weir::sim
